// SPDX-License-Identifier: MIT
// The statistics of `make hardware`, on numbers worked out by hand, and its table.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/correlation.h"
#include "support/hardware_rows.h"
#include "support/program_rows.h"
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

// Off by 10, 25, 0 and 50 %.
static void finds_the_median(void **state) {
  (void)state;
  const double measured[] = {100, 200, 400, 10}, simulated[] = {110, 150, 400, 15};
  assert_true(fabs(correlation_of(simulated, measured, 3).median_percent - 10) <= 1e-9);
  assert_true(fabs(correlation_of(simulated, measured, 4).median_percent - 17.5) <= 1e-9);
}

// Ranks 1 2 3 4 and 1 3 2 4: differences 0 1 1 0, so 1 - 6 * 2 / (4 * 15); five of six pairs in
// order. With a tie, ranks 1 2.5 2.5 4 against 1 2 3 4: 4.5 / sqrt(4.5 * 5), and 5 / sqrt(5 * 6).
static void finds_the_correlation_of_ranks(void **state) {
  (void)state;
  const double order[] = {1, 20, 300, 4000}, swapped[] = {5, 7, 6, 8}, tied[] = {5, 7, 7, 8};
  Correlation found = correlation_of(swapped, order, 4);
  assert_true(fabs(found.spearman - 0.8) <= 1e-12);
  assert_true(fabs(found.kendall - 4 / 6.0) <= 1e-12);
  found = correlation_of(tied, order, 4);
  assert_true(fabs(found.spearman - 4.5 / sqrt(4.5 * 5)) <= 1e-12);
  assert_true(fabs(found.kendall - 5 / sqrt(5 * 6)) <= 1e-12);
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

static const char programs_header[] =
    "half\tprogram\targuments\tcaches\tkernel\tlaunch\tgrid\tblock\ttime_us\tdram_bytes\n";

static void read_programs(ProgramRows *rows, const char *path, const char *lines) {
  Error err;
  char text[1024];
  snprintf(text, sizeof text, "%s%s", programs_header, lines);
  write_file(path, text);
  assert_int_equal(program_rows_read(rows, path, &err), OK);
}

static const char two_rows[] =
    "fit\ta/main\t-n 5\tcold\tadd\t2\t8x1x1\t64x1x1\t10\t4096\n"
    "held\tb/main\t\tcold\tadd\t0\t8x1x1\t64x1x1\t20\t0\n";

// Only the launch with the row's number, name, grid and block counts: 2,880 cycles at 1,440 MHz.
static void takes_the_launch_of_a_row(void **state) {
  (void)state;
  const char *table = "/tmp/heddle_programs_test.tsv", *json = "/tmp/heddle_programs_test.json";
  ProgramRows rows;
  Error err;
  const char *why;
  read_programs(&rows, table, two_rows);
  write_file(json,
             "{\"config\": {\"gpu\": {\"core_clock_mhz\": 1440}}, \"kernels\": ["
             "{\"launch\": 2, \"name\": \"_Z3addv\", \"grid\": [9, 1, 1],"
             " \"block\": [64, 1, 1], \"cycles\": 2880, \"complete\": true}]}");
  assert_int_equal(program_rows_take(&rows, &rows.rows[0], json, &why, &err), OK);
  assert_non_null(strstr(why, "launch 2 is _Z3addv, 9x1x1"));
  assert_false(rows.rows[0].is_done);
  write_file(json,
             "{\"config\": {\"gpu\": {\"core_clock_mhz\": 1440}}, \"kernels\": ["
             "{\"launch\": 2, \"name\": \"_Z3addv\", \"grid\": [8, 1, 1],"
             " \"block\": [64, 1, 1], \"cycles\": 2880, \"complete\": true,"
             " \"dram.bytes\": 4096}]}");
  assert_int_equal(program_rows_take(&rows, &rows.rows[0], json, &why, &err), OK);
  assert_null(why);
  assert_true(rows.rows[0].is_done && rows.rows[0].simulated_us == 2);
  assert_true(rows.rows[0].simulated_bytes == 4096);
  assert_false(rows.rows[1].is_done);  // another program
  program_rows_clear(&rows);
  remove(table);
  remove(json);
}

// A third of the CTAs on half of the SMs, 2,880 cycles at 1,440 MHz: 3 us for the whole.
static void scales_a_part_of_a_launch(void **state) {
  (void)state;
  const char *table = "/tmp/heddle_programs_test.tsv", *json = "/tmp/heddle_programs_test.json";
  ProgramRows rows;
  Error err;
  const char *why;
  read_programs(&rows, table, "fit\ta/main\t5\tpart:16\tadd\t0\t8x9x1\t64x1x1\t10\t0\n");
  write_file(json,
             "{\"config\": {\"gpu\": {\"core_clock_mhz\": 1440, \"sm_count\": 8}}, \"kernels\": ["
             "{\"launch\": 0, \"name\": \"_Z3addv\", \"grid\": [8, 3, 1],"
             " \"block\": [64, 1, 1], \"cycles\": 2880, \"complete\": true}]}");
  assert_int_equal(program_rows_take(&rows, &rows.rows[0], json, &why, &err), OK);
  assert_null(why);
  assert_true(rows.rows[0].is_done && rows.rows[0].simulated_us == 3);
  program_rows_clear(&rows);
  remove(table);
  remove(json);
}

static void continues_results_of_the_same_run_only(void **state) {
  (void)state;
  const char *table = "/tmp/heddle_programs_test.tsv", *csv = "/tmp/heddle_programs_test.csv";
  ProgramRows rows, again;
  Error err;
  read_programs(&rows, table, two_rows);
  rows.rows[1].is_done = true;
  rows.rows[1].simulated_us = 21.5;
  rows.rows[1].simulated_bytes = 64;
  assert_int_equal(program_rows_write(&rows, csv, "# one", &err), OK);
  read_programs(&again, table, two_rows);
  assert_int_equal(program_rows_resume(&again, csv, "# other", &err), OK);
  assert_false(again.rows[1].is_done);
  assert_int_equal(program_rows_resume(&again, csv, "# one", &err), OK);
  assert_false(again.rows[0].is_done);
  assert_true(again.rows[1].is_done && again.rows[1].simulated_us == 21.5);
  assert_true(again.rows[1].simulated_bytes == 64);
  program_rows_clear(&rows);
  program_rows_clear(&again);
  remove(table);
  remove(csv);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_mean_and_worst_error),
      cmocka_unit_test(finds_the_coefficient_of_numbers),
      cmocka_unit_test(finds_the_coefficient_of_logarithms),
      cmocka_unit_test(finds_the_median),
      cmocka_unit_test(finds_the_correlation_of_ranks),
      cmocka_unit_test(has_no_coefficient_of_one_number),
      cmocka_unit_test(reads_the_shipped_table),
      cmocka_unit_test(refuses_other_columns),
      cmocka_unit_test(takes_the_launch_of_a_row),
      cmocka_unit_test(scales_a_part_of_a_launch),
      cmocka_unit_test(continues_results_of_the_same_run_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
