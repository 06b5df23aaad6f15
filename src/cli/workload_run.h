// SPDX-License-Identifier: MIT
// heddle run WORKLOAD --size SIZE -- OPTIONS: one of the programs that ship.
#ifndef CLI_WORKLOAD_RUN_H
#define CLI_WORKLOAD_RUN_H

#include "cli/program_run.h"

// The first operand names it; words behind `--` are its options. The rest as for
// program_run.
Status workload_run(const Arguments *arguments, GpuConfig *config, RunOutcome *outcome, Error *err);

#endif
