// SPDX-License-Identifier: MIT
// Environment of a program that Heddle starts: Heddle's libraries come first in its library path,
// and HEDDLE_RUN names the file with the run and its resolved configuration (run/run_json.h).
#ifndef RUNNER_PROGRAM_PROGRAM_ENVIRONMENT_H
#define RUNNER_PROGRAM_PROGRAM_ENVIRONMENT_H

#include <limits.h>

#include "run/run_machine.h"

// Finds the folder of Heddle's libraries: next to the executable in a build tree, ../lib/heddle
// after installation.
Status program_libraries_find(char folder[PATH_MAX], Error *err);

// report: folder for the description of the run and the results of the program. wants_launches:
// also write one result per launch. The environment keeps the texts of spec->environment.
Status program_environment_set(const RunSpec *spec, RunMachine *machine, const char *report,
                               bool wants_launches, Error *err);

#endif
