// SPDX-License-Identifier: MIT
#include "cli/workload.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/closest.h"
#include "base/config_file.h"
#include "base/embedded.h"

static const Param workload_params[] = {
    PARAM_TEXT(Workload, summary, "", "one line for `heddle list workloads`"),
    PARAM_TEXT(Workload, abbreviation, "", "as the papers write it"),
    PARAM_TEXT(Workload, suite, "", "where the papers take it from"),
    PARAM_TEXT(Workload, cta, "", "threads of a CTA"),
#define X(number) PARAM_TEXT(Workload, paper_##number, "", "its category in paper " #number),
    WORKLOAD_PAPER_LIST(X)
#undef X
        {0}};

// workloads/NAME/NAME.ini
static bool workload_name(const EmbeddedFile *file, char out[WORKLOAD_NAME_BYTES]) {
  static const char folder[] = "workloads/";
  if (strncmp(file->name, folder, sizeof folder - 1) != 0) return false;
  const char *name = file->name + sizeof folder - 1;
  size_t length = strcspn(name, "/");
  if (length >= WORKLOAD_NAME_BYTES) return false;
  memcpy(out, name, length);
  out[length] = '\0';
  return true;
}

static Status read_workload(const EmbeddedFile *file, Workload *workload, Error *err) {
  const ParamSection sections[] = {{"workload", "what it is", workload_params, workload}, {0}};
  *workload = (Workload){0};
  TRY(config_text_read(sections, file->name, file->text, file->size_bytes, err));
  workload_name(file, workload->name);
  return OK;
}

Status workload_at(size_t index, Workload *workload, bool *found, Error *err) {
  char name[WORKLOAD_NAME_BYTES];
  *found = false;
  for (const EmbeddedFile *file = embedded_files; file->name; file++) {
    if (!workload_name(file, name) || index-- > 0) continue;
    *found = true;
    return read_workload(file, workload, err);
  }
  return OK;
}

static bool is_called(const Workload *workload, const char *word) {
  return strcasecmp(workload->name, word) == 0 || strcasecmp(workload->abbreviation, word) == 0;
}

static Status unknown_workload(const char *word, Error *err) {
  Closest closest = closest_start(word);
  char name[WORKLOAD_NAME_BYTES], best[WORKLOAD_NAME_BYTES] = "";
  for (const EmbeddedFile *file = embedded_files; file->name; file++) {
    if (!workload_name(file, name)) continue;
    closest_offer(&closest, name);
    if (closest.best == name) memcpy(best, name, sizeof best);
    closest.best = *best ? best : NULL;
  }
  return error_set(err, ERR_USAGE,
                   "'%.80s' is neither a case file nor a workload%s%s%s (`heddle list workloads`; "
                   "a program is run with `heddle run -- PROGRAM`)",
                   word, CLOSEST_HINT(closest));
}

Status workload_find(const char *word, Workload *workload, Error *err) {
  bool found;
  for (size_t i = 0;; i++) {
    TRY(workload_at(i, workload, &found, err));
    if (!found) return unknown_workload(word, err);
    if (is_called(workload, word)) return OK;
  }
}
