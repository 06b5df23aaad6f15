// SPDX-License-Identifier: MIT
// The last stage of the load/store unit. Results of all paths compete for one
// write-back port per cycle; an instruction retires with its last transaction.
#include "sm/lsu/lsu_stages.h"

// ---- the end of an instruction

static void count_latency(Lsu *lsu, const Inflight *inflight, Cycle cycles) {
  lsu->stats.load_latency_cycles += cycles;
  lsu->stats.loads_done++;
  if (inflight->path == PATH_SHARED || inflight->path == PATH_CONSTANT) return;
  lsu->stats.memory_latency_cycles += cycles;
  lsu->stats.memory_loads_done++;
}

static void finish(Lsu *lsu, Inflight *inflight, Cycle now) {
  if (inflight->info->async && lsu->ports.hold && lsu->ports.hold(lsu->ports.owner, inflight))
    return;
  if (inflight->info->is_load && inflight->path != PATH_NONE) {
    count_latency(lsu, inflight, now - inflight->issued);
    if (lsu->events) emit_done(lsu->events, inflight, lsu_requester(lsu, inflight), now);
  }
  lsu->ports.release(lsu->ports.owner, inflight);
  inflight_pool_give(lsu->ports.inflights, inflight);
  lsu->signals.did_something = true;
}

// An instruction may be served completely while transactions of it are still in
// the latch (hits). Whichever of the two ends comes last retires it, so both check.
void lsu_leave_latch(Lsu *lsu, Inflight *inflight, Cycle now) {
  lsu->latch = NULL;
  if (!inflight->outstanding) finish(lsu, inflight, now);
}

void lsu_end_blocks(Lsu *lsu, Inflight *inflight, Cycle now) {
  if (!inflight->outstanding) finish(lsu, inflight, now);
}

void lsu_serve(Lsu *lsu, Inflight *inflight, Cycle now) {
  inflight->outstanding--;
  if (!inflight->outstanding && inflight != lsu->latch) finish(lsu, inflight, now);
}

// Without sm.exit_awaits_stores the slot may hold a warp of another CTA by now.
static bool is_of_its_warp(const Lsu *lsu, const MemRequest *request) {
  const Requester *then = &request->requester, *now = &lsu->ports.requesters[then->warp];
  return then->kernel == now->kernel && then->cta == now->cta;
}

// Stores are acknowledged per reply packet, which holds a sector or a whole request: with
// sm.exit_awaits_stores, a warp that has exited keeps its CTA resident until its stores reach
// zero.
static void acknowledge(Lsu *lsu, MemRequest *request, uint32_t sectors) {
  uint32_t w = request->requester.warp;
  if (request->waiter != NO_WAITER && is_of_its_warp(lsu, request)) {
    lsu->stores[w] = (uint16_t)(lsu->stores[w] - sectors);
    lsu->signals.returned |= UINT64_C(1) << w;
  }
  request->sectors_left = (uint8_t)(request->sectors_left - sectors);
  if (!request->sectors_left) request_pool_give(lsu->ports.requests, request);
}

void lsu_acknowledge_all(Lsu *lsu, MemRequest *request) {
  acknowledge(lsu, request, request->sectors_left);
}

// ---- write-back port

void lsu_write_result(Lsu *lsu, Cycle now) {
  Inflight *inflight = lsu->result;
  Collectors *collectors = lsu->ports.collectors[inflight->sub_core];
  lsu->signals.did_something = true;
  uint64_t banks = collectors_destinations(collectors, inflight);
  // A bank writes one result per step; the loser keeps the port and tries again.
  if (banks & collectors->written) return;
  collectors_write(collectors, banks);
  lsu->result = NULL;
  lsu_serve(lsu, inflight, now);
}

// A warp that waited for its atomics may issue again when the last has returned, unless it waits
// for one on shared memory.
static void end_atomic(Lsu *lsu, const MemRequest *request) {
  uint32_t w = request->requester.warp;
  uint64_t bit = UINT64_C(1) << w;
  lsu->signals.returned |= bit;
  if (--lsu->atomics[w] == 0) lsu->signals.atomics_over |= bit & ~lsu->awaited;
}

Inflight *lsu_waiter_of(Lsu *lsu, MemRequest *request) {
  uint32_t waiter = request->waiter;
  request_pool_give(lsu->ports.requests, request);
  return waiter == NO_WAITER ? NULL : lsu->ports.inflights->all[waiter];
}

// Stores that waited for their line, prefetches, and what an oracle has answered
// before, need no port: they are done.
static Inflight *next_of_cache(Lsu *lsu, Cache *cache, Cycle now) {
  while (cache && cache_has_ready(cache)) {
    uint32_t sector;
    MemRequest *request = cache_next_ready(cache, &sector);
    lsu_unblock(lsu);  // an MSHR may have become free
    lsu->signals.did_something = true;
    if (request->kind == REQUEST_WRITE) {
      lsu_acknowledge_all(lsu, request);
      continue;
    }
    bool is_emitted = request->waiter == NO_WAITER && request->kind != REQUEST_PREFETCH;
    if (lsu->events && !is_emitted) emit_answer(lsu->events, request, SERVED_BY_MERGE, now);
    if (request->waiter != NO_WAITER) return lsu_waiter_of(lsu, request);
    request_pool_give(lsu->ports.requests, request);
    lsu->prefetches--;
  }
  return NULL;
}

static Inflight *next_of_l1d(Lsu *lsu, Cycle now) {
  Inflight *inflight = NULL;
  for (uint32_t i = 0; i < lsu->l1_parts && !inflight; i++)
    inflight = next_of_cache(lsu, lsu->l1d[i], now);
  return inflight;
}

// shared_ready caches the head of the pipe: able_sources() asks every cycle.
static Inflight *next_of_remote(Lsu *lsu, Cycle now) {
  if (lsu->remote_ready > now) return NULL;
  SharedRing *pipe = &lsu->remote_pipe;
  Inflight *inflight = shared_ring_pop(pipe).inflight;
  lsu->remote_ready = shared_ring_is_empty(pipe) ? NEVER : shared_ring_front(pipe)->ready;
  return inflight;
}

static Inflight *next_of_shared(Lsu *lsu, Cycle now) {
  if (lsu->shared_ready > now) return next_of_remote(lsu, now);
  SharedRing *pipe = &lsu->shared_pipe;
  Inflight *inflight = shared_ring_pop(pipe).inflight;
  lsu->shared_ready = shared_ring_is_empty(pipe) ? NEVER : shared_ring_front(pipe)->ready;
  return inflight;
}

static Cycle pipe_ready(const SharedRing *pipe) {
  return shared_ring_is_empty(pipe) ? NEVER : shared_ring_front(pipe)->ready;
}

// Hits that have waited their latency come before fills.
static Inflight *next_of_blocks(Lsu *lsu, SharedRing *pipe, Cache *cache, Cycle now) {
  if (lsu->block_ready <= now && pipe_ready(pipe) <= now) {
    Inflight *inflight = shared_ring_pop(pipe).inflight;
    lsu->block_ready =
        cycle_earlier(pipe_ready(&lsu->constant_pipe), pipe_ready(&lsu->texture_pipe));
    return inflight;
  }
  return next_of_cache(lsu, cache, now);
}

// Each source yields one result or none; pulling one has side effects (an MSHR or a pipe slot
// becomes free), so a source is asked only in its turn.
static Inflight *next_result(Lsu *lsu, ResultSource source, Cycle now) {
  switch (source) {
    case RESULT_SHARED: return next_of_shared(lsu, now);
    case RESULT_TEXTURE: return next_of_blocks(lsu, &lsu->texture_pipe, lsu->l1t, now);
    case RESULT_CONSTANT: return next_of_blocks(lsu, &lsu->constant_pipe, lsu->l1c, now);
    case RESULT_L1D: return next_of_l1d(lsu, now);
    default: {
      if (!lsu->bypass_result) return NULL;
      MemRequest *request = lsu->bypass_result;
      lsu->bypass_result = NULL;
      if (request->kind == REQUEST_ATOMIC) end_atomic(lsu, request);
      if (lsu->events) emit_answer(lsu->events, request, SERVED_BY_MERGE, now);
      return lsu_waiter_of(lsu, request);
    }
  }
}

// Bit s: source s may have a result; another has none for certain.
static uint32_t able_sources(const Lsu *lsu, Cycle now) {
  uint32_t able = (uint32_t)(lsu->bypass_result != NULL) << RESULT_BYPASS;
  able |= (uint32_t)(lsu->shared_ready <= now || lsu->remote_ready <= now) << RESULT_SHARED;
  if (lsu->block_ready <= now) able |= 1u << RESULT_TEXTURE | 1u << RESULT_CONSTANT;
  return able | lsu->has_fills;
}

// It is written in the next cycle, and has not been touched since it left the latch.
static void prefetch_inflight(const Inflight *inflight) {
  __builtin_prefetch(&inflight->issued);
  __builtin_prefetch(&inflight->info);
}

void lsu_choose_result(Lsu *lsu, Cycle now) {
  uint32_t able = able_sources(lsu, now), source = lsu->next_source;
  if (!able) return;
  for (uint32_t i = 0; i < RESULT_SOURCES && !lsu->result; i++) {
    if (able >> source & 1) lsu->result = next_result(lsu, (ResultSource)source, now);
    source = source + 1 < RESULT_SOURCES ? source + 1 : 0;
    if (!lsu->result) continue;
    // Round robin over the sources: otherwise a stream of hits would starve fills, whose MSHRs
    // in turn block lookups.
    lsu->next_source = (uint8_t)source;
    prefetch_inflight(lsu->result);
    lsu->signals.did_something = true;
    return;
  }
  // No source had a result: until the next fill the caches need not be asked.
  lsu->has_fills = 0;
}

// ---- answers from the network

static ResultSource source_of(const MemRequest *request) {
  switch (request->kind) {
    case REQUEST_CONSTANT: return RESULT_CONSTANT;
    case REQUEST_TEXTURE: return RESULT_TEXTURE;
    default: return RESULT_L1D;
  }
}

// Copies write no registers: their data go past the write-back port.
static void take_copy(Lsu *lsu, MemRequest *request, uint32_t sectors, Cycle now) {
  request->sectors_left = (uint8_t)(request->sectors_left - sectors);
  if (request->sectors_left) return;
  lsu->stats.dram_reads += request->served_by == SERVED_BY_DRAM;
  if (lsu->events) emit_answer(lsu->events, request, SERVED_BY_MERGE, now);
  lsu_serve(lsu, lsu_waiter_of(lsu, request), now);
}

static bool take_copies(Lsu *lsu, Cycle now) {
  enum { COPIES_PER_CYCLE = 2 };
  uint32_t taken = 0;
  while (taken < COPIES_PER_CYCLE && !response_ring_is_empty(&lsu->responses)) {
    const Packet *packet = response_ring_front(&lsu->responses);
    if (!packet->request->is_copy) break;
    MemRequest *request = packet->request;
    uint32_t sectors = packet_sectors(packet);
    response_ring_pop(&lsu->responses);
    take_copy(lsu, request, sectors, now);
    taken++;
  }
  lsu->signals.did_something |= taken > 0;
  return taken > 0;
}

__attribute__((noinline)) void lsu_take_response(Lsu *lsu, Cycle now) {
  if (take_copies(lsu, now)) return;
  const Packet *packet = response_ring_front(&lsu->responses);
  MemRequest *request = packet->request;
  uint32_t sectors = packet_sectors(packet);
  bool is_last = request->sectors_left == sectors;
  bool from_dram = is_last && request->served_by == SERVED_BY_DRAM;
  RequestKind kind = request->kind;
  if (request->kind == REQUEST_WRITE) {
    acknowledge(lsu, request, sectors);
  } else if (request->bypass_l1) {
    // One result waits for the port at a time. The response stays at the head of its
    // queue, and back-pressure reaches the network.
    if (is_last && lsu->bypass_result) return;
    request->sectors_left = (uint8_t)(request->sectors_left - sectors);
    if (is_last) lsu->bypass_result = request;
  } else {
    request->sectors_left = (uint8_t)(request->sectors_left - sectors);
    if (is_last) {
      cache_fill(lsu_cache_of(lsu, request), request->mshr, request->address, request->address,
                 now);
      lsu->has_fills |= (uint8_t)(1u << source_of(request));
    }
    if (is_last && lsu->policies) l1d_policies_fill(lsu->policies, request, now);
    if (is_last && request->waiter == FETCH_ONLY) request_pool_give(lsu->ports.requests, request);
    lsu_unblock(lsu);
  }
  lsu->stats.dram_reads += from_dram && kind == REQUEST_READ;
  lsu->stats.dram_atomics += from_dram && kind == REQUEST_ATOMIC;
  response_ring_pop(&lsu->responses);
  lsu->signals.did_something = true;
}
