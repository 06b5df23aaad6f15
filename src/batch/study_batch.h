// SPDX-License-Identifier: MIT
// A study on other hosts: submitting, waiting, asking and cancelling.
#ifndef BATCH_STUDY_BATCH_H
#define BATCH_STUDY_BATCH_H

#include <signal.h>

#include "batch/study_request.h"
#include "study/study_jobs.h"

// Answers the question of a request, which needs only the store: prints the state of the submitted
// runs, or cancels them.
Status study_batch_ask(const StudyRequest *request, Error *err);

typedef enum StudyPlace { PLACE_HERE, PLACE_SLURM, PLACE_COMMANDS } StudyPlace;
// Checks the options and determines where to run.
Status study_batch_place(const StudyRequest *request, StudyPlace *place, Error *err);

// Merges the results of submitted runs into the store.
Status study_batch_collect(const StudyRequest *request, Error *err);

// Submits the runs that the store lacks. PLACE_SLURM: waits until every run is in
// the store or has failed; if interrupted, leaves the jobs queued and returns
// ERR_INTERRUPTED with the command that resumes. PLACE_COMMANDS: prints the
// commands; *is_waiting is set if there are any.
Status study_batch_run(StudyPlace place, const char *study, const StudyRequest *request,
                       StudyJobs *made, const volatile sig_atomic_t *stop, bool *is_waiting,
                       Error *err);

#endif
