// SPDX-License-Identifier: MIT
// heddle run -- PROGRAM ARGUMENTS: runs a CUDA program on the simulated GPU.
#ifndef CLI_PROGRAM_RUN_H
#define CLI_PROGRAM_RUN_H

#include "cli/run_outcome.h"
#include "cli/verb.h"
#include "gpu/gpu_config.h"

// Runs arguments->program, waits for it and prints its table. Fails with
// ERR_PROGRAM and the exit code or signal if the program failed. config: resolved
// from the arguments. outcome may be NULL; it is also set if the program failed or
// was killed, and its result is NULL if the program was not started.
Status program_run(const Arguments *arguments, GpuConfig *config, RunOutcome *outcome, Error *err);

#endif
