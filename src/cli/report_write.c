// SPDX-License-Identifier: MIT
#include "cli/report_write.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/stat_meanings.h"
#include "report/page.h"
#include "study/report_data.h"

Status report_check_path(const char *path, Error *err) {
  if (!path_ends_with(path, ".json") && !path_ends_with(path, ".html"))
    return error_set(err, ERR_USAGE, "'%.200s': a report is a .html file, or its data a .json file",
                     path);
  return file_check_writable(path, err);
}

static Status write_json(const json_t *data, FILE *file, Error *err) {
  int failed = json_dumpf(data, file, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(7));
  return failed ? error_set(err, ERR_IO, "cannot write: %s", strerror(errno)) : OK;
}

// Writes to a temporary file and renames it, so that no partial report is visible.
static Status write_aside(const json_t *data, const char *path, Error *err) {
  char aside[4096];
  if (snprintf(aside, sizeof aside, "%s.%ld.part", path, (long)getpid()) >= (int)sizeof aside)
    return error_set(err, ERR_IO, "%.200s...: path too long", path);
  FILE *file = fopen(aside, "w");
  if (!file) return error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
  Status status = path_ends_with(path, ".json") ? write_json(data, file, err)
                                                : report_page_write(data, file, err);
  if (fclose(file) != 0 && status == OK)
    status = error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
  if (status == OK && rename(aside, path) != 0)
    status = error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
  if (status != OK) unlink(aside);
  return status;
}

Status report_write(Store *store, const char *study, const char *path, Error *err) {
  json_t *data, *meanings = stat_meanings();
  TRY(report_check_path(path, err));
  Status status = report_data(store, &(ReportOptions){study, meanings}, &data, err);
  json_decref(meanings);
  if (status != OK) return status;
  status = write_aside(data, path, err);
  json_decref(data);
  return status;
}
