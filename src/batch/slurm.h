// SPDX-License-Identifier: MIT
// Slurm, by its command line tools: sbatch, squeue, sacct, scancel, sinfo and
// scontrol. Job arrays are found again by their names, so nothing is lost with
// a submitting program that is killed before it has noted a number.
#ifndef BATCH_SLURM_H
#define BATCH_SLURM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

// ---- options of sbatch

// Parses options as a shell does, or reads them from a file: one or more per line, with or
// without #SBATCH; other lines that start with # are comments. Options that heddle sets
// itself are rejected.
Status slurm_options_read(Arena *arena, const char *given, char ***words, Error *err);

// The last value given of an option, by its long name and its letter; or NULL.
const char *slurm_option(char *const *words, const char *name, char letter);

// ---- limits

// Of "90" (minutes), "5:00" (minutes and seconds), "1:00:00", "2-12:00:00"; 0 for
// "infinite" and "UNLIMITED"; negative if it is none of these.
double slurm_seconds(const char *text);

typedef struct SlurmLimits {
  uint32_t array_size;  // elements of one job array
  double seconds;       // that a job of the chosen partition may take; 0: no limit
} SlurmLimits;
Status slurm_limits(char *const *options, SlurmLimits *limits, Error *err);

// ---- jobs

// Bundles first .. first + count - 1 of a list as elements 1 .. count of a job array.
typedef struct SlurmArray {
  const char *name;    // of the job
  const char *folder;  // where output goes
  const char *script;
  uint32_t count;
  uint32_t processes;
  double seconds;  // time limit; 0: the partition's default
  char *const *options;
} SlurmArray;
Status slurm_submit(const SlurmArray *array, Error *err);

typedef struct SlurmElement {
  const char *name;   // of its job
  uint32_t index;     // in the array
  const char *state;  // "RUNNING", "PENDING", "TIMEOUT", ...
  const char *reason;
  bool is_live;  // it runs, or will
} SlurmElement;
typedef void (*SlurmElementFn)(void *self, const SlurmElement *element);

// Lists all elements of jobs with these names (comma-separated) that the controller knows,
// including ended ones.
Status slurm_queue(const char *names, SlurmElementFn on_element, void *self, Error *err);
// The same from the accounting database, if there is one, for jobs that the controller has
// dropped.
void slurm_accounts(const char *names, SlurmElementFn on_element, void *self);

// Parses lines of `squeue -o '%K|%T|%j|%r'`; others are skipped.
void slurm_queue_parse(const char *text, SlurmElementFn on_element, void *self);
// Lines of `sacct -P -o JobID,State,JobName`.
void slurm_accounts_parse(const char *text, SlurmElementFn on_element, void *self);

Status slurm_cancel(const char *name, Error *err);

#endif
