// SPDX-License-Identifier: MIT
// A folder of recordings (RunSpec.recordings): the first run of a program is recorded there, and
// later runs of it under other policies replay that instead of executing the program.
//
// The result of a run does not depend on it. A program is replayed only if its steps are the same
// under every schedule (trace/recording.h); why another one is executed stands in a file beside.
// Recordings are found by a digest of all that a program may see: its file, arguments, environment
// and the configuration of the GPU without policies. Simplified: files that a program reads, and
// decisions that it bases on measured times, are not.
#ifndef RUNNER_TRACE_KEPT_RECORDINGS_H
#define RUNNER_TRACE_KEPT_RECORDINGS_H

#include "run/run_machine.h"
#include "runner/run_outcome.h"

// Executes a program.
typedef Status (*ExecuteFn)(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome,
                            Error *err);

// spec->program is the path of an executable.
Status kept_recordings_run(const RunSpec *spec, RunMachine *machine, RunOutcome *outcome,
                           ExecuteFn execute, Error *err);

#endif
