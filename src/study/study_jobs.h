// SPDX-License-Identifier: MIT
// The runs of a study.
#ifndef STUDY_STUDY_JOBS_H
#define STUDY_STUDY_JOBS_H

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
// workloads and checks everything before the first run. plugins: paths.
Status study_jobs_make(StudyJobs *made, const Study *study, const RunList *plugins, Error *err);
void study_jobs_clear(StudyJobs *made);

#endif
