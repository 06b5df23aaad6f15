// SPDX-License-Identifier: MIT
// Waiting is cheap: an SM whose warps all wait in loops that read the clock (wait_loops.h), sleep,
// or stand at a barrier repeats its state after some cycles, a period. Once that is proven, whole
// periods pass at once, with the counters, register values and clock readings that simulating them
// would have given.
//
// The SM takes its state whenever one of its warps, the leader, branches back, and compares it with
// an earlier one (Brent's algorithm: no period is too long, and one state is kept). Two further
// periods must end in the same state; in the second, changes of registers are followed
// (wait_values.h), which gives the number of periods until a comparison has another outcome or a
// value wraps. Until then the SM need not be ticked: it is stalled, and wakes (*wake) in the cycle
// after the last such period. Whoever catches up with it earlier (sm_skip) gets whole periods and
// real ticks for the rest, and the search begins again.
//
// Not skipped: loops that access memory, such as one around a flag, since the traffic concerns the
// whole machine; SMs with accesses in flight; kernels with clusters; runs in which an observer
// wants each issued instruction or the race check watches; warp schedulers that are not
// is_timeless.
#ifndef SM_WAITING_WAITING_H
#define SM_WAITING_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"

typedef struct Sm Sm;
typedef struct SmWaiting SmWaiting;

SmWaiting *sm_waiting_create(void);
void sm_waiting_destroy(SmWaiting *waiting);

// The warp is about to execute an instruction of a wait loop.
void sm_waiting_step(Sm *sm, uint32_t w, Cycle now);
// The tick at `now` has ended, and *wake is set.
void sm_waiting_tick(Sm *sm, Cycle now);
// Whether cycles pass by sm_waiting_pass.
bool sm_waiting_is_passing(const SmWaiting *waiting);
void sm_waiting_pass(Sm *sm, Cycle cycles);
// The SM is about to change, and has caught up.
void sm_waiting_disturb(Sm *sm);
// Cycles that have passed in this way, since the SM was made.
uint64_t sm_waiting_passed(const SmWaiting *waiting);

#endif
