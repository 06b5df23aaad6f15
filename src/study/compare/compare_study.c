// SPDX-License-Identifier: MIT
// A comparison as a study (docs/studies.md).
#include "study/compare/compare_study.h"

#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/text/text_list.h"
#include "study/compare/compare_figures.h"
#include "base/text/shell_words.h"

// One value of a dimension, as the command line gives it.
typedef struct Given {
  const char *name, *is, *arguments;  // arguments: NULL if none
} Given;

typedef struct Part {
  Given *items;
  uint32_t count, capacity;
} Part;

// Without blanks and commas, which separate names.
static char *plain_name(Arena *arena, const char *text) {
  char *name = arena_strdup(arena, text), *to = name;
  for (const char *at = name; *at; at++)
    if (*at != ' ') *to++ = *at == ',' ? ';' : *at;
  *to = '\0';
  return name;
}

// "a/b/vecadd.case" becomes vecadd.
static const char *short_name(Arena *arena, const char *text) {
  const char *slash = strrchr(text, '/');
  char *name = plain_name(arena, slash ? slash + 1 : text);
  char *dot = strrchr(name, '.');
  if (dot && dot > name &&
      (strcmp(dot, ".case") == 0 || strcmp(dot, ".cfg") == 0 || strcmp(dot, ".ini") == 0))
    *dot = '\0';
  return name;
}

static void add_named(Part *part, const char *name, const char *is, const char *arguments) {
  GROW(part->items, part->count, part->capacity);
  part->items[part->count++] = (Given){name, is, arguments};
}

static void add_item(Part *part, Arena *arena, const char *is, const char *arguments) {
  add_named(part, short_name(arena, is), is, arguments);
}

static void add_list(Part *part, Arena *arena, const char *list) {
  const char *name;
  while ((name = text_list_next(&list, ',', arena))) add_item(part, arena, name, NULL);
}

// ---- workloads

// Versions of a program may have the same name in different folders: their paths tell them apart.
static const char *workload_name(const CompareRequest *request, Arena *arena, int at) {
  const char *path = request->programs[at], *name = short_name(arena, path);
  int same = 0;
  for (int i = 0; i < request->program_count; i++)
    same += strcmp(short_name(arena, request->programs[i]), name) == 0;
  if (same < 2) return name;
  return plain_name(arena, strncmp(path, "./", 2) == 0 ? path + 2 : path);
}

static void add_workloads(const CompareRequest *request, Arena *arena, Part *part) {
  for (int i = 0; i < request->program_count; i++)
    add_named(part, workload_name(request, arena, i), request->programs[i],
              shell_join(arena, request->arguments));
}

// ---- the study

static const char *names_of(const Part *part, Arena *arena) {
  const char *names = "";
  for (uint32_t i = 0; i < part->count; i++)
    names = arena_printf(arena, "%s%s%s", names, i ? ", " : "", part->items[i].name);
  return names;
}

static Status set(Study *study, const char *key, const char *value, Error *err) {
  return value ? study_set(study, "study", "", key, value, err) : OK;
}

// Only of values that are not what their name says.
static Status set_items(Study *study, const Part *part, const char *kind, Error *err) {
  for (uint32_t i = 0; i < part->count; i++) {
    const Given *item = &part->items[i];
    if (strcmp(item->name, item->is) == 0 && !item->arguments) continue;
    TRY(study_set(study, kind, item->name, "is", item->is, err));
    if (item->arguments) TRY(study_set(study, kind, item->name, "arguments", item->arguments, err));
  }
  return OK;
}

static Status set_lists(Study *study, const Part parts[BY_SWEEP], Arena *arena, Error *err) {
  static const char *const keys[] = {"workloads", "gpus", "schemes"};
  const char *names[BY_SWEEP];
  for (int i = 0; i < BY_SWEEP; i++) names[i] = names_of(&parts[i], arena);
  TRY(set(study, "title", arena_printf(arena, "%s: %s on %s", names[0], names[2], names[1]), err));
  for (int i = 0; i < BY_SWEEP; i++) TRY(set(study, keys[i], names[i], err));
  return OK;
}

static Status set_sweeps(Study *study, const RunList *sweeps, Error *err) {
  for (uint32_t i = 0; i < sweeps->count; i++)
    if (set(study, "sweep", sweeps->items[i], err) != OK) return error_prefix(err, "--sweep");
  return OK;
}

// In the list syntax of study files; NULL if there is none.
static const char *joined(const RunList *list, Arena *arena) {
  const char *text = NULL;
  for (uint32_t i = 0; i < list->count; i++)
    text = arena_printf(arena, "%s%s%s", text ? text : "", text ? "; " : "", list->items[i]);
  return text;
}

static Status set_study(Study *study, const CompareRequest *request, const Part parts[BY_SWEEP],
                        Arena *arena, Error *err) {
  static const char *const kinds[] = {"workload", "gpu", "scheme"};
  TRY(set_lists(study, parts, arena, err));
  TRY(set_sweeps(study, &request->sweep, err));
  if (set(study, "seeds", request->seeds, err) != OK) return error_prefix(err, "--seeds");
  TRY(set(study, "size", request->size, err));
  TRY(set(study, "sample", request->sample, err));
  TRY(set(study, "set", joined(&request->set, arena), err));
  TRY(set(study, "observe", joined(&request->observe, arena), err));
  TRY(set(study, "interval", request->interval, err));
  for (int i = 0; i < BY_SWEEP; i++) TRY(set_items(study, &parts[i], kinds[i], err));
  return compare_figures(study, arena, err);
}

static Status read_parts(const CompareRequest *request, Part parts[BY_SWEEP], Arena *arena,
                         Error *err) {
  static const char *const names[] = {"workload", "gpu", "scheme"};
  add_workloads(request, arena, &parts[BY_WORKLOAD]);
  add_list(&parts[BY_GPU], arena, request->gpus);
  add_list(&parts[BY_SCHEME], arena, request->schemes);
  for (int i = 0; i < BY_SWEEP; i++)
    if (!parts[i].count) return error_set(err, ERR_USAGE, "no %s given", names[i]);
  return OK;
}

// Comparisons of one store are told apart by what they compare.
static void name_study(Study *study) {
  char digest[DIGEST_BYTES];
  digest_text(study->text, digest);
  study->name = arena_printf(&study->arena, "compare-%.8s", digest);
}

Status compare_study(const CompareRequest *request, Study *study, Error *err) {
  Part parts[BY_SWEEP] = {0};
  Arena arena = {0};
  study_begin(study, "compare");
  Status status = read_parts(request, parts, &arena, err);
  if (status == OK) status = set_study(study, request, parts, &arena, err);
  if (status == OK) status = study_end(study, err);
  if (status == OK)
    name_study(study);
  else
    study_clear(study);
  for (int i = 0; i < BY_SWEEP; i++) memory_free(parts[i].items);
  arena_clear(&arena);
  return status;
}
