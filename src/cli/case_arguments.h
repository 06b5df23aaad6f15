// SPDX-License-Identifier: MIT
// The arguments of a case file's launch, packed into a kernel's parameter
// block. Their sizes are those of the kernel's .param list.
#ifndef CLI_CASE_ARGUMENTS_H
#define CLI_CASE_ARGUMENTS_H

#include "frontends/casefile/case_run.h"
#include "isa/program.h"

// block: kernel->param_bytes, zeroed. Refuses a wrong number of arguments, and
// values that do not fit their parameter.
Status case_arguments_pack(const Function *kernel, const CaseLaunch *launch, uint8_t *block,
                           Error *err);

#endif
