// SPDX-License-Identifier: MIT
// The architecture that the PTX of a case file is built for.
#ifndef RUNNER_CASE_CASE_TARGET_H
#define RUNNER_CASE_CASE_TARGET_H

#include "frontends/casefile/case.h"

// 80 for `.target sm_80`, of the newest of its modules; 0 if it loads none that can be read.
uint32_t case_target(const Case *parsed);

#endif
