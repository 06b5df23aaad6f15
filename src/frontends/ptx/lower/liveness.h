// SPDX-License-Identifier: MIT
// Liveness of the virtual registers of a function.
//
// Liveness is that of a scalar program: inactive lanes keep their registers, so
// divergence has no effect. A guarded instruction may leave its destination
// unchanged and therefore does not kill the previous value.
#ifndef FRONTENDS_PTX_LOWER_LIVENESS_H
#define FRONTENDS_PTX_LOWER_LIVENESS_H

#include "frontends/ptx/lower/lower.h"

// First and last program point at which a register is live. Instruction i
// reads at point 2i and writes at point 2i + 1. begin > end: never used.
typedef struct LiveInterval {
  uint32_t begin, end;
} LiveInterval;

typedef struct Liveness {
  LiveInterval *intervals;  // by virtual register
  uint32_t most_live;       // maximum of simultaneously live 32-bit registers, without predicates
  uint32_t live_at_calls;   // likewise, live across calls
} Liveness;

// Returns false if the function is too large to analyse.
bool liveness_compute(Liveness *liveness, const Lowering *lowering, const Flow *flow);
void liveness_clear(Liveness *liveness);

// Registers ordered by the start of their live interval, for qsort.
typedef struct LifeOrder {
  uint32_t begin, v;
} LifeOrder;
int life_by_begin(const void *a, const void *b);

// Calls visit for every stretch: a maximal live segment of a register within one
// block, in program points as above. Within a block the last stretches come
// first. Returns false if the function is too large to analyse.
typedef void (*StretchFn)(void *state, uint32_t v, uint32_t begin, uint32_t end);
bool liveness_each_stretch(const Lowering *lowering, const Flow *flow, StretchFn visit,
                           void *state);

// Calls visit for every virtual register that an instruction names.
typedef enum PlaceUse {
  PLACE_READ,
  PLACE_WRITTEN,
  PLACE_TEMPORARY,  // written before the instruction reads it
} PlaceUse;
typedef void (*PlaceFn)(void *state, Place *place, PlaceUse use);
void instruction_each_place(Instruction *in, const Function *function, PlaceFn visit, void *state);

// Marks registers, of which there is an entry each, whose words arithmetic instructions read from
// constant memory themselves.
void constant_operands_find(const Lowering *lowering, bool *is_operand);

#endif
