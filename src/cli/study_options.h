// SPDX-License-Identifier: MIT
// Options of the commands that run studies: compare and study.
#ifndef CLI_STUDY_OPTIONS_H
#define CLI_STUDY_OPTIONS_H

#include "batch/study_request.h"
#include "cli/verb.h"

#define STUDY_OPTIONS(db_default)                                                              \
  {"--db", "FILE", "store of the runs; default " db_default},                                  \
      {"--report", "FILE", "write a report page (.html) or its data (.json)"},                 \
      {"--jobs", "N", "parallel runs; default one per core"},                                  \
      {"--seeds", "N", "repeat every run under N seeds (run.seed) and report intervals"},      \
      {"--plugin", "FILE.so", "policy plugin (docs/policies.md); repeatable"},                 \
      {"--on", "slurm|commands", "run elsewhere: as Slurm jobs, or print the commands"},       \
      {"--slurm", "OPTIONS|FILE", "additional sbatch options, or a file of them"},             \
      {"--status", NULL, "progress of the submitted runs"},                                    \
      {"--resume", NULL, "wait for the submitted runs, and submit missing ones"},              \
      {"--cancel", NULL, "cancel the submitted runs"},                                         \
      {"--retries", "N", "restarts of a killed run; default 2"},                               \
      {"--element-seconds", "N", "minimum expected length of a job in seconds; default 60"}, { \
    "--quiet", NULL, "report failures only, print no tables"                                   \
  }

// db: of the request unless --db is given.
Status study_options_read(const Arguments *arguments, const char *db, StudyRequest *request,
                          Arena *arena, Error *err);

#endif
