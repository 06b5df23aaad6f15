// SPDX-License-Identifier: MIT
// Runs a study: what compare and study have in common.
#ifndef CLI_STUDY_RUN_H
#define CLI_STUDY_RUN_H

#include "cli/study_batch.h"
#include "cli/verb.h"
#include "store/store.h"
#include "study/study.h"

// Options that both verbs have.
#define STUDY_OPTIONS(db_default)                                                               \
  {"--db", "FILE", "store of the runs; default " db_default},                                   \
      {"--report", "FILE", "write a report page (.html) or its data (.json)"},                  \
      {"--jobs", "N", "parallel runs; default one per core"},                                   \
      {"--plugin", "FILE.so", "policy plugin (docs/policies.md); repeatable"}, BATCH_OPTIONS, { \
    "--quiet", NULL, "report failures only, print no tables"                                    \
  }

// Runs what the store has not, prints and reports. print: the tables that this
// verb prints. Failed runs are reported and return ERR_PROGRAM at the end.
typedef Status (*StudyPrintFn)(Store *store, const Study *study, Error *err);
Status study_run(const Study *study, const Arguments *arguments, const char *db, StudyPrintFn print,
                 Error *err);

#endif
