// SPDX-License-Identifier: MIT
// Issue: each scheduler tries its warps in the order of its policy until one instruction has
// gone out. Values are computed here (exec/execute.h); from here on an instruction only takes
// time. Execution at issue is correct because the scoreboard has cleared every register that
// the instruction reads or writes, and because stores become visible at the end of the cycle
// (must_wait_for_store).
#include "exec/barrier.h"
#include "exec/replay.h"
#include "exec/watch.h"
#include "sm/ideal_access.h"
#include "sm/sm.h"

static uint64_t bit_of(uint32_t w) {
  return UINT64_C(1) << w;
}

// Interleaved, as in GPGPU-Sim: neighbouring warps of a CTA belong to different schedulers, so
// that each scheduler has a share of every CTA.
static uint64_t warps_of_scheduler(const Sm *sm, uint32_t scheduler) {
  uint32_t n = sm->config->warp_schedulers;
  uint64_t pattern = 0;
  for (uint32_t w = scheduler; w < MAX_WARPS_PER_SM; w += n) pattern |= bit_of(w);
  return pattern;
}

// Barriers and completed children release warps of the whole CTA.
static void refresh_barriers(Sm *sm, const CtaSlot *cta) {
  for (uint64_t left = cta->slots & sm->resident; left; left &= left - 1) {
    uint32_t w = (uint32_t)__builtin_ctzll(left);
    WarpState state = sm->warps[w].warp->state;
    bool waits = state == WARP_AT_BARRIER || state == WARP_AT_CHILDREN;
    sm->at_barrier = waits ? sm->at_barrier | bit_of(w) : sm->at_barrier & ~bit_of(w);
  }
}

// With sm.barrier_interval_cycles a unit takes the warps that arrive one after the other; whom
// they release may go on sm.barrier_latency_cycles after the last of them has passed it. Who only
// arrives does not wait.
static void pass_barrier_unit(Sm *sm, uint32_t w, const IssueInfo *info, Cycle now) {
  CtaSlot *cta = &sm->ctas[sm->warps[w].cta];
  Cycle free = sm->barrier_unit_free;
  sm->barrier_unit_free = (free > now ? free : now) + sm->config->barrier_interval_cycles;
  cta->barrier_passed = sm->barrier_unit_free + sm->config->barrier_latency_cycles;
  sm->passing |= bit_of(sm->warps[w].cta);
  if (!info->is_arrival) sm->at_barrier |= bit_of(w);
  sm->next_release = cycle_earlier(sm->next_release, cta->barrier_passed);
}

// Whether the time has come; if not, and there is one, it is noted.
static bool has_passed(Cycle *time, Cycle now, Cycle *next) {
  if (*time > now) *next = cycle_earlier(*next, *time);
  if (!*time || *time > now) return false;
  *time = 0;
  return true;
}

static void release_from_barriers(Sm *sm, Cycle now) {
  if (now < sm->next_release) return;
  sm->next_release = NEVER;
  for (uint64_t left = sm->passing; left; left &= left - 1) {
    CtaSlot *cta = &sm->ctas[__builtin_ctzll(left)];
    Cycle next = NEVER;
    bool passes = has_passed(&cta->cluster_passed, now, &next);
    passes |= has_passed(&cta->barrier_passed, now, &next);
    if (next == NEVER) sm->passing &= ~(left & -left);
    sm->next_release = cycle_earlier(sm->next_release, next);
    if (!passes) continue;
    refresh_barriers(sm, cta);
    sm->did_something = true;
  }
}

static bool takes_barrier_unit(const Sm *sm, const IssueInfo *info) {
  return info->is_barrier && !info->is_warps && sm->config->barrier_interval_cycles &&
         !sm->config->ideal.no_barriers;
}

// A warp has arrived, or has ended, which may release others. One that has to wait has released
// nobody.
static void note_barriers(Sm *sm, uint32_t w, const IssueInfo *info, Cycle now) {
  const CtaSlot *cta = &sm->ctas[sm->warps[w].cta];
  bool is_clusters = info->is_cluster_barrier && cta->cta.cluster;
  if (is_clusters) {  // the GPU tells of the release (sm_hear_cluster)
    if (sm->warps[w].warp->state == WARP_AT_BARRIER) sm->at_barrier |= bit_of(w);
  } else if (takes_barrier_unit(sm, info))
    pass_barrier_unit(sm, w, info, now);
  else if (sm->warps[w].warp->state == WARP_AT_BARRIER)
    sm->at_barrier |= bit_of(w);
  else if (cta->barrier_passed <= now)
    refresh_barriers(sm, cta);
}

void sm_hear_cluster(Sm *sm, CtaSlot *cta, Cycle at) {
  if (at) {
    cta->cluster_passed = at;
    sm->passing |= bit_of((uint32_t)(cta - sm->ctas));
    sm->next_release = cycle_earlier(sm->next_release, at);
  }
  sm_async_changed(sm);
  *sm->wake = 0;
}

void sm_wake_cta(Sm *sm, const CtaSlot *cta) {
  refresh_barriers(sm, cta);
  *sm->wake = 0;
}

// Whose fault it is if the warp has to wait (blame.c).
static void note_access(Sm *sm, uint32_t w, const Inflight *inflight) {
  const IssueInfo *info = inflight->info;
  if (info->is_atomic) sm->atomic_pc[w] = inflight->pc;
  if (info->is_store && inflight->path != PATH_SHARED) sm->store_pc[w] = inflight->pc;
  if (!info->is_load) return;
  uint32_t *loaders = sm_loaders(sm, w);
  for (int d = 0; d < info->destination_count; d++) loaders[info->destinations[d]] = inflight->pc;
}

// Whether the instruction is an atomic that its warp issues nothing before the end of.
static bool awaits_atomic(Sm *sm, uint32_t w, Inflight *inflight) {
  bool is_global = inflight->info->is_atomic && inflight->path == PATH_BYPASS;
  bool is_awaited = is_global && lsu_await_atomic(&sm->lsu, inflight);
  if (!inflight->loop_cycles) return is_awaited;
  // Shared memory of CTA slots follows one another.
  uint32_t cta = sm->warps[w].cta;
  uint64_t base = (uint64_t)cta * sm->ctas[cta].shared_bytes;
  lsu_await_shared_atomic(&sm->lsu, inflight, &sm->context.access, base);
  return true;
}

// Coalesces at issue although the hardware would do so behind the collectors: addresses are
// known, and the scoreboard must know now whether data comes from far or near. No cycle is
// counted here.
static void begin_memory(Sm *sm, uint32_t w, Inflight *inflight, const Instruction *in) {
  WarpSlot *slot = &sm->warps[w];
  const CtaSlot *cta = &sm->ctas[slot->cta];
  inflight->path = PATH_NONE;
  inflight->access_count = 0;
  inflight->loop_cycles = 0;
  inflight->together = 0;
  coalesce(inflight, in, &sm->context.access, sm->config, &cta->local,
           slot->warp->index * WARP_LANES, &sm->access_units);
  if (__builtin_expect(inflight->info->ideal, 0))
    ideal_access(inflight, in, &sm->context.access, sm->config, &sm->access_units, &sm->ideal,
                 &sm->lsu);
  if (inflight->path == PATH_CONSTANT && in->form.space == SPACE_PARAM)
    // Parameters are addressed from 0 within their kernel; each launch has a block of its own in
    // memory.
    for (uint32_t i = 0; i < inflight->access_count; i++)
      inflight->accesses[i].address += cta->kernel->param_address;
  bool is_bulk = in->form.mode == MODE_BULK || in->form.mode == MODE_BULK_TENSOR ||
                 in->form.mode == MODE_BULK_PREFETCH;
  if (in->form.op == OP_CP && is_bulk) coalesce_bulk(inflight, &sm->bulk);
  sm->bulk.count = 0;
  inflight->outstanding = inflight->access_count;
  if (awaits_atomic(sm, w, inflight)) sm->at_atomic |= bit_of(w);
  if (sm->loaders) note_access(sm, w, inflight);
  if (sm->events) sm_emit_memory(sm, inflight, in, inflight->issued);
  if (sm->lsu.policies) l1d_policies_issue(sm->lsu.policies, inflight, &sm->context.access);
  if (inflight->info->is_load) {
    slot->loads++;
    sm->loading |= bit_of(w);
    scoreboard_set(sm_scoreboard(sm, w, scoreboard_of_load(inflight)), inflight->info);
    bool is_long = scoreboard_of_load(inflight) == BOARD_FAR;
    if (is_long) {
      sm->waits_memory |= bit_of(w);
      if (sm->scheduler_type->on_long_wait)
        sm->scheduler_type->on_long_wait(sm->schedulers[w % sm->config->warp_schedulers].state,
                                         (int)w, true);
    }
    bool is_global = is_long && inflight->path != PATH_TEXTURE && !inflight->is_local;
    if (is_global && !inflight->info->is_atomic && sm->scheduler_type->on_load) {
      Requester requester = sm_requester(sm, w, inflight->pc);
      sm->scheduler_type->on_load(sm->schedulers[w % sm->config->warp_schedulers].state,
                                  &requester);
      if (sm->scheduler_type->policy.storage_bits) sm->lsu.stats.table_lookups++;
    }
  }
}

static void end_warp(Sm *sm, uint32_t w) {
  WarpSlot *slot = &sm->warps[w];
  slot->buffer_count = 0;
  sm->ended |= bit_of(w);
}

// Where an oracle has left out instructions (exec/recorded_cta.h), the warp goes on behind them as
// behind ones that it issued.
static void pass_gap(WarpSlot *slot) {
  uint32_t pc = warp_top(slot->warp)->pc, skipped = pc - slot->buffer_pc;
  if (skipped < slot->buffer_count) {
    slot->buffer_pc = pc;
    slot->buffer_count = (uint8_t)(slot->buffer_count - skipped);
  } else {
    slot->buffer_count = 0;
    slot->fetch_pc = pc;
  }
}

// Code is fetched ahead in order: a target in another line of it has to be fetched first.
static bool left_line(const Sm *sm, const WarpSlot *slot, uint32_t pc) {
  uint32_t bytes = sm->config->instruction_bytes;
  return slot->warp->state == WARP_RUNNING &&
         warp_top(slot->warp)->pc * bytes >> sm->l1i_line_log2 != pc * bytes >> sm->l1i_line_log2;
}

static void delay_next(const Sm *sm, WarpSlot *slot, const IssueInfo *info, uint32_t pc,
                       Cycle now) {
  bool is_far = info->jump_cycles != info->after_cycles && left_line(sm, slot, pc);
  slot->not_before = now + (is_far ? info->jump_cycles : info->after_cycles);
}

static void begin_fence(Sm *sm, uint32_t w, const IssueInfo *info) {
  sm->at_fence |= bit_of(w);
  if (info->awaits_stores) sm->awaits_stores |= bit_of(w);
  if (info->drops_l1) sm->drops_l1 |= bit_of(w);
}

// What an instruction may do besides computing.
static void follow_up(Sm *sm, uint32_t w, Inflight *inflight, const Instruction *in,
                      uint32_t active, Cycle now) {
  WarpSlot *slot = &sm->warps[w];
  const IssueInfo *info = inflight->info;
  if (info->unit == UNIT_MEM) begin_memory(sm, w, inflight, in);
  if (info->async && active) sm_async_issue(sm, w, inflight, in);
  if (info->is_fence) begin_fence(sm, w, info);
  if (sm->context.sleep) sm_fall_asleep(sm, w, now);
  if (slot->warp->state == WARP_DONE)
    end_warp(sm, w);
  else if (slot->warp->replay && replay_is_after_gap(slot->warp))
    pass_gap(slot);
  // The GPU may suspend a CTA whose warps all wait for child kernels (suspend.c); it looks only
  // when told.
  sm->began_to_wait |= slot->warp->state == WARP_AT_CHILDREN;
  if (info->is_barrier || slot->warp->state != WARP_RUNNING) note_barriers(sm, w, info, now);
  CtaSlot *cta = &sm->ctas[slot->cta];
  if (cta->cta.has_released) {
    cta->cta.has_released = false;
    refresh_barriers(sm, cta);
  }
}

static void count_issue(Sm *sm, const IssueInfo *info, uint32_t active) {
  uint64_t lanes = (uint64_t)__builtin_popcount(active);
  sm->stats.warp_instructions++;
  sm->stats.thread_instructions += lanes;
  sm->stats.lanes[info->unit] += lanes;
  sm->stats.pipe_cycles += info->pipe_cycles;
  if (info->unit == UNIT_DP) sm->stats.fp64_cycles += info->pipe_cycles;
  if (info->unit == UNIT_TENSOR) sm->stats.tensor_cycles += info->interval;
  sm->stats.register_operands += (uint64_t)info->source_count + info->destination_count;
}

// The steps depend on each other: warp_step() moves the pc and may end or block the warp; only
// then are the scoreboard, barriers and head of the buffer brought up to date.
static void issue_warp(Sm *sm, uint32_t w, Cycle now) {
  WarpSlot *slot = &sm->warps[w];
  uint32_t pc = slot->buffer_pc;
  const IssueInfo *info = &slot->table->infos[pc];
  Inflight *inflight = inflight_pool_take(&sm->inflights);
  inflight->info = info;
  inflight->order = sm->issue_order++;
  inflight->issued = now;
  inflight->pc = pc;
  inflight->warp = (uint8_t)w;
  inflight->sub_core = slot->sub_core;
  inflight->is_async = false;
  slot->buffer_pc++;
  slot->buffer_count--;
  // Straight-line: a taken branch is noticed when the next buffered instruction turns out stale.
  slot->fetch_pc = pc + 1;

  if (__builtin_expect(info->waits, 0)) sm_waiting_step(sm, w, now);
  uint32_t active;
  const Instruction *in = warp_step(&sm->context, slot->warp, &active);
  if (sm->context.watch) watch_step(&sm->context, slot->warp, in, active);
  if (sm->context.fault.kind && !sm->faulty) sm->faulty = slot->warp;
  if (sm->events) sm_emit_issue(sm, w, pc, active, now);
  count_issue(sm, info, active);
  if (info->jump_cycles) delay_next(sm, slot, info, pc, now);
  slot->in_pipeline++;
  scoreboard_set(sm_scoreboard(sm, w, BOARD_PENDING), info);
  if (!info->is_plain || slot->warp->replay) follow_up(sm, w, inflight, in, active, now);
  collectors_issue(sm->collectors[inflight->sub_core], inflight);
  sm_refresh_head(sm, w);
  sm->did_something = true;
}

// The buffer is dropped, and fetch restarts at the pc that the branch chose.
static void flush(Sm *sm, uint32_t w) {
  WarpSlot *slot = &sm->warps[w];
  slot->buffer_count = 0;
  slot->fetch_pc = warp_top(slot->warp)->pc;
  sm_refresh_head(sm, w);
  sm->did_something = true;
}

// Of one scheduler's, those whose unit has room as well.
static uint64_t fitting_warps(const Sm *sm, uint32_t scheduler, uint64_t able) {
  uint64_t fitting = able & sm->ready;
  if (!fitting) return 0;
  const Collectors *collectors = sm->collectors[sm_sub_core(sm, scheduler)];
  for (uint32_t full = collectors->full_units; full; full &= full - 1)
    fitting &= ~sm->for_unit[__builtin_ctz(full)];
  return fitting;
}

static void notify_issue(Sm *sm, const IssueView *view, uint32_t w) {
  if (sm->scheduler_type->on_issue)
    sm->scheduler_type->on_issue(sm->schedulers[view->scheduler].state, view, (int)w);
}

// Memory changes at the end of the cycle: a warp that is released from a barrier must not
// load in the cycle in which what it waited for is stored.
static bool must_wait_for_store(const Sm *sm, uint32_t w, const IssueInfo *first) {
  bool writes = first->is_access && (first->is_store || first->is_atomic);
  return writes && sm->warps[w].table->infos[sm->warps[w].buffer_pc].may_release;
}

// A second instruction of the same warp in the same cycle.
static void issue_again(Sm *sm, const IssueView *view, uint32_t w, const IssueInfo *first) {
  for (uint32_t i = 1; i < sm->config->issues_per_warp; i++) {
    uint64_t fitting =
        fitting_warps(sm, view->scheduler, sm_able_warps(sm, bit_of(w)) & ~sm->stale);
    if (!fitting) return;
    if (sm->config->dual_issue_different_units && sm->for_unit[first->unit] & bit_of(w)) return;
    if (must_wait_for_store(sm, w, first)) return;
    IssueView again = *view;
    // The policy must not choose another warp for the second slot: hardware dual-issues from one
    // warp.
    again.candidates = bit_of(w);
    again.waiting_memory = sm->waits_memory;
    again.accesses = sm->at_access;
    again.loads = sm->at_load;
    issue_warp(sm, w, view->now);
    notify_issue(sm, &again, w);
  }
}

// Of the fullest part: a scheduler that throttles by free MSHRs (Mascar) has to assume that its
// next load goes there.
static void view_l1d(const Sm *sm, IssueView *view) {
  view->l1d_mshrs_free = view->l1d_queue_free = UINT32_MAX;
  for (uint32_t i = 0; i < sm->lsu.l1_parts; i++) {
    CacheRoom room = cache_room(sm->lsu.l1d[i]);
    if (room.mshrs < view->l1d_mshrs_free) view->l1d_mshrs_free = room.mshrs;
    if (room.queue < view->l1d_queue_free) view->l1d_queue_free = room.queue;
  }
}

// Asks until a warp issues or the policy holds its slot. True: all candidates had
// fetched what they do not execute, and have flushed it.
static bool flushes_all(Sm *sm, uint32_t scheduler, uint64_t candidates, Cycle now,
                        SlotReason *use) {
  IssueView view = {
      .now = now,
      .resident = sm->schedulers[scheduler].warps & sm->resident & ~sm->ended,
      .waiting_memory = sm->waits_memory,
      .at_barrier = sm->at_barrier | sm->at_launch | sm->asleep,
      .accesses = sm->at_access,
      .loads = sm->at_load,
      .age = sm->age,
      .scheduler = scheduler,
      .scheduler_count = sm->config->warp_schedulers,
  };
  if (sm->scheduler_type->watches_l1d) view_l1d(sm, &view);
  void *state = sm->schedulers[scheduler].state;
  bool flushed = false;
  while (candidates) {
    view.candidates = candidates;
    int picked = warp_scheduler_pick(sm->scheduler_type, state, &view);
    if (picked == ISSUE_NONE) {  // what is stale could not have issued
      *use = flushed && !(candidates & ~sm->stale) ? SLOT_flush : SLOT_held;
      return false;
    }
    uint32_t w = (uint32_t)picked;
    if (sm->stale & bit_of(w)) {
      flush(sm, w);
      flushed = true;
      candidates &= ~bit_of(w);
      continue;
    }
    // Read before issue_warp(), which advances buffer_pc; issue_again() needs the first
    // instruction.
    const IssueInfo *info = &sm->warps[w].table->infos[sm->warps[w].buffer_pc];
    issue_warp(sm, w, now);
    notify_issue(sm, &view, w);
    if (sm->config->issues_per_warp > 1) issue_again(sm, &view, w, info);
    *use = SLOT_issued;
    return false;
  }
  return true;
}

// Warps that a scheduler may try. Stale ones are among them, although they cannot issue: as in
// GPGPU-Sim the scheduler finds out when it picks one, and the flush starts the fetch of the right
// instruction.
static uint64_t triable_warps(const Sm *sm, uint64_t able) {
  return able & (sm->ready | sm->stale);
}

// Some of its able warps may be tried. Apart: the room for a view would slow down what asks every
// scheduler in every cycle.
static __attribute__((noinline)) SlotReason issue_from(Sm *sm, uint32_t scheduler, uint64_t able,
                                                       Cycle now) {
  uint64_t mine = sm->schedulers[scheduler].warps;
  uint64_t candidates = fitting_warps(sm, scheduler, able) | (able & sm->stale);
  SlotReason use;
  if (!candidates) return sm_stall_reason(sm, mine, able, false);
  if (!flushes_all(sm, scheduler, candidates, now, &use)) return use;
  return sm_stall_reason(sm, mine, sm_able_warps(sm, mine), true);
}

// None of its warps may be tried. Mostly it is known what they wait for, and one waits for memory,
// which then is the reason (stall.c).
static SlotReason waiting_reason(Sm *sm, uint64_t mine, uint64_t able) {
  uint64_t loading = able & sm->loading;
  if (!(loading & ~sm->awaits_known) && loading & sm->awaits_far) return SLOT_memory;
  return sm_stall_reason(sm, mine, able, false);
}

static bool has_pending_registers(const Sm *sm, uint32_t w) {
  const uint64_t *pending = sm_scoreboard(sm, w, BOARD_PENDING);
  uint64_t any = 0;
  for (uint32_t i = 0; i < sm->scoreboards.words; i++) any |= pending[i];
  return any;
}

// A fence completes when no register of its warp is pending, and with sm.fence_scopes, if it
// reaches beyond the CTA, when the warp's stores and atomics are acknowledged. That is time only:
// all SMs see a store at the end of the cycle in which it issues.
static void end_fences(Sm *sm) {
  for (uint64_t left = sm->at_fence; left; left &= left - 1) {
    uint32_t w = (uint32_t)__builtin_ctzll(left);
    bool may_have_stores = sm->awaits_stores & bit_of(w);
    if (has_pending_registers(sm, w)) continue;
    if (may_have_stores && (sm->warps[w].in_pipeline || sm_has_stores(sm, w))) continue;
    // L1Ds are not coherent. Data that another SM wrote before its fence must not be hidden by an
    // old line.
    if (sm->drops_l1 & bit_of(w)) sm_flush_l1(sm);
    sm->at_fence &= ~bit_of(w);
    sm->awaits_stores &= ~bit_of(w);
    sm->drops_l1 &= ~bit_of(w);
    sm->did_something = true;
  }
}

// The schedulers take turns at being first, since units are shared: a fixed order would favour
// the first. A turn is a cycle with warps, which skipped cycles preserve.
static uint32_t first_scheduler(const Sm *sm, uint32_t n) {
  return (uint32_t)(n & (n - 1) ? sm->turns % n : sm->turns & (n - 1));
}

void sm_release_warps(Sm *sm, Cycle now) {
  if (sm->at_fence) end_fences(sm);
  release_from_barriers(sm, now);
  sm_end_late(sm, now);
  if (now >= sm->next_awake) sm_end_sleep(sm, now);
}

void sm_issue(Sm *sm, Cycle now) {
  // Found at most once per cycle, by the first scheduler that stalls on the load/store unit.
  sm->lsu_reason = sm->culprit.reason = SLOT_issued;
  if (sm_stands_still(sm)) {
    sm_repeat_reasons(sm);
    return;
  }
  uint32_t n = sm->config->warp_schedulers, scheduler = first_scheduler(sm, n);
  uint64_t able = sm_able_warps(sm, sm->resident), triable = triable_warps(sm, able);
  bool had_triable = triable != 0;
  for (uint32_t k = 0; k < n; k++, scheduler = scheduler + 1 < n ? scheduler + 1 : 0) {
    uint64_t mine = sm->schedulers[scheduler].warps;
    SlotReason use = mine & triable ? issue_from(sm, scheduler, able & mine, now)
                                    : waiting_reason(sm, mine, able & mine);
    if (use == SLOT_issued) {  // which may release warps of the others from a barrier
      able = sm_able_warps(sm, sm->resident);
      triable = triable_warps(sm, able);
    }
    sm->schedulers[scheduler].use = use;
    sm->stats.slots[use]++;
    if (sm->loaders && use != SLOT_issued) sm_blame(sm, scheduler, use);
  }
  sm->standstill.is_known = false;
  if (!had_triable) sm_note_standstill(sm);
}

void sm_assign_schedulers(Sm *sm) {
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++)
    sm->schedulers[s].warps = warps_of_scheduler(sm, s);
}
