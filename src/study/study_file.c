// SPDX-License-Identifier: MIT
// Studies by name: those that ship with heddle (studies/), and files.
#include "study/study_file.h"

#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/text/closest.h"
#include "run/run_machine.h"
#include "runner/program/workload.h"
#include "study/study_check.h"

enum { FILE_LIMIT_BYTES = 1 << 20 };

const char *shipped_study(size_t index, char name[STUDY_NAME_BYTES]) {
  const EmbeddedFile *file = embedded_at("studies/", ".ini", index, name);
  return file ? file->text : NULL;
}

// ---- lookup

static const char ending[] = ".ini";

static Status find_shipped(const char *name, Arena *arena, const char **text, Error *err) {
  Closest closest = closest_start(name);
  char each[STUDY_NAME_BYTES];
  const char *all = "";
  for (size_t i = 0; (*text = shipped_study(i, each)); i++) {
    if (strcmp(each, name) == 0) return OK;
    closest_offer(&closest, each);
    all = arena_printf(arena, "%s%s%s", all, *all ? ", " : "", each);
  }
  return error_set(err, ERR_USAGE, "unknown study '%.80s'%s%s%s (studies: %s)", name,
                   CLOSEST_HINT(closest), all);
}

static Status find_text(const char *name, Arena *arena, const char **text, Error *err) {
  char *read;
  size_t length;
  if (!word_is_path(name, ending)) return find_shipped(name, arena, text, err);
  TRY(file_read(name, FILE_LIMIT_BYTES, &read, &length, err));
  *text = arena_strdup(arena, read);
  memory_free(read);
  return OK;
}

const char *study_file_name(const char *given, Arena *arena) {
  const char *slash = strrchr(given, '/');
  char *name = arena_strdup(arena, slash ? slash + 1 : given);
  if (path_ends_with(name, ending)) name[strlen(name) - strlen(ending)] = '\0';
  return name;
}

// ---- groups of workloads

// Workloads without a group of their own get what their descriptions say under the key.
static Status add_groups(Study *study, Error *err) {
  Workload workload;
  for (uint32_t i = 0; i < study->dimensions[BY_WORKLOAD].count; i++) {
    const StudyItem *item = &study->dimensions[BY_WORKLOAD].items[i];
    if (item->group || strchr(item->is, '/')) continue;
    TRY(workload_find(item->is, &workload, err));
    const char *group = workload_property(&workload, study->groups);
    if (!group)
      return error_set(err, ERR_SYNTAX,
                       "%s: groups = %.40s: unknown key of workloads, such as suite or paper_li "
                       "(docs/workloads.md)",
                       study->name, study->groups);
    if (*group) TRY(study_set(study, "workload", item->name, "group", group, err));
  }
  return OK;
}

// ---- reading

// The text that the store keeps with the runs has to say how many seeds they had.
static const char *with_seeds(const char *text, const char *seeds, Arena *arena) {
  return seeds ? arena_printf(arena, "%s\n[study]\nseeds = %s\n", text, seeds) : text;
}

static Status read_checked(Study *study, const char *given, const RunList *plugins,
                           const char *seeds, Arena *arena, Error *err) {
  StudyCheck check = {0};
  const char *text = NULL;
  TRY(find_text(given, arena, &text, err));
  if (seeds && (!*seeds || seeds[strspn(seeds, "0123456789")]))
    return error_set(err, ERR_USAGE, "--seeds: expected a number, not '%.40s'", seeds);
  Status status = run_plugins_load(&check.plugins, plugins, err);
  if (status == OK)
    status = study_read_from(study, study_file_name(given, arena), given,
                             with_seeds(text, seeds, arena), study_check_line, &check, err);
  study_check_clear(&check);
  return status;
}

Status study_file_read(Study *study, const char *given, const RunList *plugins, const char *seeds,
                       Error *err) {
  Arena arena = {0};
  Status status = read_checked(study, given, plugins, seeds, &arena, err);
  if (status == OK && study->groups) {
    status = add_groups(study, err);
    if (status != OK) study_clear(study);
  }
  arena_clear(&arena);
  return status;
}
