// SPDX-License-Identifier: MIT
// When the next instruction of a warp can issue, as far as its registers go: the sets that
// depend on it, and what changes when an instruction has written its registers.
#include "sm/sm.h"

static uint64_t bit_of(uint32_t w) {
  return UINT64_C(1) << w;
}

static void prefetch_lanes(const Warp *warp, Place place) {
  if (place < 0) return;  // a constant, or nothing
  uintptr_t lanes = (uintptr_t)warp->base[0] + (uintptr_t)place;
  __builtin_prefetch((const void *)lanes);
  __builtin_prefetch((const void *)(lanes + 64));
}

// The registers of all warps exceed the host's caches, and an instruction accesses several at once:
// they are on their way while it waits for its turn.
void sm_prefetch_registers(const Sm *sm, uint32_t w) {
  const WarpSlot *slot = &sm->warps[w];
  const Warp *warp = slot->warp;
  const Instruction *in = &warp->code[slot->buffer_pc];
  __builtin_prefetch(warp_top(warp));
  prefetch_lanes(warp, in->dst[0]);
  for (int i = 0; i < 3; i++) prefetch_lanes(warp, in->src[i]);
}

// Recomputes all sets that depend on the next instruction of a warp. Schedulers read only these
// sets, so every change of a buffer, a pc or a scoreboard must end here or in sm_release().
void sm_refresh_head(Sm *sm, uint32_t w) {
  WarpSlot *slot = &sm->warps[w];
  uint64_t bit = bit_of(w);
  sm->buffered &= ~bit;
  sm->ready &= ~bit;
  sm->late &= ~bit;
  sm->stale &= ~bit;
  sm->at_access &= ~bit;
  sm->at_load &= ~bit;
  sm->at_outside &= ~bit;
  sm->at_release &= ~bit;
  sm->followed &= ~bit;
  if (slot->loads) sm->awaits_known &= ~bit;
  if (!slot->buffer_count) return;
  sm->buffered |= bit;
  if (warp_top(slot->warp)->pc != slot->buffer_pc) {
    // Fetched behind a taken branch. It stays in the buffer until a scheduler picks the warp, which
    // costs that scheduler a try (flushes_all).
    sm->stale |= bit;
    return;
  }
  const IssueInfo *info = &slot->table->infos[slot->buffer_pc];
  UnitKind unit = info->unit;
  if (info->is_access) {
    sm->at_access |= bit;
    if (info->is_load) sm->at_load |= bit;
  }
  if (info->leads_outside) sm->at_outside |= bit;
  if (info->leads_to_release) sm->at_release |= bit;
  // slot->unit remembers where the bit is: a warp is in one set of for_unit at most.
  sm->for_unit[slot->unit] &= ~bit;
  sm->for_unit[unit] |= bit;
  slot->unit = (uint8_t)unit;
  if (!sm_needs_any(sm, w, BOARD_PENDING)) sm_mark_ready(sm, w);
}

// Order matters: scoreboards are cleared first, then `loads`, then the warp is tested for
// readiness.
void sm_release(Sm *sm, Inflight *inflight) {
  const IssueInfo *info = inflight->info;
  uint32_t w = inflight->warp;
  WarpSlot *slot = &sm->warps[w];
  scoreboard_clear(sm_scoreboard(sm, w, BOARD_PENDING), info);
  if (info->async) sm_async_done(sm, inflight);
  if (info->is_load) scoreboard_clear(sm_scoreboard(sm, w, scoreboard_of_load(inflight)), info);
  if (sm->late_results) sm_note_result(sm, inflight);
  slot->in_pipeline--;
  if (info->drops_l1 && !info->is_fence) sm_flush_l1(sm);
  sm->lingering &= ~bit_of(w);
  sm->followed &= ~bit_of(w);
  if (info->is_load && --slot->loads == 0) {
    sm->loading &= ~bit_of(w);
    sm->waits_memory &= ~bit_of(w);
    if (sm->scheduler_type->on_long_wait)
      sm->scheduler_type->on_long_wait(sm->schedulers[w % sm->config->warp_schedulers].state,
                                       (int)w, false);
  }
  if (slot->loads) sm->awaits_known &= ~bit_of(w);
  // Its next instruction is the same as before; at most it has what it waited for.
  bool waits = sm->buffered & ~(sm->ready | sm->stale) & bit_of(w);
  if (waits && !sm_needs_any(sm, w, BOARD_PENDING)) sm_mark_ready(sm, w);
}
