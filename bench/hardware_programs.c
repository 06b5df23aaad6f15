// SPDX-License-Identifier: MIT
// How far we are from a real GPU on programs that are not ours: every launch of
// bench/hardware/GPU-programs.tsv, in programs that were built in a folder of the user's.
// Prints times beside those of the hardware, writes them to OUTPUT.csv and OUTPUT.svg, and
// continues where it was interrupted. Launches of seven waves and more are sampled.
//
//   hardware_programs HEDDLE TABLE.tsv FOLDER GPU OUTPUT [LONGEST-US [PART [OPTION...]]]
//
// LONGEST-US: leaves out launches that take longer on hardware. PART: a half, or of a program's or
// kernel's name.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text/shell_words.h"
#include "base/text/text_table.h"
#include "support/correlation.h"
#include "support/process.h"
#include "support/program_rows.h"
#include "support/scatter.h"

enum { MAX_ARGUMENTS = 160, IDENTITY_BYTES = 512, MAX_DIGESTED = 1 << 20 };

typedef struct Programs {
  const char *heddle, *folder, *gpu, *csv, *json, *identity;
  char *const *options;  // of heddle run; ends with NULL
  ProgramRows rows;
  Arena arena;
  TextTable failures;
  uint32_t failed;
} Programs;

// Results of other parameters, options or another heddle are not continued.
static const char *make_identity(Programs *all) {
  uint64_t digest = 14695981039346656037u;
  const char *ask = arena_printf(&all->arena, "'%s' --version; '%s' list params --gpu '%s'",
                                 all->heddle, all->heddle, all->gpu);
  FILE *answer = popen(ask, "r");
  for (int c; answer && (c = getc(answer)) != EOF;)
    digest = (digest ^ (uint64_t)c) * 1099511628211u;
  if (answer) pclose(answer);
  const char *options = shell_join(&all->arena, all->options);
  return arena_printf(&all->arena, "# %s %016llx %s", all->gpu, (unsigned long long)digest,
                      options ? options : "");
}

// ---- one program

// Numbers of its launches that are timed; those before a warm one are, too.
static const char *timed_launches(Programs *all, const ProgramRow *program, uint32_t *last) {
  const char *list = NULL;
  *last = 0;
  for (uint32_t i = 0; i < all->rows.count; i++) {
    const ProgramRow *row = &all->rows.rows[i];
    if (row->is_done || !program_rows_are_of_one_run(row, program)) continue;
    const char *from = strcmp(row->caches, "warm") == 0 ? "0-" : "";
    list =
        arena_printf(&all->arena, "%s%s%s%u", list ? list : "", list ? "," : "", from, row->launch);
    if (row->launch > *last) *last = row->launch;
  }
  return list;
}

static Status make_command(Programs *all, const ProgramRow *program, const char *executable,
                           const char *argv[MAX_ARGUMENTS + 1], Error *err) {
  uint32_t last, count = 0;
  char **words;
  const char *launches = timed_launches(all, program, &last);
  const char *flush = strcmp(program->caches, "warm") != 0 ? "true" : "false";
  const char *const fixed[] = {all->heddle,
                               "run",
                               "--gpu",
                               all->gpu,
                               "--quiet",
                               "--observe",
                               "none",
                               "--kernels",
                               launches,
                               "--max-launches",
                               arena_printf(&all->arena, "%u", last + 1),
                               "--sample",
                               "error=3%",
                               "--json",
                               all->json,
                               "--set",
                               "run.bounds=page",
                               "--set",
                               arena_printf(&all->arena, "gpu.flush_l2_between_kernels=%s", flush)};
  for (; count < sizeof fixed / sizeof *fixed; count++) argv[count] = fixed[count];
  for (char *const *option = all->options; *option && count < MAX_ARGUMENTS / 2; option++)
    argv[count++] = *option;
  argv[count++] = "--";
  argv[count++] = executable;
  TRY(shell_split(&all->arena, program->arguments, &words, err));
  for (char **word = words; *word && count < MAX_ARGUMENTS; word++) argv[count++] = *word;
  argv[count] = NULL;
  return OK;
}

static void note_failure(Programs *all, const ProgramRow *program, const char *why) {
  text_table_add(&all->failures, "%s", program->program);
  text_table_add(&all->failures, "%s", why);
  all->failed++;
}

static void set_cost(Programs *all, const ProgramRow *program, double seconds) {
  for (uint32_t i = 0; i < all->rows.count; i++) {
    ProgramRow *row = &all->rows.rows[i];
    if (row->is_done && row->cpu_seconds == 0 && program_rows_are_of_one_run(row, program))
      row->cpu_seconds = seconds;
  }
}

// A program that is missing or fails is noted; only files of ours that fail end the whole.
static Status run_program(Programs *all, const ProgramRow *program, Error *err) {
  const char *argv[MAX_ARGUMENTS + 1], *why = NULL;
  const char *path = arena_printf(&all->arena, "%s/%s", all->folder, program->program);
  char *name = strrchr(path, '/');
  const char *folder = arena_strndup(&all->arena, path, (size_t)(name - path));
  if (access(path, X_OK) != 0) {
    note_failure(all, program, "not built");
    return OK;
  }
  TRY(make_command(all, program, arena_printf(&all->arena, ".%s", name), argv, err));
  int exit_code;
  ProcessCost cost;
  Error found;
  unlink(all->json);
  TRY(process_run_in(folder, argv, NULL, &exit_code, &cost, err));
  if (program_rows_take(&all->rows, program, all->json, &why, &found) != OK) why = found.text;
  if (why) note_failure(all, program, why);
  set_cost(all, program, cost.cpu_seconds);
  return program_rows_write(&all->rows, all->csv, all->identity, err);
}

// ---- all of them, the shortest first

static double left_us(const Programs *all, const ProgramRow *program) {
  double sum = 0;
  for (uint32_t i = 0; i < all->rows.count; i++) {
    const ProgramRow *row = &all->rows.rows[i];
    if (!row->is_done && program_rows_are_of_one_run(row, program)) sum += row->time_us;
  }
  return sum;
}

typedef struct Turn {
  const ProgramRow *program;
  double us;
} Turn;

static int compare_turns(const void *a, const void *b) {
  double us_a = ((const Turn *)a)->us, us_b = ((const Turn *)b)->us;
  return (us_a > us_b) - (us_a < us_b);
}

static uint32_t list_turns(const Programs *all, Turn *turns) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < all->rows.count; i++) {
    const ProgramRow *row = &all->rows.rows[i];
    bool is_listed = row->is_done;
    for (uint32_t j = 0; j < count && !is_listed; j++)
      is_listed = program_rows_are_of_one_run(turns[j].program, row);
    if (!is_listed) turns[count++] = (Turn){row, left_us(all, row)};
  }
  qsort(turns, count, sizeof *turns, compare_turns);
  return count;
}

static Status run_all(Programs *all, Error *err) {
  Turn *turns = memory_alloc((all->rows.count + 1) * sizeof *turns);
  uint32_t count = list_turns(all, turns);
  Status status = OK;
  for (uint32_t i = 0; i < count && status == OK; i++) {
    fprintf(stderr, "%u/%u %s\n", i + 1, count, turns[i].program->program);
    status = run_program(all, turns[i].program, err);
  }
  memory_free(turns);
  return status;
}

static void choose_rows(ProgramRows *rows, double longest_us, const char *part) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    const ProgramRow *row = &rows->rows[i];
    if (row->time_us > longest_us) continue;
    if (strcmp(row->half, part) == 0 || strstr(row->program, part) || strstr(row->kernel, part))
      rows->rows[kept++] = *row;
  }
  rows->count = kept;
}

// ---- the report

static void summarise(const Programs *all, const char *half) {
  double *simulated = memory_alloc((all->rows.count + 1) * sizeof *simulated);
  double *measured = memory_alloc((all->rows.count + 1) * sizeof *measured);
  uint32_t count = 0;
  for (uint32_t i = 0; i < all->rows.count; i++) {
    const ProgramRow *row = &all->rows.rows[i];
    if (!row->is_done || (half && strcmp(row->half, half) != 0)) continue;
    simulated[count] = row->simulated_us;
    measured[count++] = row->time_us;
  }
  Correlation found = correlation_of(simulated, measured, count);
  if (count > 0)
    printf(
        "%-5s %3u kernels: off by %.1f %% on average, %.1f %% at the median, %.1f %% at most; "
        "correlation of logarithms %.4f; ranks: Spearman %.3f, Kendall %.3f\n",
        half ? half : "all", count, found.mean_percent, found.median_percent, found.worst_percent,
        found.logarithmic, found.spearman, found.kendall);
  memory_free(simulated);
  memory_free(measured);
}

// Variants of one kernel: what a user who trusts the simulator's choice gets.
static void summarise_choice(const Programs *all) {
  const ProgramRow *best = NULL, *chosen = NULL;
  for (uint32_t i = 0; i < all->rows.count; i++) {
    const ProgramRow *row = &all->rows.rows[i];
    if (!row->is_done) continue;
    if (strcmp(row->kernel, all->rows.rows[0].kernel) != 0) return;
    if (!best || row->time_us < best->time_us) best = row;
    if (!chosen || row->simulated_us < chosen->simulated_us) chosen = row;
  }
  if (best)
    printf("best of these: %s, simulated: %s, which takes %.1f %% longer on hardware\n",
           best->program, chosen->program, (chosen->time_us / best->time_us - 1) * 100);
}

static void print_rows(const Programs *all) {
  static const char *const headings[] = {"half",          "program", "kernel",      ">hardware us",
                                         ">simulated us", ">off %",  ">DRAM off %", NULL};
  TextTable table;
  text_table_init(&table, headings);
  for (uint32_t i = 0; i < all->rows.count; i++) {
    const ProgramRow *row = &all->rows.rows[i];
    if (!row->is_done) continue;
    text_table_add(&table, "%s", row->half);
    text_table_add(&table, "%s", row->program);
    text_table_add(&table, "%s", row->kernel);
    text_table_add(&table, "%.2f", row->time_us);
    text_table_add(&table, "%.2f", row->simulated_us);
    text_table_add(&table, "%+.1f", (row->simulated_us / row->time_us - 1) * 100);
    if (row->dram_bytes > 0)
      text_table_add(&table, "%+.0f", (row->simulated_bytes / row->dram_bytes - 1) * 100);
    else
      text_table_add(&table, "-");
  }
  text_table_print(&table, stdout, 0);
  text_table_clear(&table);
}

static Status plot(Programs *all, const char *path, Error *err) {
  ScatterPoint *points = memory_alloc((all->rows.count + 1) * sizeof *points);
  uint32_t count = 0;
  for (uint32_t i = 0; i < all->rows.count; i++) {
    const ProgramRow *row = &all->rows.rows[i];
    if (row->is_done) points[count++] = (ScatterPoint){"", row->time_us, row->simulated_us};
  }
  Status status = OK;
  if (count > 0) status = scatter_write(path, "us on hardware", "simulated us", points, count, err);
  memory_free(points);
  return status;
}

static void report(const Programs *all) {
  print_rows(all);
  printf("\n");
  if (all->failed) {
    text_table_print(&all->failures, stdout, 0);
    printf("\n");
  }
  summarise(all, "fit");
  summarise(all, "fit2");
  summarise(all, "fit3");
  summarise(all, "held");
  summarise(all, NULL);
  summarise_choice(all);
}

static Status compare(Programs *all, const char *table, const char *output, double longest_us,
                      const char *part, Error *err) {
  TRY(program_rows_read(&all->rows, table, err));
  choose_rows(&all->rows, longest_us, part);
  if (all->rows.count == 0)
    return error_set(err, ERR_USAGE, "%s: no row has '%s' in its name and takes at most %g us",
                     table, part, longest_us);
  all->identity = make_identity(all);
  TRY(program_rows_resume(&all->rows, all->csv, all->identity, err));
  TRY(run_all(all, err));
  TRY(plot(all, arena_printf(&all->arena, "%s.svg", output), err));
  report(all);
  return OK;
}

int main(int argc, char **argv) {
  static const char *const failures[] = {"not compared", "why", NULL};
  static Programs all;
  Error err;
  if (argc < 6) {
    fprintf(stderr,
            "usage: hardware_programs HEDDLE TABLE.tsv FOLDER GPU OUTPUT "
            "[LONGEST-US [PART [OPTION...]]]\n");
    return 2;
  }
  if (access(argv[3], R_OK) != 0) {
    fprintf(stderr, "%s: no such folder; bench/hardware/README.md says which programs go there\n",
            argv[3]);
    return 2;
  }
  char heddle[PATH_MAX], output[PATH_MAX];
  const char *slash = strrchr(argv[5], '/');
  const char *beside = slash ? arena_strndup(&all.arena, argv[5], (size_t)(slash - argv[5])) : ".";
  if (!realpath(argv[1], heddle) || !realpath(beside, output)) {
    fprintf(stderr, "%s or %s: no such file\n", argv[1], beside);
    return 2;
  }
  all.heddle = heddle;
  all.folder = argv[3];
  all.gpu = argv[4];
  all.options = argc > 8 ? argv + 8 : argv + argc;
  all.csv = arena_printf(&all.arena, "%s.csv", argv[5]);
  all.json = arena_printf(&all.arena, "%s/hardware.%d.json", output, (int)getpid());
  text_table_init(&all.failures, failures);
  double longest_us = argc > 6 ? strtod(argv[6], NULL) : 100;
  Status status = compare(&all, argv[2], argv[5], longest_us, argc > 7 ? argv[7] : "", &err);
  if (status != OK) fprintf(stderr, "%s\n", err.text);
  unlink(all.json);
  text_table_clear(&all.failures);
  program_rows_clear(&all.rows);
  arena_clear(&all.arena);
  return status != OK || all.failed ? 1 : 0;
}
