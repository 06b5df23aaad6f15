// SPDX-License-Identifier: MIT
// Jobs: command lines that each put one run into a store, executed as processes
// of their own, several at a time. One that crashes loses its own run only; all
// end when this process does.
#ifndef STUDY_JOBS_H
#define STUDY_JOBS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct Job {
  const char *label;          // for people
  const char *key;            // RunLabels.job
  char **words;               // what to execute; ends with NULL
  bool is_done;               // the store has it
  bool was_run;               // now, and not before
  bool was_killed;            // it did not end by itself: a signal, or `stop`
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
  // Told before each process is started (is_over: false) and after it has ended;
  // an error ends everything. Or NULL.
  Status (*on_job)(void *self, const Job *job, bool is_over, Error *err);
  void *self;
} JobsOptions;

// Finds those that the store has, and jobs of one key, which are one run: the
// first of them stands for all.
Status jobs_look_up(Job *jobs, size_t count, const char *db, Error *err);
// What became of the first becomes of the others.
void jobs_copy_repeats(Job *jobs, size_t count);

// Executes those that the store has not. Failures are told in the jobs, and
// only what makes going on useless is an error. Texts go into the arena.
Status jobs_run(Job *jobs, size_t count, const JobsOptions *options, Arena *arena, Error *err);

#endif
