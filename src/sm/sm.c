// SPDX-License-Identifier: MIT
// Creates an SM from its configuration, and destroys it.
#include "sm/sm.h"

#include <string.h>

#include "base/memory.h"

#define LANES(name_, unit, help_) \
  { .name = name_, .help = (help_), .offset = STAT_OFFSET_(SmStats, lanes[unit]) }

// clang-format off
const Stat sm_stats[] = {
    STAT_COUNT(SmStats, cycles, "core cycles"),
    STAT_COUNT(SmStats, active_cycles, "cycles with at least one resident warp"),
    STAT_COUNT(SmStats, warp_instructions, "warp instructions issued"),
    STAT_COUNT(SmStats, thread_instructions, "thread instructions issued"),
    STAT_COUNT(SmStats, warp_cycles, "resident warps, summed over cycles"),
#define X(...) SLOT_STAT(SmStats, slots, __VA_ARGS__),
    SLOT_REASONS(X)
#undef X
    STAT_COUNT(SmStats, ctas, "CTAs completed"),
    STAT_COUNT(SmStats, cta_cycles, "CTA lifetimes in cycles, summed"),
    STAT_RATIO(SmStats, cta_time, cta_cycles, ctas, "mean CTA lifetime in cycles"),
    STAT_COUNT(SmStats, bank_conflicts, "register reads delayed by bank conflicts, in cycles"),
    LANES("lanes_sp", UNIT_SP, "active lanes of SP instructions"),
    LANES("lanes_dp", UNIT_DP, "active lanes of DP instructions"),
    LANES("lanes_int", UNIT_INT, "active lanes of INT instructions, where an SM has INT units; else counted as SP"),
    LANES("lanes_sfu", UNIT_SFU, "active lanes of SFU instructions"),
    LANES("lanes_tensor", UNIT_TENSOR, "active lanes of matrix products, where an SM has tensor cores; else counted as SFU"),
    LANES("lanes_mem", UNIT_MEM, "active lanes of load/store instructions"),
    STAT_COUNT(SmStats, pipe_cycles, "cycles that arithmetic occupies SP, INT and DP units, without branches, barriers and special registers"),
    STAT_COUNT(SmStats, fp64_cycles, "of which DP units"),
    STAT_COUNT(SmStats, tensor_cycles, "cycles that matrix products occupy tensor cores, summed over these"),
    STAT_COUNT(SmStats, register_operands, "register reads and writes, per warp"),
    STAT_COUNT(SmStats, code_prefetches, "lines of code fetched ahead"),
    STAT_RATIO(SmStats, resident_warps, warp_cycles, active_cycles, "mean resident warps"),
    {0}};
// clang-format on

// ---- making

// Sub-cores have as many units of a kind each, or share what there is of it.
static void make_units_of(Sm *sm, Unit *units, UnitKind kind, uint32_t count) {
  uint32_t sub_cores = sm->sub_core_count, step = count < sub_cores ? count : sub_cores;
  for (uint32_t i = 0; i < count; i++) {
    units[i].kind = (uint8_t)kind;
    for (uint32_t s = i % step; s < sub_cores; s += step) units[i].sub_cores |= (uint8_t)(1u << s);
  }
}

static Status make_collectors(Sm *sm, Error *err) {
  TRY(collectors_count(sm->config, &sm->sub_core_count, err));
  CollectorsShared shared = {&sm->stats.bank_conflicts, &sm->busy_collectors, &sm->collected};
  for (uint32_t s = 0; s < sm->sub_core_count; s++)
    sm->collectors[s] = collectors_create(&sm->arena, sm->config, sm->sub_core_count, s, &shared);
  return OK;
}

static void make_units(Sm *sm) {
  const SmConfig *config = sm->config;
  const uint32_t counts[UNIT_MEM] = {[UNIT_SP] = config->sp_units,
                                     [UNIT_DP] = config->dp_units,
                                     [UNIT_INT] = config->int_units,
                                     [UNIT_SFU] = config->sfu_units,
                                     [UNIT_TENSOR] = config->tensor_units};
  for (int u = 0; u < UNIT_MEM; u++) sm->unit_count += counts[u];
  sm->units = ARENA_ARRAY(&sm->arena, Unit, sm->unit_count);
  uint32_t next = 0;
  for (int u = 0; u < UNIT_MEM; next += counts[u++]) {
    make_units_of(sm, &sm->units[next], (UnitKind)u, counts[u]);
    sm->first_unit[u + 1] = (uint8_t)(next + counts[u]);
  }
}

// A policy with one_per_sm has one state, which all schedulers of the SM share.
static Status make_schedulers(Sm *sm, const SmSetup *setup, Error *err) {
  const PolicyType *type;
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++) {
    if (s && sm->scheduler_type->one_per_sm) {
      sm->schedulers[s].state = sm->schedulers[0].state;
      continue;
    }
    PolicyPlace place = {.sm = sm->id, .cluster = sm->cluster, .index = s};
    TRY(policy_host_make(setup->policies, &warp_scheduler_family, setup->scheduler, place, &type,
                         &sm->schedulers[s].state, err));
    sm->scheduler_type = (const WarpSchedulerType *)type;
  }
  sm_assign_schedulers(sm);
  return OK;
}

static void release(void *sm, Inflight *inflight) {
  sm_release(sm, inflight);
}

static bool hold(void *sm, Inflight *inflight) {
  return sm_async_holds(sm, inflight);
}

static Status make_lsu(Sm *sm, const SmSetup *setup, const CacheConfig *l1d, Error *err) {
  LsuSetup lsu = {.config = sm->config,
                  .l1d = l1d,
                  .l1c = setup->l1c,
                  .l1t = setup->l1t,
                  .instant_misses = setup->instant_misses,
                  .ports = {.requests = &sm->requests,
                            .inflights = &sm->inflights,
                            .network = &sm->network,
                            .collectors = sm->collectors,
                            .requesters = sm->requesters,
                            .release = release,
                            .hold = hold,
                            .owner = sm}};
  return lsu_init(&sm->lsu, &lsu, err);
}

static Status make_caches(Sm *sm, const SmSetup *setup, Error *err) {
  TRY(carve_out_init(&sm->carve_out, sm->config, err));
  CacheConfig largest = carve_out_l1d(&sm->carve_out, setup->l1d);
  TRY(make_lsu(sm, setup, &largest, err));
  if (sm->carve_out.unified_kb) sm_resize_l1(sm);
  if (setup->l1i->enabled && cache_create(&sm->l1i, setup->l1i, err) != OK)
    return error_prefix(err, "l1i");
  if (sm->l1i) cache_watch_misses(sm->l1i, &sm->l1i_has_misses);
  return l1d_policies_init(sm, setup, err);
}

// A sectored cache is looked up by sector, another by line.
static uint32_t unit_bytes(const CacheConfig *cache) {
  return cache->sectored ? SECTOR_BYTES : cache->line_bytes;
}

Status sm_create(Sm **out, const SmSetup *setup, Error *err) {
  Sm *sm = memory_alloc_aligned(sizeof *sm, 64);
  *out = sm;
  sm->config = setup->config;
  sm->wake = setup->wake;
  sm->skips_waits = setup->skips_waits;
  sm->empty_state = SLOT_dispatch;
  sm->id = setup->id;
  sm->cluster = setup->cluster;
  sm->sm_count = setup->sm_count;
  sm->access_units =
      (AccessUnits){.constant = unit_bytes(setup->l1c), .texture = unit_bytes(setup->l1t)};
  sm->l1d_line_bytes = setup->l1d->line_bytes;
  sm->l1i_line_log2 = (uint32_t)__builtin_ctz(setup->l1i->line_bytes);
  sm->stream.next = 1;  // behind its end: nothing to fetch
  sm->next_release = sm->next_late = sm->next_awake = NEVER;
  sm->l1d_unit_bytes = setup->l1d->sectored ? SECTOR_BYTES : setup->l1d->line_bytes;
  request_pool_init(&sm->requests, &sm->arena, setup->id, setup->cluster);
  inflight_pool_init(&sm->inflights, &sm->arena);
  sm->network =
      (NetworkPort){.unit = setup->port,
                    .crossbar = setup->requests,
                    .noc = setup->noc,
                    .cluster = setup->cluster,
                    .slice_of = setup->slice_of,
                    .map = setup->map,
                    .atomic_slices = setup->config->ideal.no_sharing ? setup->slice_count : 0,
                    .atomics_by_cta = !setup->config->ideal.no_contention,
                    .next_slice = setup->id};
  network_port_init(&sm->network);
  sm->context = (ExecContext){.memory = setup->memory,
                              .clock_mhz = setup->clock_mhz,
                              .stores = &sm->stores,
                              .note = &sm->note,
                              .wait = &sm->wait,
                              .bulk = &sm->bulk,
                              .sm_id = setup->id,
                              .sm_count = setup->sm_count,
                              .warps_per_sm = setup->config->max_warps};
  leaving_ring_init(&sm->leaving, setup->config->max_ctas);
  sm->ctas = ARENA_ARRAY(&sm->arena, CtaSlot, setup->config->max_ctas);
  sm->ideal.owed = setup->owed;
  if (setup->config->ideal.coalesced && *setup->config->ideal.coalesced)
    sm->ideal.walks = ARENA_ARRAY(&sm->arena, IdealWalk, MAX_WARPS_PER_SM * IDEAL_WALKS);
  TRY(make_collectors(sm, err));
  make_units(sm);
  TRY(make_schedulers(sm, setup, err));
  return make_caches(sm, setup, err);
}

void sm_destroy(Sm *sm) {
  if (!sm) return;
  for (uint32_t i = 0; i < sm->config->max_ctas; i++) {
    for (uint32_t w = 0; w < sm->ctas[i].warp_capacity; w++) warp_clear(&sm->ctas[i].warps[w]);
    recorded_cta_destroy(sm->ctas[i].recorded);
    memory_free(sm->ctas[i].warps);
    memory_free(sm->ctas[i].shared);
  }
  l1d_policies_clear(sm);
  lsu_clear(&sm->lsu);
  network_port_clear(&sm->network);
  leaving_ring_clear(&sm->leaving);
  cache_destroy(sm->l1i);
  store_queue_clear(&sm->stores);
  left_lines_clear(&sm->ideal.left);
  scoreboards_clear(&sm->scoreboards);
  sm_async_clear(sm);
  sm_waiting_destroy(sm->waiting);
  bulk_ranges_clear(&sm->bulk);
  memory_free(sm->loaders);
  memory_free(sm->late_results);
  memory_free(sm->calendar.slots);
  inflight_pool_clear(&sm->inflights);
  request_pool_clear(&sm->requests);
  arena_clear(&sm->arena);
  memory_free(sm);
}

// ---- one cycle

// This tick left nothing for the next one: when could something move by itself?
// Answers from the network are not foreseen here: sm_accept() resets *wake.
static Cycle next_event(const Sm *sm, Cycle now) {
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++)
    if (sm->schedulers[s].use == SLOT_held) return now + 1;        // its policy may think otherwise
  if (sm_collected_for_units(sm)) return now + 1;                  // one will be free
  if (sm->l1i_has_misses) return now + 1;  // the port of the cluster will be free
  Cycle next = cycle_earlier(lsu_next_event(&sm->lsu, now), sm->next_release);
  next = cycle_earlier(next, cycle_earlier(sm->next_late, sm->next_awake));
  if (sm->async) {
    Cycle async = sm_async_next(sm);
    next = cycle_earlier(next, async > now ? async : now + 1);
  }
  if (!timed_ring_is_empty(&sm->network.lookups)) {
    Cycle ready = timed_ring_front(&sm->network.lookups)->ready;
    next = cycle_earlier(next, ready > now ? ready : now + 1);
  }
  return sm->calendar.total ? sm_next_result(sm, now + 1, next) : next;
}

static void count_cycles(Sm *sm, Cycle cycles) {
  sm->stats.cycles += cycles;
  if (!sm->resident) return;
  sm->turns += cycles;
  sm->stats.active_cycles += cycles;
  sm->stats.warp_cycles += cycles * (uint64_t)__builtin_popcountll(sm->resident);
}

// Write-backs, acknowledgements, and stores that no warp awaits, outlive the warps.
// The SM is ticked until they are gone (sm_is_busy).
static bool find_leftovers(const Sm *sm) {
  return !timed_ring_is_empty(&sm->network.lookups) || lsu_has_leftovers(&sm->lsu);
}

static void collect_operands(Sm *sm) {
  for (uint32_t left = sm->busy_collectors; left; left &= left - 1)
    if (collectors_step(sm->collectors[__builtin_ctz(left)])) sm->did_something = true;
}

static void heed_signals(Sm *sm, const LsuSignals *signals) {
  sm->lingering &= ~signals->returned;
  sm->at_atomic &= ~signals->atomics_over;
  if (signals->did_something) sm->has_moved = true;
}

// Stages run back to front, so that an instruction passes one per cycle and a result is visible
// to issue in the cycle of its write-back. Decode precedes fetch: with one fetch per cycle, an
// instruction fetched at t is decoded at t+1, after issue, and issues at t+2 at the earliest.
void sm_tick_begin(Sm *sm, Cycle now) {
  sm->did_something = sm->has_moved = false;
  sm->context.clock = now;
  count_cycles(sm, 1);
  sm_write_back(sm, now);
  sm_execute(sm, now);
  lsu_write_back(&sm->lsu, now);
  collect_operands(sm);
  lsu_tick(&sm->lsu, now);
  sm_feed_lsu(sm);
  heed_signals(sm, &sm->lsu.signals);
  if (sm->async) sm_async_tick(sm, now);
  sm_release_warps(sm, now);
}

void sm_tick_issue(Sm *sm, Cycle now) {
  sm_issue(sm, now);
  for (uint32_t i = 0; i < sm->config->fetches_per_cycle; i++) {
    if (i) sm_send_code_miss(sm, now);
    sm_decode(sm);
    sm_fetch(sm, now);
  }
}

void sm_tick_end(Sm *sm, Cycle now) {
  sm_send_code_miss(sm, now);
#ifdef HEDDLE_CHECK_MASKS
  sm_check_masks(sm);
#endif
  sm->has_leftovers = !sm->resident && find_leftovers(sm);
  if (!sm_is_busy(sm))
    *sm->wake = NEVER;
  else
    *sm->wake = sm->did_something ? now + 1 : next_event(sm, now);
  if ((sm->did_something | sm->has_moved) && sm->progress < now) sm->progress = now;
  if (sm->waiting) sm_waiting_tick(sm, now);
}

void sm_tick(Sm *sm, Cycle now) {
  TickRest rest = (TickRest)sm->to_do;
  sm->to_do = REST_NONE;
  if (rest == REST_REPORT) {
    *sm->wake = now + 1;
    return;
  }
  if (rest == REST_NONE) sm_tick_begin(sm, now);
  if (rest != REST_SEND) sm_tick_issue(sm, now);
  sm_tick_end(sm, now);
}

// Each slot repeats the reason of the last cycle: nothing has changed since, by the contract of
// next_event().
void sm_skip(Sm *sm, Cycle cycles) {
  if (sm->waiting && sm_waiting_is_passing(sm->waiting)) {
    sm_waiting_pass(sm, cycles);
    return;
  }
  count_cycles(sm, cycles);
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++) {
    const SchedulerSlot *scheduler = &sm->schedulers[s];
    sm->stats.slots[sm->resident ? scheduler->use : sm_empty_reason(sm, scheduler->warps)] +=
        cycles;
  }
  if (sm->loaders && sm->resident) sm_blame_skip(sm, cycles);
  lsu_skip(&sm->lsu, cycles);
}

void sm_set_empty_state(Sm *sm, SlotReason state) {
  sm_waiting_disturb(sm);
  sm->empty_state = state;
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++) {
    SchedulerSlot *scheduler = &sm->schedulers[s];
    if (!(scheduler->warps & sm->resident)) scheduler->use = sm_empty_reason(sm, scheduler->warps);
  }
}

void sm_observe(Sm *sm, EventBuffer *events) {
  sm->events = sm->lsu.events = events;
}

void sm_flush_l1(Sm *sm) {
  for (uint32_t i = 0; i < sm->lsu.l1_parts; i++) cache_invalidate(sm->lsu.l1d[i]);
  if (sm->network.unit) sm_cluster_port_flushed(sm->network.unit);
}

// Lines in ways that are taken away would be lost, so the L1D is emptied.
void sm_resize_l1(Sm *sm) {
  for (uint32_t i = 0; i < sm->lsu.l1_parts; i++)
    cache_limit_ways(sm->lsu.l1d[i], carve_out_ways(&sm->carve_out, cache_ways(sm->lsu.l1d[i])));
  sm_flush_l1(sm);
}

// Instruction replies bypass the response queue of the load/store unit, as in GPGPU-Sim: a full
// queue of data must not starve the front end.
bool sm_accept(Sm *sm, Packet packet, Cycle now) {
  MemRequest *request = packet.request;
  if (request->kind != REQUEST_INSTRUCTION) {
    if (!lsu_accept_reply(&sm->lsu, packet)) return false;
    sm->has_leftovers = true;
  } else {
    request->sectors_left = (uint8_t)(request->sectors_left - packet_sectors(&packet));
    if (!request->sectors_left)
      cache_fill(sm->l1i, request->mshr, request->address, request->address, now);
    sm->l1i_has_fills = true;
  }
  *sm->wake = 0;
  return true;
}
