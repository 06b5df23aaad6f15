// SPDX-License-Identifier: MIT
// Means, and what they cover. A scheme that failed on the workload on which others
// are slowest would look best if its mean left out that workload alone.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "study/figures/figure_maker.h"

enum { MOST_NAMED = 8, MOST_CELLS = 3 };  // items in a note; cells of an item

bool item_is_of_group(const StudyItem *item, const char *group) {
  return !group || (item->group && strcmp(item->group, group) == 0);
}

bool maker_is_inside(const Maker *maker, uint32_t dimension) {
  const FigureSpec *spec = maker->spec;
  return dimension == (uint32_t)spec->rows || dimension == (uint32_t)spec->columns ||
         (int)dimension == spec->panels;
}

// ---- a mean

typedef struct Mean {
  bool is_geometric, is_impossible;
  double sum;
  uint32_t count;
} Mean;

static void mean_add(Mean *mean, double value) {
  if (isnan(value)) return;
  if (mean->is_geometric && value <= 0) mean->is_impossible = true;
  mean->sum += mean->is_geometric ? log(value) : value;
  mean->count++;
}

static double mean_value(const Mean *mean) {
  if (!mean->count || mean->is_impossible) return NAN;
  return mean->is_geometric ? exp(mean->sum / mean->count) : mean->sum / mean->count;
}

static Mean mean_start(const Maker *maker) {
  return (Mean){.is_geometric = maker->spec->mean != MEAN_ARITHMETIC};
}

static void positions(const Maker *maker, const Cell *cell, uint32_t at[MAX_DIMENSIONS]) {
  for (uint32_t i = 0; i < maker->study->dimension_count; i++) at[i] = cell->slots[i].at;
}

static double value_of(const Maker *maker, const Cell *cell, uint32_t at[MAX_DIMENSIONS]) {
  return figure_choose_best(maker, cell, at) ? figure_value(maker, at) : NAN;
}

double figure_cell_value(const Maker *maker, const Cell *cell) {
  uint32_t at[MAX_DIMENSIONS] = {0};
  const Slot *workload = &cell->slots[BY_WORKLOAD];
  positions(maker, cell, at);
  if (!workload->is_mean) return value_of(maker, cell, at);
  const MeanSet *set = figure_set(maker, workload->group);
  Mean mean = mean_start(maker);
  for (uint32_t i = 0; i < maker->study->dimensions[BY_WORKLOAD].count; i++) {
    at[BY_WORKLOAD] = i;
    if (set->has[i]) mean_add(&mean, value_of(maker, cell, at));
  }
  return mean_value(&mean);
}

double figure_row_mean(const Maker *maker, const Cell *cell, const MeanSet *set) {
  const Slots *rows = &maker->slots[maker->spec->rows];
  Cell one = *cell;
  Mean mean = mean_start(maker);
  for (uint32_t r = 0; r < rows->count; r++) {
    one.slots[maker->spec->rows] = rows->items[r];
    if (set->has[rows->items[r].at]) mean_add(&mean, figure_cell_value(maker, &one));
  }
  return mean_value(&mean);
}

// ---- the cells that are compared

typedef struct Cells {
  Cell *items;
  bool *is_used;  // has a value for some item
  size_t count, capacity;
} Cells;

// Every combination of the slots of the inside dimensions from `dimension` on, but `over`, the
// one that the mean is over; and the panels' unless they are fixed.
static void add_cells(const Maker *maker, uint32_t dimension, uint32_t over, bool is_panel,
                      Cell *cell, Cells *cells) {
  if (dimension == maker->study->dimension_count) {
    GROW(cells->items, cells->count, cells->capacity);
    cells->items[cells->count++] = *cell;
    return;
  }
  bool is_fixed = dimension == over || !maker_is_inside(maker, dimension) ||
                  (is_panel && (int)dimension == maker->spec->panels);
  if (is_fixed) {
    add_cells(maker, dimension + 1, over, is_panel, cell, cells);
    return;
  }
  for (uint32_t i = 0; i < maker->slots[dimension].count; i++) {
    cell->slots[dimension] = maker->slots[dimension].items[i];
    add_cells(maker, dimension + 1, over, is_panel, cell, cells);
  }
}

static double value_at(const Maker *maker, const Cell *cell, uint32_t over, uint32_t item) {
  Cell one = *cell;
  one.slots[over] = (Slot){.at = item};
  return figure_cell_value(maker, &one);
}

// ---- what an item lacks

// "gto", or "gto, l1d.size_kb = 16": the slots that tell the cell from others.
static const char *cell_label(const Maker *maker, const Cell *cell, uint32_t over) {
  const char *label = "";
  for (uint32_t i = 0; i < maker->study->dimension_count; i++) {
    const Slot *slot = &cell->slots[i];
    if (i == over || slot->is_mean || maker->slots[i].count < 2) continue;
    const StudyDimension *values = &maker->study->dimensions[i];
    label = arena_printf(maker->arena, "%s%s%s%s%s", label, *label ? ", " : "",
                         i < BY_SWEEP ? "" : values->name, i < BY_SWEEP ? "" : " = ",
                         slot->best ? slot->best->name : values->items[slot->at].name);
  }
  return label;
}

// A baseline that is missing leaves all cells of an item without a value: the runs that are
// missing are named, if they are cells, and else the cells without value.
static bool is_lacking(const Maker *maker, const Cell *cell, uint32_t over, uint32_t item,
                       bool is_by_run) {
  uint32_t at[MAX_DIMENSIONS] = {0};
  if (!is_by_run || cell->slots[BY_WORKLOAD].is_mean || cell->slots[maker->spec->columns].best)
    return isnan(value_at(maker, cell, over, item));
  positions(maker, cell, at);
  at[over] = item;
  return !figure_is_measured(maker, at);
}

static size_t list_lacking(const Maker *maker, const Cells *cells, uint32_t over, uint32_t item,
                           bool is_by_run, const char **list) {
  size_t count = 0;
  *list = "";
  for (size_t i = 0; i < cells->count; i++) {
    if (!cells->is_used[i] || !is_lacking(maker, &cells->items[i], over, item, is_by_run)) continue;
    const char *label = cell_label(maker, &cells->items[i], over);
    if (count++ < MOST_CELLS)
      *list = arena_printf(maker->arena, "%s%s%s", *list, **list ? "; " : "", label);
  }
  return count;
}

static const char *describe_item(const Maker *maker, const Cells *cells, uint32_t over,
                                 uint32_t item) {
  const char *name = maker->study->dimensions[over].items[item].name, *list;
  size_t used = 0, count = list_lacking(maker, cells, over, item, true, &list);
  if (!count) count = list_lacking(maker, cells, over, item, false, &list);
  for (size_t i = 0; i < cells->count; i++) used += cells->is_used[i];
  if (count == used || !*list) return name;
  if (count > MOST_CELLS) return arena_printf(maker->arena, "%s (%zu of %zu)", name, count, used);
  return arena_printf(maker->arena, "%s (%s)", name, list);
}

// ---- sets

static bool is_complete(const Maker *maker, const Cells *cells, uint32_t over, uint32_t item) {
  bool is_any = false;
  for (size_t i = 0; i < cells->count; i++) {
    if (!cells->is_used[i]) continue;
    if (isnan(value_at(maker, &cells->items[i], over, item))) return false;
    is_any = true;
  }
  return is_any;
}

static void find_used(const Maker *maker, Cells *cells, uint32_t over, const bool *is_member) {
  uint32_t count = maker->study->dimensions[over].count;
  cells->is_used = ARENA_ARRAY(maker->arena, bool, cells->count + 1);
  for (size_t i = 0; i < cells->count; i++)
    for (uint32_t item = 0; item < count && !cells->is_used[i]; item++)
      cells->is_used[i] = is_member[item] && !isnan(value_at(maker, &cells->items[i], over, item));
}

// The items of a dimension that are slots of the figure and in the group.
static bool *find_members(const Maker *maker, uint32_t over, const char *group) {
  const StudyDimension *values = &maker->study->dimensions[over];
  const Slots *slots = &maker->slots[over];
  bool *is_member = ARENA_ARRAY(maker->arena, bool, values->count + 1);
  bool is_all = slots->count == 0 || slots->items[0].is_mean;  // nothing but a mean
  for (uint32_t i = 0; i < slots->count; i++)
    if (!slots->items[i].is_mean) is_member[slots->items[i].at] = true;
  for (uint32_t i = 0; i < values->count; i++)
    is_member[i] = (is_all || is_member[i]) && item_is_of_group(&values->items[i], group);
  return is_member;
}

static MeanSet make_set(const Maker *maker, Cells *cells, uint32_t over, const char *group) {
  uint32_t count = maker->study->dimensions[over].count;
  bool *is_member = find_members(maker, over, group);
  MeanSet set = {.group = group,
                 .has = ARENA_ARRAY(maker->arena, bool, count + 1),
                 .missing = ARENA_ARRAY(maker->arena, const char *, count + 1)};
  find_used(maker, cells, over, is_member);
  for (uint32_t item = 0; item < count; item++) {
    if (!is_member[item]) continue;
    set.of++;
    set.has[item] = is_complete(maker, cells, over, item);
    if (set.has[item])
      set.count++;
    else
      set.missing[set.of - set.count - 1] = describe_item(maker, cells, over, item);
  }
  memory_free(cells->items);
  return set;
}

MeanSet figure_row_set(const Maker *maker, const Cell *cell, const char *group) {
  Cells cells = {0};
  Cell one = *cell;
  add_cells(maker, 0, maker->spec->rows, true, &one, &cells);
  return make_set(maker, &cells, maker->spec->rows, group);
}

void figure_find_sets(Maker *maker) {
  const Slots *workloads = &maker->slots[BY_WORKLOAD];
  maker->set_count = 0;
  maker->sets = ARENA_ARRAY(maker->arena, MeanSet, workloads->count + 1);
  for (uint32_t i = 0; i < workloads->count; i++) {
    if (!workloads->items[i].is_mean) continue;
    Cells cells = {0};
    Cell cell = {0};
    for (uint32_t d = 0; d < maker->study->dimension_count; d++)
      if (!maker_is_inside(maker, d)) cell.slots[d] = maker->slots[d].items[maker->outside_at[d]];
    add_cells(maker, 0, BY_WORKLOAD, false, &cell, &cells);
    MeanSet set = make_set(maker, &cells, BY_WORKLOAD, workloads->items[i].group);
    maker->sets[maker->set_count++] = set;
  }
}

const MeanSet *figure_set(const Maker *maker, const char *group) {
  uint32_t i = 0;
  while (maker->sets[i].group != group) i++;
  return &maker->sets[i];
}

// ---- in words

static const char *title_of(const Maker *maker, const MeanSet *set) {
  const char *kind = maker->spec->mean == MEAN_ARITHMETIC ? "mean" : "geometric mean";
  return set->group ? arena_printf(maker->arena, "%s, %s", kind, set->group) : kind;
}

const char *figure_mean_title(const Maker *maker, const MeanSet *set) {
  const char *title = title_of(maker, set);
  if (set->count == set->of) return title;
  return arena_printf(maker->arena, "%s (%u of %u)", title, set->count, set->of);
}

const char *figure_mean_note(const Maker *maker, const MeanSet *set) {
  uint32_t missing = set->of - set->count;
  if (!missing) return NULL;
  const char *note = arena_printf(maker->arena, "%s%s %u of %u; missing: ", title_of(maker, set),
                                  set->group ? ":" : " of", set->count, set->of);
  for (uint32_t i = 0; i < missing && i < MOST_NAMED; i++)
    note = arena_printf(maker->arena, "%s%s%s", note, i ? ", " : "", set->missing[i]);
  if (missing > MOST_NAMED)
    note = arena_printf(maker->arena, "%s and %u more", note, missing - MOST_NAMED);
  return note;
}

void figure_describe_set(json_t *object, const MeanSet *set) {
  json_t *missing = json_array();
  for (uint32_t i = 0; i < set->of - set->count; i++)
    json_array_append_new(missing, json_string(set->missing[i]));
  json_object_set_new(object, "count", json_integer(set->count));
  json_object_set_new(object, "of", json_integer(set->of));
  json_object_set_new(object, "missing", missing);
}
