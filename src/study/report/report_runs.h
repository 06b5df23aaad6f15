// SPDX-License-Identifier: MIT
// Runs in a report: a summary of each, and details of some.
#ifndef STUDY_REPORT_REPORT_RUNS_H
#define STUDY_REPORT_REPORT_RUNS_H

#include "store/store.h"

// Adds "counts" and "runs".
Status report_runs(Store *store, json_t *data, Error *err);
// Adds "details" and "configs", of the study's runs or else of the newest.
// meanings: as in ReportOptions.
Status report_details(Store *store, const json_t *meanings, json_t *data, Error *err);

#endif
