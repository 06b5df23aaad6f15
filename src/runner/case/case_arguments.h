// SPDX-License-Identifier: MIT
// Packs the arguments of a launch in a case file into the kernel's parameter
// block. The kernel's .param list determines their sizes.
#ifndef RUNNER_CASE_CASE_ARGUMENTS_H
#define RUNNER_CASE_CASE_ARGUMENTS_H

#include "frontends/casefile/case_run.h"
#include "isa/program.h"

// block: kernel->param_bytes bytes, zeroed. Fails on a wrong number of arguments
// and on values that do not fit their parameter.
Status case_arguments_pack(const Function *kernel, const CaseLaunch *launch, uint8_t *block,
                           Error *err);

#endif
