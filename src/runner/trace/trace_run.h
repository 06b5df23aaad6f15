// SPDX-License-Identifier: MIT
// Runs the kernels of a trace (frontends/accelsim/) in this process.
#ifndef RUNNER_TRACE_TRACE_RUN_H
#define RUNNER_TRACE_TRACE_RUN_H

#include "run/run_machine.h"
#include "runner/run_outcome.h"

// spec->program is a kernelslist.g or one kernel's trace. Kernels of different streams that no copy
// separates may overlap. outcome may be NULL.
Status trace_run_file(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome, Error *err);

#endif
