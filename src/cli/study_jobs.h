// SPDX-License-Identifier: MIT
// The runs of a study.
#ifndef CLI_STUDY_JOBS_H
#define CLI_STUDY_JOBS_H

#include "cli/verb.h"
#include "store/store.h"
#include "study/jobs.h"
#include "study/study.h"

typedef struct StudyJobs {
  Arena arena;
  Job *jobs;
  StudyRun *runs;     // the jobs by the study's names
  RunLabels *labels;  // the jobs by the store's labels
  size_t count;
  const char *heddle;  // path of this program
  const char **files;  // files that determine the results: heddle, programs, their inputs
  size_t file_count, file_capacity;
} StudyJobs;

// Makes one job per combination, in the order of study_position. Builds the
// workloads and checks everything before the first run. arguments: those of the
// verb, for --plugin.
Status study_jobs_make(StudyJobs *made, const Study *study, const Arguments *arguments, Error *err);
void study_jobs_clear(StudyJobs *made);

#endif
