// SPDX-License-Identifier: MIT
// What makes the steps of warps depend on their schedule, by instruction.
//
// A program without data races whose warps communicate through barriers only does the same under
// every schedule. The instructions here are those by which it could do otherwise.
#ifndef DEVICE_RECORDING_SCHEDULE_CAUSES_H
#define DEVICE_RECORDING_SCHEDULE_CAUSES_H

#include "isa/program.h"

// CAUSE_ bits (trace/recording.h) of an instruction that was executed.
uint32_t schedule_causes(const Program *program, uint32_t pc);

#endif
