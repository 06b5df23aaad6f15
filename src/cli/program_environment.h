// SPDX-License-Identifier: MIT
// The environment in which heddle run starts a program: the folder of our
// libraries first in its library path, and the options as HEDDLE_* variables
// (device/options.h), which are the only ones of that name.
#ifndef CLI_PROGRAM_ENVIRONMENT_H
#define CLI_PROGRAM_ENVIRONMENT_H

#include "cli/verb.h"

// report: the folder for its results; wants_launches: each of them, too.
Status program_environment_set(const Arguments *arguments, const char *report, bool wants_launches,
                               Error *err);

#endif
