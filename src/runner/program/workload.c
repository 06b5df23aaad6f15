// SPDX-License-Identifier: MIT
// Reads the embedded descriptions of workloads and finds one by name or abbreviation.
#include "runner/program/workload.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text/closest.h"
#include "base/files/config_file.h"

static const Param workload_params[] = {
    PARAM_TEXT(Workload, summary, "", "one line for `heddle list workloads`"),
    PARAM_TEXT(Workload, abbreviation, "", "name in the papers"),
    PARAM_TEXT(Workload, suite, "", "benchmark suite"),
    PARAM_TEXT(Workload, cta, "", "threads per CTA"),
    PARAM_TEXT(Workload, arguments, "", "program arguments that select the input"),
#define X(paper, citation) PARAM_TEXT(Workload, paper_##paper, "", "category by " citation),
    WORKLOAD_PAPER_LIST(X)
#undef X
        {0}};

static const char folder[] = "workloads/";

// workloads/PROGRAM/NAME.ini
static const EmbeddedFile *file_at(size_t index, char name[WORKLOAD_NAME_BYTES]) {
  return embedded_at(folder, ".ini", index, name);
}

Status workload_at(size_t index, Workload *workload, bool *found, Error *err) {
  const ParamSection sections[] = {{"workload", "description", workload_params, workload}, {0}};
  *workload = (Workload){0};
  const EmbeddedFile *file = file_at(index, workload->name);
  *found = file;
  if (!file) return OK;
  const char *program = file->name + strlen(folder);
  snprintf(workload->program, sizeof workload->program, "%.*s", (int)strcspn(program, "/"),
           program);
  return config_text_read(sections, file->name, file->text, file->size_bytes, err);
}

const char *workload_property(const Workload *workload, const char *key) {
  static const char paper[] = "paper_";
  for (const Param *param = workload_params; param->name; param++) {
    bool is_paper = strncmp(param->name, paper, sizeof paper - 1) == 0;
    if (strcmp(param->name, key) == 0 ||
        (is_paper && strcmp(param->name + sizeof paper - 1, key) == 0))
      return (const char *)workload + param->offset;
  }
  return NULL;
}

static bool is_called(const Workload *workload, const char *word) {
  return strcasecmp(workload->name, word) == 0 || strcasecmp(workload->abbreviation, word) == 0;
}

static Status unknown_workload(const char *word, Error *err) {
  Closest closest = closest_start(word);
  char name[WORKLOAD_NAME_BYTES];
  for (size_t i = 0; file_at(i, name); i++) closest_offer(&closest, name);
  return error_set(err, ERR_USAGE,
                   "'%.80s' is neither a case file nor a workload%s%s%s (`heddle list workloads`; "
                   "a program is run with `heddle run -- PROGRAM`)",
                   word, CLOSEST_HINT(closest));
}

Status workload_check_size(const char *size, Error *err) {
  static const char *const sizes[] = {"tiny", "small", "paper"};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (strcmp(sizes[i], size) == 0) return OK;
  return error_set(err, ERR_USAGE, "size %.40s: expected tiny, small or paper", size);
}

Status workload_find(const char *word, Workload *workload, Error *err) {
  bool found;
  for (size_t i = 0;; i++) {
    TRY(workload_at(i, workload, &found, err));
    if (!found) return unknown_workload(word, err);
    if (is_called(workload, word)) return OK;
  }
}
