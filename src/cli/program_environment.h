// SPDX-License-Identifier: MIT
// The environment in which heddle run starts a program: the folder of our
// libraries first in its library path, and the options as HEDDLE_* variables
// (device/options.h), which are the only ones of that name.
#ifndef CLI_PROGRAM_ENVIRONMENT_H
#define CLI_PROGRAM_ENVIRONMENT_H

#include <limits.h>

#include "cli/verb.h"

// The folder of our libraries: beside heddle in a build tree, ../lib/heddle once
// installed.
Status program_libraries_find(char folder[PATH_MAX], Error *err);

// report: the folder for its results; wants_launches: each of them, too.
Status program_environment_set(const Arguments *arguments, const char *report, bool wants_launches,
                               Error *err);

#endif
