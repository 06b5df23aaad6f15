// SPDX-License-Identifier: MIT
// Results that the processes of a program wrote to their report folder
// (device/process/report_folder.h).
#define _GNU_SOURCE
#include "runner/program/program_report.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "report/run_result.h"

// A file written by a process.
typedef struct Entry {
  char name[64];
  struct timespec changed;
} Entry;

typedef struct Entries {
  Entry *items;
  uint32_t count, capacity;
} Entries;

static int by_time(const void *a, const void *b) {
  const struct timespec *x = &((const Entry *)a)->changed, *y = &((const Entry *)b)->changed;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

// Results, and what processes that may have been killed have left.
static Status list(const char *folder, Entries *entries, Error *err) {
  char path[PATH_MAX];
  struct stat about;
  DIR *stream = opendir(folder);
  if (!stream) return error_set(err, ERR_IO, "cannot read %s: %s", folder, strerror(errno));
  for (struct dirent *each; (each = readdir(stream));) {
    snprintf(path, sizeof path, "%s/%s", folder, each->d_name);
    bool counts = path_ends_with(path, REPORT_RESULT) || path_ends_with(path, REPORT_LAUNCHES) ||
                  path_ends_with(path, REPORT_STARTED);
    if (!counts || lstat(path, &about) != 0 || !S_ISREG(about.st_mode)) continue;
    GROW(entries->items, entries->count, entries->capacity);
    Entry *entry = &entries->items[entries->count++];
    snprintf(entry->name, sizeof entry->name, "%.63s", each->d_name);
    entry->changed = about.st_mtim;
  }
  closedir(stream);
  if (entries->count) qsort(entries->items, entries->count, sizeof *entries->items, by_time);
  return OK;
}

static Status read_result(ProgramReport *report, const char *path, const char *name, Error *err) {
  json_error_t json_error;
  json_t *one = json_load_file(path, JSON_ALLOW_NUL, &json_error);
  if (!one) return error_set(err, ERR_IO, "the program's result: %s", json_error.text);
  json_object_set_new(one, "process", json_string(name));
  json_array_append_new(report->reports, one);
  return OK;
}

static Status read_one(ProgramReport *report, const char *folder, const char *file, Error *err) {
  char path[PATH_MAX], name[REPORT_NAME_BYTES];
  if (path_ends_with(file, REPORT_STARTED)) return OK;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
  strcpy(report->last, name);
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return path_ends_with(file, REPORT_RESULT) ? read_result(report, path, name, err) : OK;
}

// ---- completeness

static const json_t *report_of(const ProgramReport *report, const char *name) {
  size_t i;
  json_t *one;
  json_array_foreach(report->reports, i, one) {
    const char *process = json_string_value(json_object_get(one, "process"));
    if (process && strcmp(process, name) == 0) return one;
  }
  return NULL;
}

static uint64_t count_of(const json_t *one, const char *name) {
  return (uint64_t)json_integer_value(json_object_get(one, name));
}

// Whether the process has ended as far as its start says it should.
static void check_end(ProgramReport *report, const char *folder, const char *file) {
  char path[PATH_MAX], name[REPORT_NAME_BYTES];
  ReportProgress progress = {0};
  size_t got;
  Error ignored;
  if (!path_ends_with(file, REPORT_STARTED)) return;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
  snprintf(path, sizeof path, "%s/%s", folder, file);
  if (file_read_prefix(path, (char *)&progress, sizeof progress, &got, &ignored) != OK ||
      got != sizeof progress)
    return;
  const json_t *end = report_of(report, name);
  bool is_lost = progress.is_initialised && (!end || count_of(end, "launched") < progress.launched);
  report->has_fork |= progress.is_fork != 0;
  report->launched += progress.launched;
  report->completed += progress.completed;
  if (!is_lost || *report->lost) return;
  strcpy(report->lost, name);
  report->is_lost_late = end != NULL;
}

Status program_report_read(ProgramReport *report, const char *folder, Error *err) {
  char loaded[PATH_MAX];
  Entries entries = {0};
  *report = (ProgramReport){.reports = json_array()};
  snprintf(loaded, sizeof loaded, "%s/" REPORT_LOADED, folder);
  report->has_loaded = access(loaded, F_OK) == 0;
  Status status = list(folder, &entries, err);
  for (uint32_t i = 0; i < entries.count && status == OK; i++)
    status = read_one(report, folder, entries.items[i].name, err);
  for (uint32_t i = 0; i < entries.count && status == OK; i++)
    check_end(report, folder, entries.items[i].name);
  memory_free(entries.items);
  return status;
}

void program_report_clear(ProgramReport *report) {
  json_decref(report->reports);
  *report = (ProgramReport){0};
}

void program_report_print_tables(const ProgramReport *report, FILE *file) {
  size_t i;
  json_t *one;
  json_array_foreach(report->reports, i, one) {
    const json_t *table = json_object_get(one, "table");
    fwrite(json_string_value(table), 1, json_string_length(table), file);
  }
}

uint64_t program_report_launches(const ProgramReport *report) {
  uint64_t launches = 0;
  size_t i;
  json_t *one;
  json_array_foreach(report->reports, i, one) launches +=
      (uint64_t)json_integer_value(json_object_get(one, "launches"));
  return launches;
}

// Report of the last process, if it exited normally.
static json_t *last_report(const ProgramReport *report) {
  size_t count = json_array_size(report->reports);
  json_t *last = count ? json_array_get(report->reports, count - 1) : NULL;
  const char *process = json_string_value(json_object_get(last, "process"));
  return process && strcmp(process, report->last) == 0 ? last : NULL;
}

static Status failure_of(const json_t *one) {
  const char *state = json_string_value(json_object_get(json_object_get(one, "result"), "state"));
  if (json_is_true(json_object_get(one, "is_stopped"))) return ERR_LIMIT;
  if (json_is_true(json_object_get(one, "is_complaint"))) return ERR_USAGE;
  if (state && strcmp(state, "stopped") == 0) return ERR_INTERRUPTED;
  return json_integer_value(json_object_get(one, "exit_code")) == 2 ? ERR_UNSUPPORTED : ERR_PROGRAM;
}

Status program_report_failure(const ProgramReport *report, const char **text) {
  size_t i;
  json_t *one;
  *text = NULL;
  json_array_foreach(report->reports, i, one) {
    *text = json_string_value(json_object_get(one, "error"));
    if (*text) return failure_of(one);
  }
  return OK;
}

const json_t *program_report_killed(const ProgramReport *report) {
  size_t i;
  json_t *one;
  json_array_foreach(report->reports, i, one) {
    if (json_is_false(json_object_get(one, "is_orderly"))) return one;
  }
  return NULL;
}

// "3 kernels failed; first: k: out of bounds", with the first line of the text.
static void add_failures(char *out, size_t bytes, uint64_t count, const char *what,
                         const char *plural, const char *first) {
  size_t used = strlen(out);
  if (count)
    snprintf(out + used, bytes - used, "%s%" PRIu64 " %s%s failed; first: %.*s", used ? "; " : "",
             count, what, count == 1 ? "" : plural, (int)strcspn(first, "\n"), first);
}

bool program_report_failures(const ProgramReport *report, char *text, size_t bytes) {
  uint64_t kernels = 0, launches = 0;
  const char *kernel = NULL, *launch = NULL;
  size_t i;
  json_t *one;
  json_array_foreach(report->reports, i, one) {
    bool is_complaint = json_is_true(json_object_get(one, "is_complaint"));  // about the request
    if (!kernel && !is_complaint) kernel = json_string_value(json_object_get(one, "error"));
    if (!launch) launch = json_string_value(json_object_get(one, "first_failed_launch"));
    kernels += count_of(one, "failed_kernels");
    launches += count_of(one, "failed_launches");
  }
  *text = '\0';
  add_failures(text, bytes, kernels, "kernel", "s", kernel ? kernel : "");
  add_failures(text, bytes, launches, "launch", "es", launch ? launch : "");
  // An unsupported call.
  if (!kernels && !launches && kernel)
    snprintf(text, bytes, "a call failed: %.*s", (int)strcspn(kernel, "\n"), kernel);
  return kernels || launches || kernel;
}

Status program_report_races(const ProgramReport *report, Error *err) {
  size_t i;
  json_t *one;
  json_array_foreach(report->reports, i, one)
      TRY(run_races_json_status(json_object_get(one, "result"), err));
  return OK;
}

Status program_report_outcome(const ProgramReport *report, const char *folder, RunOutcome *outcome,
                              Error *err) {
  char path[PATH_MAX];
  outcome->result = json_incref(json_object_get(last_report(report), "result"));
  snprintf(path, sizeof path, "%s/%s" REPORT_LAUNCHES, folder, report->last);
  if (!*report->last || access(path, F_OK) != 0) return OK;
  return json_records_open(&outcome->launches, path, err);
}
