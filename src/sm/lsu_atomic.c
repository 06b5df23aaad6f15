// SPDX-License-Identifier: MIT
// Atomics after they have left the latch, as far as their warp waits for them: the rest of a loop
// on shared memory that locks or compares and swaps, or the gap until the warp's next instruction.
// The warp is stalled, so that it has one of them at most.
#include "sm/lsu_stages.h"

// The cycles of a loop that takes locks count from its issue, when it took them.
static Cycle end_of(const Sm *sm, const Inflight *inflight, Cycle now) {
  bool locks = sm->config->shared_atomics == SHARED_ATOMICS_LOCK;
  Cycle end = (locks ? inflight->issued : now) + inflight->loop_cycles;
  return end > now ? end : now + 1;
}

static void begin(Lsu *lsu, uint32_t warp, Inflight *inflight, Cycle end) {
  lsu->looping |= UINT64_C(1) << warp;
  lsu->loops[warp] = inflight;
  lsu->loop_ends[warp] = end;
  lsu->loops_end = cycle_earlier(lsu->loops_end, end);
}

void lsu_begin_loop(Sm *sm, Inflight *inflight, Cycle now) {
  sm->lsu.latch = NULL;
  inflight->outstanding = 1;
  begin(&sm->lsu, inflight->warp, inflight, end_of(sm, inflight, now));
}

void lsu_begin_gap(Sm *sm, uint32_t warp, Cycle now) {
  begin(&sm->lsu, warp, NULL, now + sm->config->atomic_gap_cycles);
}

// What a loop returns is in a register when it ends; what the unit returns takes as long as a
// load. False: the pipe has no room for it.
static bool end_loop(Sm *sm, uint32_t w, Cycle now) {
  Inflight *inflight = sm->lsu.loops[w];
  bool has_pipe = inflight && inflight->info->is_load && !inflight->is_loop;
  if (has_pipe && shared_ring_is_full(&sm->lsu.shared_pipe)) return false;
  sm->lsu.awaited &= ~(UINT64_C(1) << w);
  if (sm->warps[w].atomics <= MAX_ATOMICS_IN_FLIGHT) sm->at_atomic &= ~(UINT64_C(1) << w);
  if (has_pipe)
    lsu_push_shared(sm, inflight, now);
  else if (inflight)
    lsu_serve(sm, inflight, now);
  return true;
}

void lsu_end_loops(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  lsu->loops_end = NEVER;
  sm->did_something = true;
  for (uint64_t left = lsu->looping; left; left &= left - 1) {
    uint32_t w = (uint32_t)__builtin_ctzll(left);
    if (lsu->loop_ends[w] <= now && end_loop(sm, w, now))
      lsu->looping &= ~(UINT64_C(1) << w);
    else
      lsu->loops_end = cycle_earlier(lsu->loops_end, lsu->loop_ends[w]);
  }
}
