// SPDX-License-Identifier: MIT
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "base/memory.h"
#include "study/expression.h"
#include "study/sections.h"

const char *const dimension_names[] = {"workload", "gpu", "scheme", NULL};
static const char *const list_keys[] = {"workloads", "gpus", "schemes", NULL};
static const char *const as_names[] = {"value", "speedup", "ratio", NULL};
static const char *const mean_names[] = {"geometric", "arithmetic", "none", NULL};

static int index_of(const char *const *names, const char *name) {
  for (int i = 0; names[i]; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

static Status choose(const char *const *names, const char *value, const char *key, int *chosen,
                     Error *err) {
  *chosen = index_of(names, value);
  if (*chosen >= 0) return OK;
  return error_set(err, ERR_SYNTAX, "%s is one of %s, %s and %s, not '%.80s'", key, names[0],
                   names[1], names[2], value);
}

const StudyItem *study_item(const Study *study, Dimension dimension, const char *name) {
  for (uint32_t i = 0; i < study->item_count[dimension]; i++)
    if (strcmp(study->items[dimension][i].name, name) == 0) return &study->items[dimension][i];
  return NULL;
}

// ---- [study]

// Names between commas. Figures and papers' numbers use them as words.
static Status add_items(Study *study, Dimension dimension, const char *list, Error *err) {
  while (*list) {
    size_t length = strcspn(list, ",");
    const char *first = list, *last = list + length;
    list = last + (*last == ',');
    while (first < last && *first == ' ') first++;
    while (last > first && last[-1] == ' ') last--;
    if (first == last) continue;
    char *name = arena_strndup(&study->arena, first, (size_t)(last - first));
    if (strchr(name, ' '))
      return error_set(err, ERR_SYNTAX,
                       "'%.80s': names have commas between them and no blanks inside; a [%s NAME] "
                       "section says what a name stands for",
                       name, dimension_names[dimension]);
    if (study_item(study, dimension, name))
      return error_set(err, ERR_SYNTAX, "'%.80s' is there twice", name);
    GROW(study->items[dimension], study->item_count[dimension], study->item_capacity[dimension]);
    study->items[dimension][study->item_count[dimension]++] =
        (StudyItem){.name = name, .title = name, .is = name};
  }
  return OK;
}

static Status set_interval(Study *study, const char *value, Error *err) {
  char *end;
  study->interval_cycles = strtoull(value, &end, 10);
  if (*value >= '0' && *value <= '9' && !*end) return OK;
  return error_set(err, ERR_SYNTAX, "interval is a number of cycles, not '%.40s'", value);
}

static Status set_study(Study *study, const SectionLine *line, Error *err) {
  const struct {
    const char *key, **field;
  } texts[] = {{"title", &study->title}, {"summary", &study->summary}, {"size", &study->size},
               {"set", &study->set},     {"observe", &study->observe}, {"groups", &study->groups}};
  Closest closest = closest_start(line->key);
  int list = index_of(list_keys, line->key);
  if (list >= 0) return add_items(study, (Dimension)list, line->value, err);
  if (strcmp(line->key, "interval") == 0) return set_interval(study, line->value, err);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    closest_offer(&closest, texts[i].key);
    if (strcmp(line->key, texts[i].key) != 0) continue;
    *texts[i].field = line->value;
    return OK;
  }
  for (int i = 0; list_keys[i]; i++) closest_offer(&closest, list_keys[i]);
  return error_set(err, ERR_SYNTAX, "a study has no '%.80s'%s%s%s", line->key,
                   CLOSEST_HINT(closest));
}

// ---- [workload NAME], [gpu NAME], [scheme NAME]

static Status set_item(Study *study, Dimension dimension, const SectionLine *line, Error *err) {
  StudyItem *item = (StudyItem *)(size_t)study_item(study, dimension, line->name);
  if (!item)
    return error_set(err, ERR_SYNTAX, "'%.80s' is not among the %s of [study]", line->name,
                     list_keys[dimension]);
  bool is_workload = dimension == BY_WORKLOAD;
  const struct {
    const char *key, **field;
    bool fits;
  } texts[] = {{"title", &item->title, true},
               {"is", &item->is, true},
               {"set", &item->set, !is_workload},
               {"size", &item->size, is_workload},
               {"arguments", &item->arguments, is_workload},
               {"group", &item->group, is_workload}};
  Closest closest = closest_start(line->key);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!texts[i].fits) continue;
    closest_offer(&closest, texts[i].key);
    if (strcmp(line->key, texts[i].key) != 0) continue;
    *texts[i].field = line->value;
    return OK;
  }
  return error_set(err, ERR_SYNTAX, "a %s has no '%.80s'%s%s%s", line->kind, line->key,
                   CLOSEST_HINT(closest));
}

// ---- [figure NAME]

static FigureSpec *find_figure(Study *study, const char *id) {
  for (uint32_t i = 0; i < study->figure_count; i++)
    if (strcmp(study->figures[i].id, id) == 0) return &study->figures[i];
  return NULL;
}

static FigureSpec *add_figure(Study *study, const char *id) {
  GROW(study->figures, study->figure_count, study->figure_capacity);
  FigureSpec *figure = &study->figures[study->figure_count++];
  *figure = (FigureSpec){
      .id = id, .title = id, .statistic = "cycles", .rows = BY_WORKLOAD, .columns = BY_SCHEME};
  return figure;
}

static Status set_figure(Study *study, const SectionLine *line, Error *err) {
  FigureSpec *figure = find_figure(study, line->name);
  if (!figure) figure = add_figure(study, line->name);
  const struct {
    const char *key, **field;
  } texts[] = {{"title", &figure->title},       {"note", &figure->note},
               {"baseline", &figure->baseline}, {"statistic", &figure->statistic},
               {"workload", &figure->only[0]},  {"gpu", &figure->only[1]},
               {"scheme", &figure->only[2]}};
  int chosen;
  Status status = OK;
  if (strcmp(line->key, "as") == 0) {
    if ((status = choose(as_names, line->value, "as", &chosen, err)) == OK)
      figure->as = (FigureAs)chosen;
    return status;
  }
  if (strcmp(line->key, "mean") == 0) {
    if ((status = choose(mean_names, line->value, "mean", &chosen, err)) == OK)
      figure->mean = (FigureMean)chosen;
    return status;
  }
  if (strcmp(line->key, "rows") == 0 || strcmp(line->key, "columns") == 0) {
    TRY(choose(dimension_names, line->value, line->key, &chosen, err));
    *(line->key[0] == 'r' ? &figure->rows : &figure->columns) = (Dimension)chosen;
    return OK;
  }
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (strcmp(line->key, texts[i].key) != 0) continue;
    *texts[i].field = line->value;
    return OK;
  }
  return error_set(err, ERR_SYNTAX,
                   "a figure has no '%.80s' (title, note, statistic, as, baseline, rows, columns, "
                   "mean, workload, gpu, scheme)",
                   line->key);
}

// ---- [paper NAME]: ROW COLUMN = number

static Status set_paper(Study *study, const SectionLine *line, Error *err) {
  FigureSpec *figure = find_figure(study, line->name);
  if (!figure)
    return error_set(err, ERR_SYNTAX, "there is no [figure %.80s] before its paper's numbers",
                     line->name);
  if (strcmp(line->key, "source") == 0) {
    figure->source = line->value;
    return OK;
  }
  char *end;
  double value = strtod(line->value, &end);
  size_t length = strcspn(line->key, " ");
  if (!*line->value || *end || !line->key[length])
    return error_set(err, ERR_SYNTAX, "`ROW COLUMN = number` is wanted");
  GROW(figure->papers, figure->paper_count, figure->paper_capacity);
  figure->papers[figure->paper_count++] =
      (PaperNumber){arena_strndup(&study->arena, line->key, length),
                    line->key + length + strspn(line->key + length, " "), value};
  return OK;
}

// ---- the whole

static Status take_line(void *self, const SectionLine *line, Error *err) {
  Study *study = self;
  int dimension = index_of(dimension_names, line->kind);
  if (strcmp(line->kind, "study") == 0) return set_study(study, line, err);
  if (!*line->name) return error_set(err, ERR_SYNTAX, "[%s] has no name", line->kind);
  if (dimension >= 0) return set_item(study, (Dimension)dimension, line, err);
  if (strcmp(line->kind, "figure") == 0) return set_figure(study, line, err);
  if (strcmp(line->kind, "paper") == 0) return set_paper(study, line, err);
  return error_set(err, ERR_SYNTAX,
                   "no section is called '%.80s' (study, workload, gpu, scheme, figure, paper)",
                   line->kind);
}

static Status check_name(const Study *study, Dimension dimension, const char *name, Error *err) {
  Closest closest = closest_start(name);
  if (study_item(study, dimension, name)) return OK;
  for (uint32_t i = 0; i < study->item_count[dimension]; i++)
    closest_offer(&closest, study->items[dimension][i].name);
  return error_set(err, ERR_SYNTAX, "no %s of the study is called '%.80s'%s%s%s",
                   dimension_names[dimension], name, CLOSEST_HINT(closest));
}

static Status check_papers(const Study *study, const FigureSpec *figure, Error *err) {
  for (uint32_t i = 0; i < figure->paper_count; i++) {
    const PaperNumber *paper = &figure->papers[i];
    bool is_mean = strncmp(paper->row, "mean", 4) == 0 && (!paper->row[4] || paper->row[4] == ':');
    if (!is_mean) TRY(check_name(study, figure->rows, paper->row, err));
    TRY(check_name(study, figure->columns, paper->column, err));
  }
  return OK;
}

static Status check_figure(Study *study, FigureSpec *figure, Error *err) {
  Expression *expression;
  if (figure->rows == figure->columns)
    return error_set(err, ERR_SYNTAX, "its rows and columns are the same");
  for (int i = 0; i < DIMENSIONS; i++)
    if (figure->only[i] && (i == (int)figure->rows || i == (int)figure->columns))
      return error_set(err, ERR_SYNTAX, "it has all of the %s in its rows or columns, not only one",
                       list_keys[i]);
  for (int i = 0; i < DIMENSIONS; i++)
    if (figure->only[i]) TRY(check_name(study, (Dimension)i, figure->only[i], err));
  if (figure->as != AS_VALUE && !figure->baseline)
    figure->baseline = study->items[figure->columns][0].name;
  if (figure->baseline) TRY(check_name(study, figure->columns, figure->baseline, err));
  TRY(expression_parse(&expression, &study->arena, figure->statistic, err));
  return check_papers(study, figure, err);
}

static Status check_study(Study *study, Error *err) {
  for (int i = 0; i < DIMENSIONS; i++)
    if (!study->item_count[i])
      return error_set(err, ERR_SYNTAX, "%s: [study] has no %s", study->name, list_keys[i]);
  for (uint32_t i = 0; i < study->figure_count; i++)
    if (check_figure(study, &study->figures[i], err) != OK)
      return error_prefix(err, "%s: [figure %s]", study->name, study->figures[i].id);
  return OK;
}

Status study_read(Study *study, const char *name, const char *text, Error *err) {
  *study = (Study){0};
  study->name = arena_strdup(&study->arena, name);
  study->text = arena_strdup(&study->arena, text);
  study->title = study->name;
  Status status = sections_read(&study->arena, study->name, text, take_line, study, err);
  if (status == OK) status = check_study(study, err);
  if (status != OK) study_clear(study);
  return status;
}

void study_clear(Study *study) {
  for (int i = 0; i < DIMENSIONS; i++) memory_free(study->items[i]);
  for (uint32_t i = 0; i < study->figure_count; i++) memory_free(study->figures[i].papers);
  memory_free(study->figures);
  arena_clear(&study->arena);
  *study = (Study){0};
}
