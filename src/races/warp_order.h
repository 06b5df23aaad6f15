// SPDX-License-Identifier: MIT
// The order of one CTA's warps: its barriers and fences, as they move the warps' clocks.
//
//   barrier     all that the warps which arrive have done comes before what the released ones do
//   fence       what a warp has done so far is published by its later strong writes and atomics
//               (volatile ones included); points that it has read before are acquired
//   __syncwarp  orders the lanes of the warp: the warp's clock moves on
//
// A barrier also acquires, since programs that count CTAs rely on it: one thread counts,
// __syncthreads(), and the last CTA reads what the others wrote. It does not publish to other
// CTAs: that takes a fence.
#ifndef RACES_WARP_ORDER_H
#define RACES_WARP_ORDER_H

#include "exec/warp.h"
#include "races/sync_point.h"

// When a warp last executed a line that reads or writes memory.
typedef struct ExecutedLine {
  uint32_t key, clock;
} ExecutedLine;
enum { EXECUTED = 64 };
static inline uint32_t executed_key(uint32_t line, bool is_write) {
  return line << 1 | is_write;
}

typedef struct WarpOrder {
  uint32_t clock[MAX_CTA_WARPS];
  KnownSet known;
  KnownSet read;  // points read by strong accesses since the last fence or barrier
  bool has_fenced;
  Release fenced;  // what a strong write publishes
  KnownSet fenced_known;
  uint32_t barrier;  // where it waits, plus 1; 0: nowhere
  // By the low bits of the key: tells which of two accesses comes first in the program.
  ExecutedLine executed[EXECUTED];
} WarpOrder;

// Arrivals at a barrier since its last release.
typedef struct BarrierOrder {
  uint32_t clock[MAX_CTA_WARPS];
  KnownSet known;
  uint32_t arrived, waiting;
} BarrierOrder;

typedef struct CtaOrder {
  uint32_t cta;  // number among all CTAs of the run, from 1
  uint32_t warp_count;
  WarpOrder *warps;
  BarrierOrder barriers[CTA_BARRIERS + 1];
} CtaOrder;

void cta_order_init(CtaOrder *order, uint32_t cta, uint32_t warp_count);
void cta_order_clear(CtaOrder *order);

// Call before anything else that a warp does: exits of other warps may have released it.
void order_resume(CtaOrder *order, uint32_t warp);
// A warp has executed a barrier of the CTA, whose state is after its arrival.
void order_barrier(CtaOrder *order, const Cta *cta, uint32_t warp, uint32_t id, bool waits);
void order_cluster_arrive(CtaOrder *order, uint32_t warp);
void order_cluster_wait(CtaOrder *order, uint32_t warp);
void order_fence(CtaOrder *order, uint32_t warp, bool is_cta_scope);
void order_syncwarp(CtaOrder *order, uint32_t warp);

// Strong accesses of a warp to an address (owner as in sync_point_find).
void order_read_strong(CtaOrder *order, uint32_t warp, SyncPoints *points, uint64_t address,
                       uint32_t owner);
void order_write_strong(CtaOrder *order, uint32_t warp, SyncPoints *points, uint64_t address,
                        uint32_t owner);

#endif
