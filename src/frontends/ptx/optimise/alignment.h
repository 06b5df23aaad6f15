// SPDX-License-Identifier: MIT
// What is known of the alignment of the contents of registers.
#ifndef FRONTENDS_PTX_OPTIMISE_ALIGNMENT_H
#define FRONTENDS_PTX_OPTIMISE_ALIGNMENT_H

#include "frontends/ptx/optimise/graph.h"

typedef struct Alignments {
  uint8_t *zeros;  // by register: how many of its lowest bits are always zero
} Alignments;

// From all writers of each register, wherever they stand.
void alignments_find(Alignments *alignments, const Lowering *lowering);
void alignments_clear(Alignments *alignments);
// How many of the lowest bits of an access's address are always zero.
uint32_t address_zeros(const Alignments *alignments, const Lowering *lowering,
                       const Instruction *in);

#endif
