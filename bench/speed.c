// SPDX-License-Identifier: MIT
// How much faster than GPGPU-Sim: every timed row of expected.tsv, one process
// a run, on one thread. Prints a table and ends with 1 when a bar is missed.
//
//   speed HEDDLE HOSTMARK REFERENCE-FOLDER [CASE-NAME-PART]
//
// Times are CPU seconds of the whole process, the best of several runs. Both
// simulators' are divided by what hostmark takes on the same machine, before
// they are compared. ru_maxrss is the memory.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/text_table.h"
#include "support/case_outcome.h"
#include "support/expected.h"
#include "support/process.h"

static const double mean_bar = 100, least_bar = 30;  // times as fast
static const double share_bar = 1.0 / 3,
                    share_from_mb = 60;              // of GPGPU-Sim's memory, where it has more
static const double fixed_mb = 25, buffers_bar = 2;  // MB, and times the buffers
static const double functional_bar = 10e6;           // warp instructions a second

enum { MAX_RUNS = 7 };
static const double enough_seconds = 1.0;  // of runs of one case

typedef struct Speed {
  const char *heddle, *hostmark, *folder;
  double hostmark_seconds;
  TextTable table;
  Arena arena;
  uint32_t rows, missed;
  double log_sum, least;
} Speed;

static void miss_bar(Speed *speed, const char *name, const char *what, double is, double bar) {
  fprintf(stdout, "missed: %s: %s is %.4g, the bar is %.4g\n", name, what, is, bar);
  speed->missed++;
}

// The least that any of several runs took.
static Status best_of(const char *const *argv, ProcessCost *best, Error *err) {
  double spent = 0;
  *best = (ProcessCost){INFINITY, 0};
  for (int i = 0; i < MAX_RUNS && (i < 2 || spent < enough_seconds); i++) {
    ProcessCost cost;
    TRY(process_run(argv, NULL, &cost, err));
    spent += cost.cpu_seconds;
    best->cpu_seconds = fmin(best->cpu_seconds, cost.cpu_seconds);
    best->peak_mb = fmax(best->peak_mb, cost.peak_mb);
  }
  return OK;
}

// Run between the cases, so that it sees the same machine as they do.
static Status take_hostmark(Speed *speed, Error *err) {
  const char *argv[] = {speed->hostmark, NULL};
  ProcessCost cost;
  TRY(process_run(argv, NULL, &cost, err));
  if (speed->hostmark_seconds == 0 || cost.cpu_seconds < speed->hostmark_seconds)
    speed->hostmark_seconds = cost.cpu_seconds;
  return OK;
}

static const char *case_path(Speed *speed, const char *name) {
  return arena_printf(&speed->arena, "%s/cases/%s.case", speed->folder, name);
}

static Status buffers_mb(const char *path, double *mb, Error *err) {
  Case *parsed;
  TRY(case_read(&parsed, path, err));
  *mb = (double)case_buffer_bytes(parsed) / (1 << 20);
  case_destroy(parsed);
  return OK;
}

static void check_row(Speed *speed, const ExpectedRow *row, double ratio, double peak_mb,
                      double buffers) {
  double most = fixed_mb + buffers_bar * buffers;
  if (ratio < least_bar) miss_bar(speed, row->name, "speed", ratio, least_bar);
  if (peak_mb > most) miss_bar(speed, row->name, "memory in MB", peak_mb, most);
  if (row->rss_mb > share_from_mb && peak_mb > row->rss_mb * share_bar)
    miss_bar(speed, row->name, "memory in MB", peak_mb, row->rss_mb * share_bar);
}

static Status time_row(Speed *speed, const ExpectedRow *row, ProcessCost *cost, double *buffers,
                       Error *err) {
  const char *path = case_path(speed, row->name);
  const char *argv[] = {speed->heddle, "run",          path,      "--gpu", "gtx480",
                        "--scheme",    row->scheduler, "--quiet", NULL};
  TRY(buffers_mb(path, buffers, err));
  TRY(best_of(argv, cost, err));
  return take_hostmark(speed, err);
}

typedef struct Timed {
  const ExpectedRow *row;
  ProcessCost cost;
  double buffers;
} Timed;

static void report_row(Speed *speed, const Timed *timed) {
  const ExpectedRow *row = timed->row;
  double ours = timed->cost.cpu_seconds / speed->hostmark_seconds;
  double ratio = row->cpu_s / row->hostmark_s / ours;
  TextTable *table = &speed->table;
  text_table_add(table, "%s", row->name);
  text_table_add(table, "%.2f", row->cpu_s);
  text_table_add(table, "%.4f", timed->cost.cpu_seconds);
  text_table_add(table, "%.0f", ratio);
  text_table_add(table, "%.2f", row->warp_instructions / timed->cost.cpu_seconds * 1e-6);
  text_table_add(table, "%.0f", row->rss_mb);
  text_table_add(table, "%.1f", timed->cost.peak_mb);
  text_table_add(table, "%.1f", timed->buffers);
  check_row(speed, row, ratio, timed->cost.peak_mb, timed->buffers);
  speed->log_sum += log(ratio);
  speed->least = fmin(speed->least, ratio);
  speed->rows++;
}

static Status time_rows(Speed *speed, const ExpectedRows *expected, const char *part, Error *err) {
  Timed *timed = ARENA_ARRAY(&speed->arena, Timed, expected->count);
  uint32_t count = 0;
  TRY(take_hostmark(speed, err));
  for (uint32_t i = 0; i < expected->count; i++) {
    const ExpectedRow *row = &expected->rows[i];
    if (isnan(row->cpu_s) || (part && !strstr(row->name, part))) continue;
    Timed *to = &timed[count++];
    to->row = row;
    TRY(time_row(speed, row, &to->cost, &to->buffers, err));
  }
  for (uint32_t i = 0; i < count; i++) report_row(speed, &timed[i]);
  return OK;
}

static void report(Speed *speed) {
  if (!speed->rows) return;
  double mean = exp(speed->log_sum / speed->rows);
  if (mean < mean_bar) miss_bar(speed, "all cases", "speed", mean, mean_bar);
  text_table_print(&speed->table, stdout, 0);
  printf(
      "\n%.0f times as fast as GPGPU-Sim on the geometric mean (bar: %g), %.0f times at least "
      "(bar: %g)\nhostmark takes %.3f s here\n",
      mean, mean_bar, speed->least, least_bar, speed->hostmark_seconds);
}

// Execution without timing, for the two cases that have a bar.
static Status time_functional(Speed *speed, const ExpectedRow *row, Error *err) {
  const char *argv[] = {speed->heddle,  "run",     case_path(speed, row->name),
                        "--functional", "--quiet", NULL};
  ProcessCost cost;
  TRY(best_of(argv, &cost, err));
  double rate = row->warp_instructions / cost.cpu_seconds;
  printf("without timing, %s: %.1f million warp instructions a second (bar: %g)\n", row->name,
         rate * 1e-6, functional_bar * 1e-6);
  if (rate < functional_bar)
    miss_bar(speed, row->name, "warp instructions a second", rate, functional_bar);
  return OK;
}

static Status time_all(Speed *speed, const char *part, Error *err) {
  ExpectedRows expected;
  const char *path = arena_printf(&speed->arena, "%s/expected.tsv", speed->folder);
  Status status = expected_read(&expected, path, err);
  if (status == OK) status = time_rows(speed, &expected, part, err);
  if (status == OK) report(speed);
  for (uint32_t i = 0; status == OK && !part && i < expected.count; i++) {
    const char *name = expected.rows[i].name;
    if (strcmp(name, "fma_chain_full") == 0 || strcmp(name, "mm_tiled_192") == 0)
      status = time_functional(speed, &expected.rows[i], err);
  }
  expected_clear(&expected);
  return status;
}

int main(int argc, char **argv) {
  static const char *const columns[] = {"case",    ">GPGPU-Sim s", ">s",
                                        ">faster", ">M instr./s",  ">its MB",
                                        ">MB",     ">buffers MB",  NULL};
  if (argc < 4) {
    fprintf(stderr, "usage: speed HEDDLE HOSTMARK REFERENCE-FOLDER [CASE-NAME-PART]\n");
    return 2;
  }
  Error err;
  Speed speed = {.heddle = argv[1], .hostmark = argv[2], .folder = argv[3], .least = INFINITY};
  text_table_init(&speed.table, columns);
  Status status = time_all(&speed, argc > 4 ? argv[4] : NULL, &err);
  if (status != OK) fprintf(stderr, "%s\n", err.text);
  text_table_clear(&speed.table);
  arena_clear(&speed.arena);
  return status != OK || speed.missed ? 1 : 0;
}
