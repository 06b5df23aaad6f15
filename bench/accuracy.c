// SPDX-License-Identifier: MIT
// How far we are from GPGPU-Sim: every row of expected.tsv, simulated and
// compared. Prints a table and ends with 1 when a bar is missed.
//
//   accuracy REFERENCE-FOLDER [CASE-NAME-PART]
#include <math.h>
#include <string.h>

#include "base/text/text_table.h"
#include "support/case_outcome.h"
#include "support/expected.h"

// The bars, in percent; miss rates in points.
static const double cycles_bar = 15, mean_bar = 5, exact_bar = 2, rate_bar = 2, traffic_bar = 5;

typedef struct Accuracy {
  const char *folder;
  TextTable table;
  Arena arena;
  char missed[4096];  // a line for every bar that was missed
  size_t missed_length;
  uint32_t rows;
  double error_sum, error_most;
} Accuracy;

static void miss_bar(Accuracy *accuracy, const ExpectedRow *row, const char *what, double is,
                     double bar) {
  char *at = accuracy->missed + accuracy->missed_length;
  size_t room = sizeof accuracy->missed - accuracy->missed_length;
  int length = snprintf(at, room, "missed: %s %s: %s is off by %.2f, more than %g\n", row->name,
                        row->scheduler, what, is, bar);
  if (length > 0 && (size_t)length < room) accuracy->missed_length += (size_t)length;
}

static double percent_off(uint64_t is, double wanted) {
  return wanted != 0 ? ((double)is / wanted - 1) * 100 : is ? INFINITY : 0;
}

static void check(Accuracy *accuracy, const ExpectedRow *row, const char *what, double off,
                  double bar) {
  if (!(fabs(off) <= bar)) miss_bar(accuracy, row, what, off, bar);
}

// Runs of a single warp have nothing to blame on the order of things.
static bool is_exact(const ExpectedRow *row) {
  return strstr(row->name, "1warp") || strstr(row->name, "chase");
}

static double rate_off(const ExpectedRow *row, const CacheStats *l1d) {
  double is = l1d->accesses ? (double)l1d->misses / (double)l1d->accesses : 0;
  return (is - row->l1d_misses / row->l1d_accesses) * 100;
}

static void compare(Accuracy *accuracy, const ExpectedRow *row, const MachineStats *stats) {
  double cycles = percent_off(stats->cycles, row->cycles), rate = rate_off(row, &stats->l1d);
  double l2 = percent_off(stats->l2.accesses, row->l2_accesses);
  double reads = percent_off(stats->dram.reads, row->dram_reads);
  double l1d = percent_off(stats->l1d.accesses, row->l1d_accesses);
  double l2_misses = percent_off(stats->l2.misses, row->l2_misses);
  TextTable *table = &accuracy->table;
  text_table_add(table, "%s", row->name);
  text_table_add(table, "%s", row->scheduler);
  text_table_add_count(table, (uint64_t)row->cycles);
  text_table_add_count(table, stats->cycles);
  const double offs[] = {cycles, l1d, rate, l2, l2_misses, reads};
  for (size_t i = 0; i < sizeof offs / sizeof *offs; i++) text_table_add(table, "%+.2f", offs[i]);
  text_table_add(table, "%.0f", row->dram_writes);
  text_table_add_count(table, stats->dram.writes);
  check(accuracy, row, "cycles %", cycles, is_exact(row) ? exact_bar : cycles_bar);
  check(accuracy, row, "L1D miss rate, points,", rate, rate_bar);
  check(accuracy, row, "L2 accesses %", l2, traffic_bar);
  check(accuracy, row, "DRAM reads %", reads, traffic_bar);
  accuracy->error_sum += fabs(cycles);
  accuracy->error_most = fmax(accuracy->error_most, fabs(cycles));
  accuracy->rows++;
}

static Status run_row(Accuracy *accuracy, const ExpectedRow *row, Error *err) {
  GpuConfig config;
  Case *parsed;
  CaseOutcome outcome;
  TRY(gpu_config_load(&config, "gtx480", err));
  snprintf(config.policy.warp_scheduler, sizeof config.policy.warp_scheduler, "%s", row->scheduler);
  const char *path =
      arena_printf(&accuracy->arena, "%s/cases/%s.case", accuracy->folder, row->name);
  TRY(case_read(&parsed, path, err));
  Status status = case_outcome_run(&outcome, parsed, &config, NULL, err);
  case_destroy(parsed);
  if (status == OK) compare(accuracy, row, &outcome.stats);
  return status;
}

static Status run_rows(Accuracy *accuracy, const char *part, Error *err) {
  ExpectedRows expected;
  Status status = expected_read(
      &expected, arena_printf(&accuracy->arena, "%s/expected.tsv", accuracy->folder), err);
  for (uint32_t i = 0; status == OK && i < expected.count; i++)
    if (!part || strstr(expected.rows[i].name, part))
      status = run_row(accuracy, &expected.rows[i], err);
  expected_clear(&expected);
  return status;
}

static void report(Accuracy *accuracy) {
  double mean = accuracy->rows ? accuracy->error_sum / accuracy->rows : 0;
  text_table_print(&accuracy->table, stdout, 0);
  printf("\ncycles: off by %.2f %% on average (bar: %g), by %.2f %% at most (bar: %g)\n%s", mean,
         mean_bar, accuracy->error_most, cycles_bar, accuracy->missed);
  if (mean > mean_bar) {
    printf("missed: the average is more than %g %%\n", mean_bar);
    accuracy->missed_length++;
  }
}

int main(int argc, char **argv) {
  static const char *const columns[] = {
      "case",  "warps",        ">GPGPU-Sim", ">cycles", ">off %", ">l1d %", ">miss rate",
      ">l2 %", ">l2 misses %", ">reads %",   ">writes", ">ours",  NULL};
  if (argc < 2) {
    fprintf(stderr, "usage: accuracy REFERENCE-FOLDER [CASE-NAME-PART]\n");
    return 2;
  }
  Error err;
  Accuracy accuracy = {.folder = argv[1]};
  text_table_init(&accuracy.table, columns);
  Status status = run_rows(&accuracy, argc > 2 ? argv[2] : NULL, &err);
  if (status == OK)
    report(&accuracy);
  else
    fprintf(stderr, "%s\n", err.text);
  text_table_clear(&accuracy.table);
  arena_clear(&accuracy.arena);
  return status != OK || accuracy.missed_length ? 1 : 0;
}
