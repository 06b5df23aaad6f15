// SPDX-License-Identifier: MIT
// Progress of many runs: one updated line on a terminal, otherwise one line per completed
// run.
#ifndef STUDY_JOBS_PROGRESS_H
#define STUDY_JOBS_PROGRESS_H

#include "study/jobs.h"

typedef struct JobsProgress {
  FILE *file;  // NULL: not shown
  bool is_terminal;
  size_t count, done, failed, stopped;  // of the runs to be executed
  uint32_t processes;
  double started, shown;
  double seconds;  // total of completed runs
  const char *last;
} JobsProgress;

void jobs_progress_init(JobsProgress *progress, FILE *file, const Job *jobs, size_t count,
                        uint32_t processes);
void jobs_progress_ended(JobsProgress *progress, const Job *job);
void jobs_progress_show(JobsProgress *progress, uint32_t busy);
void jobs_progress_end(JobsProgress *progress);

double jobs_clock(void);  // seconds
// "12 s", "5 min", "2.5 h"
enum { DURATION_BYTES = 24 };
const char *jobs_duration(char out[DURATION_BYTES], double seconds);  // returns out

#endif
