// SPDX-License-Identifier: MIT
// Sweeps: dimensions of a study made of a parameter and its values.
#include "study/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/closest.h"
#include "base/memory.h"
#include "base/text/text_list.h"

static double number_of(const char *text) {
  char *end;
  double number = strtod(text, &end);
  return end > text && !*end && isfinite(number) ? number : NAN;
}

// The part before '=', which must read section.key.
static Status take_name(Study *study, const char **text, const char **name, Error *err) {
  const char *equals = strchr(*text, '=');
  const char *first = *text + strspn(*text, " "), *last = equals;
  while (last && last > first && last[-1] == ' ') last--;
  *name = equals ? arena_strndup(&study->arena, first, (size_t)(last - first)) : "";
  const char *dot = strchr(*name, '.');
  if (!dot || dot == *name || !dot[1] || strchr(*name, ' '))
    return error_set(err, ERR_SYNTAX,
                     "'%.80s': expected SECTION.KEY=VALUE,VALUE,... such as "
                     "l1d.size_kb=16,32,64",
                     *text);
  *text = equals + 1;
  return OK;
}

static StudyDimension *find(Study *study, const char *name) {
  for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++)
    if (strcmp(study->dimensions[i].name, name) == 0) return &study->dimensions[i];
  return NULL;
}

// Settings of a run are a list with semicolons: a value that has one would be
// several settings.
static Status check_value(const char *name, const char *value, Error *err) {
  for (const char *at = value; *at; at++) {
    if (*at != ';' && *at != ' ' && (unsigned char)*at >= ' ') continue;
    return error_set(err, ERR_SYNTAX,
                     "%s: %s in value '%.80s'; values are separated by commas, further parameters "
                     "have a sweep of their own",
                     name,
                     *at == ';'   ? "semicolon"
                     : *at == ' ' ? "blank"
                                  : "control character",
                     value);
  }
  return OK;
}

// 16 and 16.0 are the same machine; as two values they would be one run with two names.
static Status add_value(Study *study, StudyDimension *dimension, const char *value, Error *err) {
  double number = number_of(value);
  TRY(check_value(dimension->name, value, err));
  for (uint32_t i = 0; i < dimension->count; i++) {
    const StudyItem *item = &dimension->items[i];
    if (strcmp(item->name, value) == 0)
      return error_set(err, ERR_SYNTAX, "%s: duplicate value '%.80s'", dimension->name, value);
    if (item->number == number)  // never true of NAN
      return error_set(err, ERR_SYNTAX, "%s: duplicate value '%.80s' (the same number as '%.80s')",
                       dimension->name, value, item->name);
  }
  GROW(dimension->items, dimension->count, dimension->capacity);
  dimension->items[dimension->count++] =
      (StudyItem){.name = value,
                  .title = value,
                  .is = value,
                  .set = arena_printf(&study->arena, "%s=%s", dimension->name, value),
                  .number = number};
  return OK;
}

static Status add_values(Study *study, StudyDimension *dimension, const char *text, Error *err) {
  const char *value;
  while ((value = text_list_next(&text, ',', &study->arena)))
    TRY(add_value(study, dimension, value, err));
  if (dimension->count) return OK;
  return error_set(err, ERR_SYNTAX, "%s: no values to sweep", dimension->name);
}

Status sweep_add(Study *study, const char *text, Error *err) {
  const char *name;
  TRY(take_name(study, &text, &name, err));
  if (find(study, name)) return error_set(err, ERR_SYNTAX, "more than one sweep of '%.80s'", name);
  if (study->dimension_count == MAX_DIMENSIONS)
    return error_set(err, ERR_SYNTAX, "more than %d sweeps", MAX_SWEEPS);
  StudyDimension *dimension = &study->dimensions[study->dimension_count++];
  dimension->name = name;
  return add_values(study, dimension, text, err);
}

Status sweep_replace(Study *study, Dimension dimension, const char *text, Error *err) {
  const char *name;
  TRY(take_name(study, &text, &name, err));
  study->dimensions[dimension].count = study->dimensions[dimension].left_out = 0;
  return add_values(study, &study->dimensions[dimension], text, err);
}

// A further parameter that changes along with the swept one, value by value.
static Status couple(Study *study, StudyDimension *dimension, const char *text, Error *err) {
  const char *name, *value;
  uint32_t count = 0;
  TRY(take_name(study, &text, &name, err));
  while ((value = text_list_next(&text, ',', &study->arena))) {
    TRY(check_value(name, value, err));
    if (count < dimension->count) {
      StudyItem *item = &dimension->items[count];
      item->set = arena_printf(&study->arena, "%s; %s=%s", item->set, name, value);
    }
    count++;
  }
  if (count == dimension->count) return OK;
  return error_set(err, ERR_SYNTAX, "%s has %u values and %s has %u; each needs its own", name,
                   count, dimension->name, dimension->count);
}

static Status set_scale(StudyDimension *dimension, const char *value, Error *err) {
  static const char *const names[] = {"auto", "linear", "log2"};
  for (int i = 0; i < 3; i++)
    if (strcmp(names[i], value) == 0) {
      dimension->scale = (SweepScale)i;
      return OK;
    }
  return error_set(err, ERR_SYNTAX, "unknown scale '%.80s' (auto, linear, log2)", value);
}

Status sweep_set(Study *study, const SectionLine *line, Error *err) {
  StudyDimension *dimension = find(study, line->name);
  if (!dimension) {
    Closest closest = closest_start(line->name);
    for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++)
      closest_offer(&closest, study->dimensions[i].name);
    return error_set(err, ERR_SYNTAX, "'%.80s' is not among the sweeps of [study]%s%s%s",
                     line->name, CLOSEST_HINT(closest));
  }
  if (strcmp(line->key, "scale") == 0) return set_scale(dimension, line->value, err);
  if (strcmp(line->key, "with") == 0) return couple(study, dimension, line->value, err);
  if (strcmp(line->key, "title") != 0)
    return error_set(err, ERR_SYNTAX, "unknown key '%.80s' of a sweep (title, scale, with)",
                     line->key);
  dimension->title = line->value;
  return OK;
}
