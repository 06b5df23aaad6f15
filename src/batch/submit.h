// SPDX-License-Identifier: MIT
// Submitting runs: a new round with its list, its bundles and, for Slurm, its
// job arrays.
#ifndef BATCH_SUBMIT_H
#define BATCH_SUBMIT_H

#include <stdio.h>

#include "batch/job_list.h"

typedef struct SubmitOptions {
  bool is_slurm;
  char *const *slurm_options;  // of sbatch; ends with NULL
  double element_seconds;      // least length of a bundle
  FILE *messages;              // or NULL
} SubmitOptions;

// list: complete but for round, bundles and what Slurm limits; its runs have
// expected times. folder: of all rounds. *round_folder: of the new one, in the list's arena. Some
// arrays may be submitted and others refused, for a limit on jobs, say: that is
// reported, and not an error unless it is the first.
Status submit_round(JobList *list, const char *folder, const SubmitOptions *options,
                    const char **round_folder, Error *err);

#endif
