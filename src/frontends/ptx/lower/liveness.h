// SPDX-License-Identifier: MIT
// Where the virtual registers of a function are alive.
//
// A thread's registers live as in any scalar program: lanes that are not
// active keep theirs, so divergence changes nothing. A guarded instruction
// may leave its destination as it was and so ends no life.
#ifndef FRONTENDS_PTX_LOWER_LIVENESS_H
#define FRONTENDS_PTX_LOWER_LIVENESS_H

#include "frontends/ptx/lower/lower.h"

// From the first to the last moment at which it holds a value. Instruction i
// reads at 2i and has written at 2i + 1. begin > end: never used.
typedef struct LiveInterval {
  uint32_t begin, end;
} LiveInterval;

typedef struct Liveness {
  LiveInterval *intervals;  // by virtual register
  uint32_t most_live;       // 32-bit registers alive at once, predicates left out
  uint32_t live_at_calls;   // the same across calls
} Liveness;

// False if the function is absurdly large.
bool liveness_compute(Liveness *liveness, const Lowering *lowering, const Flow *flow);
void liveness_clear(Liveness *liveness);

// Registers in the order in which they come to life, for qsort.
typedef struct LifeOrder {
  uint32_t begin, v;
} LifeOrder;
int life_by_begin(const void *a, const void *b);

// Every stretch in which a register is alive, moments as above; a block's last
// stretches first. Stretches end at the borders of blocks. False if the function
// is absurdly large.
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

#endif
