// SPDX-License-Identifier: MIT
// The last stage of the load/store unit. Results of all paths compete for one
// write-back port per cycle; an instruction retires with its last transaction.
#include "sm/lsu_stages.h"

// ---- the end of an instruction

static void count_latency(Lsu *lsu, const Inflight *inflight, Cycle cycles) {
  lsu->stats.load_latency_cycles += cycles;
  lsu->stats.loads_done++;
  if (inflight->path == PATH_SHARED || inflight->path == PATH_CONSTANT) return;
  lsu->stats.memory_latency_cycles += cycles;
  lsu->stats.memory_loads_done++;
}

static void finish(Sm *sm, Inflight *inflight, Cycle now) {
  if (inflight->info->is_load && inflight->path != PATH_NONE) {
    count_latency(&sm->lsu, inflight, now - inflight->issued);
    if (sm->events) sm_emit_done(sm, inflight, now);
  }
  sm_release(sm, inflight);
  inflight_pool_give(&sm->inflights, inflight);
  sm->did_something = true;
}

// An instruction may be served completely while transactions of it are still in
// the latch (hits). Whichever of the two ends comes last retires it, so both check.
void lsu_leave_latch(Sm *sm, Inflight *inflight, Cycle now) {
  sm->lsu.latch = NULL;
  if (!inflight->outstanding) finish(sm, inflight, now);
}

void lsu_end_blocks(Sm *sm, Inflight *inflight, Cycle now) {
  if (!inflight->outstanding) finish(sm, inflight, now);
}

void lsu_serve(Sm *sm, Inflight *inflight, Cycle now) {
  inflight->outstanding--;
  if (!inflight->outstanding && inflight != sm->lsu.latch) finish(sm, inflight, now);
}

// Without sm.exit_awaits_stores the slot may hold a warp of another CTA by now.
static bool is_of_its_warp(const Sm *sm, const MemRequest *request) {
  const Requester *now = &sm->requesters[request->requester.warp], *then = &request->requester;
  return then->kernel == now->kernel && then->cta == now->cta;
}

// Stores are acknowledged per reply packet, which holds a sector or a whole request: with
// sm.exit_awaits_stores, a warp that has exited keeps its CTA resident until its stores reach
// zero.
static void acknowledge(Sm *sm, MemRequest *request, uint32_t sectors) {
  WarpSlot *slot = &sm->warps[request->requester.warp];
  if (request->waiter != NO_WAITER && is_of_its_warp(sm, request)) {
    slot->stores = (uint16_t)(slot->stores - sectors);
    sm->lingering &= ~(UINT64_C(1) << request->requester.warp);
  }
  request->sectors_left = (uint8_t)(request->sectors_left - sectors);
  if (!request->sectors_left) request_pool_give(&sm->requests, request);
}

void lsu_acknowledge_all(Sm *sm, MemRequest *request) {
  acknowledge(sm, request, request->sectors_left);
}

// ---- write-back port

void lsu_write_result(Sm *sm, Cycle now) {
  Inflight *inflight = sm->lsu.result;
  Collectors *collectors = &sm->collectors[inflight->sub_core];
  sm->did_something = true;
  uint64_t banks = collectors_destinations(collectors, inflight);
  // A bank writes one result per step; the loser keeps the port and tries again.
  if (banks & collectors->written) return;
  collectors->written |= banks;
  sm->lsu.result = NULL;
  lsu_serve(sm, inflight, now);
}

// A warp that waited for its atomics may issue again when the last has returned (issue.c), unless
// it waits for one on shared memory.
static void end_atomic(Sm *sm, const MemRequest *request) {
  WarpSlot *slot = &sm->warps[request->requester.warp];
  uint64_t bit = UINT64_C(1) << request->requester.warp;
  sm->lingering &= ~bit;
  if (--slot->atomics == 0) sm->at_atomic &= ~(bit & ~sm->lsu.awaited);
}

Inflight *lsu_waiter_of(Sm *sm, MemRequest *request) {
  uint32_t waiter = request->waiter;
  request_pool_give(&sm->requests, request);
  return waiter == NO_WAITER ? NULL : sm->inflights.all[waiter];
}

// Stores that waited for their line, prefetches, and what an oracle has answered
// before, need no port: they are done.
static Inflight *next_of_cache(Sm *sm, Cache *cache) {
  while (cache && cache_has_ready(cache)) {
    uint32_t sector;
    MemRequest *request = cache_next_ready(cache, &sector);
    lsu_unblock(&sm->lsu);  // an MSHR may have become free
    sm->did_something = true;
    if (request->kind == REQUEST_WRITE) {
      lsu_acknowledge_all(sm, request);
      continue;
    }
    bool is_emitted = request->waiter == NO_WAITER && request->kind != REQUEST_PREFETCH;
    if (sm->events && !is_emitted) sm_emit_answer(sm, request, SERVED_BY_MERGE);
    if (request->waiter != NO_WAITER) return lsu_waiter_of(sm, request);
    request_pool_give(&sm->requests, request);
    sm->prefetches--;
  }
  return NULL;
}

static Inflight *next_of_l1d(Sm *sm) {
  Lsu *lsu = &sm->lsu;
  Inflight *inflight = NULL;
  for (uint32_t i = 0; i < lsu->l1_parts && !inflight; i++)
    inflight = next_of_cache(sm, lsu->l1d[i]);
  return inflight;
}

// shared_ready caches the head of the pipe: has_results() asks every cycle.
static Inflight *next_of_shared(Lsu *lsu, Cycle now) {
  if (lsu->shared_ready > now) return NULL;
  SharedRing *pipe = &lsu->shared_pipe;
  Inflight *inflight = shared_ring_pop(pipe).inflight;
  lsu->shared_ready = shared_ring_is_empty(pipe) ? NEVER : shared_ring_front(pipe)->ready;
  return inflight;
}

static Cycle pipe_ready(const SharedRing *pipe) {
  return shared_ring_is_empty(pipe) ? NEVER : shared_ring_front(pipe)->ready;
}

// Hits that have waited their latency come before fills.
static Inflight *next_of_blocks(Sm *sm, SharedRing *pipe, Cache *cache, Cycle now) {
  Lsu *lsu = &sm->lsu;
  if (lsu->block_ready <= now && pipe_ready(pipe) <= now) {
    Inflight *inflight = shared_ring_pop(pipe).inflight;
    lsu->block_ready =
        cycle_earlier(pipe_ready(&lsu->constant_pipe), pipe_ready(&lsu->texture_pipe));
    return inflight;
  }
  return lsu->has_fills ? next_of_cache(sm, cache) : NULL;
}

// Each source yields one result or none; pulling one has side effects (an MSHR or a pipe slot
// becomes free), so a source is asked only in its turn.
static Inflight *next_result(Sm *sm, ResultSource source, Cycle now) {
  Lsu *lsu = &sm->lsu;
  switch (source) {
    case RESULT_SHARED: return next_of_shared(lsu, now);
    case RESULT_TEXTURE: return next_of_blocks(sm, &lsu->texture_pipe, lsu->l1t, now);
    case RESULT_CONSTANT: return next_of_blocks(sm, &lsu->constant_pipe, lsu->l1c, now);
    case RESULT_L1D: return lsu->has_fills ? next_of_l1d(sm) : NULL;
    default: {
      if (!lsu->bypass_result) return NULL;
      MemRequest *request = lsu->bypass_result;
      lsu->bypass_result = NULL;
      if (request->kind == REQUEST_ATOMIC) end_atomic(sm, request);
      if (sm->events) sm_emit_answer(sm, request, SERVED_BY_MERGE);
      return lsu_waiter_of(sm, request);
    }
  }
}

static bool has_results(const Lsu *lsu, Cycle now) {
  return lsu->has_fills || lsu->bypass_result || lsu->shared_ready <= now ||
         lsu->block_ready <= now;
}

void lsu_choose_result(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  if (!has_results(lsu, now)) return;
  for (uint32_t i = 0; i < RESULT_SOURCES && !lsu->result; i++) {
    ResultSource source = (lsu->next_source + i) % RESULT_SOURCES;
    lsu->result = next_result(sm, source, now);
    if (!lsu->result) continue;
    // Round robin over the sources: otherwise a stream of hits would starve fills, whose MSHRs
    // in turn block lookups.
    lsu->next_source = (uint8_t)((source + 1) % RESULT_SOURCES);
    sm->did_something = true;
    return;
  }
  // No source had a result: until the next fill the caches need not be asked.
  lsu->has_fills = false;
}

// ---- answers from the network

static Cache *cache_of(Lsu *lsu, const MemRequest *request) {
  switch (request->kind) {
    case REQUEST_CONSTANT: return lsu->l1c;
    case REQUEST_TEXTURE: return lsu->l1t;
    default: return lsu->l1d[request->l1_part];
  }
}

void lsu_take_response(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  if (response_ring_is_empty(&lsu->responses)) return;
  const Packet *packet = response_ring_front(&lsu->responses);
  MemRequest *request = packet->request;
  uint32_t sectors = packet_sectors(packet);
  bool is_last = request->sectors_left == sectors;
  bool from_dram = is_last && request->served_by == SERVED_BY_DRAM;
  RequestKind kind = request->kind;
  if (request->kind == REQUEST_WRITE) {
    acknowledge(sm, request, sectors);
  } else if (request->bypass_l1) {
    // One result waits for the port at a time. The response stays at the head of its
    // queue, and back-pressure reaches the network.
    if (is_last && lsu->bypass_result) return;
    request->sectors_left = (uint8_t)(request->sectors_left - sectors);
    if (is_last) lsu->bypass_result = request;
  } else {
    request->sectors_left = (uint8_t)(request->sectors_left - sectors);
    if (is_last) {
      cache_fill(cache_of(lsu, request), request->address, request->address, now);
      lsu->has_fills = true;
    }
    if (is_last && lsu->policies) l1d_policies_fill(sm, request, now);
    if (is_last && request->waiter == FETCH_ONLY) request_pool_give(&sm->requests, request);
    lsu_unblock(lsu);
  }
  lsu->stats.dram_reads += from_dram && kind == REQUEST_READ;
  lsu->stats.dram_atomics += from_dram && kind == REQUEST_ATOMIC;
  response_ring_pop(&lsu->responses);
  sm->did_something = true;
}
