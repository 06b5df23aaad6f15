// SPDX-License-Identifier: MIT
// Runs of a program and of its variants, several at a time, each in a process of its own
// (study/jobs.h). Results are in a store under a key of what decides them; what the store
// has is not run again, so that an interrupted search goes on where it stopped.
#ifndef TUNE_TRIALS_H
#define TUNE_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "study/jobs.h"
#include "tune/evidence.h"

typedef struct Trial {
  const char *label;        // for people
  char *const *program;     // its words; ends with NULL
  const char *environment;  // NAME=value for it, or NULL
  const char *set, *more;   // a parameter each, section.key=value, or NULL
  const char *observe;      // an observer besides the default, or NULL
  bool is_bare;             // without the default observer: faster

  const char *key;      // from here on filled in by trials_run
  const char *failure;  // NULL: it ran
  const char *output;   // the file with what it printed
} Trial;

typedef struct TrialSetting {
  const char *heddle, *libraries;  // paths; their content is part of the keys
  const char *gpu;
  char *const *sets;  // parameters of all trials; ends with NULL
  const char *db;
  const char *outputs;  // a folder for what programs print, or NULL
  JobsOptions jobs;
} TrialSetting;

// Runs those that the store has not. A trial that fails says so; only what makes going on
// useless is an error.
Status trials_run(const TrialSetting *setting, Trial *trials, size_t count, Arena *arena,
                  Error *err);

// The experiments of tune/evidence.h, in their order.
void trials_of_experiments(Trial trials[EXPERIMENTS], char *const *program);
// What they have shown. All have to be done.
Status evidence_read(Evidence *evidence, const char *db, const Trial trials[EXPERIMENTS],
                     Arena *arena, Error *err);
// One run of a variant: kernels with name, launches, cycles (EXPERIMENT_BASE).
Status evidence_read_run(Evidence *evidence, const char *db, const char *key, Arena *arena,
                         Error *err);

#endif
