// SPDX-License-Identifier: MIT
// Runs a study: common part of compare and study.
#ifndef CLI_STUDY_RUN_H
#define CLI_STUDY_RUN_H

#include "cli/study_batch.h"
#include "cli/verb.h"
#include "store/store.h"
#include "study/study.h"

// Options of both verbs.
#define STUDY_OPTIONS(db_default)                                                               \
  {"--db", "FILE", "store of the runs; default " db_default},                                   \
      {"--report", "FILE", "write a report page (.html) or its data (.json)"},                  \
      {"--jobs", "N", "parallel runs; default one per core"},                                   \
      {"--plugin", "FILE.so", "policy plugin (docs/policies.md); repeatable"}, BATCH_OPTIONS, { \
    "--quiet", NULL, "report failures only, print no tables"                                    \
  }

// Executes the runs that the store lacks, then prints tables and writes the report.
// print: prints the tables of the verb. If runs failed, reports them and returns
// ERR_PROGRAM at the end.
typedef Status (*StudyPrintFn)(Store *store, const Study *study, Error *err);
Status study_run(const Study *study, const Arguments *arguments, const char *db, StudyPrintFn print,
                 Error *err);

#endif
