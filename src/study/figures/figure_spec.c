// SPDX-License-Identifier: MIT
// [figure NAME] and [paper NAME] sections of a study.
#include "study/figures/figure_spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/closest.h"
#include "base/memory.h"
#include "base/text/text_list.h"
#include "study/expression.h"
#include "study/study_items.h"

// ---- [figure NAME]

static FigureSpec *find_figure(Study *study, const char *id) {
  return (FigureSpec *)(size_t)study_figure(study, id);
}

static FigureSpec *add_figure(Study *study, const char *id) {
  GROW(study->figures, study->figure_count, study->figure_capacity);
  FigureSpec *figure = &study->figures[study->figure_count++];
  *figure = (FigureSpec){.id = id,
                         .title = id,
                         .statistic = "cycles",
                         .rows = BY_WORKLOAD,
                         .columns = BY_SCHEME,
                         .panels = NO_DIMENSION};
  return figure;
}

static int find_dimension(const Study *study, const char *name) {
  for (uint32_t i = 0; i < study->dimension_count; i++)
    if (strcmp(study->dimensions[i].name, name) == 0) return (int)i;
  return NO_DIMENSION;
}

static Status choose_dimension(Study *study, const SectionLine *line, int *chosen, Error *err) {
  const char *all = "";
  *chosen = find_dimension(study, line->value);
  if (*chosen != NO_DIMENSION) return OK;
  Closest closest = closest_start(line->value);
  for (uint32_t i = 0; i < study->dimension_count; i++) {
    const char *name = study->dimensions[i].name;
    closest_offer(&closest, name);
    all = arena_printf(&study->arena, "%s%s%s", all, *all ? ", " : "", name);
  }
  return error_set(err, ERR_SYNTAX,
                   "%s: unknown dimension '%.80s'%s%s%s (dimensions of the study: %s)", line->key,
                   line->value, CLOSEST_HINT(closest), all);
}

static Status choose(const char *const *names, const SectionLine *line, int *chosen, Error *err) {
  for (*chosen = 0; names[*chosen]; ++*chosen)
    if (strcmp(names[*chosen], line->value) == 0) return OK;
  return error_set(err, ERR_SYNTAX, "%s: expected %s, %s or %s, not '%.80s'", line->key, names[0],
                   names[1], names[2], line->value);
}

// Keys with a choice; *is_one tells whether this was such a key.
static Status set_choice(Study *study, FigureSpec *figure, const SectionLine *line, bool *is_one,
                         Error *err) {
  static const char *const as_names[] = {"value", "speedup", "ratio", NULL};
  static const char *const mean_names[] = {"geometric", "arithmetic", "none", NULL};
  int chosen = 0;
  *is_one = true;
  if (strcmp(line->key, "as") == 0) {
    TRY(choose(as_names, line, &chosen, err));
    figure->as = (FigureAs)chosen;
  } else if (strcmp(line->key, "mean") == 0) {
    TRY(choose(mean_names, line, &chosen, err));
    figure->mean = (FigureMean)chosen;
  } else if (strcmp(line->key, "rows") == 0) {
    TRY(choose_dimension(study, line, &chosen, err));
    figure->rows = (Dimension)chosen;
  } else if (strcmp(line->key, "columns") == 0) {
    TRY(choose_dimension(study, line, &chosen, err));
    figure->columns = (Dimension)chosen;
  } else if (strcmp(line->key, "panels") == 0) {
    TRY(choose_dimension(study, line, &figure->panels, err));
  } else {
    *is_one = false;
  }
  return OK;
}

Status figure_spec_set(Study *study, const SectionLine *line, Error *err) {
  FigureSpec *figure = find_figure(study, line->name);
  if (!figure) figure = add_figure(study, line->name);
  const struct {
    const char *key, **field;
  } texts[] = {{"title", &figure->title},        {"note", &figure->note}, {"axis", &figure->axis},
               {"baseline", &figure->baseline},  {"best", &figure->best}, {"show", &figure->show},
               {"statistic", &figure->statistic}};
  bool is_choice;
  TRY(set_choice(study, figure, line, &is_choice, err));
  if (is_choice) return OK;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (strcmp(line->key, texts[i].key) != 0) continue;
    *texts[i].field = line->value;
    return OK;
  }
  int dimension = find_dimension(study, line->key);
  if (dimension != NO_DIMENSION) {
    figure->only[dimension] = line->value;
    return OK;
  }
  return error_set(
      err, ERR_SYNTAX,
      "unknown key '%.80s' of a figure (title, note, axis, statistic, as, baseline, "
      "rows, columns, panels, show, best, mean, workload, gpu, scheme, or a swept parameter)",
      line->key);
}

// ---- [paper NAME]: ROW COLUMN VALUE... = number

// The next word of a key; NULL at the end.
static const char *next_word(Arena *arena, const char **text) {
  const char *first = *text + strspn(*text, " ");
  size_t length = strcspn(first, " ");
  *text = first + length;
  return length ? arena_strndup(arena, first, length) : NULL;
}

// Values of further dimensions, of which the number is: a GPU, a panel.
static Status read_further(Study *study, const FigureSpec *figure, const char *name,
                           PaperNumber *number, Error *err) {
  for (uint32_t i = 0; i < study->dimension_count; i++) {
    bool is_axis = i == (uint32_t)figure->rows || i == (uint32_t)figure->columns;
    bool is_one =
        study_item(study, (Dimension)i, name) || study_item_is_left_out(study, (Dimension)i, name);
    if (is_axis || !is_one || number->only[i]) continue;
    number->only[i] = name;
    return OK;
  }
  return error_set(err, ERR_SYNTAX, "'%.80s' is not a value of a further dimension", name);
}

static Status read_paper(Study *study, FigureSpec *figure, const char *key, double value,
                         Error *err) {
  PaperNumber number = {.value = value};
  const char *name;
  number.row = next_word(&study->arena, &key);
  number.column = next_word(&study->arena, &key);
  if (!number.column) return error_set(err, ERR_SYNTAX, "expected `ROW COLUMN = number`");
  while ((name = next_word(&study->arena, &key)))
    TRY(read_further(study, figure, name, &number, err));
  GROW(figure->papers, figure->paper_count, figure->paper_capacity);
  figure->papers[figure->paper_count++] = number;
  return OK;
}

Status figure_spec_set_paper(Study *study, const SectionLine *line, Error *err) {
  FigureSpec *figure = find_figure(study, line->name);
  char *end;
  if (!figure)
    return error_set(err, ERR_SYNTAX, "[paper %.80s] without a preceding figure of that name",
                     line->name);
  if (strcmp(line->key, "source") == 0) {
    figure->source = line->value;
    return OK;
  }
  double value = strtod(line->value, &end);
  if (!*line->value || *end) return error_set(err, ERR_SYNTAX, "expected `ROW COLUMN = number`");
  return read_paper(study, figure, line->key, value, err);
}

// ---- checks

Status study_check_item(const Study *study, Dimension dimension, const char *name, Error *err) {
  const StudyDimension *values = &study->dimensions[dimension];
  Closest closest = closest_start(name);
  if (study_item(study, dimension, name)) return OK;
  for (uint32_t i = 0; i < values->count; i++) closest_offer(&closest, values->items[i].name);
  return error_set(err, ERR_SYNTAX, "the study has no %s '%.80s'%s%s%s", values->name, name,
                   CLOSEST_HINT(closest));
}

static bool is_mean(const char *name) {
  return strncmp(name, "mean", 4) == 0 && (!name[4] || name[4] == ':');
}

// A value by name that the study has, or leaves out.
static Status check_named(const Study *study, Dimension dimension, const char *name, Error *err) {
  if (study_item_is_left_out(study, dimension, name)) return OK;
  return study_check_item(study, dimension, name, err);
}

// A column by name: a value of its dimension, or the best of some.
static Status check_column(const Study *study, const FigureSpec *figure, const char *name,
                           Error *err) {
  for (uint32_t i = 0; i < figure->best_count; i++)
    if (strcmp(figure->bests[i].name, name) == 0) return OK;
  return check_named(study, figure->columns, name, err);
}

static Status check_papers(const Study *study, const FigureSpec *figure, Error *err) {
  for (uint32_t i = 0; i < figure->paper_count; i++) {
    const PaperNumber *paper = &figure->papers[i];
    if (!is_mean(paper->row)) TRY(check_named(study, figure->rows, paper->row, err));
    if (!is_mean(paper->column)) TRY(check_column(study, figure, paper->column, err));
  }
  return OK;
}

static Status set_baseline(const Study *study, FigureSpec *figure, Dimension dimension,
                           const char *name, Error *err) {
  TRY(study_check_item(study, dimension, name, err));
  figure->baseline_at[dimension] =
      (int32_t)(study_item(study, dimension, name) - study->dimensions[dimension].items);
  return OK;
}

static bool has_item(const BestOf *best, uint32_t item) {
  for (uint32_t i = 0; i < best->count; i++)
    if (best->items[i] == item) return true;
  return false;
}

// A column, or all that begin as a pattern does: "CLU+TOT=*".
static Status add_to_best(const Study *study, const FigureSpec *figure, BestOf *best,
                          const char *pattern, Error *err) {
  const StudyDimension *columns = &study->dimensions[figure->columns];
  bool is_found = false;
  for (uint32_t i = 0; i < columns->count + columns->left_out; i++) {
    if (!study_name_matches(columns->items[i].name, pattern)) continue;
    is_found = true;
    if (i < columns->count && !has_item(best, i)) best->items[best->count++] = i;
  }
  return is_found ? OK : study_check_item(study, figure->columns, pattern, err);
}

// "clustered: CLU, CLU+TOT=*"
static Status read_best(Study *study, FigureSpec *figure, const char *text, Error *err) {
  const char *colon = strchr(text, ':'), *list = colon ? colon + 1 : NULL, *pattern;
  const StudyDimension *columns = &study->dimensions[figure->columns];
  BestOf *best = &figure->bests[figure->best_count];
  bool is_any = false;
  if (!colon || colon == text || memchr(text, ' ', (size_t)(colon - text)))
    return error_set(err, ERR_SYNTAX, "best = %.80s: expected NAME: COLUMN, COLUMN, ...", text);
  *best = (BestOf){.name = arena_strndup(&study->arena, text, (size_t)(colon - text)),
                   .items = ARENA_ARRAY(&study->arena, uint32_t, columns->count + 1)};
  if (study_item(study, figure->columns, best->name))
    return error_set(err, ERR_SYNTAX, "best = %.80s: %s is a column already", text, best->name);
  while ((pattern = text_list_next(&list, ',', &study->arena))) {
    TRY(add_to_best(study, figure, best, pattern, err));
    is_any = true;
  }
  if (!is_any) return error_set(err, ERR_SYNTAX, "best = %.80s: no columns", text);
  figure->best_count++;
  return OK;
}

// Several are separated by semicolons.
static Status read_bests(Study *study, FigureSpec *figure, Error *err) {
  const char *list = figure->best, *text;
  uint32_t most = 1;
  for (const char *at = list; at && *at; at++) most += *at == ';';
  figure->bests = ARENA_ARRAY(&study->arena, BestOf, most);
  figure->best_count = 0;
  while ((text = text_list_next(&list, ';', &study->arena)))
    TRY(read_best(study, figure, text, err));
  return OK;
}

static Status check_shown(Study *study, const FigureSpec *figure, Error *err) {
  const char *list = figure->show, *name;
  while ((name = text_list_next(&list, ',', &study->arena)))
    if (check_column(study, figure, name, err) != OK) return error_prefix(err, "show");
  return OK;
}

// A column, or dimension=value; several have commas between them.
static Status read_baseline(Study *study, FigureSpec *figure, Error *err) {
  const char *list = figure->baseline, *part;
  if (study_item(study, figure->columns, list))
    return set_baseline(study, figure, figure->columns, list, err);
  if (!*list) return error_set(err, ERR_SYNTAX, "empty baseline");
  while ((part = text_list_next(&list, ',', &study->arena))) {
    const char *equals = strchr(part, '=');
    char *name = arena_strndup(&study->arena, part, equals ? (size_t)(equals - part) : 0);
    while (*name && name[strlen(name) - 1] == ' ') name[strlen(name) - 1] = '\0';
    int dimension = find_dimension(study, name);
    bool is_column = dimension == NO_DIMENSION || study_item(study, figure->columns, part);
    TRY(is_column ? set_baseline(study, figure, figure->columns, part, err)
                  : set_baseline(study, figure, (Dimension)dimension,
                                 equals + 1 + strspn(equals + 1, " "), err));
  }
  return OK;
}

static Status check_dimensions(const Study *study, const FigureSpec *figure, Error *err) {
  if (figure->rows == figure->columns)
    return error_set(err, ERR_SYNTAX, "rows and columns are the same dimension");
  if (figure->panels == (int)figure->rows || figure->panels == (int)figure->columns)
    return error_set(err, ERR_SYNTAX, "panels are the same dimension as rows or columns");
  for (uint32_t i = 0; i < study->dimension_count; i++) {
    const char *only = figure->only[i];
    if (!only) continue;
    if (i != BY_WORKLOAD || strcmp(only, "mean") != 0)
      TRY(study_check_item(study, (Dimension)i, only, err));
    if (i == (uint32_t)figure->rows)
      return error_set(err, ERR_SYNTAX,
                       "%s = %s: not possible with rows = %s, which shows them all",
                       study->dimensions[i].name, only, study->dimensions[i].name);
  }
  return OK;
}

// Whether a baseline, as written, has a value that is left out: COLUMN, or DIMENSION=VALUE, ...
static bool baseline_is_left_out(Study *study, const FigureSpec *figure) {
  const char *list = figure->baseline, *part;
  if (list && study_item_is_left_out(study, figure->columns, list)) return true;
  while ((part = text_list_next(&list, ',', &study->arena))) {
    const char *value = strchr(part, '=') ? strchr(part, '=') + 1 : part;
    for (uint32_t i = 0; i < study->dimension_count; i++)
      if (study_item_is_left_out(study, (Dimension)i, value + strspn(value, " "))) return true;
  }
  return false;
}

bool figure_spec_is_left_out(Study *study, const FigureSpec *figure) {
  const char *list = figure->show, *name;
  bool is_shown = !list;
  for (uint32_t i = 0; i < study->dimension_count; i++)
    if (figure->only[i] && study_item_is_left_out(study, (Dimension)i, figure->only[i]))
      return true;
  while ((name = text_list_next(&list, ',', &study->arena)))
    is_shown |= !study_item_is_left_out(study, figure->columns, name);
  return !is_shown || baseline_is_left_out(study, figure);
}

Status figure_spec_check(Study *study, FigureSpec *figure, Error *err) {
  Expression *expression;
  TRY(check_dimensions(study, figure, err));
  for (int i = 0; i < MAX_DIMENSIONS; i++) figure->baseline_at[i] = SAME_ITEM;
  if (figure->baseline)
    TRY(read_baseline(study, figure, err));
  else if (figure->as != AS_VALUE)
    figure->baseline_at[figure->columns] = 0;
  TRY(expression_parse(&expression, &study->arena, figure->statistic, err));
  TRY(read_bests(study, figure, err));
  TRY(check_shown(study, figure, err));
  return check_papers(study, figure, err);
}
