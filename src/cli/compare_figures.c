// SPDX-License-Identifier: MIT
#include "cli/compare_figures.h"

#include <string.h>

#include "base/file.h"
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
    if (i != but && count_of(study, i) > 1 &&
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

static const char *add(Arena *arena, const char *text, const Study *study, const Plan *plan,
                       const char *id, const char *keys) {
  text = arena_printf(arena, "%s\n[figure %s]\n%s", text, id, keys);
  if (plan->rows != BY_WORKLOAD)
    text = arena_printf(arena, "%srows = %s\n", text, study->dimensions[plan->rows].name);
  if (plan->columns != BY_SCHEME)
    text = arena_printf(arena, "%scolumns = %s\n", text, study->dimensions[plan->columns].name);
  if (plan->panels != NO_DIMENSION)
    text = arena_printf(arena, "%spanels = %s\n", text, study->dimensions[plan->panels].name);
  if (plan->is_programs) text = arena_printf(arena, "%smean = none\n", text);
  return text;
}

// What explains the difference in time. Instructions per cycle do not compare programs: one that
// executes fewer instructions is faster with fewer of them per cycle.
static const char *add_work(Arena *arena, const char *text, const Study *study, const Plan *plan) {
  if (!plan->is_programs)
    return add(arena, text, study, plan, "ipc",
               "title = Warp instructions per cycle\naxis = warp instructions per cycle\n"
               "statistic = warp_ipc\n");
  text = add(arena, text, study, plan, "cycles", "title = Cycles\naxis = cycles\n");
  return add(arena, text, study, plan, "instructions",
             "title = Warp instructions\naxis = warp instructions\n"
             "statistic = warp_instructions\n");
}

static const char *add_caches(Arena *arena, const char *text, const Study *study,
                              const Plan *plan) {
  const char *mean = plan->is_programs ? "" : "mean = arithmetic\n";
  text = add(arena, text, study, plan, "l1d",
             arena_printf(arena,
                          "title = L1D hit rate\naxis = L1D hit rate (%%)\nstatistic = 100 * "
                          "l1d.hit_rate\n%s",
                          mean));
  return add(arena, text, study, plan, "l2",
             arena_printf(arena,
                          "title = L2 hit rate\naxis = L2 hit rate (%%)\nstatistic = 100 * "
                          "l2.hit_rate\n%s",
                          mean));
}

const char *compare_figures(const Study *study, Arena *arena) {
  int x = find_sweep(study, true, NO_DIMENSION);
  Plan plan = compare_is_programs(study) ? plan_programs(study, x, arena)
              : x == NO_DIMENSION        ? plan_bars(study, arena)
                                         : plan_lines(study, x, arena);
  const char *text = "";
  if (plan.baseline)
    text = add(arena, text, study, &plan, "speedup",
               arena_printf(arena, "title = Speed-up over %s\nas = speedup\nbaseline = %s\n",
                            plan.against, plan.baseline));
  else
    text = add(arena, text, study, &plan, "cycles", "title = Cycles\naxis = cycles\nmean = none\n");
  text = add_work(arena, text, study, &plan);
  text = add_caches(arena, text, study, &plan);
  if (!plan.baseline) return text;
  return add(arena, text, study, &plan, "dram",
             arena_printf(arena,
                          "title = DRAM traffic relative to %s\naxis = DRAM bytes, relative to %s\n"
                          "statistic = dram.bytes\nas = ratio\nbaseline = %s\n",
                          plan.against, plan.against, plan.baseline));
}
