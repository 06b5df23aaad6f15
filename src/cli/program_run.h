// SPDX-License-Identifier: MIT
// heddle run -- PROGRAM ARGUMENTS: a CUDA program with the simulated GPU in
// place of a real one.
#ifndef CLI_PROGRAM_RUN_H
#define CLI_PROGRAM_RUN_H

#include "cli/verb.h"

// Runs arguments->program and waits for it. A program that fails is an
// ERR_PROGRAM that names its exit code or signal.
Status program_run(const Arguments *arguments, Error *err);

#endif
