// SPDX-License-Identifier: MIT
// Cycles in which no scheduler has a warp to try. While answers come in, the sets of warps mostly
// are as they were in the cycle before: then every slot has the reason that it had, for the same
// access. The reasons follow from the sets (stall.c), unless a warp waits for a unit, and those can
// be tried.
#include "sm/sm.h"

static bool has_same_sets(const Sm *sm, const Standstill *last) {
  WarpSets difference = sm->sets[0] ^ last->sets[0];
  for (int i = 1; i < WARP_SETS / SETS_AT_ONCE; i++) difference |= sm->sets[i] ^ last->sets[i];
  return !(difference[0] | difference[1] | difference[2] | difference[3]);
}

bool sm_stands_still(const Sm *sm) {
  const Standstill *last = &sm->standstill;
  return last->is_known && sm->resident == last->resident && has_same_sets(sm, last) &&
         sm->was_resident == last->was_resident && sm->empty_state == last->empty_state &&
         lsu_has_conflicts(&sm->lsu) == last->has_conflicts;
}

void sm_note_standstill(Sm *sm) {
  Standstill *now = &sm->standstill;
  now->is_known = true;
  now->resident = sm->resident;
  now->was_resident = sm->was_resident;
  now->empty_state = sm->empty_state;
  now->has_conflicts = lsu_has_conflicts(&sm->lsu);
  for (int i = 0; i < WARP_SETS / SETS_AT_ONCE; i++) now->sets[i] = sm->sets[i];
}

void sm_repeat_reasons(Sm *sm) {
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++) {
    SlotReason use = sm->schedulers[s].use;
    sm->stats.slots[use]++;
    if (sm->loaders) sm_blame(sm, s, use);
  }
}
