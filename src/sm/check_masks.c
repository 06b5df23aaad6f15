// SPDX-License-Identifier: MIT
// The invariants of the sets of warps, as stated in sm.h.
//
// What issues, stalls and retires follows from the sets alone. One that was not brought up to date
// shows as a wrong cycle count much later, or not at all; here it stops in the cycle of the slip.
#include <assert.h>

#include "sm/sm.h"

static bool is_within(uint64_t part, uint64_t whole) {
  return !(part & ~whole);
}

static bool is_in(uint64_t set, uint32_t w) {
  return set >> w & 1;
}

static void check_sets(const Sm *sm) {
  uint64_t held =
      sm->at_barrier | sm->at_fence | sm->at_atomic | sm->at_copies | sm->at_launch | sm->asleep;
  uint64_t running = sm->resident & ~sm->ended;
  assert(is_within(sm->lingering, sm->ended) && is_within(sm->ended, sm->resident));
  assert(is_within(held | sm->buffered | sm->missing, running));
  assert(is_within(sm->loading, sm->resident) && is_within(sm->waits_memory, sm->loading));
  assert(is_within(sm->awaits_stores | sm->drops_l1, sm->at_fence));
  assert(!(sm->missing & sm->buffered));
  assert(!sm->fetched.is_valid || !is_in(sm->missing | sm->buffered, sm->fetched.warp));
  assert(is_within(sm->ready | sm->late | sm->stale, sm->buffered));
  assert(!(sm->ready & sm->late) && !((sm->ready | sm->late) & sm->stale));
  assert(is_within(sm->at_load, sm->at_access) &&
         is_within(sm->at_access, sm->buffered & ~sm->stale));
  assert(is_within(sm->lsu.looping, sm->lsu.awaited) && is_within(sm->lsu.awaited, sm->at_atomic));
}

// Of warps that have a next instruction which they execute.
static void check_head(const Sm *sm, uint32_t w) {
  const WarpSlot *slot = &sm->warps[w];
  const IssueInfo *info = &slot->table->infos[slot->buffer_pc];
  bool has_registers = is_in(sm->ready | sm->late, w);
  assert(slot->unit == info->unit);
  for (UnitKind u = 0; u < UNIT_KINDS; u++) assert(is_in(sm->for_unit[u], w) == (u == info->unit));
  assert(is_in(sm->at_access, w) == info->is_access);
  assert(is_in(sm->at_load, w) == (info->is_access && info->is_load));
  assert(has_registers == !sm_needs_any(sm, w, BOARD_PENDING));
  if (is_in(sm->late, w))
    assert(slot->operands_at > sm->context.clock && slot->operands_at >= sm->next_late);
  if (!is_in(sm->awaits_known & sm->loading, w)) return;
  assert(is_in(sm->awaits_far, w) == sm_needs_any(sm, w, BOARD_FAR));
  assert(is_in(sm->awaits_near, w) == sm_needs_any(sm, w, BOARD_NEAR));
}

static void check_warp(const Sm *sm, uint32_t w) {
  const WarpSlot *slot = &sm->warps[w];
  WarpState state = slot->warp->state;
  bool waits = state == WARP_AT_BARRIER || state == WARP_AT_CHILDREN;
  assert(is_in(sm->ended, w) == (state == WARP_DONE));
  assert(is_in(sm->at_barrier, w) == waits || sm->ctas[slot->cta].barrier_passed ||
         sm->ctas[slot->cta].cta.cluster);
  assert(is_in(sm->loading, w) == (slot->loads > 0));
  assert(is_in(sm->buffered, w) == (slot->buffer_count > 0));
  if (!slot->buffer_count) return;
  assert(is_in(sm->stale, w) == (warp_top(slot->warp)->pc != slot->buffer_pc));
  if (!is_in(sm->stale, w)) check_head(sm, w);
}

// The reasons that are counted again are those that would be found.
static void check_standstill(const Sm *sm) {
  if (!sm_stands_still(sm)) return;
  Sm asked = *sm;
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++) {
    uint64_t warps = sm->schedulers[s].warps, able = sm_able_warps(sm, sm->resident & warps);
    assert(!(able & (sm->ready | sm->stale)));
    assert(sm_stall_reason(&asked, warps, able, false) == sm->schedulers[s].use);
  }
}

void sm_check_masks(const Sm *sm) {
  check_sets(sm);
  check_standstill(sm);
  for (uint64_t left = sm->resident; left; left &= left - 1)
    check_warp(sm, (uint32_t)__builtin_ctzll(left));
}
