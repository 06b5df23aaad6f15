// SPDX-License-Identifier: MIT
// Profiling run for policies that need a profile of an earlier run (PolicyType.recorder). If no
// file is given, heddle first runs the program under the GPU's default policies to record one,
// discards the output of the program, and passes the file to the actual run.
//
// The program runs twice, so it must neither read standard input nor depend on the files that it
// writes.
#ifndef CLI_RECORDED_RUN_H
#define CLI_RECORDED_RUN_H

#include "base/scratch_folder.h"
#include "cli/arguments.h"
#include "gpu/gpu_config.h"

typedef struct RecordedRun {
  bool is_made;         // false: no profile was needed
  Arguments arguments;  // of the actual run: the original ones and the profile
  ScratchFolder folder;
  Arena arena;
} RecordedRun;

// config: resolved from the arguments.
Status recorded_run_make(RecordedRun *run, const Arguments *arguments, const GpuConfig *config,
                         const PolicySet *plugins, Error *err);
void recorded_run_clear(RecordedRun *run);

#endif
