// SPDX-License-Identifier: MIT
// From a study to the command lines that run it. Each begins with heddle's path
// and `run --db STORE --job KEY`; what follows is the same for any store.
#ifndef CLI_STUDY_JOBS_H
#define CLI_STUDY_JOBS_H

#include "cli/verb.h"
#include "store/store.h"
#include "study/jobs.h"
#include "study/study.h"

enum { JOB_HEAD_WORDS = 6 };

typedef struct StudyJobs {
  Arena arena;
  Job *jobs;
  StudyRun *runs;     // the same in the study's names
  RunLabels *labels;  // the same as the store describes runs
  size_t count;
  const char **files;  // whose content decides the results: heddle, programs, what they load
  size_t file_count, file_capacity;
} StudyJobs;

// A job for each combination, in the order of study_position. Workloads are
// built, and everything is checked before the first is run. arguments: of the
// verb, for --plugin.
Status study_jobs_make(StudyJobs *made, const Study *study, const Arguments *arguments,
                       const char *db, Error *err);
void study_jobs_clear(StudyJobs *made);

#endif
