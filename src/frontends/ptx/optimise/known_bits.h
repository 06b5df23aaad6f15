// SPDX-License-Identifier: MIT
// How many low bits of an integer register can be set. Registers of 16 bits are kept in 32, upper
// ones zero, as bytes and halves that were loaded are: converting such a value to a type that has
// all its bits is a copy, and ptxas has no instruction for it (sm_75, sm_86).
#ifndef FRONTENDS_PTX_OPTIMISE_KNOWN_BITS_H
#define FRONTENDS_PTX_OPTIMISE_KNOWN_BITS_H

#include "frontends/ptx/optimise/graph.h"

// Of an operand that is read at index; its register's width where nothing is known.
int operand_known_bits(const Graph *graph, Place place, uint32_t index, int bits);

#endif
