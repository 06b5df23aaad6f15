// SPDX-License-Identifier: MIT
// Detects inputs of `heddle run` that it cannot run as they are, such as sources, PTX and object
// files, and says by which commands they can be run.
#ifndef RUNNER_RUN_INPUT_H
#define RUNNER_RUN_INPUT_H

#include <stdbool.h>

#include "base/error.h"

// is_program: given after `--`, where executables are expected; otherwise a case file is.
// OK for whatever may be run, and for paths that do not exist unless they name a source.
Status run_input_check(const char *path, bool is_program, Error *err);

#endif
