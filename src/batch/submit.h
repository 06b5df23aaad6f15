// SPDX-License-Identifier: MIT
// Submitting runs: a new round with its list, its bundles and, for Slurm, its
// job arrays.
#ifndef BATCH_SUBMIT_H
#define BATCH_SUBMIT_H

#include <stdio.h>

#include "batch/job_list.h"

typedef struct SubmitOptions {
  bool is_slurm;
  char *const *slurm_options;  // of sbatch; NULL-terminated
  double element_seconds;      // least length of a bundle
  FILE *messages;              // or NULL
} SubmitOptions;

// list: complete except for round, bundles and Slurm's limits; its runs have expected
// times. folder: of all rounds. *round_folder: of the new one, in the list's arena. If Slurm
// rejects some arrays, for example because of a job limit, that is reported, and is an
// error only for the first array.
Status submit_round(JobList *list, const char *folder, const SubmitOptions *options,
                    const char **round_folder, Error *err);

#endif
