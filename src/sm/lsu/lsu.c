// SPDX-License-Identifier: MIT
// Front end of the load/store unit: one instruction at a time in the latch, split into
// transactions at the rate of its path. Later stages are in lsu_l1d.c (queue and lookup),
// lsu_block.c (constants and textures), network_port.c (sending) and lsu_write_back.c (results).
// Stages run back to front, so that nothing passes two stages in a cycle.
#include "sm/lsu/lsu_stages.h"

// clang-format off
const Stat lsu_stats[] = {
    STAT_COUNT(LsuStats, shared_accesses, "shared memory instructions"),
    STAT_COUNT(LsuStats, shared_conflict_cycles, "stall cycles due to bank conflicts"),
    STAT_COUNT(LsuStats, shared_atomics, "shared-memory atomic instructions"),
    STAT_COUNT(LsuStats, shared_atomic_passes, "passes of these: lanes on one word, or words of one bank, one after another"),
    STAT_COUNT(LsuStats, transactions, "global and local memory transactions"),
    STAT_COUNT(LsuStats, loads, "global and local load instructions"),
    STAT_COUNT(LsuStats, stores, "global and local store instructions"),
    STAT_COUNT(LsuStats, atomics, "global atomic instructions"),
    STAT_COUNT(LsuStats, passes, "load transactions that bypassed the L1D by policy"),
    STAT_COUNT(LsuStats, replays, "load transactions set aside after a reservation failure"),
    STAT_COUNT(LsuStats, loads_done, "loads completed"),
    STAT_RATIO(LsuStats, load_latency, load_latency_cycles, loads_done, "mean load latency in cycles, issue to release"),
    STAT_COUNT(LsuStats, memory_loads_done, "of which global, local and texture loads"),
    STAT_RATIO(LsuStats, memory_latency, memory_latency_cycles, memory_loads_done, "mean latency of these in cycles"),
    STAT_COUNT(LsuStats, table_lookups, "table lookups of warp schedulers, prefetchers and shared policy state"),
    STAT_COUNT(LsuStats, dram_reads, "load transactions served by DRAM"),
    STAT_COUNT(LsuStats, dram_atomics, "atomic transactions served by DRAM"),
    STAT_RATIO(LsuStats, transactions_per_load, transactions, loads, "transactions per instruction"),
    {0}};
// clang-format on

Requester lsu_requester(const Lsu *lsu, const Inflight *inflight) {
  Requester requester = lsu->ports.requesters[inflight->warp];
  requester.pc = inflight->pc;
  return requester;
}

MemRequest *lsu_make_request(Lsu *lsu, Inflight *inflight, RequestKind kind, Cycle now) {
  const Access *access = &inflight->accesses[inflight->access_next];
  MemRequest *request = request_pool_take(lsu->ports.requests);
  request->address = access->address;
  request->bytes = access->bytes;
  request->kind = (uint8_t)kind;
  request->full_sectors = access->full;
  request->touched_sectors = access->touched;
  request->local = inflight->is_local;
  request->requester = lsu_requester(lsu, inflight);
  request->is_lowest = inflight->access_next == inflight->lowest_access;
  request->order = (uint32_t)inflight->order;
  uint32_t cta_slot = request->requester.cta_slot;
  request->l1_part = (uint8_t)(lsu->l1_parts ? cta_slot % lsu->l1_parts : 0);
  request->always_hits = inflight->info->ideal & IDEAL_HITS;
  request->instant = access->instant;
  request->created = now;
  request->waiter = inflight->index;
  return request;
}

// Whether the instruction in the latch takes another cycle.
static bool is_occupied(Lsu *lsu) {
  if (lsu->latch_cycles_left <= 1) return false;
  lsu->latch_cycles_left--;
  return true;
}

void lsu_push_shared(Lsu *lsu, Inflight *inflight, Cycle now) {
  inflight->outstanding = 1;
  SharedResult result = {.inflight = inflight, .ready = now + lsu->config->shared_latency_cycles};
  if (shared_ring_is_empty(&lsu->shared_pipe)) lsu->shared_ready = result.ready;
  shared_ring_push(&lsu->shared_pipe, result);
}

// Through the network of SMs: a latency, and so many bytes per cycle.
static void push_remote(Lsu *lsu, Inflight *inflight, Cycle now) {
  Cycle start = lsu->remote_free > now ? lsu->remote_free : now;
  uint32_t rate = lsu->config->remote_bytes_per_cycle;
  lsu->remote_free = start + (inflight->remote_bytes + rate - 1) / rate;
  inflight->outstanding = 1;
  SharedResult result = {.inflight = inflight, .ready = start + lsu->config->remote_latency_cycles};
  if (shared_ring_is_empty(&lsu->remote_pipe)) lsu->remote_ready = result.ready;
  shared_ring_push(&lsu->remote_pipe, result);
}

static void work_on_shared(Lsu *lsu, Inflight *inflight, Cycle now) {
  lsu->signals.did_something = true;
  if (is_occupied(lsu)) return;
  if (inflight->loop_cycles) {
    lsu_begin_loop(lsu, inflight, now);
    return;
  }
  // Of st.async and red.async, what their bytes are told to waits for them.
  bool is_awaited = inflight->info->is_load || inflight->is_async;
  if (is_awaited && inflight->is_remote) {
    if (shared_ring_is_full(&lsu->remote_pipe)) return;
    push_remote(lsu, inflight, now);
  } else if (is_awaited) {
    // The pipe is as deep as its latency: full means that its head cannot be written back.
    if (shared_ring_is_full(&lsu->shared_pipe)) return;
    lsu_push_shared(lsu, inflight, now);
  }
  lsu_leave_latch(lsu, inflight, now);
}

// Constants and textures. With separate queues they do not block later instructions.
static void work_on_block(Lsu *lsu, Inflight *inflight, Cycle now) {
  if (!lsu_is_operand(inflight)) {
    if (lsu->config->block_queue_entries) {
      if (lsu_queue_block(lsu, inflight)) lsu->latch = NULL;
      return;
    }
    if (is_occupied(lsu)) {
      lsu->signals.did_something = true;
      return;
    }
  }
  if (lsu_look_up_blocks(lsu, inflight, now)) lsu_leave_latch(lsu, inflight, now);
}

static RequestKind bypass_kind(const Inflight *inflight) {
  if (inflight->info->is_atomic) return REQUEST_ATOMIC;
  return inflight->info->is_store ? REQUEST_WRITE : REQUEST_READ;
}

// Straight into the network. If that is full the request is returned and made again next cycle:
// back-pressure without state.
static bool send_bypass(Lsu *lsu, Inflight *inflight, Cycle now) {
  MemRequest *request = lsu_make_request(lsu, inflight, bypass_kind(inflight), now);
  request->bypass_l1 = true;
  request->is_copy = inflight->is_async && request->kind == REQUEST_READ;
  if (!network_port_send(lsu->ports.network, request, now)) {
    request_pool_give(lsu->ports.requests, request);
    return false;
  }
  lsu->signals.did_something = true;
  if (request->kind == REQUEST_WRITE) {
    lsu_await_stores(lsu, request);
    inflight->outstanding--;
  }
  inflight->access_next++;
  if (lsu->events) emit_bypass(lsu->events, request, now);
  lsu->stats.transactions++;
  return true;
}

static void work_on_bypass(Lsu *lsu, Inflight *inflight, Cycle now) {
  if (!send_bypass(lsu, inflight, now) || inflight->access_next < inflight->access_count) return;
  if (lsu->awaited >> inflight->warp & 1 && inflight->info->is_atomic)
    lsu_begin_gap(lsu, inflight->warp, now);
  lsu_leave_latch(lsu, inflight, now);
}

// ---- copies past the L1

// Beside the latch: others go on while a copy sends its requests. The engine of bulk copies takes a
// while to begin.
static void queue_copy(Lsu *lsu, Inflight *inflight, Cycle now) {
  BulkQueue *bulk = &lsu->bulk;
  if (bulk->count == BULK_ENTRIES) return;
  uint32_t place = (bulk->first + bulk->count++) % BULK_ENTRIES;
  bulk->entries[place] = inflight;
  lsu->has_copies = true;
  bulk->ready[place] = now + (inflight->path == PATH_BULK ? lsu->config->bulk_latency_cycles : 0);
  lsu->latch = NULL;
  lsu->signals.did_something = true;
}

// A request of several sectors takes the cycles that they do.
static void send_bulk(Lsu *lsu, Inflight *inflight, Cycle now) {
  BulkQueue *bulk = &lsu->bulk;
  uint32_t sectors = inflight->accesses[inflight->access_next].bytes / SECTOR_BYTES;
  uint32_t rate = lsu->config->bulk_sectors_per_cycle;
  if (send_bypass(lsu, inflight, now)) bulk->ready[bulk->first] = now + (sectors + rate - 1) / rate;
}

// What cp.async copies needs no result bus: as many per cycle as the L1D looks up.
static void send_copies(Lsu *lsu, Inflight *inflight, Cycle now) {
  uint32_t most = lsu->config->l1_accesses_per_cycle;
  for (uint32_t i = 0; i < most && inflight->access_next < inflight->access_count; i++)
    if (!send_bypass(lsu, inflight, now)) return;
}

static void work_on_copy(Lsu *lsu, Cycle now) {
  BulkQueue *bulk = &lsu->bulk;
  Inflight *inflight = bulk->entries[bulk->first];
  if (bulk->ready[bulk->first] > now) return;
  if (inflight->path != PATH_BULK)
    send_copies(lsu, inflight, now);
  else if (inflight->access_next < inflight->access_count)
    send_bulk(lsu, inflight, now);
  if (inflight->access_next < inflight->access_count) return;
  bulk->first = (bulk->first + 1) % BULK_ENTRIES;
  bulk->count--;
  lsu->has_copies = bulk->count;
  lsu->signals.did_something = true;
  lsu_end_blocks(lsu, inflight, now);
}

static __attribute__((noinline)) void work_on_latch(Lsu *lsu, Cycle now) {
  Inflight *inflight = lsu->latch;
  bool is_global = inflight->path == PATH_L1D || inflight->path == PATH_BYPASS;
  if (is_global && is_occupied(lsu)) {
    lsu->signals.did_something = true;
    return;
  }
  switch (inflight->path) {
    case PATH_SHARED: work_on_shared(lsu, inflight, now); break;
    case PATH_CONSTANT:
    case PATH_TEXTURE: work_on_block(lsu, inflight, now); break;
    case PATH_L1D:
      if (lsu->l1_parts)
        lsu_enter_l1d(lsu, inflight, now);
      else if (inflight->is_async)
        queue_copy(lsu, inflight, now);
      else
        work_on_bypass(lsu, inflight, now);
      break;
    case PATH_BYPASS:
      if (inflight->is_async)
        queue_copy(lsu, inflight, now);
      else
        work_on_bypass(lsu, inflight, now);
      break;
    case PATH_BULK: queue_copy(lsu, inflight, now); break;
    default: lsu_leave_latch(lsu, inflight, now);
  }
}

static void count_instruction(Lsu *lsu, const Inflight *inflight) {
  if (inflight->path == PATH_SHARED) {
    lsu->stats.shared_accesses++;
    lsu->stats.shared_conflict_cycles += inflight->bank_cycles - 1u;
    if (!inflight->info->is_atomic) return;
    lsu->stats.shared_atomics++;
    lsu->stats.shared_atomic_passes += inflight->passes;
  } else if (inflight->path == PATH_L1D || inflight->path == PATH_BYPASS) {
    if (inflight->info->is_atomic)
      lsu->stats.atomics++;
    else if (inflight->info->is_store)
      lsu->stats.stores++;
    else
      lsu->stats.loads++;
  }
}

// Cycles that an instruction stays in the latch before its last ones, which its transactions
// take: with them it occupies the unit for lsu_interval_cycles at least.
static uint16_t held_cycles(const SmConfig *config, const Inflight *inflight) {
  uint32_t least = config->lsu_interval_cycles, taken = inflight->access_count;
  if (inflight->path == PATH_SHARED)
    return (uint16_t)(inflight->conflict_cycles > least ? inflight->conflict_cycles : least);
  if (inflight->path != PATH_L1D && inflight->path != PATH_BYPASS) return inflight->conflict_cycles;
  if (inflight->path == PATH_L1D)
    taken = (taken + config->l1_accesses_per_cycle - 1) / config->l1_accesses_per_cycle;
  return (uint16_t)(least > taken ? least - taken + 1 : 1);
}

void lsu_take(Lsu *lsu, Inflight *inflight) {
  lsu->latch = inflight;
  lsu->latch_cycles_left = held_cycles(lsu->config, inflight);
  count_instruction(lsu, inflight);
}

bool lsu_accept_reply(Lsu *lsu, Packet packet) {
  if (response_ring_is_full(&lsu->responses)) return false;
  const MemRequest *request = packet.request;
  if (!request->bypass_l1 && request->kind != REQUEST_WRITE)
    cache_expect_fill(lsu_cache_of(lsu, request), request->mshr, request->address);
  response_ring_push(&lsu->responses, packet);
  return true;
}

// Whether a cache has data for a request that waited for it.
static bool has_ready(const Lsu *lsu) {
  bool has = (lsu->l1c && cache_has_ready(lsu->l1c)) || (lsu->l1t && cache_has_ready(lsu->l1t));
  for (uint32_t i = 0; i < lsu->l1_parts; i++) has |= cache_has_ready(lsu->l1d[i]);
  return has;
}

bool lsu_keeps_lines(const Lsu *lsu) {
  uint64_t cold = 0, lost = 0;
  for (uint32_t i = 0; i < lsu->l1_parts; i++) {
    const CacheStats *stats = cache_stats_of(lsu->l1d[i]);
    cold += stats->cold_misses;
    lost += stats->misses - stats->cold_misses - stats->sector_misses;
  }
  return 2 * lost <= cold;
}

bool lsu_reuses_lines(const Lsu *lsu) {
  enum { MANY = 4096 };
  uint64_t reads = 0, served = 0;
  for (uint32_t i = 0; i < lsu->l1_parts; i++) {
    const CacheStats *stats = cache_stats_of(lsu->l1d[i]);
    reads += stats->reads;
    served += stats->hits + stats->merges;
  }
  return reads >= MANY && 2 * served >= reads;
}

// Whether it has more to send.
static bool send_miss(Lsu *lsu, Cache *cache, Cycle now) {
  if (!cache || !cache_miss_front(cache)) return false;
  if (!network_port_send_miss(lsu->ports.network, lsu->ports.requests, cache, now)) return true;
  lsu_unblock(lsu);
  lsu->signals.did_something = true;
  return cache_miss_front(cache);
}

// Each cache sends one.
static __attribute__((noinline)) void send_misses(Lsu *lsu, Cycle now) {
  bool has = send_miss(lsu, lsu->l1c, now);
  has |= send_miss(lsu, lsu->l1t, now);
  for (uint32_t i = 0; i < lsu->l1_parts; i++) has |= send_miss(lsu, lsu->l1d[i], now);
  lsu->has_misses = has;
}

void lsu_write_back(Lsu *lsu, Cycle now) {
  lsu->signals = (LsuSignals){0};
  if (lsu->result) lsu_write_result(lsu, now);
  if (!lsu->result) lsu_choose_result(lsu, now);
}

// Whether there is a lookup, or a policy that may want one.
static bool has_lookups(const Lsu *lsu, Cycle now) {
  if (lsu->policies || lsu->has_replays) return true;
  return lsu->l1_queue.count && access_ring_front(&lsu->l1_queue)->ready <= now;
}

// Its parts are not inlined: all of them together, most of which have nothing to do in a cycle,
// would keep too many values for the host's registers.
//
// Results before lookups: a write-back frees the MSHR that this cycle's lookup may need.
void lsu_tick(Lsu *lsu, Cycle now) {
  if (lsu->loops_end <= now) lsu_end_loops(lsu, now);
  if (lsu->responses.count) lsu_take_response(lsu, now);
  if (lsu->has_unit && network_port_has_lookups(lsu->ports.network) &&
      network_port_send_looked_up(lsu->ports.network, now))
    lsu->signals.did_something = true;
  if (lsu->has_misses) send_misses(lsu, now);
  if (has_lookups(lsu, now)) lsu_look_up(lsu, now);
  if (lsu->queued_blocks) lsu_work_on_queues(lsu, now);
  if (lsu->latch) work_on_latch(lsu, now);
  if (lsu->has_copies) work_on_copy(lsu, now);
}

CacheStats lsu_l1d_stats(const Lsu *lsu) {
  CacheStats total = {0};
  for (uint32_t i = 0; i < lsu->l1_parts; i++)
    stats_sum(&total, cache_stats_of(lsu->l1d[i]), sizeof total);
  return total;
}

// Must never be later than the first cycle that would change a counter or a state, or skipping
// cycles would change results (determinism_test compares with --no-skip). Too early only costs
// time.
Cycle lsu_next_event(const Lsu *lsu, Cycle now) {
  // Prefetches come after loads, so they wait while these are blocked.
  if (lsu->policies && lsu->policies->waiting.count && !lsu->is_blocked) return now + 1;
  if (lsu->has_replays && !lsu->replays_blocked) return now + 1;
  if (lsu->has_misses || lsu->queued_blocks) return now + 1;
  if (lsu->has_fills && has_ready(lsu)) return now + 1;
  if (lsu->result || lsu->bypass_result || !response_ring_is_empty(&lsu->responses)) return now + 1;
  // A latch that waits for room in a blocked L1D queue waits as long as that.
  bool waits_for_l1d = lsu->latch && lsu->latch->path == PATH_L1D && lsu->is_blocked &&
                       !lsu_queue_has_room(lsu, &lsu->latch->accesses[lsu->latch->access_next]);
  if (lsu->latch && !waits_for_l1d) return now + 1;
  Cycle next = cycle_earlier(lsu->shared_ready, lsu->block_ready);
  next = cycle_earlier(next, lsu->remote_ready);
  if (lsu->has_copies) next = cycle_earlier(next, lsu->bulk.ready[lsu->bulk.first]);
  next = cycle_earlier(next, lsu->loops_end);
  if (!access_ring_is_empty(&lsu->l1_queue) && !lsu->is_blocked)
    next = cycle_earlier(next, access_ring_front(&lsu->l1_queue)->ready);
  return next <= now ? now + 1 : next;
}

// A blocked head fails in every cycle and is counted each time; skipped cycles count likewise.
void lsu_skip(Lsu *lsu, Cycle cycles) {
  if (!lsu->is_blocked) return;
  const MemRequest *head = access_ring_front(&lsu->l1_queue)->request;
  cache_count_fails(lsu->l1d[head->l1_part], lsu->block_reason, cycles);
}

bool lsu_has_leftovers(const Lsu *lsu) {
  if (!response_ring_is_empty(&lsu->responses) || !access_ring_is_empty(&lsu->l1_queue))
    return true;
  for (uint32_t i = 0; i < lsu->l1_parts; i++)
    if (cache_miss_front(lsu->l1d[i])) return true;
  return false;
}
