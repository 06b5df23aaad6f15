// SPDX-License-Identifier: MIT
// heddle run -- PROGRAM ARGUMENTS: a CUDA program with the simulated GPU in
// place of a real one.
#ifndef CLI_PROGRAM_RUN_H
#define CLI_PROGRAM_RUN_H

#include <jansson.h>

#include "cli/verb.h"

// Runs arguments->program and waits for it. A program that fails is an
// ERR_PROGRAM that names its exit code or signal. result: gets what --json
// writes, also of a program that failed, or NULL if there is nothing; may be
// NULL.
Status program_run(const Arguments *arguments, json_t **result, Error *err);

#endif
