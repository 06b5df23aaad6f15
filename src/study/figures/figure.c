// SPDX-License-Identifier: MIT
// Evaluates the figures of a study to JSON tables.
#include "study/figures/figure.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text/text_list.h"
#include "study/figures/figure_maker.h"
#include "study/figures/figure_seeds.h"
#include "study/results.h"

// ---- the statistics that figures want

static void add_name(void *self, const char *name) {
  FigureNames *names = self;
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->items[i], name) == 0) return;
  GROW(names->items, names->count, names->capacity);
  names->items[names->count++] = name;
}

Status figures_collect_names(const Study *study, Arena *arena, FigureNames *names, Error *err) {
  Expression *expression;
  for (uint32_t i = 0; i < study->figure_count; i++) {
    TRY(expression_parse(&expression, arena, study->figures[i].statistic, err));
    expression_names(expression, add_name, names);
    if (study->figures[i].best_count) add_name(names, FIGURE_BEST_BY);
  }
  return OK;
}

// ---- slots

static void add_slot(Slots *slots, Slot slot) {
  GROW(slots->items, slots->count, slots->capacity);
  slots->items[slots->count++] = slot;
}

// The group of an item that is the first of its group, else NULL.
static const char *first_of_group(const StudyDimension *values, uint32_t at) {
  const char *group = values->items[at].group;
  for (uint32_t before = 0; before < at && group; before++)
    if (item_is_of_group(&values->items[before], group)) return NULL;
  return group;
}

static void add_mean_slots(Slots *slots, const StudyDimension *workloads) {
  for (uint32_t i = 0; i < workloads->count; i++) {
    const char *group = first_of_group(workloads, i);
    if (group) add_slot(slots, (Slot){.is_mean = true, .group = group});
  }
  add_slot(slots, (Slot){.is_mean = true});
}

static const BestOf *find_best(const FigureSpec *spec, const char *name) {
  for (uint32_t i = 0; i < spec->best_count; i++)
    if (strcmp(spec->bests[i].name, name) == 0) return &spec->bests[i];
  return NULL;
}

// The columns that the figure names, in its order.
static void add_shown(Maker *maker, Slots *slots) {
  const Dimension columns = maker->spec->columns;
  const char *list = maker->spec->show, *name;
  while ((name = text_list_next(&list, ',', maker->arena))) {
    const BestOf *best = find_best(maker->spec, name);
    const StudyItem *item = study_item(maker->study, columns, name);
    uint32_t at = best ? 0 : (uint32_t)(item - maker->study->dimensions[columns].items);
    if (best ? best->count == 0 : !item) continue;  // left out
    add_slot(slots, (Slot){.at = at, .best = best});
  }
}

static void make_slots(Maker *maker, uint32_t dimension) {
  const StudyDimension *values = &maker->study->dimensions[dimension];
  const char *only = maker->spec->only[dimension];
  Slots *slots = &maker->slots[dimension];
  const StudyItem *item = only ? study_item(maker->study, (Dimension)dimension, only) : NULL;
  if (item) {
    add_slot(slots, (Slot){.at = (uint32_t)(item - values->items)});
    return;
  }
  if (only) {  // mean
    add_slot(slots, (Slot){.is_mean = true});
    return;
  }
  bool is_column = dimension == (uint32_t)maker->spec->columns;
  if (is_column && maker->spec->show) {
    add_shown(maker, slots);
    return;
  }
  for (uint32_t i = 0; i < values->count; i++) add_slot(slots, (Slot){.at = i});
  for (uint32_t i = 0; is_column && i < maker->spec->best_count; i++)
    add_slot(slots, (Slot){.best = &maker->spec->bests[i]});
  if (dimension == BY_WORKLOAD && maker->is_lines && maker->spec->mean != MEAN_NONE &&
      values->count > 1)
    add_mean_slots(slots, values);
}

static const char *slot_name(const Maker *maker, uint32_t dimension, const Slot *slot) {
  if (slot->best) return slot->best->name;
  if (!slot->is_mean) return maker->study->dimensions[dimension].items[slot->at].name;
  return slot->group ? arena_printf(maker->arena, "mean:%s", slot->group) : "mean";
}

static const char *slot_title(const Maker *maker, uint32_t dimension, const Slot *slot) {
  if (slot->best) return slot->best->name;
  if (!slot->is_mean) return maker->study->dimensions[dimension].items[slot->at].title;
  return figure_mean_title(maker, figure_set(maker, slot->group));
}

// ---- as JSON

// Counts stay exact: reals are written with few digits.
static json_t *number_json(double value) {
  if (!isfinite(value)) return json_null();
  bool is_whole = value == floor(value) && fabs(value) < 0x1p53;
  return is_whole ? json_integer((json_int_t)value) : json_real(value);
}

// cell: the slots of the other dimensions.
static bool is_paper_of(const Maker *maker, const PaperNumber *paper, const Cell *cell) {
  for (uint32_t i = 0; i < maker->study->dimension_count; i++)
    if (paper->only[i] && strcmp(paper->only[i], slot_name(maker, i, &cell->slots[i])) != 0)
      return false;
  return true;
}

static json_t *paper_json(const Maker *maker, const char *row, const char *column,
                          const Cell *cell) {
  for (uint32_t i = 0; i < maker->spec->paper_count; i++) {
    const PaperNumber *paper = &maker->spec->papers[i];
    if (strcmp(paper->row, row) == 0 && strcmp(paper->column, column) == 0 &&
        is_paper_of(maker, paper, cell))
      return json_real(paper->value);
  }
  return json_null();
}

static json_t *slots_json(const Maker *maker, Dimension dimension) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < maker->slots[dimension].count; i++) {
    const Slot *slot = &maker->slots[dimension].items[i];
    const StudyItem *item =
        slot->is_mean || slot->best ? NULL : &maker->study->dimensions[dimension].items[slot->at];
    json_t *object = json_pack("{s:s, s:s, s:s?, s:b}", "name", slot_name(maker, dimension, slot),
                               "title", slot_title(maker, dimension, slot), "group",
                               item ? item->group : slot->group, "mean", slot->is_mean);
    if (maker->is_lines && dimension == maker->spec->rows)
      json_object_set_new(object, "value", number_json(item->number));
    if (slot->is_mean) figure_describe_set(object, figure_set(maker, slot->group));
    json_array_append_new(list, object);
  }
  return list;
}

static void add_note(json_t *notes, const Maker *maker, const char *place, const MeanSet *set) {
  const char *note = figure_mean_note(maker, set);
  if (note && place) note = arena_printf(maker->arena, "%s: %s", place, note);
  if (note) json_array_append_new(notes, json_string(note));
}

// The mean of each column over the rows of a group.
static json_t *row_mean_json(const Maker *maker, Cell *cell, const MeanSet *set) {
  const FigureSpec *spec = maker->spec;
  const Slots *columns = &maker->slots[spec->columns];
  const char *row = set->group ? arena_printf(maker->arena, "mean:%s", set->group) : "mean";
  json_t *measured = json_array(), *paper = json_array();
  for (uint32_t c = 0; c < columns->count; c++) {
    cell->slots[spec->columns] = columns->items[c];
    json_array_append_new(measured, number_json(figure_row_mean(maker, cell, set)));
    json_array_append_new(
        paper, paper_json(maker, row, slot_name(maker, spec->columns, &columns->items[c]), cell));
  }
  json_t *mean = json_pack("{s:s, s:s?, s:o, s:o}", "label", figure_mean_title(maker, set), "group",
                           set->group, "measured", measured, "paper", paper);
  figure_describe_set(mean, set);
  return mean;
}

static void add_row_mean(const Maker *maker, Cell *cell, const char *group, json_t *means,
                         json_t *notes) {
  const FigureSpec *spec = maker->spec;
  MeanSet set = figure_row_set(maker, cell, group);
  const char *place = spec->panels == NO_DIMENSION
                          ? NULL
                          : slot_title(maker, (uint32_t)spec->panels, &cell->slots[spec->panels]);
  json_array_append_new(means, row_mean_json(maker, cell, &set));
  add_note(notes, maker, place, &set);
}

static json_t *row_means_json(const Maker *maker, Cell *cell, json_t *notes) {
  const StudyDimension *rows = &maker->study->dimensions[maker->spec->rows];
  json_t *means = json_array();
  if (maker->spec->mean == MEAN_NONE || maker->is_lines) return means;
  for (uint32_t i = 0; i < rows->count; i++) {
    const char *group = first_of_group(rows, i);
    if (group) add_row_mean(maker, cell, group, means, notes);
  }
  add_row_mean(maker, cell, NULL, means, notes);
  return means;
}

// Which of several columns was the best in a row; null of a column that is one.
static json_t *chosen_json(const Maker *maker, const Cell *cell) {
  const StudyDimension *columns = &maker->study->dimensions[maker->spec->columns];
  uint32_t at[MAX_DIMENSIONS] = {0};
  if (!cell->slots[maker->spec->columns].best || cell->slots[BY_WORKLOAD].is_mean)
    return json_null();
  for (uint32_t i = 0; i < maker->study->dimension_count; i++) at[i] = cell->slots[i].at;
  if (!figure_choose_best(maker, cell, at)) return json_null();
  return json_string(columns->items[at[maker->spec->columns]].name);
}

static json_t *panel_json(const Maker *maker, Cell *cell, json_t *notes) {
  const FigureSpec *spec = maker->spec;
  const Slots *rows = &maker->slots[spec->rows], *columns = &maker->slots[spec->columns];
  json_t *measured = json_array(), *paper = json_array(), *best = json_array();
  for (uint32_t r = 0; r < rows->count; r++) {
    json_t *values = json_array(), *numbers = json_array(), *chosen = json_array();
    cell->slots[spec->rows] = rows->items[r];
    for (uint32_t c = 0; c < columns->count; c++) {
      cell->slots[spec->columns] = columns->items[c];
      json_array_append_new(values, number_json(figure_cell_value(maker, cell)));
      json_array_append_new(chosen, chosen_json(maker, cell));
      json_array_append_new(numbers,
                            paper_json(maker, slot_name(maker, spec->rows, &rows->items[r]),
                                       slot_name(maker, spec->columns, &columns->items[c]), cell));
    }
    json_array_append_new(measured, values);
    json_array_append_new(paper, numbers);
    json_array_append_new(best, chosen);
  }
  json_t *panel = json_pack("{s:o, s:o, s:o}", "measured", measured, "paper", paper, "means",
                            row_means_json(maker, cell, notes));
  if (spec->best_count)
    json_object_set_new(panel, "best", best);
  else
    json_decref(best);
  return panel;
}

static json_t *panels_json(const Maker *maker, json_t *notes) {
  const FigureSpec *spec = maker->spec;
  json_t *list = json_array();
  Cell cell = {0};
  for (uint32_t i = 0; i < maker->study->dimension_count; i++)
    if (!maker_is_inside(maker, i)) cell.slots[i] = maker->slots[i].items[maker->outside_at[i]];
  uint32_t count = spec->panels == NO_DIMENSION ? 1 : maker->slots[spec->panels].count;
  for (uint32_t i = 0; i < count; i++) {
    const char *name = NULL, *title = NULL;
    bool is_mean = false;
    if (spec->panels != NO_DIMENSION) {
      const Slot *slot = &maker->slots[spec->panels].items[i];
      cell.slots[spec->panels] = *slot;
      name = slot_name(maker, (uint32_t)spec->panels, slot);
      title = slot_title(maker, (uint32_t)spec->panels, slot);
      is_mean = slot->is_mean;
    }
    json_t *panel = json_pack("{s:s?, s:s?, s:b}", "name", name, "title", title, "mean", is_mean);
    json_object_update_new(panel, panel_json(maker, &cell, notes));
    json_array_append_new(list, panel);
  }
  return list;
}

// "lrr", or "lrr, l1d.size_kb = 16".
static const char *baseline_label(const Maker *maker) {
  const Study *study = maker->study;
  const char *label = NULL;
  for (uint32_t i = 0; i < study->dimension_count && maker->spec->as != AS_VALUE; i++) {
    int32_t at = maker->spec->baseline_at[i];
    if (at == SAME_ITEM) continue;
    const StudyDimension *values = &study->dimensions[i];
    label = arena_printf(maker->arena, "%s%s%s%s%s", label ? label : "", label ? ", " : "",
                         i < BY_SWEEP ? "" : values->name, i < BY_SWEEP ? "" : " = ",
                         values->items[at].title);
  }
  return label;
}

static json_t *x_json(const Maker *maker) {
  static const char *const scales[] = {"auto", "linear", "log2"};
  const StudyDimension *rows = &maker->study->dimensions[maker->spec->rows];
  if (!maker->is_lines) return json_null();
  return json_pack("{s:s?, s:s}", "title", rows->title, "scale", scales[rows->scale]);
}

// The fixed value of each dimension that is not an axis of the figure; the id and the title
// include it if there are several.
static json_t *fixed_json(const Maker *maker, const char **id, const char **title) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < maker->study->dimension_count; i++) {
    if (maker_is_inside(maker, i) || (int)i == maker->seeds) continue;
    const Slot *slot = &maker->slots[i].items[maker->outside_at[i]];
    const char *name = slot_name(maker, i, slot), *words = slot_title(maker, i, slot);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s}", "dimension", maker->study->dimensions[i].name, "name",
                        name, "title", words));
    if (maker->slots[i].count < 2) continue;
    *id = arena_printf(maker->arena, "%s-%s", *id, name);
    *title = i < BY_SWEEP ? arena_printf(maker->arena, "%s, %s", *title, words)
                          : arena_printf(maker->arena, "%s, %s = %s", *title,
                                         maker->study->dimensions[i].name, words);
  }
  return list;
}

static const char *plain_id(Arena *arena, const char *id) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  char *plain = arena_strdup(arena, id);
  for (char *at = plain + strspn(plain, letters); *at; at += strspn(at, letters)) *at = '-';
  return plain;
}

// Of the means over workloads; those over rows have added theirs.
static void add_set_notes(const Maker *maker, json_t *notes) {
  for (uint32_t i = 0; i < maker->set_count; i++) add_note(notes, maker, NULL, &maker->sets[i]);
}

static json_t *figure_json(Maker *maker) {
  static const char *const as_names[] = {"value", "speedup", "ratio"};
  const Study *study = maker->study;
  const FigureSpec *spec = maker->spec;
  const char *id = spec->id, *title = spec->title;
  int32_t base = spec->as == AS_VALUE ? SAME_ITEM : spec->baseline_at[spec->columns];
  figure_find_sets(maker);
  json_t *fixed = fixed_json(maker, &id, &title), *figure = json_object(), *notes = json_array();
  add_set_notes(maker, notes);
  json_object_update_new(
      figure,
      json_pack("{s:s, s:s, s:s?, s:s, s:s, s:s?, s:s, s:s?, s:s?, s:s?}", "id",
                plain_id(maker->arena, id), "title", title, "note", spec->note, "kind",
                maker->is_lines ? "lines" : "bars", "statistic", spec->statistic, "axis",
                spec->axis, "as", as_names[spec->as], "baseline",
                base == SAME_ITEM ? NULL : study->dimensions[spec->columns].items[base].name,
                "baseline_label", baseline_label(maker), "source", spec->source));
  json_object_update_new(
      figure, json_pack("{s:s, s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:o}", "row_dimension",
                        study->dimensions[spec->rows].name, "column_dimension",
                        study->dimensions[spec->columns].name, "panel_dimension",
                        spec->panels == NO_DIMENSION ? NULL : study->dimensions[spec->panels].name,
                        "fixed", fixed, "x", x_json(maker), "rows", slots_json(maker, spec->rows),
                        "columns", slots_json(maker, spec->columns), "panels",
                        panels_json(maker, notes), "mean_notes", notes));
  return figure;
}

// ---- all of them

// The figure of every seed, as one.
static json_t *merged_json(Maker *maker) {
  if (maker->seeds == NO_DIMENSION) return figure_json(maker);
  json_t *figures = json_array();
  uint32_t *at = &maker->outside_at[maker->seeds];
  for (*at = 0; *at < maker->slots[maker->seeds].count; ++*at)
    json_array_append_new(figures, figure_json(maker));
  *at = 0;
  json_t *merged = figure_merge_seeds(figures);
  json_decref(figures);
  return merged;
}

// The next combination of fixed values; false past the last.
static bool next_outside(Maker *maker) {
  for (uint32_t i = maker->study->dimension_count; i-- > 0;) {
    if (maker_is_inside(maker, i) || (int)i == maker->seeds) continue;
    if (++maker->outside_at[i] < maker->slots[i].count) return true;
    maker->outside_at[i] = 0;
  }
  return false;
}

static void add_figures(Maker *maker, json_t *figures) {
  maker->is_lines = study_is_numeric(maker->study, maker->spec->rows);
  for (uint32_t i = 0; i < maker->study->dimension_count; i++) make_slots(maker, i);
  maker->seeds = study_seeds(maker->study);
  if (maker->seeds != NO_DIMENSION && maker_is_inside(maker, (uint32_t)maker->seeds))
    maker->seeds = NO_DIMENSION;
  do json_array_append_new(figures, merged_json(maker));
  while (next_outside(maker));
  for (uint32_t i = 0; i < maker->study->dimension_count; i++) memory_free(maker->slots[i].items);
}

Status figures_make(const Study *study, const json_t *rows, const FigureNames *names,
                    json_t **figures, Error *err) {
  Arena arena = {0};
  Status status = OK;
  *figures = json_array();
  for (uint32_t i = 0; i < study->figure_count && status == OK; i++) {
    Expression *expression;
    status = expression_parse(&expression, &arena, study->figures[i].statistic, err);
    if (status != OK) break;
    Maker maker = {.study = study,
                   .spec = &study->figures[i],
                   .results = rows,
                   .names = names,
                   .expression = expression,
                   .arena = &arena};
    add_figures(&maker, *figures);
  }
  arena_clear(&arena);
  if (status != OK) {
    json_decref(*figures);
    *figures = NULL;
  }
  return status;
}

Status figures_measure(Store *store, const Study *study, json_t **figures, Error *err) {
  Arena arena = {0};
  FigureNames names = {0};
  json_t *results = NULL;
  Status status = figures_collect_names(study, &arena, &names, err);
  if (status == OK)
    status = study_results(store, study->name, names.items, names.count, &results, err);
  if (status == OK)
    status = figures_make(study, json_object_get(results, "rows"), &names, figures, err);
  json_decref(results);
  memory_free(names.items);
  arena_clear(&arena);
  return status;
}
