// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "runner/program_report.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "device/report_folder.h"

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

// Results, and launches of processes that may have been killed.
static Status list(const char *folder, Entries *entries, Error *err) {
  char path[PATH_MAX];
  struct stat about;
  DIR *stream = opendir(folder);
  if (!stream) return error_set(err, ERR_IO, "cannot read %s: %s", folder, strerror(errno));
  for (struct dirent *each; (each = readdir(stream));) {
    snprintf(path, sizeof path, "%s/%s", folder, each->d_name);
    bool counts = path_ends_with(path, REPORT_RESULT) || path_ends_with(path, REPORT_LAUNCHES);
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

static Status read_one(ProgramReport *report, const char *folder, const char *name, Error *err) {
  char path[PATH_MAX];
  json_error_t json_error;
  snprintf(report->last, sizeof report->last, "%.*s", (int)strcspn(name, "."), name);
  if (!path_ends_with(name, REPORT_RESULT)) return OK;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  json_t *one = json_load_file(path, JSON_ALLOW_NUL, &json_error);
  if (!one) return error_set(err, ERR_IO, "the program's result: %s", json_error.text);
  json_object_set_new(one, "process", json_string(report->last));
  json_array_append_new(report->reports, one);
  return OK;
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

Status program_report_failure(const ProgramReport *report, const char **text) {
  const json_t *last = last_report(report);
  *text = json_string_value(json_object_get(last, "error"));
  if (!*text) return OK;
  if (json_is_true(json_object_get(last, "is_stopped"))) return ERR_LIMIT;
  bool is_mistake = json_integer_value(json_object_get(last, "exit_code")) == 2;
  return is_mistake ? ERR_UNSUPPORTED : ERR_PROGRAM;
}

Status program_report_outcome(const ProgramReport *report, const char *folder, RunOutcome *outcome,
                              Error *err) {
  char path[PATH_MAX];
  outcome->result = json_incref(json_object_get(last_report(report), "result"));
  snprintf(path, sizeof path, "%s/%s" REPORT_LAUNCHES, folder, report->last);
  if (!*report->last || access(path, F_OK) != 0) return OK;
  return json_records_open(&outcome->launches, path, err);
}
