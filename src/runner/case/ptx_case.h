// SPDX-License-Identifier: MIT
// A case file for a PTX module, as an example for people who have only the PTX.
#ifndef RUNNER_CASE_PTX_CASE_H
#define RUNNER_CASE_PTX_CASE_H

#include "base/arena.h"
#include "base/error.h"

// *text: a case file that launches the first kernel of the module whose parameters are scalars,
// with one warp, one buffer per 64-bit integer, and the value 1 for other numbers; every line is
// indented. NULL if the module has no such kernel. Fails if the module cannot be loaded.
Status ptx_case_text(const char *path, Arena *arena, const char **text, Error *err);

#endif
