// SPDX-License-Identifier: MIT
// The run before a run: some policies know what a recorded run tells them (PolicyType.recorder).
// Where no file is named, heddle runs the program once under the GPU's own policies to record
// one, drops what the program prints, and hands the file to the run that was asked for.
//
// The program runs twice, so it must neither read standard input nor leave files that it
// minds to find again.
#ifndef CLI_RECORDED_RUN_H
#define CLI_RECORDED_RUN_H

#include "base/scratch_folder.h"
#include "cli/arguments.h"
#include "gpu/gpu_config.h"

typedef struct RecordedRun {
  bool is_made;         // else none was needed
  Arguments arguments;  // of the second run: the same, and the file
  ScratchFolder folder;
  Arena arena;
} RecordedRun;

// config: what the arguments come to.
Status recorded_run_make(RecordedRun *run, const Arguments *arguments, const GpuConfig *config,
                         const PolicySet *plugins, Error *err);
void recorded_run_clear(RecordedRun *run);

#endif
