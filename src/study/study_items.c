// SPDX-License-Identifier: MIT
// The values of a study's dimensions: names in [study], definitions in sections of their own, and
// restriction to some of them.
#include "study/study_items.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text/closest.h"
#include "base/text/text_list.h"

// Values that are left out follow the others in `items`: sections may still define them.
static StudyItem *find(const StudyDimension *values, const char *name, uint32_t first,
                       uint32_t last) {
  for (uint32_t i = first; i < last; i++)
    if (strcmp(values->items[i].name, name) == 0) return &values->items[i];
  return NULL;
}

const StudyItem *study_item(const Study *study, Dimension dimension, const char *name) {
  const StudyDimension *values = &study->dimensions[dimension];
  return find(values, name, 0, values->count);
}

bool study_item_is_left_out(const Study *study, Dimension dimension, const char *name) {
  const StudyDimension *values = &study->dimensions[dimension];
  return find(values, name, values->count, values->count + values->left_out) != NULL;
}

// Names between commas. Figures and papers' numbers use them as words.
Status study_items_add(Study *study, Dimension dimension, const char *list, Error *err) {
  StudyDimension *values = &study->dimensions[dimension];
  const char *name;
  if (values->left_out)
    return error_set(err, ERR_SYNTAX, "`only` precedes a list of %ss; it must follow",
                     values->name);
  while ((name = text_list_next(&list, ',', &study->arena))) {
    if (strchr(name, ' '))
      return error_set(err, ERR_SYNTAX,
                       "'%.80s': names are separated by commas and contain no spaces; define a "
                       "name in a [%s NAME] section",
                       name, values->name);
    if (study_item(study, dimension, name))
      return error_set(err, ERR_SYNTAX, "duplicate name '%.80s'", name);
    GROW(values->items, values->count, values->capacity);
    values->items[values->count++] =
        (StudyItem){.name = name, .title = name, .is = name, .number = NAN};
  }
  return OK;
}

// ---- definitions

static bool is_size(const char *name) {
  return strcmp(name, "tiny") == 0 || strcmp(name, "small") == 0 || strcmp(name, "paper") == 0;
}

static Status add_condition(Study *study, StudyItem *item, const char *name, const char *arguments,
                            Error *err) {
  if (!is_size(name) && !study_item(study, BY_GPU, name) &&
      !study_item_is_left_out(study, BY_GPU, name))
    return error_set(err, ERR_SYNTAX,
                     "arguments.%.40s: expected a GPU of the study, tiny, small or paper", name);
  StudyCondition *condition = ARENA_NEW(&study->arena, StudyCondition);
  *condition = (StudyCondition){arena_strdup(&study->arena, name), arguments, item->conditions};
  item->conditions = condition;
  return OK;
}

static const char *arguments_at(const StudyItem *workload, const char *name) {
  for (const StudyCondition *at = workload->conditions; name && at; at = at->next)
    if (strcmp(at->name, name) == 0) return at->arguments;
  return NULL;
}

const char *study_arguments(const StudyItem *workload, const char *gpu, const char *size) {
  const char *found = arguments_at(workload, gpu);
  if (!found) found = arguments_at(workload, size);
  return found ? found : workload->arguments;
}

static Status set_item(Study *study, Dimension dimension, StudyItem *item, const SectionLine *line,
                       Error *err) {
  bool is_workload = dimension == BY_WORKLOAD, is_variant = dimension >= BY_SWEEP;
  const struct {
    const char *key, **field;
    bool fits;
  } texts[] = {{"title", &item->title, true},
               {"is", &item->is, !is_variant},
               {"set", &item->set, !is_workload},
               {"size", &item->size, is_workload},
               {"arguments", &item->arguments, is_workload},
               {"kernels", &item->kernels, is_workload},
               {"group", &item->group, is_workload},
               {"cluster", &item->cluster, is_variant},
               {"observe", &item->observe, is_variant},
               {"environment", &item->environment, is_variant}};
  static const char condition[] = "arguments.";
  if (is_workload && strncmp(line->key, condition, sizeof condition - 1) == 0)
    return add_condition(study, item, line->key + sizeof condition - 1, line->value, err);
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

// ---- patterns

static size_t prefix_length(const char *pattern) {
  size_t length = strlen(pattern);
  return length && pattern[length - 1] == '*' ? length - 1 : SIZE_MAX;
}

bool study_name_matches(const char *name, const char *pattern) {
  size_t length = prefix_length(pattern);
  if (length == SIZE_MAX) return strcmp(name, pattern) == 0;
  return strncmp(name, pattern, length) == 0;
}

static const char *replace_stars(Arena *arena, const char *text, const char *by) {
  const char *star, *made = "";
  for (; (star = strchr(text, '*')); text = star + 1)
    made = arena_printf(arena, "%s%.*s%s", made, (int)(star - text), text, by);
  return *made ? arena_printf(arena, "%s%s", made, text) : text;
}

Status study_items_set(Study *study, Dimension dimension, const SectionLine *line, Error *err) {
  StudyDimension *values = &study->dimensions[dimension];
  size_t length = prefix_length(line->name);
  bool is_found = false;
  for (uint32_t i = 0; i < values->count + values->left_out; i++) {
    StudyItem *item = &values->items[i];
    SectionLine one = *line;
    if (!study_name_matches(item->name, line->name)) continue;
    if (length != SIZE_MAX)
      one.value = replace_stars(&study->arena, line->value, item->name + length);
    TRY(set_item(study, dimension, item, &one, err));
    is_found = true;
  }
  if (is_found) return OK;
  return error_set(err, ERR_SYNTAX, "'%.80s' is not among the %ss of [study]", line->name,
                   line->kind);
}

// ---- restriction

static Status find_dimension(Study *study, const char **text, Dimension *dimension, Error *err) {
  const char *equals = strchr(*text, '=');
  const char *first = *text + strspn(*text, " "), *last = equals ? equals : first;
  while (last > first && last[-1] == ' ') last--;
  const char *name = arena_strndup(&study->arena, first, (size_t)(last - first));
  Closest closest = closest_start(name);
  for (uint32_t i = 0; i < study->dimension_count; i++) {
    closest_offer(&closest, study->dimensions[i].name);
    if (strcmp(study->dimensions[i].name, name) != 0) continue;
    *dimension = (Dimension)i;
    *text = equals + 1;
    return OK;
  }
  return error_set(err, ERR_SYNTAX,
                   "only = %.80s: expected DIMENSION = VALUE, VALUE, ... such as gpu = k40%s%s%s",
                   *text, CLOSEST_HINT(closest));
}

static Status mark(const StudyDimension *values, const char *pattern, bool *is_kept, Error *err) {
  Closest closest = closest_start(pattern);
  bool is_found = false;
  for (uint32_t i = 0; i < values->count; i++) {
    closest_offer(&closest, values->items[i].name);
    if (!study_name_matches(values->items[i].name, pattern)) continue;
    is_kept[i] = is_found = true;
  }
  if (is_found) return OK;
  return error_set(err, ERR_SYNTAX, "only: the study has no %s '%.80s'%s%s%s", values->name,
                   pattern, CLOSEST_HINT(closest));
}

// The items that stay, in their order, then those that are left out.
static void sort_out(Study *study, StudyDimension *values, const bool *is_kept) {
  StudyItem *others = ARENA_ARRAY(&study->arena, StudyItem, values->count + 1);
  uint32_t kept = 0, out = 0;
  for (uint32_t i = 0; i < values->count; i++) {
    if (is_kept[i])
      values->items[kept++] = values->items[i];
    else
      others[out++] = values->items[i];
  }
  memcpy(values->items + kept, others, out * sizeof *others);
  values->left_out += out;
  values->count = kept;
}

Status study_items_restrict(Study *study, const char *text, Error *err) {
  Dimension dimension = BY_WORKLOAD;
  const char *pattern;
  TRY(find_dimension(study, &text, &dimension, err));
  StudyDimension *values = &study->dimensions[dimension];
  bool *is_kept = ARENA_ARRAY(&study->arena, bool, values->count + 1), is_any = false;
  while ((pattern = text_list_next(&text, ',', &study->arena))) {
    TRY(mark(values, pattern, is_kept, err));
    is_any = true;
  }
  if (!is_any) return error_set(err, ERR_SYNTAX, "only: no values of %s given", values->name);
  sort_out(study, values, is_kept);
  return OK;
}
