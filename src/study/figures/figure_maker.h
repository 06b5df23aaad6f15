// SPDX-License-Identifier: MIT
// A figure while it is measured, as the files that make figures share it.
#ifndef STUDY_FIGURES_FIGURE_MAKER_H
#define STUDY_FIGURES_FIGURE_MAKER_H

#include "study/expression.h"
#include "study/figures/figure.h"

// A value of a dimension, the mean over workloads, or the best of some columns.
typedef struct Slot {
  uint32_t at;
  bool is_mean;
  const char *group;   // of which workloads; NULL: all
  const BestOf *best;  // of columns; NULL: this one
} Slot;

typedef struct Slots {
  Slot *items;
  uint32_t count, capacity;
} Slots;

// A cell: a slot of each dimension.
typedef struct Cell {
  Slot slots[MAX_DIMENSIONS];
} Cell;

// What a mean covers: items of one dimension, of a group or all. Numbers that stand next to each
// other are means of the same items: those for which every compared cell has a value. A
// cell without a value for any item has no mean, and excludes nothing.
typedef struct MeanSet {
  const char *group;     // NULL: all
  bool *has;             // by item of the dimension
  uint32_t count, of;    // items in the mean, items in the group
  const char **missing;  // "BFS (laser)" for each item that is not in the mean; of - count
} MeanSet;

// A figure for one value of each dimension that is outside of it.
typedef struct Maker {
  const Study *study;
  const FigureSpec *spec;
  const json_t *results;
  const FigureNames *names;
  const Expression *expression;
  Arena *arena;
  bool is_lines;
  int seeds;  // dimension over which the figure is merged, or NO_DIMENSION
  Slots slots[MAX_DIMENSIONS];
  uint32_t outside_at[MAX_DIMENSIONS];  // indices into the slots of outside dimensions
  MeanSet *sets;                        // one for each mean among the workloads' slots
  uint32_t set_count;
} Maker;

// Whether the dimension is an axis of the figure: rows, columns or panels.
bool maker_is_inside(const Maker *maker, uint32_t dimension);
bool item_is_of_group(const StudyItem *item, const char *group);  // group may be NULL: all

// ---- values: NAN if there is none

// Of a run, relative to the baseline where the figure is.
double figure_value(const Maker *maker, const uint32_t at[MAX_DIMENSIONS]);
// Whether a run has the figure's statistic, whatever the baseline has.
bool figure_is_measured(const Maker *maker, const uint32_t at[MAX_DIMENSIONS]);
// Of a cell, which may be a mean.
double figure_cell_value(const Maker *maker, const Cell *cell);
// The statistic by which the best of several is chosen.
#define FIGURE_BEST_BY "cycles"
// Replaces the column of a position by the best of its slot; false if none has a result.
bool figure_choose_best(const Maker *maker, const Cell *cell, uint32_t at[MAX_DIMENSIONS]);

// ---- means

// Finds the sets of the means over workloads, before any cell is read.
void figure_find_sets(Maker *maker);
const MeanSet *figure_set(const Maker *maker, const char *group);
// The set of the mean over the rows of a panel; `cell` has the slots of the other dimensions.
MeanSet figure_row_set(const Maker *maker, const Cell *cell, const char *group);
// Mean of a column over the rows of a set.
double figure_row_mean(const Maker *maker, const Cell *cell, const MeanSet *set);

// "geometric mean, streaming"; a mean that lacks items says so: "geometric mean (14 of 16)".
const char *figure_mean_title(const Maker *maker, const MeanSet *set);
// "geometric mean of 14 of 16; missing: BFS (laser), SA (gto)", or NULL if nothing is missing.
const char *figure_mean_note(const Maker *maker, const MeanSet *set);
// Adds "count", "of" and "missing" of a set to the object of its mean.
void figure_describe_set(json_t *object, const MeanSet *set);

#endif
