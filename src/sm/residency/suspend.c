// SPDX-License-Identifier: MIT
// CTAs that leave their SM while they wait for kernels that they launched, so
// that those find room, and come back to any SM afterwards. Registers and
// shared memory move at no cost in time.
#include <string.h>

#include "base/memory.h"
#include "sm/sm.h"

// Nothing in flight may name the warp slot: an answer would be delivered to the slot's next
// warp.
static bool warp_is_quiet(const Sm *sm, uint32_t w) {
  const WarpSlot *slot = &sm->warps[w];
  uint64_t bit = UINT64_C(1) << w;
  bool is_fetched = sm->fetched.is_valid && sm->fetched.warp == w;
  bool has_accesses = slot->loads || sm_has_stores(sm, w);
  return !slot->in_pipeline && !has_accesses && !is_fetched &&
         !((sm->missing | sm->at_fence | sm->at_atomic | sm->ended) & bit);
}

bool sm_cta_waits(const CtaSlot *cta) {
  bool waits = false;
  if (!cta->kernel) return false;
  for (uint32_t i = 0; i < cta->cta.warp_count; i++) {
    WarpState state = cta->warps[i].state;
    if (state == WARP_RUNNING) return false;
    waits |= state == WARP_AT_CHILDREN;
  }
  return waits;
}

static bool cta_is_quiet(const Sm *sm, const CtaSlot *cta) {
  for (uint64_t left = cta->slots & sm->resident; left; left &= left - 1)
    if (!warp_is_quiet(sm, (uint32_t)__builtin_ctzll(left))) return false;
  return true;
}

static void remove_warp(Sm *sm, uint32_t w) {
  uint64_t others = ~(UINT64_C(1) << w);
  uint64_t *sets[] = {&sm->resident,  &sm->buffered,     &sm->ready,      &sm->stale,
                      &sm->ended,     &sm->missing,      &sm->at_barrier, &sm->at_fence,
                      &sm->at_atomic, &sm->waits_memory, &sm->at_access,  &sm->at_load,
                      &sm->loading};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) *sets[i] &= others;
  for (int u = 0; u < UNIT_KINDS; u++) sm->for_unit[u] &= others;
  sm_notify_scheduler(sm, w, false);
  sm->warps[w] = (WarpSlot){0};
}

bool sm_suspend_cta(Sm *sm, CtaSlot *slot, SuspendedCta *out) {
  if (!cta_is_quiet(sm, slot)) return false;
  for (uint64_t left = slot->slots & sm->resident; left; left &= left - 1)
    remove_warp(sm, (uint32_t)__builtin_ctzll(left));
  sm->threads_used -= slot->threads;
  sm->registers_used -= slot->registers;
  sm->shared_used -= slot->shared_bytes;
  sm->cta_count--;
  *out = (SuspendedCta){.kernel = slot->kernel,
                        .cta = slot->cta,
                        .warps = slot->warps,
                        .warp_capacity = slot->warp_capacity,
                        .shared = slot->shared,
                        .shared_capacity = slot->shared_capacity,
                        .warps_left = slot->warps_left,
                        .started = slot->started};
  *slot = (CtaSlot){0};
  *sm->wake = 0;
  return true;
}

void suspended_cta_clear(SuspendedCta *suspended) {
  for (uint32_t w = 0; w < suspended->warp_capacity; w++) warp_clear(&suspended->warps[w]);
  memory_free(suspended->warps);
  memory_free(suspended->shared);
}

static void free_slot_memory(CtaSlot *slot) {
  for (uint32_t w = 0; w < slot->warp_capacity; w++) warp_clear(&slot->warps[w]);
  memory_free(slot->warps);
  memory_free(slot->shared);
}

void sm_resume_cta(Sm *sm, SuspendedCta *suspended) {
  uint64_t warp_slots;
  CtaSlot *slot = sm_place_cta(sm, suspended->kernel, suspended->started, &warp_slots);
  free_slot_memory(slot);
  slot->warps = suspended->warps;
  slot->warp_capacity = suspended->warp_capacity;
  slot->shared = suspended->shared;
  slot->shared_capacity = suspended->shared_capacity;
  slot->cta = suspended->cta;
  slot->warps_left = suspended->warps_left;
  for (uint32_t i = 0; i < slot->cta.warp_count; i++) {
    Warp *warp = &slot->warps[i];
    warp->cta = &slot->cta;
    if (warp->state == WARP_DONE) continue;
    uint32_t w = (uint32_t)__builtin_ctzll(warp_slots);
    warp_slots &= warp_slots - 1;
    sm_place_warp(sm, slot, warp, w);
    sm->warps[w].fetch_pc = warp_top(warp)->pc;
  }
  sm_wake_cta(sm, slot);
}
