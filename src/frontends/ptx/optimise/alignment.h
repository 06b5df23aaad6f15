// SPDX-License-Identifier: MIT
// Known alignment of register contents.
#ifndef FRONTENDS_PTX_OPTIMISE_ALIGNMENT_H
#define FRONTENDS_PTX_OPTIMISE_ALIGNMENT_H

#include "frontends/ptx/optimise/graph.h"

typedef struct Alignments {
  uint8_t *zeros;  // by register: number of low-order bits that are always zero
} Alignments;

// Flow-insensitive: considers all writers of each register.
void alignments_find(Alignments *alignments, const Lowering *lowering);
void alignments_clear(Alignments *alignments);
// Number of low-order bits of an access's address that are always zero.
uint32_t address_zeros(const Alignments *alignments, const Lowering *lowering,
                       const Instruction *in);

#endif
