// SPDX-License-Identifier: MIT
// Runs a CUDA program on the simulated GPU, as a child process.
#ifndef RUNNER_PROGRAM_PROGRAM_RUN_H
#define RUNNER_PROGRAM_PROGRAM_RUN_H

#include "run/run_machine.h"
#include "runner/run_outcome.h"

// Runs spec->program, waits for it and prints its table. Fails with ERR_PROGRAM and the exit code
// or signal if the program failed. outcome may be NULL; it is also set if the program failed or
// was killed, and its result is NULL if the program was not started.
Status program_run(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome, Error *err);

#endif
