// SPDX-License-Identifier: MIT
// heddle run -- PROGRAM ARGUMENTS: a CUDA program with the simulated GPU in
// place of a real one.
#ifndef CLI_PROGRAM_RUN_H
#define CLI_PROGRAM_RUN_H

#include "cli/run_outcome.h"
#include "cli/verb.h"
#include "gpu/gpu_config.h"

// Runs arguments->program, waits for it and prints its table. A program that
// fails is an ERR_PROGRAM that names its exit code or signal. config: what the
// arguments mean. outcome: also of a program that failed or was killed; its result
// is NULL if it was never started; may be NULL.
Status program_run(const Arguments *arguments, GpuConfig *config, RunOutcome *outcome, Error *err);

#endif
