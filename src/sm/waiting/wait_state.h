// SPDX-License-Identifier: MIT
// The state of an SM whose warps only wait, relative to the cycle: two cycles with equal states are
// followed by the same events, as long as nothing reaches the SM from outside and each instruction
// has the same active lanes (wait_values.h).
#ifndef SM_WAITING_WAIT_STATE_H
#define SM_WAITING_WAIT_STATE_H

#include "sm/sm.h"

typedef struct WaitState {
  uint64_t *words;
  uint32_t count, capacity;
} WaitState;

// Of the SM after its tick at `now`; false: it is not at rest, or does something that is not
// described here.
bool wait_state_take(WaitState *state, const Sm *sm, Cycle now);
bool wait_state_is_equal(const WaitState *a, const WaitState *b);
void wait_state_clear(WaitState *state);

// Counters, which are no part of it: they grow by the same amounts in each period.
typedef struct WaitCounters {
  SmStats stats;
  CacheStats l1i;
  uint64_t code_prefetches_used;
  uint64_t turns, issue_order;
  uint64_t blamed[MAX_SCHEDULERS];
  uint64_t instructions[MAX_WARPS_PER_SM], thread_instructions[MAX_WARPS_PER_SM];
  uint64_t *policies;  // statistics of the warp schedulers
  uint32_t policy_count;
} WaitCounters;

void wait_counters_take(WaitCounters *counters, const Sm *sm);
// Whether what they have counted since could repeat: all code was in the L1I.
bool wait_counters_repeat(const WaitCounters *before, const Sm *sm);
void wait_counters_clear(WaitCounters *counters);

// Lets `periods` pass, of so many cycles each; the last began with these counters, and has ended in
// the tick at `now`. Values of registers are not its affair.
void wait_state_pass(Sm *sm, const WaitCounters *before, Cycle now, Cycle cycles, uint64_t periods);

#endif
