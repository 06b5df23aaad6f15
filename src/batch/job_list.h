// SPDX-License-Identifier: MIT
// A job list: the runs of a study to be executed on other hosts, in bundles. Executing a
// bundle requires only this file and the files that it names.
//
// It is text, one JSON object per line: a header, the files that the runs depend on with
// digests of their content, the runs, and a digest of all preceding lines. A list is
// written once and never changed; an edited or truncated list is rejected, because the
// keys would no longer identify the runs. docs/slurm.md describes the lines.
#ifndef BATCH_JOB_LIST_H
#define BATCH_JOB_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "run/run_spec.h"

typedef struct ListedRun {
  const char *key;    // RunLabels.job
  const char *label;  // for people
  uint32_t bundle;    // from 1
  uint32_t tries;     // that ended with a kill, before this list was written
  double seconds;     // that it is expected to take
  bool is_guess;      // no like run has been timed
  const RunSpec *spec;  // without db and job
} ListedRun;

typedef struct PinnedFile {
  const char *path;
  const char *digest;
} PinnedFile;

typedef struct JobList {
  Arena arena;
  uint32_t round;       // of the study: lists are numbered from 1
  const char *study;    // its name
  const char *store;    // absolute path of the study's store
  const char *folder;   // where runs are executed: relative paths begin there
  const char *heddle;   // absolute path of the program
  const char *version;  // of it
  const char *options;  // of sbatch, or "": not for Slurm
  uint32_t retries;     // a run is begun at most once more than this
  uint32_t processes;   // runs at a time in a bundle
  uint32_t array_size;  // bundles per job array; 0: not for Slurm
  uint32_t bundle_count;
  const char *digest;  // of the list; identifies it
  PinnedFile *files;
  size_t file_count, file_capacity;
  ListedRun *runs;
  size_t run_count, run_capacity;
} JobList;

enum { ALL_BUNDLES = 0 };

// The digest is set.
Status job_list_write(JobList *list, const char *path, Error *err);
// bundle: the runs of this bundle only, or ALL_BUNDLES.
Status job_list_read(JobList *list, const char *path, uint32_t bundle, Error *err);
void job_list_clear(JobList *list);

// Adds a file with the digest of its current content, unless it is already listed.
Status job_list_pin(JobList *list, const char *path, Error *err);
// Whether all of them still have the content that they had, and this process is
// the heddle that is among them.
Status job_list_check_files(const JobList *list, Error *err);

#endif
