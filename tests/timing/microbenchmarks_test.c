// SPDX-License-Identifier: MIT
// The quick rows of `make microbenchmarks`: still as close to the published values as docs/gpus/
// says, and still about the numbers that it shows.
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "support/micro_published.h"
#include "support/micro_quantity.h"
#include "unit/cmocka_all.h"

static const char folder[] = "bench/microbenchmarks";

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

static const MicroQuantity *find(const char *name) {
  for (const MicroQuantity *quantity = micro_quantities; quantity->name; quantity++)
    if (strcmp(quantity->name, name) == 0) return quantity;
  fail_msg("no quantity %s", name);
  return NULL;
}

// The number before the deviation, which has a sign, or is a dash.
static double shown_in(char *row) {
  double last = -1;
  for (char *word = strtok(row, " "); word; word = strtok(NULL, " ")) {
    char *end;
    double number = strtod(word, &end);
    if (last >= 0 && (*word == '+' || *word == '-')) return last;
    last = *end ? -1 : number;
  }
  return -1;
}

// Within 2 %: passes over the code move rates by less than that.
static void expect_shown(const char *table, const char *gpu, const char *name, double value) {
  char start[64], row[512];
  snprintf(start, sizeof start, "\n%s  ", name);
  const char *line = strstr(table, start);
  if (!line) fail_msg("docs/gpus/%s.txt: no row '%s'", gpu, name);
  snprintf(row, sizeof row, "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
  double shown = shown_in(row);
  if (shown < value * 0.98 || shown > value * 1.02)
    fail_msg("docs/gpus/%s.txt: %s is %g, not %g; run make microbenchmarks GPU=%s", gpu, name,
             value, shown, gpu);
}

static void check_rows(const char *gpu, const char *const *names, size_t count, double tolerance) {
  Error err;
  GpuConfig config;
  MicroPublished published = {0};
  char path[64], *table;
  size_t length;
  snprintf(path, sizeof path, "docs/gpus/%s.txt", gpu);
  check(gpu_config_load(&config, gpu, &err), &err);
  check(micro_published_read(&published, "bench/microbenchmarks/published.tsv", &err), &err);
  check(file_read(path, 1 << 20, &table, &length, &err), &err);
  for (size_t i = 0; i < count; i++) {
    double value;
    const MicroQuantity *quantity = find(names[i]);
    check(quantity->measure(quantity, folder, &config, &value, &err), &err);
    expect_shown(table, gpu, names[i], value);
    MicroRange range = micro_published_range(&published, gpu, names[i]);
    if (range.count &&
        (value < range.low * (1 - tolerance) || value > range.high * (1 + tolerance)))
      fail_msg("%s: %s is %g, published %g to %g", gpu, names[i], value, range.low, range.high);
  }
  memory_free(table);
  micro_published_clear(&published);
}

static void check_gpu(const char *gpu, double tolerance) {
  static const char *const names[] = {"iadd latency", "ffma latency", "sin latency",
                                      "fp32 rate",    "sfu rate",     "shared latency",
                                      "L1 latency",   "L2 latency"};
  check_rows(gpu, names, sizeof names / sizeof *names, tolerance);
}

// Texels of 8 bytes at the full rate, 32 bytes apart and those of 16 bytes at half of it.
static void textures_of_v100_are_within_ten_percent(void **state) {
  (void)state;
  static const char *const names[] = {"texture rate",
                                      "texture rate, 8 B",
                                      "texture rate, 16 B",
                                      "texture rate, 4 B apart",
                                      "texture rate, 8 B apart",
                                      "texture rate, 16 B apart"};
  check_rows("v100", names, sizeof names / sizeof *names, 0.10);
}

static void atomics_are_within_fifteen_percent(void **state) {
  (void)state;
  static const char *const names[] = {"atomic, spread", "shared atomic, spread",
                                      "shared atomic, 8 lanes", "shared atomic, 32 lanes",
                                      "shared float atomic"};
  static const char *const gpus[] = {"k40", "gtx980", "gtx1080", "v100", "a100"};
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
    check_rows(gpus[i], names, sizeof names / sizeof *names, 0.15);
}

static void v100_is_within_ten_percent(void **state) {
  (void)state;
  check_gpu("v100", 0.10);
}

static void a100_is_within_ten_percent(void **state) {
  (void)state;
  check_gpu("a100", 0.10);
}

static void older_ones_are_within_fifteen(void **state) {
  (void)state;
  check_gpu("k40", 0.15);
  check_gpu("gtx980", 0.15);
  check_gpu("gtx1080", 0.15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(v100_is_within_ten_percent),
      cmocka_unit_test(textures_of_v100_are_within_ten_percent),
      cmocka_unit_test(atomics_are_within_fifteen_percent),
      cmocka_unit_test(a100_is_within_ten_percent),
      cmocka_unit_test(older_ones_are_within_fifteen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
