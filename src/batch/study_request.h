// SPDX-License-Identifier: MIT
// How a study is to be run: where, by how many processes, and what is written.
#ifndef BATCH_STUDY_REQUEST_H
#define BATCH_STUDY_REQUEST_H

#include "run/run_spec.h"

typedef enum StudyQuestion { ASK_NOTHING, ASK_STATUS, ASK_CANCEL } StudyQuestion;

enum { RETRIES_DEFAULT = 2, ELEMENT_SECONDS_DEFAULT = 60 };
#define NOT_GIVEN UINT32_MAX

typedef struct StudyRequest {
  const char *db;            // store of the runs
  const char *report;        // page (.html) or its data (.json) to write; or NULL
  RunList plugin;            // paths
  uint32_t processes;        // at a time; 0: one per core, elsewhere one per job
  bool quiet;                // no progress and no tables
  const char *on;            // "slurm" or "commands"; NULL: here, or as `resume` says
  const char *slurm;         // options of sbatch, or a file of them; or NULL
  bool resume;               // where the last round was submitted
  uint32_t retries;          // of a killed run, or NOT_GIVEN
  uint32_t element_seconds;  // least expected length of a job, or NOT_GIVEN
  StudyQuestion question;    // asked of submitted runs instead of running
} StudyRequest;

#endif
