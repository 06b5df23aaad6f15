// SPDX-License-Identifier: MIT
// Why the load/store unit takes no more instructions (policies/slot_reason.h).
#include "sm/lsu/lsu_stages.h"

// Misses that wait for the network fill the queue before it.
static SlotReason queue_reason(const Lsu *lsu, const Cache *cache) {
  const CacheMiss *miss = cache_miss_front(cache);
  if (!miss) return SLOT_miss_queue;
  RequestKind kind = miss->write ? REQUEST_WRITE : REQUEST_READ;
  return network_port_is_full(lsu->ports.network, kind, miss->bytes) ? SLOT_network
                                                                     : SLOT_miss_queue;
}

static SlotReason refusal_reason(const Lsu *lsu, const Cache *cache, FailReason reason) {
  switch (reason) {
    case FAIL_line: return SLOT_reservation;
    case FAIL_queue: return queue_reason(lsu, cache);
    default: return SLOT_mshr;
  }
}

// The latch waits for space in the L1D's queue, whose head may be blocked.
static SlotReason l1d_reason(const Lsu *lsu, const Inflight *latch) {
  if (lsu_queue_has_room(lsu, &latch->accesses[latch->access_next])) return SLOT_lsu;
  const MemRequest *head = access_ring_front(&lsu->l1_queue)->request;
  if (lsu->is_blocked) return refusal_reason(lsu, lsu->l1d[head->l1_part], lsu->block_reason);
  return head->bypass_l1 ? SLOT_network : SLOT_lsu;
}

static SlotReason bypass_reason(const Lsu *lsu, const Inflight *latch) {
  RequestKind kind = latch->info->is_atomic || latch->info->is_store ? REQUEST_WRITE : REQUEST_READ;
  uint32_t bytes = latch->accesses[latch->access_next].bytes;
  return network_port_is_full(lsu->ports.network, kind, bytes) ? SLOT_network : SLOT_lsu;
}

// Constants and textures are looked up from the latch.
static SlotReason block_reason(const Lsu *lsu, const Cache *cache) {
  if (!cache) return SLOT_lsu;
  CacheRoom room = cache_room(cache);
  if (!room.mshrs) return SLOT_mshr;
  return room.queue ? SLOT_lsu : queue_reason(lsu, cache);
}

static bool has_conflicts(const Inflight *latch) {
  return latch->path == PATH_SHARED && latch->bank_cycles > 1;
}

bool lsu_has_conflicts(const Lsu *lsu) {
  return lsu->latch && has_conflicts(lsu->latch);
}

// The latch may be empty: operands have been collected, but the unit has not taken them yet.
SlotReason lsu_busy_reason(const Lsu *lsu) {
  const Inflight *latch = lsu->latch;
  switch (latch ? latch->path : PATH_NONE) {
    case PATH_SHARED: return has_conflicts(latch) ? SLOT_bank_conflict : SLOT_lsu;
    case PATH_CONSTANT: return block_reason(lsu, lsu->l1c);
    case PATH_TEXTURE: return block_reason(lsu, lsu->l1t);
    case PATH_L1D: return lsu->l1_parts ? l1d_reason(lsu, latch) : bypass_reason(lsu, latch);
    case PATH_BYPASS: return bypass_reason(lsu, latch);
    default: return SLOT_lsu;
  }
}
