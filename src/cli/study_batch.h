// SPDX-License-Identifier: MIT
// compare and study on other machines: --on, --status, --resume, --cancel.
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

// --status and --cancel, which need the store and nothing else. *is_done: it was one of them.
Status study_batch_ask(const Arguments *arguments, const char *db, bool *is_done, Error *err);

typedef enum StudyPlace { PLACE_HERE, PLACE_SLURM, PLACE_COMMANDS } StudyPlace;
// Where the options say; mistakes in them are found here.
Status study_batch_place(const Arguments *arguments, const char *db, StudyPlace *place, Error *err);

// Brings what was run elsewhere into the store.
Status study_batch_collect(const Arguments *arguments, const char *db, Error *err);

// Submits what the store has not. On Slurm: waits until all is in the store or
// cannot be had; an interruption leaves the jobs, as ERR_INTERRUPTED with a text that
// says how to come back. Commands: prints them; *is_waiting: there are any.
Status study_batch_run(StudyPlace place, const char *study, const Arguments *arguments,
                       const char *db, StudyJobs *made, const volatile sig_atomic_t *stop,
                       bool *is_waiting, Error *err);

#endif
