// SPDX-License-Identifier: MIT
// heddle run WORKLOAD --size SIZE -- OPTIONS: one of the programs that ship.
#ifndef CLI_WORKLOAD_RUN_H
#define CLI_WORKLOAD_RUN_H

#include <jansson.h>

#include "cli/verb.h"

// The first operand names it; words behind `--` are its options. result: as for
// program_run.
Status workload_run(const Arguments *arguments, json_t **result, Error *err);

#endif
