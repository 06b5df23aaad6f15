// SPDX-License-Identifier: MIT
// The variables of a program in device memory.
#ifndef EXEC_PROGRAM_IMAGE_H
#define EXEC_PROGRAM_IMAGE_H

#include "exec/memory/device_memory.h"
#include "isa/program.h"

Status program_place_variables(const Program *program, DeviceMemory *memory, Error *err);

#endif
