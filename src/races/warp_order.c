// SPDX-License-Identifier: MIT
// The order of one CTA's warps: its barriers and fences, as they move the warps' clocks.
#include "races/warp_order.h"

#include <string.h>

#include "base/memory.h"

void cta_order_init(CtaOrder *order, uint32_t cta, uint32_t warp_count) {
  *order = (CtaOrder){
      .cta = cta, .warp_count = warp_count, .warps = memory_alloc(sizeof(WarpOrder) * warp_count)};
  for (uint32_t w = 0; w < warp_count; w++) order->warps[w].clock[w] = 1;
}

void cta_order_clear(CtaOrder *order) {
  for (uint32_t w = 0; w < order->warp_count; w++) {
    known_clear(&order->warps[w].known);
    known_clear(&order->warps[w].read);
    known_clear(&order->warps[w].fenced_known);
  }
  for (uint32_t b = 0; b <= CTA_BARRIERS; b++) known_clear(&order->barriers[b].known);
  memory_free(order->warps);
  order->warps = NULL;
}

static void advance(WarpOrder *own, uint32_t warp) {
  if (own->clock[warp] < CLOCK_LIMIT) own->clock[warp]++;
}

static void acquire(CtaOrder *order, uint32_t warp) {
  WarpOrder *own = &order->warps[warp];
  for (uint32_t i = 0; i < own->read.count; i++)
    sync_point_acquire(own->read.items[i].point, &own->known, order->cta, own->clock,
                       order->warp_count);
  own->known.is_everything |= own->read.is_everything;
  own->read.count = 0;
  own->read.is_everything = false;
}

// ---- barriers

static void learn(CtaOrder *order, uint32_t warp, const BarrierOrder *barrier) {
  WarpOrder *own = &order->warps[warp];
  clocks_join(own->clock, barrier->clock, order->warp_count);
  known_join(&own->known, &barrier->known);
  own->barrier = 0;
}

static void contribute(CtaOrder *order, uint32_t warp, BarrierOrder *barrier) {
  WarpOrder *own = &order->warps[warp];
  acquire(order, warp);
  clocks_join(barrier->clock, own->clock, order->warp_count);
  known_join(&barrier->known, &own->known);
  advance(own, warp);
}

static void release(CtaOrder *order, BarrierOrder *barrier) {
  for (uint32_t left = barrier->waiting; left; left &= left - 1)
    learn(order, (uint32_t)__builtin_ctz(left), barrier);
  known_clear(&barrier->known);
  *barrier = (BarrierOrder){0};
}

void order_resume(CtaOrder *order, uint32_t warp) {
  uint32_t at = order->warps[warp].barrier;
  if (!at) return;
  if (at == CLUSTER_BARRIER + 1)
    learn(order, warp, &order->barriers[CLUSTER_BARRIER]);
  else
    release(order, &order->barriers[at - 1]);
}

void order_barrier(CtaOrder *order, const Cta *cta, uint32_t warp, uint32_t id, bool waits) {
  BarrierOrder *barrier = &order->barriers[id];
  uint32_t arrived = cta->barriers[id].arrived_warps;
  // Those before it were released by an exit: this is the first arrival of the next round.
  if (arrived && arrived != barrier->arrived + 1) release(order, barrier);
  contribute(order, warp, barrier);
  barrier->arrived++;
  if (waits) {
    barrier->waiting |= 1u << warp;
    order->warps[warp].barrier = id + 1;
  }
  if (!arrived) release(order, barrier);
}

// What has arrived stays: a warp may wait after the others have arrived for the next phase, and
// then knows more than it should, which reports no false race.
void order_cluster_arrive(CtaOrder *order, uint32_t warp) {
  contribute(order, warp, &order->barriers[CLUSTER_BARRIER]);
}

void order_cluster_wait(CtaOrder *order, uint32_t warp) {
  order->warps[warp].barrier = CLUSTER_BARRIER + 1;
}

void order_syncwarp(CtaOrder *order, uint32_t warp) {
  advance(&order->warps[warp], warp);
}

// ---- fences and strong accesses

// A fence of the CTA's scope does not replace what one of the GPU's has published.
void order_fence(CtaOrder *order, uint32_t warp, bool is_cta_scope) {
  WarpOrder *own = &order->warps[warp];
  acquire(order, warp);
  if (!is_cta_scope || !own->has_fenced || own->fenced.is_cta_scope) {
    own->has_fenced = true;
    own->fenced = (Release){.cta = order->cta, .is_cta_scope = is_cta_scope};
    memcpy(own->fenced.clock, own->clock, sizeof own->clock);
    own->fenced_known.count = 0;
    known_join(&own->fenced_known, &own->known);
  }
  advance(own, warp);
}

void order_read_strong(CtaOrder *order, uint32_t warp, SyncPoints *points, uint64_t address,
                       uint32_t owner) {
  SyncPoint *point = points->points ? sync_point_find(points, address, owner, false) : NULL;
  if (point) known_add(&order->warps[warp].read, point, 0);
}

void order_write_strong(CtaOrder *order, uint32_t warp, SyncPoints *points, uint64_t address,
                        uint32_t owner) {
  const WarpOrder *own = &order->warps[warp];
  if (!own->has_fenced) return;
  sync_point_release(sync_point_find(points, address, owner, true), &own->fenced, warp,
                     &own->fenced_known);
}
