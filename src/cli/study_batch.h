// SPDX-License-Identifier: MIT
// compare and study on other hosts: --on, --status, --resume, --cancel.
#ifndef CLI_STUDY_BATCH_H
#define CLI_STUDY_BATCH_H

#include <signal.h>

#include "cli/study_jobs.h"

#define BATCH_OPTIONS                                                                   \
  {"--on", "slurm|commands", "run elsewhere: as Slurm jobs, or print the commands"},    \
      {"--slurm", "OPTIONS|FILE", "additional sbatch options, or a file of them"},      \
      {"--status", NULL, "progress of the submitted runs"},                             \
      {"--resume", NULL, "wait for the submitted runs, and submit missing ones"},       \
      {"--cancel", NULL, "cancel the submitted runs"},                                  \
      {"--retries", "N", "restarts of a killed run; default 2"}, {                      \
    "--element-seconds", "N", "minimum expected length of a job in seconds; default 60" \
  }

// Handles --status and --cancel, which need only the store. *is_done: one of them was given.
Status study_batch_ask(const Arguments *arguments, const char *db, bool *is_done, Error *err);

typedef enum StudyPlace { PLACE_HERE, PLACE_SLURM, PLACE_COMMANDS } StudyPlace;
// Checks the options and determines where to run.
Status study_batch_place(const Arguments *arguments, const char *db, StudyPlace *place, Error *err);

// Merges the results of submitted runs into the store.
Status study_batch_collect(const Arguments *arguments, const char *db, Error *err);

// Submits the runs that the store lacks. PLACE_SLURM: waits until every run is in
// the store or has failed; if interrupted, leaves the jobs queued and returns
// ERR_INTERRUPTED with the command that resumes. PLACE_COMMANDS: prints the
// commands; *is_waiting is set if there are any.
Status study_batch_run(StudyPlace place, const char *study, const Arguments *arguments,
                       const char *db, StudyJobs *made, const volatile sig_atomic_t *stop,
                       bool *is_waiting, Error *err);

#endif
