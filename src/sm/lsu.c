// SPDX-License-Identifier: MIT
#include "sm/lsu.h"

#include <assert.h>

#include "sm/sm.h"

enum { REQUEST_HEADER_BYTES = 8, LARGEST_ACCESS_BYTES = 128 };

// clang-format off
const Stat lsu_stats[] = {
    STAT_COUNT(LsuStats, shared_accesses, "instructions on shared memory"),
    STAT_COUNT(LsuStats, shared_conflict_cycles, "cycles that they took longer for bank conflicts"),
    STAT_COUNT(LsuStats, transactions, "transactions of global and local accesses"),
    STAT_COUNT(LsuStats, loads, "load instructions on global and local memory"),
    STAT_COUNT(LsuStats, stores, "store instructions on global and local memory"),
    STAT_COUNT(LsuStats, atomics, "atomic instructions on global memory"),
    STAT_COUNT(LsuStats, passes, "loads' transactions that a policy sent past the L1D"),
    STAT_COUNT(LsuStats, replays, "loads' transactions that the L1D refused and that were set aside"),
    STAT_COUNT(LsuStats, loads_done, "loads whose registers have been written"),
    STAT_RATIO(LsuStats, load_latency, load_latency_cycles, loads_done, "cycles from issue to release"),
    STAT_RATIO(LsuStats, transactions_per_load, transactions, loads, "transactions an instruction"),
    {0}};
// clang-format on

// Something has become free: what was refused may try again.
static void unblock(Lsu *lsu) {
  lsu->is_blocked = lsu->replays_blocked = false;
}

// ---- requests to the network

static uint32_t packet_bytes(const MemRequest *request) {
  bool carries_data = request->kind == REQUEST_WRITE || request->kind == REQUEST_ATOMIC;
  return REQUEST_HEADER_BYTES + (carries_data ? request->bytes : 0u);
}

static PortAnswer ask_port(Sm *sm, MemRequest *request) {
  PortAnswer answer = cluster_port_ask(sm->port, request, sm->context.clock);
  if (answer == PORT_TAKEN) sm->did_something = true;
  return answer;
}

bool sm_send(Sm *sm, MemRequest *request) {
  PortAnswer answer = sm->port ? ask_port(sm, request) : PORT_PASSES;
  if (answer != PORT_PASSES) return answer == PORT_TAKEN;
  uint32_t bytes = packet_bytes(request), flits = crossbar_flits(sm->noc, bytes);
  if (!crossbar_can_push(sm->requests, sm->cluster, flits)) return false;
  request->slice = (uint16_t)sm->slice_of(sm->map, request->address);
  request->sectors_left = (uint8_t)(request->bytes / SECTOR_BYTES);
  Packet packet = {.request = request, .destination = request->slice, .flits = (uint8_t)flits};
  crossbar_push(sm->requests, sm->cluster, packet, bytes);
  if (sm->port) cluster_port_sent(sm->port, request, sm->context.clock);
  sm->did_something = true;
  return true;
}

// What a store fetches before it is complete travels by itself.
static MemRequest *make_fetch(Sm *sm, const MemRequest *store, Cycle now) {
  MemRequest *fetch = sm_take_request(sm);
  *fetch = *store;
  fetch->kind = REQUEST_READ;
  fetch->waiter = FETCH_ONLY;
  fetch->created = now;
  return fetch;
}

// What a cache wants sent: a fetch or a write travels as the request that
// caused it, a write-back as a new one that nobody waits for.
void sm_send_miss(Sm *sm, Cache *cache, Cycle now) {
  const CacheMiss *miss = cache_miss_front(cache);
  if (!miss) return;
  MemRequest probe = {.kind = miss->write ? REQUEST_WRITE : REQUEST_READ,
                      .bytes = (uint16_t)miss->bytes};
  uint32_t flits = crossbar_flits(sm->noc, packet_bytes(&probe));
  bool may_be_taken = sm->port && !miss->write;
  if (!may_be_taken && !crossbar_can_push(sm->requests, sm->cluster, flits)) return;
  MemRequest *request = miss->request;
  if (miss->write_back) {
    request = sm_take_request(sm);
    request->kind = REQUEST_WRITE;
    request->waiter = NO_WAITER;
    request->created = now;
    request->full_sectors = (uint8_t)((1u << miss->bytes / SECTOR_BYTES) - 1);
  }
  if (!miss->write && request->kind == REQUEST_WRITE) request = make_fetch(sm, request, now);
  if (!miss->write || miss->write_back) {
    request->address = miss->address;
    request->bytes = (uint16_t)miss->bytes;
  }
  if (!sm_send(sm, request)) {
    if (request != miss->request) sm_give_request(sm, request);
    return;
  }
  cache_miss_pop(cache);
  unblock(&sm->lsu);
}

static MemRequest *make_request(Sm *sm, Inflight *inflight, RequestKind kind, Cycle now) {
  const Access *access = &inflight->accesses[inflight->access_next];
  const CtaSlot *cta = &sm->ctas[sm->warps[inflight->warp].cta];
  MemRequest *request = sm_take_request(sm);
  request->address = access->address;
  request->bytes = access->bytes;
  request->kind = (uint8_t)kind;
  request->full_sectors = access->full;
  request->touched_sectors = access->touched;
  request->local = inflight->is_local;
  request->warp = inflight->warp;
  request->warp_in_cta = (uint8_t)sm->warps[inflight->warp].warp->index;
  request->is_first = inflight->access_next == 0;
  request->kernel = cta->kernel->id;
  request->cta = cta->cta.linear;
  uint32_t cta_slot = sm->warps[inflight->warp].cta;
  request->l1_part = (uint8_t)(sm->lsu.l1_parts ? cta_slot % sm->lsu.l1_parts : 0);
  request->pc = inflight->pc;
  request->created = now;
  request->waiter = inflight->index;
  return request;
}

// ---- the end of an instruction

static void finish(Sm *sm, Inflight *inflight, Cycle now) {
  if (inflight->info->is_load && inflight->path != PATH_NONE) {
    sm->lsu.stats.load_latency_cycles += now - inflight->issued;
    sm->lsu.stats.loads_done++;
    if (sm->events) sm_tell_done(sm, inflight, now);
  }
  sm_release(sm, inflight);
  sm_give_inflight(sm, inflight);
  sm->did_something = true;
}

// All transactions have left the latch; registers may still wait for answers.
static void leave_latch(Sm *sm, Inflight *inflight, Cycle now) {
  sm->lsu.latch = NULL;
  if (!inflight->outstanding) finish(sm, inflight, now);
}

// An access has been served. The last one ends the instruction, unless it
// still stands in the latch, which then sees to it.
static void serve(Sm *sm, Inflight *inflight, Cycle now) {
  inflight->outstanding--;
  if (!inflight->outstanding && inflight != sm->lsu.latch) finish(sm, inflight, now);
}

static void acknowledge(Sm *sm, MemRequest *request, uint32_t sectors) {
  WarpSlot *slot = &sm->warps[request->warp];
  if (request->waiter != NO_WAITER) slot->stores = (uint16_t)(slot->stores - sectors);
  request->sectors_left = (uint8_t)(request->sectors_left - sectors);
  if (!request->sectors_left) sm_give_request(sm, request);
}

// A store that went no further than the L1D needs no answers.
static void acknowledge_all(Sm *sm, MemRequest *request) {
  acknowledge(sm, request, request->sectors_left);
}

// ---- write-back port

static bool banks_are_free(const Sm *sm, const Inflight *inflight) {
  const IssueInfo *info = inflight->info;
  uint64_t banks = 0;
  for (int d = 0; d < info->destination_count; d++)
    banks |= UINT64_C(1) << (info->destination_banks[d] + inflight->warp) % sm->config->register_banks;
  return !(banks & sm->collectors.written);
}

static void write_result(Sm *sm, Cycle now) {
  Inflight *inflight = sm->lsu.result;
  sm->did_something = true;
  if (!banks_are_free(sm, inflight)) return;
  const IssueInfo *info = inflight->info;
  for (int d = 0; d < info->destination_count; d++)
    collectors_write(&sm->collectors,
                     (info->destination_banks[d] + inflight->warp) % sm->config->register_banks);
  sm->lsu.result = NULL;
  serve(sm, inflight, now);
}

static void end_atomic(Sm *sm, const MemRequest *request) {
  WarpSlot *slot = &sm->warps[request->warp];
  if (--slot->atomics == 0) sm->at_atomic &= ~(UINT64_C(1) << request->warp);
}

static Inflight *waiter_of(Sm *sm, MemRequest *request) {
  uint32_t waiter = request->waiter;
  sm_give_request(sm, request);
  return waiter == NO_WAITER ? NULL : sm->inflights[waiter];
}

// Stores that waited for their line, and prefetches, need no port: they are done.
static Inflight *next_of_cache(Sm *sm, Cache *cache) {
  while (cache && cache_has_ready(cache)) {
    uint32_t sector;
    MemRequest *request = cache_next_ready(cache, &sector);
    unblock(&sm->lsu);  // an MSHR may have become free
    sm->did_something = true;
    if (request->kind == REQUEST_WRITE) {
      acknowledge_all(sm, request);
      continue;
    }
    if (sm->events) sm_tell_answer(sm, request, FROM_MERGE);
    if (request->kind != REQUEST_PREFETCH) return waiter_of(sm, request);
    sm_give_request(sm, request);
    sm->prefetches--;
  }
  return NULL;
}

static Inflight *next_of_l1d(Sm *sm) {
  Lsu *lsu = &sm->lsu;
  Inflight *inflight = NULL;
  for (uint32_t i = 0; i < lsu->l1_parts && !inflight; i++) inflight = next_of_cache(sm, lsu->l1d[i]);
  return inflight;
}

static Inflight *next_result(Sm *sm, ResultSource source, Cycle now) {
  Lsu *lsu = &sm->lsu;
  switch (source) {
    case RESULT_SHARED:
      if (shared_ring_is_empty(&lsu->shared_pipe) || shared_ring_front(&lsu->shared_pipe)->ready > now)
        return NULL;
      return shared_ring_pop(&lsu->shared_pipe).inflight;
    case RESULT_TEXTURE: return next_of_cache(sm, lsu->l1t);
    case RESULT_CONSTANT: return next_of_cache(sm, lsu->l1c);
    case RESULT_L1D: return next_of_l1d(sm);
    default: {
      if (!lsu->bypass_result) return NULL;
      MemRequest *request = lsu->bypass_result;
      lsu->bypass_result = NULL;
      if (request->kind == REQUEST_ATOMIC) end_atomic(sm, request);
      if (sm->events) sm_tell_answer(sm, request, FROM_MERGE);
      return waiter_of(sm, request);
    }
  }
}

static bool has_results(const Lsu *lsu, Cycle now) {
  return lsu->has_fills || lsu->bypass_result ||
         (!shared_ring_is_empty(&lsu->shared_pipe) &&
          shared_ring_front(&lsu->shared_pipe)->ready <= now);
}

static void choose_result(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  if (!has_results(lsu, now)) return;
  for (uint32_t i = 0; i < RESULT_SOURCES && !lsu->result; i++) {
    ResultSource source = (lsu->next_source + i) % RESULT_SOURCES;
    lsu->result = next_result(sm, source, now);
    if (!lsu->result) continue;
    lsu->next_source = (source + 1) % RESULT_SOURCES;
    sm->did_something = true;
    return;
  }
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

static void take_response(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  if (response_ring_is_empty(&lsu->responses)) return;
  const Packet *packet = response_ring_front(&lsu->responses);
  MemRequest *request = packet->request;
  uint32_t sectors = packet_sectors(packet);
  bool is_last = request->sectors_left == sectors;
  if (request->kind == REQUEST_WRITE) {
    acknowledge(sm, request, sectors);
  } else if (request->bypass_l1) {
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
    if (is_last && request->waiter == FETCH_ONLY) sm_give_request(sm, request);
    unblock(lsu);
  }
  response_ring_pop(&lsu->responses);
  sm->did_something = true;
}

// ---- L1D

static void l1d_done(Sm *sm, MemRequest *request, CacheResult result, Cycle now) {
  switch (result) {
    case CACHE_HIT:
      if (request->kind == REQUEST_WRITE) {
        acknowledge_all(sm, request);
      } else {
        if (sm->events) sm_tell_answer(sm, request, FROM_L1);
        Inflight *inflight = waiter_of(sm, request);
        if (inflight) serve(sm, inflight, now);
      }
      break;
    case CACHE_WRITE_KEPT: acknowledge_all(sm, request); break;
    default: break;  // an answer will come
  }
}

// What came of a try: it is served or waits in the cache; the cache refused
// it; the network has no room for it.
typedef enum Try { TRY_WENT, TRY_REFUSED, TRY_WAITS } Try;

// Looks a request up, unless a policy sends it past the L1D.
static Try try_access(Sm *sm, MemRequest *request, FailReason *reason, Cycle now) {
  Lsu *lsu = &sm->lsu;
  Cache *l1d = lsu->l1d[request->l1_part];
  L1dPass pass = lsu->policies ? l1d_policies_pass(sm, request, now) : PASS_LOOKS_UP;
  if (pass == PASS_WAITS) return TRY_WAITS;
  if (pass == PASS_GONE) {
    if (sm->events) sm_tell_bypass(sm, request);
    return TRY_WENT;
  }
  CacheResult result = cache_access(l1d, request, 0, request->address, now, reason);
  if (result == CACHE_FAIL) return TRY_REFUSED;
  if (sm->events) sm_tell_lookup(sm, request, l1d);
  if (lsu->policies) l1d_policies_note(sm, request, result, now);
  l1d_done(sm, request, result, now);
  sm->did_something = true;
  return TRY_WENT;
}

// Whether nothing has changed since the L1D refused a request.
static bool is_hopeless(const Lsu *lsu, const MemRequest *request, bool is_blocked) {
  return is_blocked && !cache_miss_front(lsu->l1d[request->l1_part]);
}

// Reads that were set aside come first when something has become free.
static void try_replays(Sm *sm, uint32_t *slots, Cycle now) {
  Lsu *lsu = &sm->lsu;
  FailReason reason;
  while (*slots && !access_ring_is_empty(&lsu->replays)) {
    MemRequest *request = access_ring_front(&lsu->replays)->request;
    if (is_hopeless(lsu, request, lsu->replays_blocked)) return;
    --*slots;
    Try result = try_access(sm, request, &reason, now);
    lsu->replays_blocked = result == TRY_REFUSED;
    if (result != TRY_WENT) return;
    access_ring_pop(&lsu->replays);
    lsu->is_blocked = false;  // there is room to set another aside
  }
}

// A read that the L1D refuses makes way for those behind it.
static bool set_aside(Sm *sm) {
  Lsu *lsu = &sm->lsu;
  QueuedAccess head = *access_ring_front(&lsu->l1_queue);
  if (access_ring_is_full(&lsu->replays) || head.request->kind != REQUEST_READ) return false;
  access_ring_push(&lsu->replays, head);
  access_ring_pop(&lsu->l1_queue);
  lsu->is_blocked = false;
  lsu->stats.replays++;
  sm->did_something = true;
  return true;
}

// Looks up what has waited its latency; a head that is refused blocks what is
// behind. What demand leaves of the cycle is for prefetches.
static void look_up(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  uint32_t slots = sm->config->l1_accesses_per_cycle;
  if (!access_ring_is_empty(&lsu->replays)) try_replays(sm, &slots, now);
  while (!access_ring_is_empty(&lsu->l1_queue)) {
    const QueuedAccess *head = access_ring_front(&lsu->l1_queue);
    if (head->ready > now) break;
    if (!head->continues && slots-- == 0) return;
    MemRequest *request = head->request;
    if (is_hopeless(lsu, request, lsu->is_blocked)) {
      cache_count_fails(lsu->l1d[request->l1_part], lsu->block_reason, 1);
      return;
    }
    Try result = try_access(sm, request, &lsu->block_reason, now);
    lsu->is_blocked = result == TRY_REFUSED;
    if (lsu->is_blocked && set_aside(sm)) continue;
    if (result != TRY_WENT) return;
    access_ring_pop(&lsu->l1_queue);
  }
  if (lsu->policies) l1d_policies_prefetch(sm, slots, now);
}

// One lookup's worth of a transaction goes into the queue. Stores are then
// complete for the instruction; only their warp counts the answers.
static void queue_piece(Sm *sm, Inflight *inflight, MemRequest *request, bool continues, Cycle now) {
  Lsu *lsu = &sm->lsu;
  if (request->kind == REQUEST_WRITE) {
    WarpSlot *slot = &sm->warps[inflight->warp];
    request->sectors_left = (uint8_t)(request->bytes / SECTOR_BYTES);
    slot->stores = (uint16_t)(slot->stores + request->sectors_left);
  } else {
    inflight->outstanding++;
  }
  QueuedAccess queued = {
      .request = request, .ready = now + sm->config->l1_latency_cycles, .continues = continues};
  access_ring_push(&lsu->l1_queue, queued);
}

// A transaction that is larger than what a lookup covers goes piece by piece.
static void queue_access(Sm *sm, Inflight *inflight, RequestKind kind, Cycle now) {
  const Access *access = &inflight->accesses[inflight->access_next];
  uint32_t unit = sm->lsu.l1_unit_bytes, sectors = unit / SECTOR_BYTES;
  inflight->outstanding--;  // its pieces count instead
  if (access->bytes <= unit) {
    queue_piece(sm, inflight, make_request(sm, inflight, kind, now), false, now);
    return;
  }
  bool continues = false;
  for (uint32_t first = 0; first < access->bytes / SECTOR_BYTES; first += sectors) {
    uint32_t within = (1u << sectors) - 1;
    if (!(access->touched >> first & within)) continue;
    MemRequest *request = make_request(sm, inflight, kind, now);
    request->address += (uint64_t)first * SECTOR_BYTES;
    request->bytes = (uint16_t)unit;
    request->touched_sectors = (uint8_t)(access->touched >> first & within);
    request->full_sectors = (uint8_t)(access->full >> first & within);
    request->is_first = request->is_first && !continues;
    queue_piece(sm, inflight, request, continues, now);
    continues = true;
  }
}

static bool queue_has_room(const Lsu *lsu, const Access *access) {
  uint32_t pieces = (access->bytes + lsu->l1_unit_bytes - 1) / lsu->l1_unit_bytes;
  return lsu->l1_queue.count + pieces <= lsu->l1_queue.capacity;
}

static void enter_l1d(Sm *sm, Inflight *inflight, Cycle now) {
  Lsu *lsu = &sm->lsu;
  RequestKind kind = inflight->info->is_store ? REQUEST_WRITE : REQUEST_READ;
  for (uint32_t i = 0; i < sm->config->l1_accesses_per_cycle; i++) {
    if (inflight->access_next == inflight->access_count ||
        !queue_has_room(lsu, &inflight->accesses[inflight->access_next]))
      break;
    queue_access(sm, inflight, kind, now);
    inflight->access_next++;
    lsu->stats.transactions++;
    sm->did_something = true;
  }
  if (inflight->access_next == inflight->access_count) leave_latch(sm, inflight, now);
}

// ---- other paths

static void work_on_shared(Sm *sm, Inflight *inflight, Cycle now) {
  Lsu *lsu = &sm->lsu;
  sm->did_something = true;
  if (lsu->latch_cycles_left > 1) {
    lsu->latch_cycles_left--;
    return;
  }
  if (inflight->info->is_load) {
    if (shared_ring_is_full(&lsu->shared_pipe)) return;
    inflight->outstanding = 1;
    SharedResult result = {.inflight = inflight, .ready = now + sm->config->shared_latency_cycles};
    shared_ring_push(&lsu->shared_pipe, result);
  }
  leave_latch(sm, inflight, now);
}

// Constants and textures: one block a cycle, looked up at once.
static void work_on_block(Sm *sm, Inflight *inflight, Cache *cache, RequestKind kind, Cycle now) {
  FailReason reason;
  CacheResult result = CACHE_HIT;
  if (cache) {
    MemRequest *request = make_request(sm, inflight, kind, now);
    result = cache_access(cache, request, 0, request->address, now, &reason);
    if (sm->events && result != CACHE_FAIL) sm_tell_lookup(sm, request, cache);
    if (sm->events && result == CACHE_HIT) sm_tell_answer(sm, request, FROM_L1);
    if (result == CACHE_HIT || result == CACHE_FAIL) sm_give_request(sm, request);
    if (result == CACHE_FAIL) return;
  }
  if (result == CACHE_HIT) inflight->outstanding--;
  inflight->access_next++;
  sm->did_something = true;
  if (inflight->access_next == inflight->access_count) leave_latch(sm, inflight, now);
}

static RequestKind bypass_kind(const Inflight *inflight) {
  if (inflight->info->is_atomic) return REQUEST_ATOMIC;
  return inflight->info->is_store ? REQUEST_WRITE : REQUEST_READ;
}

static void work_on_bypass(Sm *sm, Inflight *inflight, Cycle now) {
  MemRequest *request = make_request(sm, inflight, bypass_kind(inflight), now);
  request->bypass_l1 = true;
  if (!sm_send(sm, request)) {
    sm_give_request(sm, request);
    return;
  }
  if (request->kind == REQUEST_WRITE) {
    WarpSlot *slot = &sm->warps[inflight->warp];
    slot->stores = (uint16_t)(slot->stores + request->sectors_left);
    inflight->outstanding--;
  }
  inflight->access_next++;
  if (sm->events) sm_tell_bypass(sm, request);
  sm->lsu.stats.transactions++;
  if (inflight->access_next == inflight->access_count) leave_latch(sm, inflight, now);
}

static void work_on_latch(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  Inflight *inflight = lsu->latch;
  switch (inflight->path) {
    case PATH_SHARED: work_on_shared(sm, inflight, now); break;
    case PATH_CONSTANT: work_on_block(sm, inflight, lsu->l1c, REQUEST_CONSTANT, now); break;
    case PATH_TEXTURE: work_on_block(sm, inflight, lsu->l1t, REQUEST_TEXTURE, now); break;
    case PATH_L1D:
      if (lsu->l1_parts)
        enter_l1d(sm, inflight, now);
      else
        work_on_bypass(sm, inflight, now);
      break;
    case PATH_BYPASS: work_on_bypass(sm, inflight, now); break;
    default: leave_latch(sm, inflight, now);
  }
}

static void count_instruction(Lsu *lsu, const Inflight *inflight) {
  if (inflight->path == PATH_SHARED) {
    lsu->stats.shared_accesses++;
    lsu->stats.shared_conflict_cycles += inflight->conflict_cycles - 1u;
  } else if (inflight->path == PATH_L1D || inflight->path == PATH_BYPASS) {
    if (inflight->info->is_atomic)
      lsu->stats.atomics++;
    else if (inflight->info->is_store)
      lsu->stats.stores++;
    else
      lsu->stats.loads++;
  }
}

static void take_instruction(Sm *sm) {
  Inflight *inflight = collectors_oldest(&sm->collectors, UNIT_MEM);
  if (!inflight) return;
  collectors_take(&sm->collectors, UNIT_MEM, inflight);
  sm->lsu.latch = inflight;
  sm->lsu.latch_cycles_left = inflight->conflict_cycles;
  count_instruction(&sm->lsu, inflight);
  sm->did_something = true;
}

void lsu_tick(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  if (lsu->result) write_result(sm, now);
  if (!lsu->result) choose_result(sm, now);
  if (collectors_step(&sm->collectors)) sm->did_something = true;
  take_response(sm, now);
  if (lsu->l1c) sm_send_miss(sm, lsu->l1c, now);
  if (lsu->l1t) sm_send_miss(sm, lsu->l1t, now);
  for (uint32_t i = 0; i < lsu->l1_parts; i++) sm_send_miss(sm, lsu->l1d[i], now);
  look_up(sm, now);
  if (lsu->latch) work_on_latch(sm, now);
  if (!lsu->latch) take_instruction(sm);
}

// ---- making and clearing

static Status make_cache(Cache **cache, const CacheConfig *config, Error *err) {
  *cache = NULL;
  return config->enabled ? cache_create(cache, config, err) : OK;
}

// Parts have the sets of the whole, and their share of the ways.
static Status make_l1d(Lsu *lsu, const SmSetup *setup, Error *err) {
  uint32_t parts = setup->config->l1_parts;
  if (!setup->l1d->enabled) return OK;
  CacheConfig part = *setup->l1d;
  TRY(cache_geometry(setup->l1d, &part.sets, &part.ways, err));
  part.size_kb = 0;
  if (part.ways % parts)
    return error_set(err, ERR_CONFIG, "sm.l1_parts = %u does not divide the %u ways of the L1D",
                     parts, part.ways);
  part.ways /= parts;
  for (; lsu->l1_parts < parts; lsu->l1_parts++)
    TRY(cache_create(&lsu->l1d[lsu->l1_parts], &part, err));
  return OK;
}

Status lsu_init(Lsu *lsu, const SmSetup *setup, Error *err) {
  TRY(make_l1d(lsu, setup, err));
  TRY(make_cache(&lsu->l1c, setup->l1c, err));
  TRY(make_cache(&lsu->l1t, setup->l1t, err));
  const SmConfig *config = setup->config;
  lsu->l1_unit_bytes = setup->l1d->sectored ? SECTOR_BYTES : setup->l1d->line_bytes;
  uint32_t pieces = lsu->l1_unit_bytes < LARGEST_ACCESS_BYTES
                        ? LARGEST_ACCESS_BYTES / lsu->l1_unit_bytes
                        : 1;
  access_ring_init(&lsu->l1_queue,
                   config->l1_latency_cycles * config->l1_accesses_per_cycle * pieces);
  access_ring_init(&lsu->replays, config->l1_replay_entries);
  shared_ring_init(&lsu->shared_pipe, config->shared_latency_cycles);
  response_ring_init(&lsu->responses, config->response_entries);
  return OK;
}

void lsu_clear(Lsu *lsu) {
  for (uint32_t i = 0; i < lsu->l1_parts; i++) cache_destroy(lsu->l1d[i]);
  cache_destroy(lsu->l1c);
  cache_destroy(lsu->l1t);
  access_ring_clear(&lsu->l1_queue);
  access_ring_clear(&lsu->replays);
  shared_ring_clear(&lsu->shared_pipe);
  response_ring_clear(&lsu->responses);
}

CacheStats lsu_l1d_stats(const Lsu *lsu) {
  CacheStats total = {0};
  for (uint32_t i = 0; i < lsu->l1_parts; i++)
    stats_sum(&total, cache_stats_of(lsu->l1d[i]), sizeof total);
  return total;
}

static bool has_miss(const Cache *cache) {
  return cache && cache_miss_front(cache);
}

Cycle lsu_next_event(const Lsu *lsu, Cycle now) {
  if (lsu->policies && lsu->policies->waiting.count) return now + 1;
  if (!access_ring_is_empty(&lsu->replays) && !lsu->replays_blocked) return now + 1;
  for (uint32_t i = 0; i < lsu->l1_parts; i++)
    if (has_miss(lsu->l1d[i])) return now + 1;
  if (has_miss(lsu->l1c) || has_miss(lsu->l1t)) return now + 1;
  if (lsu->result || lsu->bypass_result || !response_ring_is_empty(&lsu->responses)) return now + 1;
  // A latch that waits for room in a blocked L1D queue waits as long as that.
  bool waits_for_l1d = lsu->latch && lsu->latch->path == PATH_L1D && lsu->is_blocked &&
                       !queue_has_room(lsu, &lsu->latch->accesses[lsu->latch->access_next]);
  if (lsu->latch && !waits_for_l1d) return now + 1;
  Cycle next = NEVER;
  if (!shared_ring_is_empty(&lsu->shared_pipe))
    next = cycle_earlier(next, shared_ring_front(&lsu->shared_pipe)->ready);
  if (!access_ring_is_empty(&lsu->l1_queue) && !lsu->is_blocked)
    next = cycle_earlier(next, access_ring_front(&lsu->l1_queue)->ready);
  return next <= now ? now + 1 : next;
}

void lsu_skip(Lsu *lsu, Cycle cycles) {
  if (!lsu->is_blocked) return;
  const MemRequest *head = access_ring_front(&lsu->l1_queue)->request;
  cache_count_fails(lsu->l1d[head->l1_part], lsu->block_reason, cycles);
}
