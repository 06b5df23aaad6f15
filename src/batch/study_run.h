// SPDX-License-Identifier: MIT
// Runs a study, here or on other hosts, and shows its results.
#ifndef BATCH_STUDY_RUN_H
#define BATCH_STUDY_RUN_H

#include "batch/study_request.h"
#include "store/store.h"
#include "study/study.h"

// Executes the runs that the store lacks, then prints tables and writes the report.
// print: prints the tables. If runs failed, reports them and returns
// ERR_PROGRAM at the end.
typedef Status (*StudyPrintFn)(Store *store, const Study *study, Error *err);
Status study_run(const Study *study, const StudyRequest *request, StudyPrintFn print, Error *err);

#endif
