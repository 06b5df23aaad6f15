// SPDX-License-Identifier: MIT
// Atomics, as far as their warp waits for them: after the latch, the rest of a loop on shared
// memory that locks or compares and swaps, or the gap until the warp's next instruction. The warp
// is stalled, so that it has one of them at most.
#include "sm/lsu/lsu_stages.h"

static uint64_t bit_of(uint32_t w) {
  return UINT64_C(1) << w;
}

// ---- issue

// In GPGPU-Sim a warp issues nothing while an atomic of its own is in flight, whether it returns
// a value or not. Hardware stalls only where the result is needed; the limit protects the counter.
bool lsu_await_atomic(Lsu *lsu, const Inflight *inflight) {
  uint32_t w = inflight->warp;
  const SmConfig *config = lsu->config;
  lsu->atomics[w] = (uint16_t)(lsu->atomics[w] + inflight->access_count);
  bool has_gap = !config->atomics_stall_warp && config->atomic_gap_cycles;
  if (has_gap) lsu->awaited |= bit_of(w);
  return has_gap || config->atomics_stall_warp || lsu->atomics[w] > MAX_ATOMICS_IN_FLIGHT;
}

// Locks are taken in the order of issue.
void lsu_await_shared_atomic(Lsu *lsu, Inflight *inflight, const MemoryAccess *access,
                             uint64_t base) {
  lsu->awaited |= bit_of(inflight->warp);
  if (!lsu->locks.count || !inflight->is_loop) return;
  uint32_t mask =
      access->space == SPACE_SHARED ? access->mask : access->generic_shared & access->mask;
  Cycle done = shared_locks_take(&lsu->locks, lsu->config, access, mask, base,
                                 inflight->info->adder_cycles, inflight->issued);
  inflight->loop_cycles = (uint32_t)(done - inflight->issued);
}

// ---- after the latch

// The cycles of a loop that takes locks count from its issue, when it took them.
static Cycle end_of(const Lsu *lsu, const Inflight *inflight, Cycle now) {
  bool has_locks = lsu->locks.count && inflight->is_loop;
  Cycle end = (has_locks ? inflight->issued : now) + inflight->loop_cycles;
  return end > now ? end : now + 1;
}

static void begin(Lsu *lsu, uint32_t warp, Inflight *inflight, Cycle end) {
  lsu->looping |= bit_of(warp);
  lsu->loops[warp] = inflight;
  lsu->loop_ends[warp] = end;
  lsu->loops_end = cycle_earlier(lsu->loops_end, end);
}

void lsu_begin_loop(Lsu *lsu, Inflight *inflight, Cycle now) {
  lsu->latch = NULL;
  inflight->outstanding = 1;
  begin(lsu, inflight->warp, inflight, end_of(lsu, inflight, now));
}

void lsu_begin_gap(Lsu *lsu, uint32_t warp, Cycle now) {
  begin(lsu, warp, NULL, now + lsu->config->atomic_gap_cycles);
}

// What a loop returns is in a register when it ends; what the unit returns takes as long as a
// load. False: the pipe has no room for it.
static bool end_loop(Lsu *lsu, uint32_t w, Cycle now) {
  Inflight *inflight = lsu->loops[w];
  bool has_pipe = inflight && inflight->info->is_load && !inflight->is_loop;
  if (has_pipe && shared_ring_is_full(&lsu->shared_pipe)) return false;
  lsu->awaited &= ~bit_of(w);
  if (lsu->atomics[w] <= MAX_ATOMICS_IN_FLIGHT) lsu->signals.atomics_over |= bit_of(w);
  if (has_pipe)
    lsu_push_shared(lsu, inflight, now);
  else if (inflight)
    lsu_serve(lsu, inflight, now);
  return true;
}

void lsu_end_loops(Lsu *lsu, Cycle now) {
  lsu->loops_end = NEVER;
  lsu->signals.did_something = true;
  for (uint64_t left = lsu->looping; left; left &= left - 1) {
    uint32_t w = (uint32_t)__builtin_ctzll(left);
    if (lsu->loop_ends[w] <= now && end_loop(lsu, w, now))
      lsu->looping &= ~bit_of(w);
    else
      lsu->loops_end = cycle_earlier(lsu->loops_end, lsu->loop_ends[w]);
  }
}
