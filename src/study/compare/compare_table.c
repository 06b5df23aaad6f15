// SPDX-License-Identifier: MIT
// The table of a comparison: one line per run, relative to the baseline.
#include "study/compare/compare_table.h"

#include <string.h>

#include "base/text/text_table.h"
#include "policies/slot_reason.h"
#include "study/compare/compare_figures.h"
#include "study/figures/figure.h"
#include "study/figures/figure_seeds.h"
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

// The runs of a combination, by seed: one without seeds. Rows of results, and the baseline's.
typedef struct SeededRuns {
  const json_t *rows[MAX_SEEDS], *bases[MAX_SEEDS];
  uint32_t count;
} SeededRuns;

static const json_t *cell(const json_t *row, size_t name) {
  return json_array_get(row, RESULT_NAMES + name);
}

static double mean_of(const SeededRuns *runs, size_t name) {
  double sum = 0;
  for (uint32_t i = 0; i < runs->count; i++) sum += json_number_value(cell(runs->rows[i], name));
  return sum / runs->count;
}

// The most frequent reason of issue slots in which nothing was issued.
static void add_reason(TextTable *table, const SeededRuns *runs) {
  double all = 0, most = 0;
  size_t best = SLOT_issued;
  for (size_t reason = 0; reason < SLOT_REASON_COUNT; reason++) {
    double slots = mean_of(runs, FIRST_SLOT + reason);
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

static void add_share(TextTable *table, const SeededRuns *runs, size_t name) {
  if (json_is_number(cell(runs->rows[0], name)))
    text_table_add(table, "%.1f %%", mean_of(runs, name) * 100);
  else
    text_table_add(table, "-");
}

static void add_names(TextTable *table, const Study *study, const uint32_t at[MAX_DIMENSIONS]) {
  for (uint32_t i = 0; i < study->dimension_count; i++)
    if ((int)i != study_seeds(study))
      text_table_add(table, "%s", study->dimensions[i].items[at[i]].name);
}

// Coloured if it differs from 1 as printed, and by more than chance.
static void add_speedup(TextTable *table, const SeededRuns *runs) {
  double speedups[MAX_SEEDS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < runs->count; i++) {
    double cycles = json_number_value(cell(runs->rows[i], CYCLES));
    double before = json_number_value(cell(runs->bases[i], CYCLES));
    if (cycles > 0 && before > 0) speedups[count++] = before / cycles;
  }
  Estimate speedup = estimate_of(speedups, count);
  bool is_chance = estimate_is_chance(speedup.mean, speedup.half_width);
  if (!count)
    text_table_add(table, "-");
  else if (speedup.half_width > 0)
    text_table_add(table, "%.3f ±%.3f%s", speedup.mean, speedup.half_width, is_chance ? " ~" : "");
  else
    text_table_add(table, "%.3f", speedup.mean);
  if (speedup.mean >= 1.0005 && !is_chance) text_table_style(table, STYLE_BETTER);
  if (speedup.mean < 0.9995 && !is_chance) text_table_style(table, STYLE_WORSE);
}

static void add_outcome(TextTable *table, const json_t *outcome) {
  text_table_add(table, "%s",
                 run_word(json_string_value(json_array_get(outcome, 0)),
                          json_string_value(json_array_get(outcome, 1))));
  for (int i = 0; i < 7; i++) text_table_add(table, "-");
}

static void add_run(TextTable *table, const SeededRuns *runs, bool is_programs) {
  text_table_add_count(table, (uint64_t)mean_of(runs, CYCLES));
  add_speedup(table, runs);
  if (is_programs)
    text_table_add_count(table, (uint64_t)mean_of(runs, 7));
  else
    text_table_add(table, "%.2f", mean_of(runs, 1));
  for (size_t i = 2; i < 5; i++) add_share(table, runs, i);
  text_table_add_count(table, (uint64_t)(mean_of(runs, 5) + mean_of(runs, 6)));
  add_reason(table, runs);
}

static void init_table(TextTable *table, const Study *study, bool is_programs, Arena *arena) {
  const char *measured[] = {
      ">cycles",        ">speed-up",     is_programs ? ">instructions" : ">IPC",
      ">occupancy",     ">L1D hits",     ">L2 hits",
      ">DRAM requests", "largest stall", NULL};
  const char *columns[MAX_DIMENSIONS + sizeof measured / sizeof *measured];
  size_t count = 0;
  for (uint32_t i = 0; i < study->dimension_count; i++) {
    if ((int)i == study_seeds(study)) continue;
    const char *name = study->dimensions[i].name;
    bool is_number = study_is_numeric(study, (Dimension)i);
    columns[count++] = is_number ? arena_printf(arena, ">%s", name) : name;
  }
  memcpy(columns + count, measured, sizeof measured);
  text_table_init(table, columns);
  table->key_columns = (uint32_t)count;
}

// The baseline of speed-ups: the first program on the same machine, or the first scheme with the
// first value of every sweep. With the same seed.
static size_t baseline_of(const Study *study, bool is_programs,
                          const uint32_t run[MAX_DIMENSIONS]) {
  uint32_t at[MAX_DIMENSIONS];
  memcpy(at, run, sizeof at);
  if (is_programs) at[BY_WORKLOAD] = 0;
  for (uint32_t d = BY_SCHEME; d < study->dimension_count && !is_programs; d++)
    if ((int)d != study_seeds(study)) at[d] = 0;
  return study_position(study, at);
}

// Fills in the runs of all seeds; returns the outcome of one without results, or NULL.
static const json_t *find_runs(const Study *study, const json_t *rows, const json_t *ends,
                               bool is_programs, uint32_t at[MAX_DIMENSIONS], SeededRuns *runs) {
  int seeds = study_seeds(study);
  runs->count = seeds == NO_DIMENSION ? 1 : study->dimensions[seeds].count;
  for (uint32_t i = 0; i < runs->count; i++) {
    if (seeds != NO_DIMENSION) at[seeds] = i;
    size_t position = study_position(study, at);
    runs->rows[i] = json_array_get(rows, position);
    runs->bases[i] = json_array_get(rows, baseline_of(study, is_programs, at));
    if (json_is_null(json_array_get(runs->rows[i], RESULT_RUN)))
      return json_array_get(ends, position);
  }
  return NULL;
}

static void print_runs(const Study *study, const json_t *results, const json_t *outcomes) {
  TextTable table;
  Arena arena = {0};
  const json_t *rows = json_object_get(results, "rows"), *ends = json_object_get(outcomes, "rows");
  int seeds = study_seeds(study);
  bool is_programs = compare_is_programs(study);
  init_table(&table, study, is_programs, &arena);
  for (size_t i = 0; i < json_array_size(rows); i++) {
    uint32_t at[MAX_DIMENSIONS] = {0};
    SeededRuns runs;
    study_combination(study, i, at);
    if (seeds != NO_DIMENSION && at[seeds]) continue;
    add_names(&table, study, at);
    const json_t *outcome = find_runs(study, rows, ends, is_programs, at, &runs);
    if (outcome)
      add_outcome(&table, outcome);
    else
      add_run(&table, &runs, is_programs);
  }
  text_table_print(&table, stdout, 0);
  if (seeds != NO_DIMENSION)
    printf("± 95 %% confidence over %u seeds; ~ within it of the baseline\n",
           study->dimensions[seeds].count);
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
