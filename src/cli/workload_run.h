// SPDX-License-Identifier: MIT
// heddle run WORKLOAD --size SIZE -- OPTIONS: runs a shipped program.
#ifndef CLI_WORKLOAD_RUN_H
#define CLI_WORKLOAD_RUN_H

#include "cli/program_run.h"

// The first operand names the workload; words after `--` are its options. Otherwise
// as program_run.
Status workload_run(const Arguments *arguments, GpuConfig *config, RunOutcome *outcome, Error *err);

#endif
