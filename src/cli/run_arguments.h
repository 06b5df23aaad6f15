// SPDX-License-Identifier: MIT
// The command line of `heddle run` as a run.
#ifndef CLI_RUN_ARGUMENTS_H
#define CLI_RUN_ARGUMENTS_H

#include "cli/verb.h"
#include "run/run_spec.h"

// The options that are rows of run_rows.def; others are left to the verb.
Status run_options_read(const Arguments *arguments, RunSpec *spec, Arena *arena, Error *err);
// The same and the operands: WORKLOAD -- OPTIONS, FILE.case, -- PROGRAM ARGUMENTS.
Status run_arguments_read(const Arguments *arguments, RunSpec *spec, Arena *arena, Error *err);

#endif
