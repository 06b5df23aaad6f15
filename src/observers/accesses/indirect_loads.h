// SPDX-License-Identifier: MIT
// Indirect loads: loads whose address depends on memory, as in a[b[i]], lists and trees.
//
// A register holds data if it is written by a load from global, local or shared memory, by a
// texture fetch, or by an instruction that reads such a register. The analysis is
// flow-insensitive, as compilers assign most values separate registers. Parameters of called
// functions are not tracked, nor are stored values, because every load yields data.
#ifndef OBSERVERS_ACCESSES_INDIRECT_LOADS_H
#define OBSERVERS_ACCESSES_INDIRECT_LOADS_H

#include "isa/program.h"

// By pc; the caller gives it back with memory_free.
bool *indirect_loads_find(const Program *program);

#endif
