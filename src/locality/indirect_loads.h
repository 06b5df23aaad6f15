// SPDX-License-Identifier: MIT
// Which loads of a program take their address from memory: a[b[i]], lists, trees.
//
// A register holds data if a load from global, local or shared memory or a texture fetch
// writes it, or an instruction that reads such a register. Order and control flow are left
// out: compilers give most values a register of their own. What passes through parameters
// of called functions is not followed, nor what is stored and loaded again, since every
// load gives data.
#ifndef LOCALITY_INDIRECT_LOADS_H
#define LOCALITY_INDIRECT_LOADS_H

#include "isa/program.h"

// By pc; the caller gives it back with memory_free.
bool *indirect_loads_find(const Program *program);

#endif
