// SPDX-License-Identifier: MIT
// Jobs: runs that are each recorded in a store, executed in parallel as separate processes
// (`heddle perform`). A crash affects only its own run; all terminate with this process.
#ifndef STUDY_JOBS_H
#define STUDY_JOBS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "run/run_spec.h"

typedef struct Job {
  const char *label;          // for people
  const char *key;            // RunLabels.job
  const RunSpec *spec;        // its db and job are set here
  bool is_done;               // the store has it
  bool was_run;               // now, and not before
  bool was_killed;            // it did not end by itself: a signal, or `stop`
  bool was_stopped;           // by the user or a limit; not a failure of the program
  const struct Job *same_as;  // an earlier job with the same key, or NULL
  const char *failure;        // why it is not done, or NULL
  double seconds;
} Job;

typedef struct JobsOptions {
  const char *db;
  uint32_t processes;  // at a time
  double limit_seconds;  // time limit of a job, after which it gets SIGTERM; 0: none
  FILE *progress;      // a line that changes on a terminal, else a line a run; or NULL
  const volatile sig_atomic_t *stop;  // a signal's number: no more are begun; or NULL
  // Called before each process is started (is_over: false) and after it has exited; an
  // error stops all jobs. May be NULL.
  Status (*on_job)(void *self, const Job *job, bool is_over, Error *err);
  void *self;
} JobsOptions;

// Finds jobs already in the store, and duplicates: jobs with the same key are one run,
// represented by the first.
Status jobs_look_up(Job *jobs, size_t count, const char *db, Error *err);
// What became of the first becomes of the others.
void jobs_copy_repeats(Job *jobs, size_t count);

// Executes jobs that the store lacks. Failures are recorded in the jobs; an error is
// returned only if continuing is pointless. Texts are allocated in the arena.
Status jobs_run(Job *jobs, size_t count, const JobsOptions *options, Arena *arena, Error *err);

#endif
