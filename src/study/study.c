// SPDX-License-Identifier: MIT
// Reads a study: its dimensions, common settings, and the product of its runs.
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/closest.h"
#include "base/memory.h"
#include "study/classify/experiments.h"
#include "study/figures/figure_spec.h"
#include "study/run_keys.h"
#include "study/sections.h"
#include "study/study_items.h"
#include "study/sweep.h"

static const char *const dimension_names[] = {"workload", "gpu", "scheme", NULL};
static const char *const list_keys[] = {"workloads", "gpus", "schemes", NULL};

static const char variant_name[] = "variant";

static int index_of(const char *const *names, const char *name) {
  for (int i = 0; names[i]; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

bool study_is_numeric(const Study *study, Dimension dimension) {
  const StudyDimension *values = &study->dimensions[dimension];
  if (dimension < BY_SWEEP || !values->count) return false;
  for (uint32_t i = 0; i < values->count; i++)
    if (isnan(values->items[i].number)) return false;
  return true;
}

int study_variants(const Study *study) {
  for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++)
    if (strcmp(study->dimensions[i].name, variant_name) == 0) return (int)i;
  return NO_DIMENSION;
}

int study_seeds(const Study *study) {
  for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++)
    if (study->dimensions[i].is_seed) return (int)i;
  return NO_DIMENSION;
}

// ---- [study]

static Status add_variants(Study *study, const char *list, Error *err) {
  if (study_variants(study) != NO_DIMENSION)
    return error_set(err, ERR_SYNTAX, "variants are given twice");
  if (study->dimension_count == MAX_DIMENSIONS)
    return error_set(err, ERR_SYNTAX, "more than %d sweeps and variants", MAX_SWEEPS);
  Dimension dimension = (Dimension)study->dimension_count++;
  study->dimensions[dimension].name = variant_name;
  TRY(study_items_add(study, dimension, list, err));
  return study->dimensions[dimension].count ? OK : error_set(err, ERR_SYNTAX, "no variants given");
}

// The variants that `heddle classify` runs.
static Status add_experiments(Study *study, const char *value, Error *err) {
  const char *names = "";
  if (strcmp(value, "classification") != 0)
    return error_set(err, ERR_SYNTAX, "unknown experiments '%.80s' (classification)", value);
  for (Experiment i = 0; i < EXPERIMENTS; i++)
    names = arena_printf(&study->arena, "%s%s,", names, experiment_types[i].name);
  TRY(add_variants(study, names, err));
  StudyItem *items = study->dimensions[study_variants(study)].items;
  for (Experiment i = 0; i < EXPERIMENTS; i++) {
    items[i].title = experiment_types[i].title;
    items[i].set = experiment_types[i].set;
    items[i].observe = experiment_types[i].observe;
  }
  study->has_experiments = true;
  return OK;
}

// A later line replaces an earlier one. Seed 0 is the run without perturbation.
static Status set_seeds(Study *study, const char *value, Error *err) {
  char *end;
  unsigned long count = strtoul(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || !count || count > MAX_SEEDS)
    return error_set(err, ERR_SYNTAX, "seeds: expected a number from 1 to %d, not '%.40s'",
                     MAX_SEEDS, value);
  int dimension = study_seeds(study);
  const char *list = "run.seed=0";
  for (unsigned long i = 1; i < count; i++) list = arena_printf(&study->arena, "%s,%lu", list, i);
  if (dimension != NO_DIMENSION) return sweep_replace(study, (Dimension)dimension, list, err);
  if (count == 1) return OK;
  TRY(sweep_add(study, list, err));
  study->dimensions[study->dimension_count - 1].is_seed = true;
  return OK;
}

static Status set_study(Study *study, const SectionLine *line, Error *err) {
  const struct {
    const char *key, **field;
  } texts[] = {{"title", &study->title}, {"summary", &study->summary}, {"groups", &study->groups}};
  const RunRow *row = run_key(line->key);
  Closest closest = closest_start(line->key);
  int list = index_of(list_keys, line->key);
  if (list >= 0) return study_items_add(study, (Dimension)list, line->value, err);
  if (strcmp(line->key, "seeds") == 0) return set_seeds(study, line->value, err);
  if (row) return run_key_set(&study->run, row, line->value, &study->arena, err);
  if (strcmp(line->key, "sweep") == 0) return sweep_add(study, line->value, err);
  if (strcmp(line->key, "variants") == 0) return add_variants(study, line->value, err);
  if (strcmp(line->key, "experiments") == 0) return add_experiments(study, line->value, err);
  if (strcmp(line->key, "only") == 0) return study_items_restrict(study, line->value, err);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    closest_offer(&closest, texts[i].key);
    if (strcmp(line->key, texts[i].key) != 0) continue;
    *texts[i].field = line->value;
    return OK;
  }
  for (int i = 0; list_keys[i]; i++) closest_offer(&closest, list_keys[i]);
  run_keys_offer(&closest);
  closest_offer(&closest, "sweep");
  closest_offer(&closest, "seeds");
  closest_offer(&closest, "variants");
  closest_offer(&closest, "experiments");
  closest_offer(&closest, "only");
  return error_set(err, ERR_SYNTAX, "unknown key '%.80s' of a study%s%s%s", line->key,
                   CLOSEST_HINT(closest));
}

// ---- [classification NAME]

static Status set_classification(Study *study, const SectionLine *line, Error *err) {
  ClassificationSpec *spec = &study->classification;
  const struct {
    const char *key, **field;
  } texts[] = {{"title", &spec->title}, {"note", &spec->note}, {"source", &spec->source}};
  if (!study->has_experiments)
    return error_set(err, ERR_SYNTAX,
                     "[classification %.40s] without experiments = classification in [study]",
                     line->name);
  if (spec->id && strcmp(spec->id, line->name) != 0)
    return error_set(err, ERR_SYNTAX, "more than one [classification]");
  if (!spec->id) *spec = (ClassificationSpec){.id = line->name, .title = line->name};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (strcmp(line->key, texts[i].key) != 0) continue;
    *texts[i].field = line->value;
    return OK;
  }
  return error_set(err, ERR_SYNTAX, "unknown key '%.80s' of a classification (title, note, source)",
                   line->key);
}

// ---- the whole

static Status take_line(void *self, const SectionLine *line, Error *err) {
  Study *study = self;
  int dimension = index_of(dimension_names, line->kind);
  if (strcmp(line->kind, "study") == 0) return set_study(study, line, err);
  if (!*line->name) return error_set(err, ERR_SYNTAX, "[%s] without a name", line->kind);
  if (strcmp(line->kind, variant_name) == 0) {
    dimension = study_variants(study);
    if (dimension == NO_DIMENSION)
      return error_set(err, ERR_SYNTAX, "[study] has no variants, which precede [variant %.40s]",
                       line->name);
  }
  if (dimension >= 0) return study_items_set(study, (Dimension)dimension, line, err);
  if (strcmp(line->kind, "sweep") == 0) return sweep_set(study, line, err);
  if (strcmp(line->kind, "figure") == 0) return figure_spec_set(study, line, err);
  if (strcmp(line->kind, "paper") == 0) return figure_spec_set_paper(study, line, err);
  if (strcmp(line->kind, "classification") == 0) return set_classification(study, line, err);
  return error_set(err, ERR_SYNTAX,
                   "unknown section '%.80s' (study, workload, gpu, scheme, variant, sweep, figure, "
                   "paper, classification)",
                   line->kind);
}

// "1 x 1 x 2 x 1000 x 1000": the product may be too large for any type.
static const char *combinations_text(Study *study) {
  const char *text = "";
  for (uint32_t i = 0; i < study->dimension_count; i++)
    text = arena_printf(&study->arena, "%s%s%u", text, i ? " x " : "", study->dimensions[i].count);
  return text;
}

// Figures of values that are left out.
static void drop_figures(Study *study) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < study->figure_count; i++) {
    if (figure_spec_is_left_out(study, &study->figures[i]))
      memory_free(study->figures[i].papers);
    else
      study->figures[kept++] = study->figures[i];
  }
  study->figure_count = kept;
}

static Status check_study(Study *study, const char *source, Error *err) {
  size_t runs = 1;
  for (int i = 0; i < BY_SWEEP; i++)
    if (!study->dimensions[i].count)
      return error_set(err, ERR_SYNTAX, "%s: [study] without %s", source, list_keys[i]);
  for (uint32_t i = 0; i < study->dimension_count && runs <= MAX_STUDY_RUNS; i++)
    runs *= study->dimensions[i].count;
  if (runs > MAX_STUDY_RUNS)
    return error_set(err, ERR_SYNTAX,
                     "%s: %s combinations of workloads, GPUs, schemes and swept values; the limit "
                     "is %d",
                     source, combinations_text(study), MAX_STUDY_RUNS);
  if (study->classification.id && study->dimensions[study_variants(study)].count != EXPERIMENTS)
    return error_set(err, ERR_SYNTAX, "%s: [classification %.40s] needs all experiments", source,
                     study->classification.id);
  drop_figures(study);
  for (uint32_t i = 0; i < study->figure_count; i++)
    if (figure_spec_check(study, &study->figures[i], err) != OK)
      return error_prefix(err, "%s: [figure %s]", source, study->figures[i].id);
  return OK;
}

void study_begin(Study *study, const char *name) {
  *study = (Study){.dimension_count = BY_SWEEP};
  for (int i = 0; i < BY_SWEEP; i++) study->dimensions[i].name = dimension_names[i];
  study->name = arena_strdup(&study->arena, name);
  study->title = study->name;
  study->text = "";
}

Status study_end(Study *study, Error *err) {
  return check_study(study, study->name, err);
}

// ---- from a text

typedef struct Checked {
  Study *study;
  SectionLineFn check;
  void *self;
} Checked;

static Status check_and_take(void *self, const SectionLine *line, Error *err) {
  Checked *checked = self;
  if (checked->check) TRY(checked->check(checked->self, line, err));
  return take_line(checked->study, line, err);
}

Status study_read(Study *study, const char *name, const char *text, Error *err) {
  return study_read_from(study, name, name, text, NULL, NULL, err);
}

Status study_read_from(Study *study, const char *name, const char *source, const char *text,
                       SectionLineFn check, void *self, Error *err) {
  Checked checked = {study, check, self};
  study_begin(study, name);
  study->text = arena_strdup(&study->arena, text);
  Status status = sections_read(&study->arena, source, text, check_and_take, &checked, err);
  if (status == OK) status = check_study(study, source, err);
  if (status != OK) study_clear(study);
  return status;
}

// ---- line by line

static bool is_open(const Study *study, const char *kind, const char *name) {
  return study->open_kind && strcmp(study->open_kind, kind) == 0 &&
         strcmp(study->open_name, name) == 0;
}

static void write_line(Study *study, const SectionLine *line) {
  if (!is_open(study, line->kind, line->name)) {
    study->text =
        arena_printf(&study->arena, "%s%s[%s%s%s]\n", study->text, *study->text ? "\n" : "",
                     line->kind, *line->name ? " " : "", line->name);
    study->open_kind = line->kind;
    study->open_name = line->name;
  }
  study->text = arena_printf(&study->arena, "%s%s = %s\n", study->text, line->key, line->value);
}

Status study_set(Study *study, const char *kind, const char *name, const char *key,
                 const char *value, Error *err) {
  SectionLine line = {.kind = arena_strdup(&study->arena, kind),
                      .name = arena_strdup(&study->arena, name),
                      .key = arena_strdup(&study->arena, key),
                      .value = arena_strdup(&study->arena, value)};
  TRY(take_line(study, &line, err));
  write_line(study, &line);
  return OK;
}

Status study_add_figure(Study *study, const char *id, const FigureKey *keys, Error *err) {
  SectionLine line = {.kind = "figure", .name = arena_strdup(&study->arena, id)};
  for (; keys->key; keys++) {
    line.key = keys->key;
    if (!sections_is_utf8(keys->value, strlen(keys->value)))
      return error_set(err, ERR_SYNTAX, "%s: not UTF-8 text", keys->key);
    line.value = arena_strdup(&study->arena, keys->value);
    TRY(figure_spec_set(study, &line, err));
  }
  return figure_spec_check(study, (FigureSpec *)(size_t)study_figure(study, id), err);
}

const FigureSpec *study_figure(const Study *study, const char *id) {
  for (uint32_t i = 0; i < study->figure_count; i++)
    if (strcmp(study->figures[i].id, id) == 0) return &study->figures[i];
  return NULL;
}

void study_keep_figure(Study *study, const char *id) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < study->figure_count; i++) {
    FigureSpec figure = study->figures[i];
    if (strcmp(figure.id, id) == 0)
      study->figures[kept++] = figure;
    else
      memory_free(figure.papers);
  }
  study->figure_count = kept;
}

void study_clear(Study *study) {
  for (uint32_t i = 0; i < study->dimension_count; i++) memory_free(study->dimensions[i].items);
  for (uint32_t i = 0; i < study->figure_count; i++) memory_free(study->figures[i].papers);
  memory_free(study->figures);
  arena_clear(&study->arena);
  *study = (Study){0};
}

// ---- combinations

size_t study_run_count(const Study *study) {
  size_t runs = 1;
  for (uint32_t i = 0; i < study->dimension_count; i++) runs *= study->dimensions[i].count;
  return runs;
}

size_t study_position(const Study *study, const uint32_t at[MAX_DIMENSIONS]) {
  size_t position = 0;
  for (uint32_t i = 0; i < study->dimension_count; i++)
    position = position * study->dimensions[i].count + at[i];
  return position;
}

void study_combination(const Study *study, size_t position, uint32_t at[MAX_DIMENSIONS]) {
  for (uint32_t i = study->dimension_count; i-- > 0;) {
    at[i] = (uint32_t)(position % study->dimensions[i].count);
    position /= study->dimensions[i].count;
  }
}
