// SPDX-License-Identifier: MIT
// Results that a program passes to the heddle run that started it: files in a folder, created and
// removed by heddle run.
#include "device/process/report_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text/json_text.h"
#include "base/files/replaced_file.h"

static const char *own_path(char path[PATH_MAX], const ReportEntry *entry, const char *folder,
                            const char *ending) {
  snprintf(path, PATH_MAX, "%s/%s%s", folder, entry->name, ending);
  return path;
}

void report_folder_announce(const char *folder) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/" REPORT_LOADED, folder);
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file >= 0) close(file);
}

// An existing file belongs to the program that has replaced itself by this one.
static int create_started(ReportEntry *entry, const char *folder) {
  char path[PATH_MAX];
  int file = -1;
  for (unsigned n = 0; file < 0 && (n == 0 || errno == EEXIST); n++) {
    snprintf(entry->name, sizeof entry->name, "%ld-%u", (long)getpid(), n);
    file = open(own_path(path, entry, folder, REPORT_STARTED),
                O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  }
  return file;
}

Status report_folder_register(ReportEntry *entry, const char *folder, Error *err) {
  const ReportProgress none = {0};
  int file = create_started(entry, folder);
  void *shared = MAP_FAILED;
  // Written, not truncated: a store to memory that a full disk cannot hold is a crash.
  if (file >= 0 && write(file, &none, sizeof none) == (ssize_t)sizeof none)
    shared = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int reason = errno;
  if (file >= 0) close(file);
  if (shared == MAP_FAILED)
    return error_set(err, ERR_IO,
                     "the results of process %ld are not recorded: cannot write to %s: %s%s",
                     (long)getpid(), folder, strerror(reason),
                     reason == ENOENT ? " (heddle run has ended)" : "");
  entry->progress = shared;
  return OK;
}

void report_folder_forget(ReportEntry *entry) {
  if (entry->progress) munmap(entry->progress, sizeof *entry->progress);
  entry->progress = NULL;
}

Status report_folder_records(const ReportEntry *entry, const char *folder, JsonRecords **records,
                             Error *err) {
  char path[PATH_MAX];
  return json_records_create(records, own_path(path, entry, folder, REPORT_LAUNCHES), err);
}

static json_t *table_json(const RunResult *result) {
  char *text;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  if (!file) return json_null();
  run_result_print(result, file);
  fclose(file);
  json_t *table = json_text(text);
  free(text);
  return table;
}

static void set_count(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void set_ending(json_t *report, const ReportEnding *ending) {
  json_object_set_new(report, "is_orderly", json_boolean(ending->is_orderly));
  set_count(report, "launched", ending->launched);
  set_count(report, "failed_launches", ending->failed_launches);
  set_count(report, "failed_kernels", ending->failed_kernels);
  if (ending->first_failed_launch)
    json_object_set_new(report, "first_failed_launch", json_text(ending->first_failed_launch));
}

Status report_folder_write(const ReportEntry *entry, const RunResult *result,
                           const ReportEnding *ending, const char *folder, Error *err) {
  char path[PATH_MAX];
  ReplacedFile it;
  TRY(replaced_file_begin(&it, own_path(path, entry, folder, REPORT_RESULT), err));
  json_t *report = json_object();
  RunResult without_kernels = *result;
  without_kernels.kernel_count = 0;
  json_object_set_new(report, "result", run_result_json(&without_kernels));
  json_object_set_new(report, "table", table_json(result));
  json_object_set_new(report, "launches", json_integer((json_int_t)result->total.launches));
  json_object_set_new(report, "exit_code", json_integer(status_exit_code(result->status)));
  json_object_set_new(report, "is_stopped", json_boolean(result->status == ERR_LIMIT));
  bool is_complaint = result->complaint && result->status == result->complaint_status;
  json_object_set_new(report, "is_complaint", json_boolean(is_complaint));
  if (result->error) json_object_set_new(report, "error", json_text(result->error));
  set_ending(report, ending);
  Status status = OK;
  if (json_dumpf(report, it.file, JSON_COMPACT) != 0)
    status = error_set(err, ERR_IO, "cannot write %s", path);
  json_decref(report);
  return replaced_file_end(&it, status, err);
}
