// SPDX-License-Identifier: MIT
// How far we are from a real GPU: every kernel of bench/hardware/GPU.tsv, run by its
// workload with cold caches. Prints cycles and counters beside those of the hardware,
// writes a scatter plot, and ends with 1 when a bar is missed.
//
//   hardware [--programs BUILT] HEDDLE FOLDER GPU PLOT.svg [KERNEL-NAME-PART [OPTION...]]
//
// OPTION: of heddle run.
// --programs: the workloads as another compiler built them, under their names in that folder.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text/text_table.h"
#include "support/correlation.h"
#include "support/hardware_rows.h"
#include "support/process.h"
#include "support/scatter.h"

// The bars, for all kernels together.
static const double mean_bar = 12, worst_bar = 40, correlation_bar = 0.98;

enum { MAX_ARGUMENTS = 128, MAX_KERNELS = 256 };

typedef struct Hardware {
  const char *heddle, *gpu, *json;
  const char *programs;  // the folder of the workloads; NULL: heddle builds them
  char *const *options;  // of heddle run; ends with NULL
  Arena arena;
  TextTable cycles, counters;
  double simulated[MAX_KERNELS], measured[MAX_KERNELS];
  const char *names[MAX_KERNELS];
  uint32_t count;
} Hardware;

// Launches other than the measured one run functionally, so that it meets cold caches. Code
// is at hand, as it was on the hardware: DRAM reads there exceed the misses of data by 3 to 32
// sectors, less than the code of any of the kernels.
static void make_command(Hardware *all, const HardwareRow *row,
                         const char *argv[MAX_ARGUMENTS + 1]) {
  const char *const fixed[] = {
      all->heddle, "run",       "--gpu",  all->gpu,  "--quiet", "--observe",        "none",
      "--kernels", row->launch, "--json", all->json, "--set",   "l1i.enabled=false"};
  uint32_t count = sizeof fixed / sizeof *fixed;
  memcpy(argv, fixed, sizeof fixed);
  for (char *const *option = all->options; *option && count < MAX_ARGUMENTS / 2; option++)
    argv[count++] = *option;
  if (!all->programs) argv[count++] = row->workload;
  argv[count++] = "--";
  if (all->programs)
    argv[count++] = arena_printf(&all->arena, "%s/%s", all->programs, row->workload);
  char *rest, *words = arena_printf(&all->arena, "%s", row->options);
  for (char *word = strtok_r(words, " ", &rest); word && count < MAX_ARGUMENTS;
       word = strtok_r(NULL, " ", &rest))
    argv[count++] = word;
  argv[count] = NULL;
}

static void add_off(TextTable *table, double is, double wanted) {
  if (wanted > 0)
    text_table_add(table, "%+.1f", (is / wanted - 1) * 100);
  else
    text_table_add(table, "%s", is > 0 ? "-" : "0.0");
}

static void compare(Hardware *all, const HardwareRow *row, const HardwareCounters *got,
                    double seconds) {
  text_table_add(&all->cycles, "%s", row->kernel);
  text_table_add(&all->cycles, "%s", row->suite);
  text_table_add_count(&all->cycles, (uint64_t)row->counted.cycles);
  text_table_add_count(&all->cycles, (uint64_t)got->cycles);
  add_off(&all->cycles, got->cycles, row->counted.cycles);
  text_table_add(&all->cycles, "%.0f", seconds);
  const double *is = (const double *)got, *wanted = (const double *)&row->counted;
  for (int i = 1; i < HARDWARE_COUNTER_COUNT; i++) {
    if (is[i] == 0 && wanted[i] == 0) continue;
    text_table_add(&all->counters, "%s", row->kernel);
    text_table_add(&all->counters, "%s", hardware_counter_names[i]);
    text_table_add_count(&all->counters, (uint64_t)wanted[i]);
    text_table_add_count(&all->counters, (uint64_t)is[i]);
    add_off(&all->counters, is[i], wanted[i]);
  }
  all->names[all->count] = row->kernel;
  all->simulated[all->count] = got->cycles;
  all->measured[all->count++] = row->counted.cycles;
}

static Status run_row(Hardware *all, const HardwareRow *row, Error *err) {
  const char *argv[MAX_ARGUMENTS + 1];
  ProcessCost cost;
  HardwareCounters got;
  make_command(all, row, argv);
  Status status = process_run(argv, NULL, &cost, err);
  if (status == OK) status = hardware_counters_read(&got, all->json, err);
  if (status == OK) compare(all, row, &got, cost.cpu_seconds);
  if (status != OK) error_prefix(err, "%s", row->kernel);
  return status;
}

static Status run_rows(Hardware *all, const char *path, const char *part, Error *err) {
  HardwareRows rows;
  Status status = hardware_rows_read(&rows, path, err);
  for (uint32_t i = 0; status == OK && i < rows.count && all->count < MAX_KERNELS; i++)
    if (strstr(rows.rows[i].kernel, part)) {
      rows.rows[i].kernel = arena_printf(&all->arena, "%s", rows.rows[i].kernel);
      status = run_row(all, &rows.rows[i], err);
    }
  hardware_rows_clear(&rows);
  if (status == OK && all->count == 0)
    return error_set(err, ERR_USAGE, "%s: no kernel has '%s' in its name", path, part);
  return status;
}

static Status plot(const Hardware *all, const char *path, Error *err) {
  ScatterPoint points[MAX_KERNELS];
  for (uint32_t i = 0; i < all->count; i++)
    points[i] = (ScatterPoint){all->names[i], all->measured[i], all->simulated[i]};
  return scatter_write(path, "cycles on hardware", "simulated cycles", points, all->count, err);
}

// Returns how many bars were missed. Those of all kernels are not for a few of them.
static int report(const Hardware *all, bool is_complete) {
  Correlation found = correlation_of(all->simulated, all->measured, all->count);
  text_table_print(&all->counters, stdout, 0);
  printf("\n");
  text_table_print(&all->cycles, stdout, 0);
  printf("\ncycles of %u kernels: off by %.1f %% on average, by %.1f %% at most (%s)\n", all->count,
         found.mean_percent, found.worst_percent, all->names[found.worst]);
  if (all->count > 1)
    printf("correlation: %.4f of cycles, %.4f of their logarithms\n", found.linear,
           found.logarithmic);
  if (!is_complete) return 0;
  int missed = 0;
  if (found.mean_percent > mean_bar)
    missed += printf("missed: the average is more than %g %%\n", mean_bar) > 0;
  if (found.worst_percent > worst_bar)
    missed += printf("missed: the largest is more than %g %%\n", worst_bar) > 0;
  if (!(found.linear > correlation_bar && found.logarithmic > correlation_bar))
    missed += printf("missed: a correlation is not above %g\n", correlation_bar) > 0;
  return missed;
}

int main(int argc, char **argv) {
  static const char *const cycles[] = {"kernel", "suite",  ">hardware", ">simulated",
                                       ">off %", ">CPU s", NULL};
  static const char *const counters[] = {"kernel",     "counter", ">hardware",
                                         ">simulated", ">off %",  NULL};
  Error err;
  static Hardware all;
  if (argc > 2 && strcmp(argv[1], "--programs") == 0) {
    all.programs = argv[2];
    argc -= 2;
    argv += 2;
  }
  if (argc < 5) {
    fprintf(stderr,
            "usage: hardware [--programs BUILT] HEDDLE FOLDER GPU PLOT.svg "
            "[KERNEL-NAME-PART [OPTION...]]\n");
    return 2;
  }
  const char *part = argc > 5 ? argv[5] : "";
  all.heddle = argv[1];
  all.gpu = argv[3];
  all.options = argc > 6 ? argv + 6 : argv + argc;
  all.json = arena_printf(&all.arena, "%s.%d.json", argv[4], (int)getpid());
  text_table_init(&all.cycles, cycles);
  text_table_init(&all.counters, counters);
  const char *path = arena_printf(&all.arena, "%s/%s.tsv", argv[2], argv[3]);
  Status status = run_rows(&all, path, part, &err);
  if (status == OK) status = plot(&all, argv[4], &err);
  int missed = status == OK ? report(&all, !*part) : 0;
  if (status != OK) fprintf(stderr, "%s\n", err.text);
  unlink(all.json);
  text_table_clear(&all.cycles);
  text_table_clear(&all.counters);
  arena_clear(&all.arena);
  return status != OK || missed ? 1 : 0;
}
