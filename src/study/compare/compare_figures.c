// SPDX-License-Identifier: MIT
// Figures of a command-line comparison, as sections of a study.
#include "study/compare/compare_figures.h"

#include <string.h>

#include "base/files/file.h"
#include "frontends/casefile/case.h"

// Common properties of all figures of a comparison.
typedef struct Plan {
  int rows, columns, panels;  // dimensions, or NO_DIMENSION
  bool is_programs;           // columns are programs, and nothing is averaged over them
  const char *baseline;       // value of a figure's key `baseline`; NULL: nothing to compare with
  const char *against;        // the same, for titles
} Plan;

static uint32_t count_of(const Study *study, int dimension) {
  return study->dimensions[dimension].count;
}

static int find_sweep(const Study *study, bool is_numeric, int but) {
  for (int i = BY_SWEEP; i < (int)study->dimension_count; i++)
    if (i != but && count_of(study, i) > 1 && !study->dimensions[i].is_seed &&
        (!is_numeric || study_is_numeric(study, (Dimension)i)))
      return i;
  return NO_DIMENSION;
}

// Adds the first value of a dimension to the baseline.
static void compare_with(Plan *plan, const Study *study, int dimension, Arena *arena) {
  const StudyDimension *values = &study->dimensions[dimension];
  const char *name = values->items[0].name;
  bool is_sweep = dimension >= BY_SWEEP;
  plan->baseline = arena_printf(arena, "%s%s%s=%s", plan->baseline ? plan->baseline : "",
                                plan->baseline ? ", " : "", values->name, name);
  plan->against = arena_printf(arena, "%s%s%s%s%s", plan->against ? plan->against : "",
                               plan->against ? " with " : "", is_sweep ? values->name : "",
                               is_sweep ? " = " : "", name);
}

// Lines over a numeric dimension. Cycles of different GPUs and workloads are not
// comparable: each line is relative to its own first value.
static Plan plan_lines(const Study *study, int x, Arena *arena) {
  Plan plan = {.rows = x, .columns = BY_SCHEME, .panels = NO_DIMENSION};
  int other = find_sweep(study, false, x);
  if (count_of(study, BY_SCHEME) == 1)
    plan.columns = other != NO_DIMENSION              ? other
                   : count_of(study, BY_GPU) > 1      ? BY_GPU
                   : count_of(study, BY_WORKLOAD) > 1 ? BY_WORKLOAD
                                                      : BY_SCHEME;
  if (plan.columns != BY_WORKLOAD && count_of(study, BY_WORKLOAD) > 1) plan.panels = BY_WORKLOAD;
  bool is_comparable = plan.columns == BY_SCHEME || plan.columns >= BY_SWEEP;
  if (is_comparable && count_of(study, plan.columns) > 1)
    compare_with(&plan, study, plan.columns, arena);
  compare_with(&plan, study, x, arena);
  return plan;
}

static Plan plan_bars(const Study *study, Arena *arena) {
  Plan plan = {.rows = BY_WORKLOAD, .columns = BY_SCHEME, .panels = NO_DIMENSION};
  int sweep = find_sweep(study, false, NO_DIMENSION);
  if (count_of(study, BY_SCHEME) == 1 && sweep != NO_DIMENSION)
    plan.columns = sweep;
  else if (count_of(study, BY_SCHEME) == 1 && count_of(study, BY_GPU) > 1)
    plan.columns = BY_GPU;
  if (plan.columns != BY_GPU) compare_with(&plan, study, plan.columns, arena);
  return plan;
}

static bool is_program(const StudyItem *item) {
  return word_is_path(item->is, CASE_ENDING) && !path_ends_with(item->is, CASE_ENDING);
}

bool compare_is_programs(const Study *study) {
  const StudyDimension *workloads = &study->dimensions[BY_WORKLOAD];
  for (uint32_t i = 0; i < workloads->count; i++)
    if (!is_program(&workloads->items[i])) return false;
  return workloads->count > 1;
}

// Programs next to each other, relative to the first on the same machine.
static Plan plan_programs(const Study *study, int x, Arena *arena) {
  Plan plan = {.rows = x, .columns = BY_WORKLOAD, .panels = NO_DIMENSION, .is_programs = true};
  if (x == NO_DIMENSION) plan.rows = find_sweep(study, false, NO_DIMENSION);
  if (x == NO_DIMENSION && count_of(study, BY_SCHEME) > 1) plan.rows = BY_SCHEME;
  if (plan.rows == NO_DIMENSION) plan.rows = count_of(study, BY_GPU) > 1 ? BY_GPU : BY_SCHEME;
  compare_with(&plan, study, BY_WORKLOAD, arena);
  return plan;
}

typedef struct FigureText {
  const char *key, *value;
} FigureText;

// Adds a figure: the keys given, up to the first without a value, and the plan's.
static Status add(Study *study, const Plan *plan, const char *id, const FigureText *keys,
                  Error *err) {
  const StudyDimension *dimensions = study->dimensions;
  for (; keys->key; keys++)
    if (keys->value) TRY(study_set(study, "figure", id, keys->key, keys->value, err));
  if (plan->rows != BY_WORKLOAD)
    TRY(study_set(study, "figure", id, "rows", dimensions[plan->rows].name, err));
  if (plan->columns != BY_SCHEME)
    TRY(study_set(study, "figure", id, "columns", dimensions[plan->columns].name, err));
  if (plan->panels != NO_DIMENSION)
    TRY(study_set(study, "figure", id, "panels", dimensions[plan->panels].name, err));
  return plan->is_programs ? study_set(study, "figure", id, "mean", "none", err) : OK;
}

// What explains the difference in time. Instructions per cycle do not compare programs: one that
// executes fewer instructions is faster with fewer of them per cycle.
static Status add_work(Study *study, const Plan *plan, Error *err) {
  static const FigureText ipc[] = {{"title", "Warp instructions per cycle"},
                                   {"axis", "warp instructions per cycle"},
                                   {"statistic", "warp_ipc"},
                                   {0}};
  static const FigureText cycles[] = {{"title", "Cycles"}, {"axis", "cycles"}, {0}};
  static const FigureText instructions[] = {{"title", "Warp instructions"},
                                            {"axis", "warp instructions"},
                                            {"statistic", "warp_instructions"},
                                            {0}};
  if (!plan->is_programs) return add(study, plan, "ipc", ipc, err);
  TRY(add(study, plan, "cycles", cycles, err));
  return add(study, plan, "instructions", instructions, err);
}

static Status add_caches(Study *study, const Plan *plan, Error *err) {
  const char *mean = plan->is_programs ? NULL : "arithmetic";
  const FigureText l1d[] = {{"title", "L1D hit rate"},
                            {"axis", "L1D hit rate (%)"},
                            {"statistic", "100 * l1d.hit_rate"},
                            {"mean", mean},
                            {0}};
  const FigureText l2[] = {{"title", "L2 hit rate"},
                           {"axis", "L2 hit rate (%)"},
                           {"statistic", "100 * l2.hit_rate"},
                           {"mean", mean},
                           {0}};
  TRY(add(study, plan, "l1d", l1d, err));
  return add(study, plan, "l2", l2, err);
}

static Status add_time(Study *study, const Plan *plan, Arena *arena, Error *err) {
  static const FigureText cycles[] = {
      {"title", "Cycles"}, {"axis", "cycles"}, {"mean", "none"}, {0}};
  if (!plan->baseline) return add(study, plan, "cycles", cycles, err);
  const FigureText speedup[] = {{"title", arena_printf(arena, "Speed-up over %s", plan->against)},
                                {"as", "speedup"},
                                {"baseline", plan->baseline},
                                {0}};
  return add(study, plan, "speedup", speedup, err);
}

static Status add_traffic(Study *study, const Plan *plan, Arena *arena, Error *err) {
  if (!plan->baseline) return OK;
  const FigureText dram[] = {
      {"title", arena_printf(arena, "DRAM traffic relative to %s", plan->against)},
      {"axis", arena_printf(arena, "DRAM bytes, relative to %s", plan->against)},
      {"statistic", "dram.bytes"},
      {"as", "ratio"},
      {"baseline", plan->baseline},
      {0}};
  return add(study, plan, "dram", dram, err);
}

Status compare_figures(Study *study, Arena *arena, Error *err) {
  int x = find_sweep(study, true, NO_DIMENSION);
  Plan plan = compare_is_programs(study) ? plan_programs(study, x, arena)
              : x == NO_DIMENSION        ? plan_bars(study, arena)
                                         : plan_lines(study, x, arena);
  TRY(add_time(study, &plan, arena, err));
  TRY(add_work(study, &plan, err));
  TRY(add_caches(study, &plan, err));
  return add_traffic(study, &plan, arena, err);
}
