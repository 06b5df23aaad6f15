// SPDX-License-Identifier: MIT
// Warps that have ended leave the SM, and with the last of them their CTA.
#include "exec/cluster.h"
#include "sm/sm.h"

// Acknowledgements for a warp that did not wait for them are distinguished from those of its
// successor by their CTA (lsu_write_back.c).
static bool can_retire(const Sm *sm, uint32_t w) {
  const WarpSlot *slot = &sm->warps[w];
  bool awaits_stores = sm->lsu.stores[w] && sm->config->exit_awaits_stores;
  return !slot->in_pipeline && !awaits_stores && !slot->loads && !sm->lsu.atomics[w];
}

static void free_room(Sm *sm, const LeavingCta *cta) {
  sm->threads_used -= cta->threads;
  sm->registers_used -= cta->registers;
  sm->shared_used -= cta->shared_bytes;
  sm->cta_count--;
}

// What is counted stays taken, so that no other CTA starts; the slots themselves are free.
static void leave(Sm *sm, const CtaSlot *cta) {
  uint32_t turnaround = sm->config->cta_turnaround_cycles;
  LeavingCta leaving = {.free_at = sm->context.clock + 1 + turnaround,
                        .threads = cta->threads,
                        .registers = cta->registers,
                        .shared_bytes = cta->shared_bytes};
  if (turnaround)
    leaving_ring_push(&sm->leaving, leaving);
  else
    free_room(sm, &leaving);
}

Cycle sm_free_room(Sm *sm, Cycle now) {
  LeavingRing *leaving = &sm->leaving;
  for (; !leaving_ring_is_empty(leaving); leaving_ring_pop(leaving)) {
    const LeavingCta *cta = leaving_ring_front(leaving);
    if (cta->free_at > now) return cta->free_at;
    free_room(sm, cta);
  }
  return NEVER;
}

static void end_cta(Sm *sm, CtaSlot *cta) {
  leave(sm, cta);
  if (sm->events) sm_emit_cta(sm, cta, EVENT_CTA_END, sm->context.clock);
  EndedCta ended = {.kernel = cta->kernel, .cta = cta->cta.linear};
  for (uint32_t w = 0; w < cta->cta.warp_count; w++) {
    ended.warp_instructions += cta->warps[w].instructions;
    ended.thread_instructions += cta->warps[w].thread_instructions;
  }
  sm->ended_ctas[sm->ctas_ended++] = ended;
  cta->kernel = NULL;
  cta->cluster_passed = 0;
  if (cta->cta.cluster) cluster_leave(&cta->cta);  // the GPU frees it (cta_clusters.c)
  sm->stats.ctas++;
  sm->stats.cta_cycles += sm->context.clock - cta->started;
}

static void retire(Sm *sm, uint32_t w) {
  WarpSlot *slot = &sm->warps[w];
  uint64_t bit = UINT64_C(1) << w;
  CtaSlot *cta = &sm->ctas[slot->cta];
  sm->resident &= ~bit;
  sm->ended &= ~bit;
  sm_notify_scheduler(sm, w, false);
  slot->warp = NULL;
  sm->did_something = true;
  if (--cta->warps_left == 0) end_cta(sm, cta);
}

// `lingering` warps are skipped until something of theirs returns: most scans find nothing new.
void sm_retire(Sm *sm, uint64_t fetchable) {
  uint64_t done = sm->ended & ~sm->lingering;
  uint32_t last = sm->last_fetched;
  while (done) {
    int w = next_warp(done, (int)last);
    if (fetchable) {
      int stop = next_warp(fetchable | UINT64_C(1) << w, (int)last);
      if (stop != w) return;
    }
    uint64_t bit = UINT64_C(1) << w;
    if (can_retire(sm, (uint32_t)w))
      retire(sm, (uint32_t)w);
    else
      sm->lingering |= bit;
    done &= ~bit;
  }
}
