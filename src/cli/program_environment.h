// SPDX-License-Identifier: MIT
// Environment of a program started by heddle run: Heddle's libraries come first
// in its library path, and options are passed as HEDDLE_* variables
// (device/options.h). Other variables of that prefix are removed.
#ifndef CLI_PROGRAM_ENVIRONMENT_H
#define CLI_PROGRAM_ENVIRONMENT_H

#include <limits.h>

#include "cli/verb.h"

// Finds the folder of Heddle's libraries: next to the executable in a build tree,
// ../lib/heddle after installation.
Status program_libraries_find(char folder[PATH_MAX], Error *err);

// report: folder for the results of the program. wants_launches: also write one
// result per launch.
Status program_environment_set(const Arguments *arguments, const char *report, bool wants_launches,
                               Error *err);

#endif
