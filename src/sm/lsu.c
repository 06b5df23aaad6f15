// SPDX-License-Identifier: MIT
// Front end of the load/store unit: one instruction at a time in the latch, split into
// transactions at the rate of its path. Later stages are in lsu_l1d.c (queue and lookup),
// lsu_block.c (constants and textures), lsu_network.c (sending) and lsu_write_back.c (results).
// Stages run back to front (lsu_tick), so that nothing passes two stages in a cycle.
#include "sm/lsu_stages.h"

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

// Whether the instruction in the latch takes another cycle.
static bool is_occupied(Lsu *lsu) {
  if (lsu->latch_cycles_left <= 1) return false;
  lsu->latch_cycles_left--;
  return true;
}

void lsu_push_shared(Sm *sm, Inflight *inflight, Cycle now) {
  Lsu *lsu = &sm->lsu;
  inflight->outstanding = 1;
  SharedResult result = {.inflight = inflight, .ready = now + sm->config->shared_latency_cycles};
  if (shared_ring_is_empty(&lsu->shared_pipe)) lsu->shared_ready = result.ready;
  shared_ring_push(&lsu->shared_pipe, result);
}

static void work_on_shared(Sm *sm, Inflight *inflight, Cycle now) {
  Lsu *lsu = &sm->lsu;
  sm->did_something = true;
  if (is_occupied(lsu)) return;
  if (inflight->loop_cycles) {
    lsu_begin_loop(sm, inflight, now);
    return;
  }
  if (inflight->info->is_load) {
    // The pipe is as deep as its latency: full means that its head cannot be written back.
    if (shared_ring_is_full(&lsu->shared_pipe)) return;
    lsu_push_shared(sm, inflight, now);
  }
  lsu_leave_latch(sm, inflight, now);
}

// Constants and textures. With separate queues they do not block later instructions.
static void work_on_block(Sm *sm, Inflight *inflight, Cycle now) {
  if (!lsu_is_operand(inflight)) {
    if (sm->config->block_queue_entries) {
      if (lsu_queue_block(sm, inflight)) sm->lsu.latch = NULL;
      return;
    }
    if (is_occupied(&sm->lsu)) {
      sm->did_something = true;
      return;
    }
  }
  if (lsu_look_up_blocks(sm, inflight, now)) lsu_leave_latch(sm, inflight, now);
}

static RequestKind bypass_kind(const Inflight *inflight) {
  if (inflight->info->is_atomic) return REQUEST_ATOMIC;
  return inflight->info->is_store ? REQUEST_WRITE : REQUEST_READ;
}

// One transaction per cycle, straight into the network. If that is full the request is returned
// and made again next cycle: back-pressure without state.
static void work_on_bypass(Sm *sm, Inflight *inflight, Cycle now) {
  MemRequest *request = lsu_make_request(sm, inflight, bypass_kind(inflight), now);
  request->bypass_l1 = true;
  if (!network_port_send(&sm->network, request, now)) {
    request_pool_give(&sm->requests, request);
    return;
  }
  sm->did_something = true;
  if (request->kind == REQUEST_WRITE) {
    WarpSlot *slot = &sm->warps[inflight->warp];
    slot->stores = (uint16_t)(slot->stores + request->sectors_left);
    inflight->outstanding--;
  }
  inflight->access_next++;
  if (sm->events) sm_emit_bypass(sm, request);
  sm->lsu.stats.transactions++;
  if (inflight->access_next < inflight->access_count) return;
  if (sm->lsu.awaited >> inflight->warp & 1 && request->kind == REQUEST_ATOMIC)
    lsu_begin_gap(sm, inflight->warp, now);
  lsu_leave_latch(sm, inflight, now);
}

static void work_on_latch(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  Inflight *inflight = lsu->latch;
  switch (inflight->path) {
    case PATH_SHARED: work_on_shared(sm, inflight, now); break;
    case PATH_CONSTANT:
    case PATH_TEXTURE: work_on_block(sm, inflight, now); break;
    case PATH_L1D:
      if (lsu->l1_parts)
        lsu_enter_l1d(sm, inflight, now);
      else
        work_on_bypass(sm, inflight, now);
      break;
    case PATH_BYPASS: work_on_bypass(sm, inflight, now); break;
    default: lsu_leave_latch(sm, inflight, now);
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

// From all sub-cores: the load/store unit is shared by the SM, also where everything else is
// divided.
static void take_instruction(Sm *sm) {
  if (!(sm_collected_units(sm) >> UNIT_MEM & 1)) return;
  // Oldest by issue order, so that accesses of the SM enter memory in program order per warp.
  Inflight *inflight = sm_oldest_collected(sm, UNIT_MEM, 0, 1);
  collectors_take(&sm->collectors[inflight->sub_core], UNIT_MEM, inflight);
  sm->lsu.latch = inflight;
  sm->lsu.latch_cycles_left = inflight->conflict_cycles;
  count_instruction(&sm->lsu, inflight);
  sm->did_something = true;
}

static bool has_miss(const Cache *cache) {
  return cache && cache_miss_front(cache);
}

static bool has_misses(const Lsu *lsu) {
  bool has = has_miss(lsu->l1c) || has_miss(lsu->l1t);
  for (uint32_t i = 0; i < lsu->l1_parts; i++) has |= has_miss(lsu->l1d[i]);
  return has;
}

static void send_miss(Sm *sm, Cache *cache, Cycle now) {
  if (!network_port_send_miss(&sm->network, &sm->requests, cache, now)) return;
  lsu_unblock(&sm->lsu);
  sm->did_something = true;
}

// Each cache sends one.
static void send_misses(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  if (lsu->l1c) send_miss(sm, lsu->l1c, now);
  if (lsu->l1t) send_miss(sm, lsu->l1t, now);
  for (uint32_t i = 0; i < lsu->l1_parts; i++) send_miss(sm, lsu->l1d[i], now);
  lsu->has_misses = has_misses(lsu);
}

void lsu_write_back(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  if (lsu->result) lsu_write_result(sm, now);
  if (!lsu->result) lsu_choose_result(sm, now);
}

// Results before lookups: a write-back frees the MSHR that this cycle's lookup may need.
// The latch is refilled last, so that an instruction spends at least one cycle in it.
void lsu_tick(Sm *sm, Cycle now) {
  Lsu *lsu = &sm->lsu;
  if (lsu->loops_end <= now) lsu_end_loops(sm, now);
  lsu_take_response(sm, now);
  if (network_port_has_lookups(&sm->network) && network_port_send_looked_up(&sm->network, now))
    sm->did_something = true;
  if (lsu->has_misses) send_misses(sm, now);
  lsu_look_up(sm, now);
  if (lsu->queued_blocks) lsu_work_on_queues(sm, now);
  if (lsu->latch) work_on_latch(sm, now);
  if (!lsu->latch) take_instruction(sm);
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
  if (!access_ring_is_empty(&lsu->replays) && !lsu->replays_blocked) return now + 1;
  if (lsu->has_misses || lsu->queued_blocks) return now + 1;
  if (lsu->result || lsu->bypass_result || !response_ring_is_empty(&lsu->responses)) return now + 1;
  // A latch that waits for room in a blocked L1D queue waits as long as that.
  bool waits_for_l1d = lsu->latch && lsu->latch->path == PATH_L1D && lsu->is_blocked &&
                       !lsu_queue_has_room(lsu, &lsu->latch->accesses[lsu->latch->access_next]);
  if (lsu->latch && !waits_for_l1d) return now + 1;
  Cycle next = cycle_earlier(lsu->shared_ready, lsu->block_ready);
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
