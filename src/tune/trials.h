// SPDX-License-Identifier: MIT
// Runs a program and its variants in parallel, each in a separate process (study/jobs.h). Results
// are stored under a key of everything that determines them. Runs already in the store are not
// repeated, so an interrupted search can be resumed.
#ifndef TUNE_TRIALS_H
#define TUNE_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "study/jobs.h"
#include "study/classify/evidence.h"

typedef struct Trial {
  const char *label;        // for messages
  char *const *program;     // its command line; NULL-terminated
  const char *environment;  // NAME=value, or NULL
  const char *set, *more;   // one parameter each, section.key=value, or NULL
  const char *observe;      // an additional observer, or NULL
  bool is_bare;             // without the default observer, which is faster

  // Set by trials_run:
  const char *key;
  const char *failure;  // NULL if it completed
  const char *output;   // file with its standard output
} Trial;

typedef struct TrialSetting {
  const char *libraries;  // path of Heddle's; its content is part of the keys
  RunSpec run;            // what all trials have in common: GPU and parameters
  const char *db;
  const char *outputs;  // folder for the output of programs, or NULL
  JobsOptions jobs;
} TrialSetting;

// Executes the trials that the store lacks. A failed trial is recorded in its `failure`; an error
// is returned only if continuing is pointless.
Status trials_run(const TrialSetting *setting, Trial *trials, size_t count, Arena *arena,
                  Error *err);

// The experiments of study/classify/evidence.h, in their order.
void trials_of_experiments(Trial trials[EXPERIMENTS], char *const *program);
// Reads the results of the experiments, all of which must be complete.
Status trials_evidence(Evidence *evidence, const char *db, const Trial trials[EXPERIMENTS],
                       Arena *arena, Error *err);
// Reads the result of a variant.
Status trial_evidence(Evidence *evidence, const char *db, const Trial *trial, Arena *arena,
                      Error *err);

#endif
