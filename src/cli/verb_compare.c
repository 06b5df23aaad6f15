// SPDX-License-Identifier: MIT
// heddle compare: workloads by GPUs by schemes, from the command line.
#include <string.h>

#include "base/text_table.h"
#include "cli/arguments.h"
#include "cli/compare_text.h"
#include "cli/study_run.h"
#include "policies/slot_reason.h"
#include "store/digest.h"
#include "study/figure.h"
#include "study/results.h"

// ---- the table: what explains a speed-up

#define SLOT_NAME(name, label, group, help) "sm.slot_" #name,
#define SLOT_LABEL(name, label, group, help) label,
static const char *const shown[] = {
    "cycles",      "warp_ipc",   "achieved_occupancy", "l1d.hit_rate",
    "l2.hit_rate", "dram.reads", "dram.writes",        SLOT_REASONS(SLOT_NAME)};
static const char *const slot_labels[] = {SLOT_REASONS(SLOT_LABEL)};
enum { SHOWN = sizeof shown / sizeof *shown, CYCLES = 0, FIRST_SLOT = SHOWN - SLOT_REASON_COUNT };

static const json_t *cell(const json_t *row, size_t name) {
  return json_array_get(row, RESULT_NAMES + name);
}

// Of the slots in which nothing was issued, the reason with most.
static void add_reason(TextTable *table, const json_t *row) {
  double all = 0, most = 0;
  size_t best = SLOT_issued;
  for (size_t reason = 0; reason < SLOT_REASON_COUNT; reason++) {
    double slots = json_number_value(cell(row, FIRST_SLOT + reason));
    all += slots;
    if (reason == SLOT_issued || slots <= most) continue;
    most = slots;
    best = reason;
  }
  if (all > 0 && most > 0)
    text_table_add(table, "%s %.0f %%", slot_labels[best], most / all * 100);
  else
    text_table_add(table, "-");
}

static void add_share(TextTable *table, const json_t *value) {
  if (json_is_number(value))
    text_table_add(table, "%.1f %%", json_number_value(value) * 100);
  else
    text_table_add(table, "-");
}

static void add_run(TextTable *table, const json_t *row, const json_t *base) {
  double cycles = json_number_value(cell(row, CYCLES));
  double before = json_number_value(cell(base, CYCLES));
  for (int i = 0; i < DIMENSIONS; i++)
    text_table_add(table, "%s", json_string_value(json_array_get(row, (size_t)i)));
  if (json_is_null(json_array_get(row, RESULT_RUN))) {
    text_table_add(table, "no result");
    for (int i = 0; i < 7; i++) text_table_add(table, "-");
    return;
  }
  text_table_add_count(table, (uint64_t)cycles);
  if (cycles > 0 && before > 0)
    text_table_add(table, "%.3f", before / cycles);
  else
    text_table_add(table, "-");
  text_table_add(table, "%.2f", json_number_value(cell(row, 1)));
  for (size_t i = 2; i < 5; i++) add_share(table, cell(row, i));
  text_table_add_count(
      table, (uint64_t)(json_number_value(cell(row, 5)) + json_number_value(cell(row, 6))));
  add_reason(table, row);
}

static void print_runs(const Study *study, const json_t *results) {
  TextTable table;
  const json_t *rows = json_object_get(results, "rows"), *row;
  size_t i, schemes = study->item_count[BY_SCHEME];
  text_table_init(&table, (const char *const[]){"workload", "gpu", "scheme", ">cycles", ">speed-up",
                                                ">IPC", ">occupancy", ">L1D hits", ">L2 hits",
                                                ">DRAM requests", "stalled most by", NULL});
  json_array_foreach(rows, i, row) add_run(&table, row, json_array_get(rows, i - i % schemes));
  text_table_print(&table, stdout, 0);
  text_table_clear(&table);
}

// Means of the speed-up, if there is anything to take the mean of.
static Status print_means(Store *store, const Study *study, Error *err) {
  json_t *figures, *figure;
  size_t i;
  if (study->item_count[BY_WORKLOAD] < 2) return OK;
  TRY(figures_measure(store, study, &figures, err));
  for (i = json_array_size(figures); i-- > 0;) {
    figure = json_array_get(figures, i);
    if (strcmp(json_string_value(json_object_get(figure, "as")), "speedup") != 0)
      json_array_remove(figures, i);
  }
  figures_print(figures, stdout);
  json_decref(figures);
  return OK;
}

static Status print_comparison(Store *store, const Study *study, Error *err) {
  json_t *results;
  TRY(study_results(store, study->name, shown, SHOWN, &results, err));
  print_runs(study, results);
  json_decref(results);
  return print_means(store, study, err);
}

// ---- the verb

static Status run_text(const Arguments *arguments, const char *text, Error *err) {
  Study study;
  char digest[DIGEST_BYTES], name[DIGEST_BYTES + 16];
  digest_text(text, digest);
  snprintf(name, sizeof name, "compare-%.8s", digest);
  TRY(study_read(&study, name, text, err));
  Status status = study_run(&study, arguments, arguments_value(arguments, "--db", "compare.db"),
                            print_comparison, err);
  study_clear(&study);
  return status;
}

static Status run_compare(const Arguments *arguments, Error *err) {
  Arena arena = {0};
  const char *text;
  Status status = compare_text(arguments, &arena, &text, err);
  if (status == OK && arguments_has(arguments, "--print-study"))
    fputs(text, stdout);
  else if (status == OK)
    status = run_text(arguments, text, err);
  arena_clear(&arena);
  return status;
}

static const CliOption compare_options[] = {
    {"--gpu", "NAME,...",
     "GPUs (`heddle list gpus`) or .cfg files; default "
     "gtx480"},
    {"--schemes", "NAME,...",
     "schemes; the first is what the others are compared with; default lrr,gto"},
    {"--size", "tiny|small|paper", "how large the workloads are; default small"},
    {"--set", "SECTION.KEY=VALUE", "change a parameter in all runs; may be repeated"},
    {"--observe", "NAME", "further tables (`heddle list observers`); may be repeated"},
    {"--interval", "N", "a row of the interval series every N cycles; default 1000, 0 for none"},
    STUDY_OPTIONS("compare.db"),
    {"--print-study", NULL, "run nothing, print the comparison as a study file"},
    {0}};

const Verb compare_verb = {
    .name = "compare",
    .summary = "runs workloads on several GPUs with several schemes, and compares",
    .operands = "WORKLOAD|FILE.case... | WORKLOAD -- OPTIONS | -- PROGRAM ARGUMENTS",
    .details =
        "All cores work at once, each run in a process of its own. Runs that the store has\n"
        "are not run again: a comparison that was interrupted goes on where it was.\n"
        "  heddle compare hotspot kmeans --gpu gtx480,k40 --schemes lrr,gto --report out.html\n",
    .options = compare_options,
    .max_operands = 256,
    .takes_program = true,
    .run = run_compare};
