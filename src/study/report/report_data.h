// SPDX-License-Identifier: MIT
// Data of the report page: one JSON document made from a store. docs/report-data.md
// describes it.
#ifndef STUDY_REPORT_REPORT_DATA_H
#define STUDY_REPORT_REPORT_DATA_H

#include "store/store.h"

typedef struct ReportOptions {
  const char *study;  // NULL: the study that ran last, if any
  // Of all statistics: {"cycles": {"meaning": "...", "ratio": false}}; parts of a
  // whole have a "label" and a "group", too.
  const json_t *meanings;
} ReportOptions;

// A document without runs.
json_t *report_empty(const char *title);
Status report_data(Store *store, const ReportOptions *options, json_t **data, Error *err);

#endif
