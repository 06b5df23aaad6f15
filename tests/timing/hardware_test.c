// SPDX-License-Identifier: MIT
// The statistics of `make hardware`, on numbers worked out by hand, and its table.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/correlation.h"
#include "support/hardware_rows.h"
#include "unit/cmocka_all.h"

static void finds_mean_and_worst_error(void **state) {
  (void)state;
  const double measured[] = {100, 200, 400}, simulated[] = {110, 150, 400};
  Correlation found = correlation_of(simulated, measured, 3);
  assert_true(fabs(found.mean_percent - ((10 + 25 + 0) / 3.0)) <= 1e-9);
  assert_true(fabs(found.worst_percent - 25) <= 1e-9);
  assert_int_equal(found.worst, 1);
}

// Deviations from the mean: -2 -1 3 and -3 0 3, so r = 15 / sqrt(14 * 18).
static void finds_the_coefficient_of_numbers(void **state) {
  (void)state;
  const double measured[] = {1, 2, 6}, simulated[] = {2, 5, 8};
  Correlation found = correlation_of(simulated, measured, 3);
  assert_true(fabs(found.linear - (15 / sqrt(14 * 18))) <= 1e-12);
}

// Twice, then four times as much: 1 in logarithms to any base, for y = x * x; not so in
// the numbers themselves.
static void finds_the_coefficient_of_logarithms(void **state) {
  (void)state;
  const double measured[] = {10, 20, 80}, simulated[] = {100, 400, 6400};
  Correlation found = correlation_of(simulated, measured, 3);
  assert_true(fabs(found.logarithmic - 1) <= 1e-12);
  assert_true(found.linear < 0.999);
  const double falling[] = {80, 40, 10};
  assert_true(fabs(correlation_of(falling, measured, 3).logarithmic + 1) <= 1e-12);
}

static void has_no_coefficient_of_one_number(void **state) {
  (void)state;
  const double one[] = {5};
  assert_true(isnan(correlation_of(one, one, 1).linear));
  assert_true(correlation_of(one, one, 1).mean_percent == 0);
}

static void reads_the_shipped_table(void **state) {
  (void)state;
  HardwareRows rows;
  Error err;
  assert_int_equal(hardware_rows_read(&rows, "bench/hardware/v100.tsv", &err), OK);
  assert_int_equal(rows.count, 12);
  assert_string_equal(rows.rows[0].kernel, "CUDAkernel2DCT");
  assert_true(rows.rows[0].counted.cycles == 5823);
  assert_true(rows.rows[0].counted.dram_read_sectors == 32773);
  assert_true(rows.rows[11].counted.dram_write_sectors == 8720433);
  // Pipeline_Duty 0.143457 x 5 x 5,823 cycles x 80 SMs
  assert_true(rows.rows[0].counted.pipe_cycles == 334137);
  hardware_rows_clear(&rows);
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void refuses_other_columns(void **state) {
  (void)state;
  const char *path = "/tmp/heddle_hardware_test.tsv";
  HardwareRows rows;
  Error err;
  write_file(path, "kernel\tsuite\tworkload\tlaunch\toptions\tcycle\n");
  assert_int_not_equal(hardware_rows_read(&rows, path, &err), OK);
  assert_non_null(strstr(err.text, "column 6 is not 'cycles'"));
  hardware_rows_clear(&rows);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_mean_and_worst_error),
      cmocka_unit_test(finds_the_coefficient_of_numbers),
      cmocka_unit_test(finds_the_coefficient_of_logarithms),
      cmocka_unit_test(has_no_coefficient_of_one_number),
      cmocka_unit_test(reads_the_shipped_table),
      cmocka_unit_test(refuses_other_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
