// SPDX-License-Identifier: MIT
#include "study/compare/compare_table.h"

#include <string.h>

#include "base/text/text_table.h"
#include "policies/slot_reason.h"
#include "study/compare/compare_figures.h"
#include "study/figures/figure.h"
#include "study/results.h"
#include "study/run_words.h"

// Statistics that explain a speed-up.

#define SLOT_NAME(name, label, group, help) "sm.slot_" #name,
#define SLOT_LABEL(name, label, group, help) label,
static const char *const shown[] = {"cycles",       "warp_ipc",          "achieved_occupancy",
                                    "l1d.hit_rate", "l2.hit_rate",       "dram.reads",
                                    "dram.writes",  "warp_instructions", SLOT_REASONS(SLOT_NAME)};
static const char *const slot_labels[] = {SLOT_REASONS(SLOT_LABEL)};
enum { SHOWN = sizeof shown / sizeof *shown, CYCLES = 0, FIRST_SLOT = SHOWN - SLOT_REASON_COUNT };

static const json_t *cell(const json_t *row, size_t name) {
  return json_array_get(row, RESULT_NAMES + name);
}

// The most frequent reason of issue slots in which nothing was issued.
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

static void add_names(TextTable *table, const Study *study, const uint32_t at[MAX_DIMENSIONS]) {
  for (uint32_t i = 0; i < study->dimension_count; i++)
    text_table_add(table, "%s", study->dimensions[i].items[at[i]].name);
}

// Coloured if it differs from 1 as printed.
static void add_speedup(TextTable *table, double speedup) {
  text_table_add(table, "%.3f", speedup);
  if (speedup >= 1.0005) text_table_style(table, STYLE_BETTER);
  if (speedup < 0.9995) text_table_style(table, STYLE_WORSE);
}

static void add_outcome(TextTable *table, const json_t *outcome) {
  text_table_add(table, "%s",
                 run_word(json_string_value(json_array_get(outcome, 0)),
                          json_string_value(json_array_get(outcome, 1))));
  for (int i = 0; i < 7; i++) text_table_add(table, "-");
}

static void add_run(TextTable *table, const json_t *row, const json_t *base, bool is_programs) {
  double cycles = json_number_value(cell(row, CYCLES));
  double before = json_number_value(cell(base, CYCLES));
  text_table_add_count(table, (uint64_t)cycles);
  if (cycles > 0 && before > 0)
    add_speedup(table, before / cycles);
  else
    text_table_add(table, "-");
  if (is_programs)
    text_table_add_count(table, (uint64_t)json_number_value(cell(row, 7)));
  else
    text_table_add(table, "%.2f", json_number_value(cell(row, 1)));
  for (size_t i = 2; i < 5; i++) add_share(table, cell(row, i));
  text_table_add_count(
      table, (uint64_t)(json_number_value(cell(row, 5)) + json_number_value(cell(row, 6))));
  add_reason(table, row);
}

static void init_table(TextTable *table, const Study *study, bool is_programs, Arena *arena) {
  const char *measured[] = {
      ">cycles",        ">speed-up",     is_programs ? ">instructions" : ">IPC",
      ">occupancy",     ">L1D hits",     ">L2 hits",
      ">DRAM requests", "largest stall", NULL};
  const char *columns[MAX_DIMENSIONS + sizeof measured / sizeof *measured];
  size_t count = 0;
  for (uint32_t i = 0; i < study->dimension_count; i++) {
    const char *name = study->dimensions[i].name;
    bool is_number = study_is_numeric(study, (Dimension)i);
    columns[count++] = is_number ? arena_printf(arena, ">%s", name) : name;
  }
  memcpy(columns + count, measured, sizeof measured);
  text_table_init(table, columns);
  table->key_columns = study->dimension_count;
}

// The baseline of speed-ups: the first program on the same machine, or the first scheme with the
// first value of every sweep.
static size_t baseline_of(const Study *study, bool is_programs, uint32_t at[MAX_DIMENSIONS]) {
  if (is_programs)
    at[BY_WORKLOAD] = 0;
  else
    for (uint32_t d = BY_SCHEME; d < study->dimension_count; d++) at[d] = 0;
  return study_position(study, at);
}

static void print_runs(const Study *study, const json_t *results, const json_t *outcomes) {
  TextTable table;
  Arena arena = {0};
  const json_t *rows = json_object_get(results, "rows"), *row;
  const json_t *ends = json_object_get(outcomes, "rows");
  size_t i;
  bool is_programs = compare_is_programs(study);
  init_table(&table, study, is_programs, &arena);
  json_array_foreach(rows, i, row) {
    uint32_t at[MAX_DIMENSIONS];
    study_combination(study, i, at);
    add_names(&table, study, at);
    if (json_is_null(json_array_get(row, RESULT_RUN)))
      add_outcome(&table, json_array_get(ends, i));
    else
      add_run(&table, row, json_array_get(rows, baseline_of(study, is_programs, at)), is_programs);
  }
  text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  arena_clear(&arena);
}

// Keeps only the mean of a figure with panels: the table lists each workload.
static void keep_mean_panel(json_t *figure) {
  json_t *panels = json_object_get(figure, "panels");
  if (json_is_null(json_object_get(figure, "panel_dimension"))) return;
  for (size_t i = json_array_size(panels); i-- > 0;)
    if (!json_is_true(json_object_get(json_array_get(panels, i), "mean")))
      json_array_remove(panels, i);
}

// Mean speed-ups, if there is more than one workload.
static Status print_means(Store *store, const Study *study, Error *err) {
  json_t *figures, *figure;
  size_t i;
  if (study->dimensions[BY_WORKLOAD].count < 2 || compare_is_programs(study)) return OK;
  TRY(figures_measure(store, study, &figures, err));
  for (i = json_array_size(figures); i-- > 0;) {
    figure = json_array_get(figures, i);
    if (strcmp(json_string_value(json_object_get(figure, "as")), "speedup") != 0)
      json_array_remove(figures, i);
    else
      keep_mean_panel(figure);
  }
  figures_print(figures, stdout);
  json_decref(figures);
  return OK;
}

Status compare_print(Store *store, const Study *study, Error *err) {
  json_t *results, *outcomes = NULL;
  TRY(study_results(store, study->name, shown, SHOWN, &results, err));
  Status status = study_outcomes(store, study->name, &outcomes, err);
  if (status == OK) print_runs(study, results, outcomes);
  json_decref(results);
  json_decref(outcomes);
  return status == OK ? print_means(store, study, err) : status;
}
