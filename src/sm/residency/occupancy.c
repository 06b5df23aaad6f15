// SPDX-License-Identifier: MIT
// CTAs on an SM: how many fit, and what happens when one begins.
#include <string.h>

#include "base/memory.h"
#include "sm/sm.h"

// Local memory lies here in the device's address space.
// A fixed address: the mapping of local memory to slices and rows must not change from run to
// run.
#define LOCAL_MEMORY_BASE 0x1f880000u

// A run of free warp slots, or any free ones.
// Contiguous slots as in GPGPU-Sim, where warp w of the CTA in slot c is c * warps + w: which
// scheduler owns a warp depends on it. Dynamic slots model hardware that takes any free ones.
static uint64_t find_slots(const Sm *sm, uint32_t cta_slot, uint32_t warps) {
  uint32_t max = sm->config->max_warps;
  uint64_t all = max == 64 ? UINT64_MAX : (UINT64_C(1) << max) - 1;
  uint64_t free = all & ~sm->resident, run = warps == 64 ? UINT64_MAX : (UINT64_C(1) << warps) - 1;
  if (sm->config->warp_slots != SLOTS_FIXED) {
    if ((uint32_t)__builtin_popcountll(free) < warps) return 0;
    uint64_t rest = free;
    for (uint32_t i = 0; i < warps; i++) rest &= rest - 1;
    return free & ~rest;
  }
  // Its own place first; CTAs of several kernels take what there is.
  uint32_t own = cta_slot * warps;
  if (own + warps <= max && (free & run << own) == run << own) return run << own;
  for (uint32_t first = 0; first + warps <= max; first++)
    if ((free & run << first) == run << first) return run << first;
  return 0;
}

static CtaSlot *free_cta_slot(const Sm *sm, const KernelRun *kernel) {
  for (uint32_t i = 0; i < sm->config->max_ctas; i++)
    if (!sm->ctas[i].kernel && find_slots(sm, i, kernel->need.warps)) return &sm->ctas[i];
  return NULL;
}

// An SM with CTAs cannot divide its memory anew.
static uint32_t shared_limit(const Sm *sm) {
  uint32_t most = sm->config->shared_kb, divided = sm->carve_out.chosen_kb;
  return 1024 * (sm->cta_count && divided < most ? divided : most);
}

// The first CTA decides how the memory is divided.
static void divide_memory(Sm *sm, const KernelRun *kernel, const CtaNeed *need) {
  uint64_t ctas = kernel->ctas_per_sm ? kernel->ctas_per_sm : 1;
  if (carve_out_choose(&sm->carve_out, ctas * need->shared_bytes)) sm_resize_l1(sm);
}

// Slots are checked last: they need a search, and rarely decide. An SM that is ahead of the GPU
// was full when it began to run ahead; of a CTA that has completed since, the GPU has not heard.
bool sm_has_room(const Sm *sm, const KernelRun *kernel) {
  if (sm->to_do) return false;
  const CtaNeed *need = &kernel->need;
  return sm->cta_count < sm->config->max_ctas &&
         sm->threads_used + need->threads <= sm->config->max_warps * WARP_LANES &&
         sm->registers_used + need->registers <= sm->config->registers &&
         sm->shared_used + need->shared_bytes <= shared_limit(sm) && free_cta_slot(sm, kernel);
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// How many CTAs the free warp slots hold: any free ones, or runs of free ones.
static uint32_t free_slot_sets(const Sm *sm, uint32_t warps) {
  uint32_t max = sm->config->max_warps, runs = 0;
  uint64_t all = max == 64 ? UINT64_MAX : (UINT64_C(1) << max) - 1;
  uint64_t free = all & ~sm->resident, run = warps == 64 ? UINT64_MAX : (UINT64_C(1) << warps) - 1;
  if (sm->config->warp_slots != SLOTS_FIXED) return (uint32_t)__builtin_popcountll(free) / warps;
  for (uint32_t first = 0; first + warps <= max;) {
    bool fits = (free >> first & run) == run;
    runs += fits;
    first += fits ? warps : 1;
  }
  return runs;
}

// An upper bound for dispatch policies; sm_has_room() decides.
uint32_t sm_free_ctas(const Sm *sm, const KernelRun *kernel) {
  const SmConfig *config = sm->config;
  const CtaNeed *need = &kernel->need;
  uint32_t fit = smaller(config->max_ctas - sm->cta_count, free_slot_sets(sm, need->warps));
  fit = smaller(fit, (config->max_warps * WARP_LANES - sm->threads_used) / need->threads);
  if (need->registers)
    fit = smaller(fit, (config->registers - sm->registers_used) / need->registers);
  if (need->shared_bytes)
    fit = smaller(fit, (config->shared_kb * 1024 - sm->shared_used) / need->shared_bytes);
  return fit;
}

static void take_resources(Sm *sm, CtaSlot *slot, const CtaNeed *need) {
  slot->threads = need->threads;
  slot->registers = need->registers;
  slot->shared_bytes = need->shared_bytes;
  sm->threads_used += need->threads;
  sm->registers_used += need->registers;
  sm->shared_used += need->shared_bytes;
  sm->cta_count++;
}

// Kept from CTA to CTA: nothing is allocated while the clock runs once sizes have settled.
static void reserve_memory(CtaSlot *slot, const Launch *launch) {
  uint32_t warps = launch_warps_per_cta(launch), shared = launch_shared_bytes(launch) + 1;
  if (slot->warp_capacity < warps) {
    slot->warps = memory_resize(slot->warps, sizeof(Warp) * warps);
    memset(slot->warps + slot->warp_capacity, 0, sizeof(Warp) * (warps - slot->warp_capacity));
    slot->warp_capacity = warps;
  }
  if (slot->shared_capacity < shared) {
    memory_free(slot->shared);
    slot->shared = memory_alloc(shared);
    slot->shared_capacity = shared;
  }
}

static void widen_loaders(Sm *sm, uint32_t words) {
  uint32_t *wider = memory_alloc(sizeof *wider * words * 64 * MAX_WARPS_PER_SM);
  for (uint32_t w = 0; sm->loaders && w < MAX_WARPS_PER_SM; w++)
    memcpy(&wider[(size_t)w * words * 64], sm_loaders(sm, w),
           sizeof *wider * sm->scoreboards.words * 64);
  memory_free(sm->loaders);
  sm->loaders = wider;
}

static void widen_late_results(Sm *sm, uint32_t words) {
  LateResult *wider = memory_alloc(sizeof *wider * words * 64 * MAX_WARPS_PER_SM);
  for (uint32_t w = 0; sm->late_results && w < MAX_WARPS_PER_SM; w++)
    memcpy(&wider[(size_t)w * words * 64],
           &sm->late_results[(size_t)w * sm->scoreboards.words * 64],
           sizeof *wider * sm->scoreboards.words * 64);
  memory_free(sm->late_results);
  sm->late_results = wider;
}

static void reserve_scoreboards(Sm *sm, const IssueTable *table) {
  uint32_t words = table->words;
  if (sm->scoreboards.words >= words) return;
  // A kernel with more registers starts. The tables beside the boards are widened first: they are
  // laid out by the old width.
  if (sm->events && event_is_wanted(sm->events, EVENT_STALL)) widen_loaders(sm, words);
  if (table->has_late_results) widen_late_results(sm, words);
  scoreboards_widen(&sm->scoreboards, words);
}

Requester sm_cta_requester(const Sm *sm, const CtaSlot *cta) {
  const LaunchOrigin *origin = &cta->kernel->launch->origin;
  return (Requester){.cta = cta->cta.linear,
                     .parent_cta = origin->parent_cta,
                     .parent = origin->has_parent ? origin->parent : REQUESTER_NO_PARENT,
                     .kernel = cta->kernel->id,
                     .sm = (uint16_t)sm->id,
                     .cluster = (uint16_t)sm->cluster,
                     .cta_slot = (uint8_t)(cta - sm->ctas)};
}

void sm_notify_scheduler(Sm *sm, uint32_t w, bool begins) {
  if (!sm->scheduler_type->on_warp) return;
  Requester requester = sm_requester(sm, w, sm->warps[w].fetch_pc);
  sm->scheduler_type->on_warp(sm->schedulers[w % sm->config->warp_schedulers].state, &requester,
                              begins);
}

void sm_place_warp(Sm *sm, CtaSlot *slot, Warp *warp, uint32_t w) {
  KernelRun *kernel = slot->kernel;
  uint64_t bit = UINT64_C(1) << w;
  warp->hardware_id = w;
  sm->warps[w] = (WarpSlot){.warp = warp,
                            .table = kernel->table,
                            .fetch_pc = kernel->launch->kernel->entry,
                            .cta = (uint8_t)(slot - sm->ctas),
                            .sub_core = (uint8_t)(w % sm->sub_core_count)};
  lsu_begin_warp(&sm->lsu, w);
  if (sm->async) sm_async_begin_warp(sm, w);
  sm->requesters[w] = sm_cta_requester(sm, slot);
  sm->requesters[w].warp = (uint8_t)w;
  sm->requesters[w].warp_in_cta = (uint8_t)warp->index;
  scoreboards_reset(&sm->scoreboards, w);
  if (sm->late_results)
    memset(&sm->late_results[(size_t)w * sm->scoreboards.words * 64], 0,
           sizeof *sm->late_results * sm->scoreboards.words * 64);
  sm->age[w] = sm->next_age++;
  sm->warp_numbers[w] = slot->cta.linear * slot->cta.warp_count + warp->index;
  sm->resident |= bit;
  sm->was_resident |= bit;
  sm->followed &= ~bit;
  sm->lingering &= ~bit;
  // Where the slot's last warp was: a full unit must not hold back a warp that does not need it.
  for (int u = 0; u < UNIT_KINDS; u++) sm->for_unit[u] &= ~bit;
  slot->slots |= bit;
  sm_notify_scheduler(sm, w, true);
}

CtaSlot *sm_place_cta(Sm *sm, KernelRun *kernel, Cycle started, uint64_t *warp_slots) {
  CtaSlot *slot = free_cta_slot(sm, kernel);
  uint32_t index = (uint32_t)(slot - sm->ctas);
  const CtaNeed *need = &kernel->need;
  *warp_slots = find_slots(sm, index, need->warps);
  if (!sm->resident && sm->lsu.policies) l1d_policies_forget(sm->lsu.policies);
  if (sm->carve_out.unified_kb && !sm->cta_count) divide_memory(sm, kernel, need);
  slot->kernel = kernel;
  slot->slots = 0;
  slot->warps_left = need->warps;
  slot->started = started;
  slot->local = (LocalLayout){
      .base = LOCAL_MEMORY_BASE,
      // Threads are numbered over all SMs by slot, so that the same word of neighbouring threads is
      // contiguous (coalescer.c, spread_local) and slots are reused, as local memory of hardware
      // is.
      .thread = (uint64_t)need->threads * (sm->id + (uint64_t)sm->sm_count * index),
      .thread_count = (uint64_t)sm->sm_count * sm->config->max_warps * WARP_LANES,
  };
  take_resources(sm, slot, need);
  reserve_scoreboards(sm, kernel->table);
  sm_reserve_calendar(sm, kernel->table->longest_latency);
  if (sm->skips_waits && kernel->table->waits.count && !sm->waiting)
    sm->waiting = sm_waiting_create();
  sm_waiting_disturb(sm);
  *sm->wake = 0;
  return slot;
}

// For oracles: executes the CTA, whose warps then replay what they did.
static void record_cta(Sm *sm, CtaSlot *slot) {
  const SmIdeal *ideal = &sm->config->ideal;
  const Warp *faulty = NULL;
  recorded_cta_destroy(slot->recorded);
  slot->recorded = NULL;
  if (!recorded_cta_is_possible(slot->cta.launch)) return;
  RecordOptions options = {.no_barriers = ideal->no_barriers,
                           .no_divergence = ideal->no_divergence,
                           .is_balanced = ideal->is_balanced};
  slot->recorded = recorded_cta_create(&sm->context, &slot->cta, options, &faulty);
  if (!slot->recorded && !sm->faulty) sm->faulty = faulty;
}

// Which warp of the next CTA takes the lowest of its slots. Rotated, CTAs of four warps begin at
// the sub-core where the last one ended, so that their first warps are in different ones.
static uint32_t first_in_lowest_slot(Sm *sm, uint32_t warps) {
  if (sm->config->warp_slots != SLOTS_ROTATED) return 0;
  return (uint32_t)(sm->ctas_placed++ % warps);
}

void sm_start_cta(Sm *sm, KernelRun *kernel, uint64_t cta, Cycle now) {
  uint64_t warp_slots;
  CtaSlot *slot = sm_place_cta(sm, kernel, now, &warp_slots);
  reserve_memory(slot, kernel->launch);
  cta_start(&slot->cta, kernel->launch, cta, slot->shared, slot->warps, 0);
  const SmIdeal *ideal = &sm->config->ideal;
  if (ideal->no_barriers || ideal->no_divergence || ideal->is_balanced) record_cta(sm, slot);
  if (sm->events) sm_emit_cta(sm, slot, EVENT_CTA_START, now);
  uint32_t count = slot->cta.warp_count, i = first_in_lowest_slot(sm, count);
  for (uint64_t left = warp_slots; left; left &= left - 1, i = (i + 1) % count)
    sm_place_warp(sm, slot, &slot->warps[i], (uint32_t)__builtin_ctzll(left));
}
