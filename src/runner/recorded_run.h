// SPDX-License-Identifier: MIT
// Profiling run for policies that need a profile of an earlier run (PolicyType.recorder). If no
// file is given, the program first runs under the GPU's default policies to record one, with its
// output discarded, and the file becomes an input of the actual run.
//
// The program runs twice, so it must neither read standard input nor depend on the files that it
// writes.
#ifndef RUNNER_RECORDED_RUN_H
#define RUNNER_RECORDED_RUN_H

#include "base/files/scratch_folder.h"
#include "run/run_machine.h"

typedef struct RecordedRun {
  bool is_made;  // false: no profile was needed
  RunSpec spec;  // the actual run: the original one and the profile
  ScratchFolder folder;
  Arena arena;
} RecordedRun;

// machine: of the spec.
Status recorded_run_make(RecordedRun *run, const RunSpec *spec, const RunMachine *machine,
                         Error *err);
void recorded_run_clear(RecordedRun *run);

#endif
