// SPDX-License-Identifier: MIT
#include "device/report_folder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/replaced_file.h"

static const char *own_path(char path[PATH_MAX], const char *folder, const char *ending) {
  snprintf(path, PATH_MAX, "%s/%ld%s", folder, (long)getpid(), ending);
  return path;
}

void report_folder_announce(const char *folder) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/" REPORT_LOADED, folder);
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file >= 0) close(file);
}

Status report_folder_records(const char *folder, JsonRecords **records, Error *err) {
  char path[PATH_MAX];
  return json_records_create(records, own_path(path, folder, REPORT_LAUNCHES), err);
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

Status report_folder_write(const RunResult *result, const char *folder, Error *err) {
  char path[PATH_MAX];
  ReplacedFile it;
  TRY(replaced_file_begin(&it, own_path(path, folder, REPORT_RESULT), err));
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
  Status status = OK;
  if (json_dumpf(report, it.file, JSON_COMPACT) != 0)
    status = error_set(err, ERR_IO, "cannot write %s", path);
  json_decref(report);
  return replaced_file_end(&it, status, err);
}
