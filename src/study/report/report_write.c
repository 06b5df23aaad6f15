// SPDX-License-Identifier: MIT
// Writes a report page (.html) or its data (.json).
#include "study/report/report_write.h"

#include "base/files/file.h"
#include "base/files/replaced_file.h"
#include "study/report/stat_meanings.h"
#include "report/page.h"
#include "study/report/report_data.h"

Status report_check_path(const char *path, Error *err) {
  if (!path_ends_with(path, ".json") && !path_ends_with(path, ".html"))
    return error_set(err, ERR_USAGE, "'%.200s': a report is a .html file, or its data a .json file",
                     path);
  return file_check_writable(path, err);
}

Status report_document_write(const json_t *data, const char *path, Error *err) {
  ReplacedFile out;
  Status status = OK;
  TRY(replaced_file_begin(&out, path, err));
  if (path_ends_with(path, ".json"))
    json_dumpf(data, out.file, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(7));
  else
    status = report_page_write(data, out.file, err);
  if (status == ERR_IO) error_prefix(err, "%s", path);
  return replaced_file_end(&out, status, err);
}

Status report_write(Store *store, const char *study, const char *path, Error *err) {
  json_t *data, *meanings = stat_meanings();
  TRY(report_check_path(path, err));
  Status status = report_data(store, &(ReportOptions){study, meanings}, &data, err);
  json_decref(meanings);
  if (status != OK) return status;
  status = report_document_write(data, path, err);
  json_decref(data);
  return status;
}
