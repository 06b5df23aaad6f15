// SPDX-License-Identifier: MIT
// nanosleep: a warp does not issue until its time is over. PTX allows up to twice the time that
// is asked for; here it is that time, so a wait costs no simulated instruction, and cycles in
// which all warps sleep are skipped.
#include "sm/sm.h"

static uint64_t bit_of(uint32_t w) {
  return UINT64_C(1) << w;
}

void sm_fall_asleep(Sm *sm, uint32_t w, Cycle now) {
  Cycle until = now + (Cycle)sm->context.sleep * sm->context.clock_mhz / 1000;
  sm->context.sleep = 0;
  if (until <= now + 1) return;
  sm->asleep |= bit_of(w);
  sm->warps[w].awake_at = until;
  sm->next_awake = cycle_earlier(sm->next_awake, until);
  // Sleep may be longer than what counts as a deadlock.
  if (sm->progress < until) sm->progress = until;
}

void sm_end_sleep(Sm *sm, Cycle now) {
  sm->next_awake = NEVER;
  for (uint64_t left = sm->asleep; left; left &= left - 1) {
    uint32_t w = (uint32_t)__builtin_ctzll(left);
    if (sm->warps[w].awake_at <= now)
      sm->asleep &= ~bit_of(w);
    else
      sm->next_awake = cycle_earlier(sm->next_awake, sm->warps[w].awake_at);
  }
  sm->did_something = true;
}
