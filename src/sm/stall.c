// SPDX-License-Identifier: MIT
// Why a scheduler issued nothing: one reason per slot (policies/slot_reason.h).
//
// A scheduler has many warps, each with its own reason. The warp closest to issue counts:
// one that lacks only a unit before one that lacks a register, and that before one without
// an instruction. Reasons do not depend on the cycle: skipped cycles have the reason of the
// last one.
#include "sm/lsu_stages.h"

// ---- the load/store unit

// Misses that wait for the network fill the queue before it.
static SlotReason queue_reason(const Sm *sm, const Cache *cache) {
  const CacheMiss *miss = cache_miss_front(cache);
  if (!miss) return SLOT_miss_queue;
  RequestKind kind = miss->write ? REQUEST_WRITE : REQUEST_READ;
  return network_port_is_full(&sm->network, kind, miss->bytes) ? SLOT_network : SLOT_miss_queue;
}

static SlotReason refusal_reason(const Sm *sm, const Cache *cache, FailReason reason) {
  switch (reason) {
    case FAIL_line: return SLOT_reservation;
    case FAIL_queue: return queue_reason(sm, cache);
    default: return SLOT_mshr;
  }
}

// The latch waits for space in the L1D's queue, whose head may be blocked.
static SlotReason l1d_reason(const Sm *sm, const Inflight *latch) {
  const Lsu *lsu = &sm->lsu;
  if (lsu_queue_has_room(lsu, &latch->accesses[latch->access_next])) return SLOT_lsu;
  const MemRequest *head = access_ring_front(&lsu->l1_queue)->request;
  if (lsu->is_blocked) return refusal_reason(sm, lsu->l1d[head->l1_part], lsu->block_reason);
  return head->bypass_l1 ? SLOT_network : SLOT_lsu;
}

static SlotReason bypass_reason(const Sm *sm, const Inflight *latch) {
  RequestKind kind = latch->info->is_atomic || latch->info->is_store ? REQUEST_WRITE : REQUEST_READ;
  uint32_t bytes = latch->accesses[latch->access_next].bytes;
  return network_port_is_full(&sm->network, kind, bytes) ? SLOT_network : SLOT_lsu;
}

// Constants and textures are looked up from the latch.
static SlotReason block_reason(const Sm *sm, const Cache *cache) {
  if (!cache) return SLOT_lsu;
  CacheRoom room = cache_room(cache);
  if (!room.mshrs) return SLOT_mshr;
  return room.queue ? SLOT_lsu : queue_reason(sm, cache);
}

static bool has_conflicts(const Inflight *latch) {
  return latch->path == PATH_SHARED && latch->bank_cycles > 1;
}

// The latch may be empty: operands have been collected, but the unit has not taken them yet.
static SlotReason lsu_reason(const Sm *sm) {
  const Lsu *lsu = &sm->lsu;
  const Inflight *latch = lsu->latch;
  switch (latch ? latch->path : PATH_NONE) {
    case PATH_SHARED: return has_conflicts(latch) ? SLOT_bank_conflict : SLOT_lsu;
    case PATH_CONSTANT: return block_reason(sm, lsu->l1c);
    case PATH_TEXTURE: return block_reason(sm, lsu->l1t);
    case PATH_L1D: return lsu->l1_parts ? l1d_reason(sm, latch) : bypass_reason(sm, latch);
    case PATH_BYPASS: return bypass_reason(sm, latch);
    default: return SLOT_lsu;
  }
}

// ---- units

// The unit that most of the warps wait for.
static UnitKind wanted_unit(const Sm *sm, const Collectors *collectors, uint64_t warps) {
  uint32_t full = collectors->full_units;
  UnitKind wanted = (UnitKind)__builtin_ctz(full);
  if (!(full & (full - 1))) return wanted;
  int most = 0;
  for (; full; full &= full - 1) {
    int unit = __builtin_ctz(full), count = __builtin_popcountll(warps & sm->for_unit[unit]);
    // With equal counts the later kind wins. That order is arbitrary, but fixed, so that runs
    // repeat.
    if (count < most) continue;
    most = count;
    wanted = (UnitKind)unit;
  }
  return wanted;
}

// The unit takes no more, or could, if operands were there.
static SlotReason unit_reason(Sm *sm, uint64_t warps) {
  uint32_t first = (uint32_t)__builtin_ctzll(warps);
  const Collectors *collectors = &sm->collectors[sm_sub_core(sm, first)];
  UnitKind unit = wanted_unit(sm, collectors, warps);
  const Latch *execute = &collectors->execute[unit];
  if (!collectors->sets[unit].free && latch_has_room(execute)) return SLOT_operands;
  if (unit == UNIT_MEM) {
    if (sm->lsu_reason == SLOT_issued) sm->lsu_reason = lsu_reason(sm);  // for all schedulers
    return sm->lsu_reason;
  }
  const Inflight *busy = collectors_oldest(collectors, unit);
  if (!busy) busy = collectors->issue[unit].entries[0];
  return busy->info->busy_slot;
}

// ---- warps

// Which of the warps need registers that loads will write.
// Comparing scoreboards is the expensive part of a stall. The answer holds until the head or a
// load of the warp changes, which clears awaits_known (release.c).
static void find_awaited(Sm *sm, uint64_t warps) {
  sm->awaits_known |= warps;
  sm->awaits_far &= ~warps;
  sm->awaits_near &= ~warps;
  for (; warps; warps &= warps - 1) {
    uint32_t w = (uint32_t)__builtin_ctzll(warps);
    if (sm_needs_any(sm, w, BOARD_FAR)) sm->awaits_far |= UINT64_C(1) << w;
    if (sm_needs_any(sm, w, BOARD_NEAR)) sm->awaits_near |= UINT64_C(1) << w;
  }
}

// Without other warps to run, a conflict is a wait for the access that has it. Of warps that
// wait for different things, far counts before near, and near before arithmetic.
static SlotReason register_reason(Sm *sm, uint64_t warps) {
  warps &= sm->loading;
  uint64_t unknown = warps & ~sm->awaits_known;
  if (unknown) find_awaited(sm, unknown);
  if (warps & sm->awaits_far) return SLOT_memory;
  if (!(warps & sm->awaits_near)) return SLOT_dependency;
  const Inflight *latch = sm->lsu.latch;
  return latch && has_conflicts(latch) ? SLOT_bank_conflict : SLOT_shared;
}

static SlotReason barrier_reason(const Sm *sm, uint64_t warps) {
  const Warp *first = sm->warps[__builtin_ctzll(warps)].warp;
  bool launches = first->state == WARP_AT_CHILDREN || warps & sm->at_launch;
  return launches ? SLOT_children : SLOT_barrier;
}

// From the warp closest to issuing to the one furthest from it. Every state that excludes a
// warp from sm_able_warps() must be named here, or its slots would be counted as something
// else; the sum over all reasons is checked at the end of a run.
SlotReason sm_stall_reason(Sm *sm, uint64_t warps, bool flushed) {
  uint64_t resident = warps & sm->resident, running = resident & ~sm->ended;
  if (!resident) return sm_empty_reason(sm, warps);
  if (!running) return SLOT_drain;
  uint64_t able = sm_able_warps(sm, warps);
  if (able & sm->ready) return unit_reason(sm, able & sm->ready);
  if (flushed) return SLOT_flush;
  if (able & ~sm->ready) return register_reason(sm, able & ~sm->ready);
  if (running & ~(sm->buffered | sm->at_barrier | sm->at_fence | sm->at_atomic | sm->at_launch))
    return SLOT_fetch;
  if (running & sm->at_atomic) return SLOT_atomic;
  return running & sm->at_fence ? SLOT_fence : barrier_reason(sm, running);
}
