// SPDX-License-Identifier: MIT
// What is compared, and what is moved in time. Whatever a tick of arithmetic, branches and sleep
// reads has to be here: a member that is left out would not fail, it would give other cycles.
// tests/timing/waiting_test.c compares all counters with those of runs that skip nothing.
//
// Times in the past are all alike, and a time that no event of a period has set stays as it is.
#include "sm/waiting/wait_state.h"

#include <string.h>

#include "base/memory.h"

static void put(WaitState *state, uint64_t word) {
  GROW(state->words, state->count, state->capacity);
  state->words[state->count++] = word;
}

static void put_time(WaitState *state, Cycle time, Cycle now) {
  put(state, time == NEVER ? NEVER : time > now ? time - now : 0);
}

// ---- warps

// So long ago that no distance between instructions reaches back to it (IssueInfo, uint8_t).
enum { LONG_AGO = 256 };

static void put_results(WaitState *state, const Sm *sm, uint32_t w, const WaitLoop *loop,
                        Cycle now) {
  const LateResult *results = &sm->late_results[(size_t)w * sm->scoreboards.words * 64];
  for (uint32_t i = 0; i < loop->register_count; i++) {
    LateResult result = results[loop->registers[i]];
    Cycle age = now - (result >> 1);
    put(state, !result || age > LONG_AGO ? 0 : (age + 1) << 1 | (result & 1));
  }
}

static void put_stack(WaitState *state, const Warp *warp) {
  put(state, warp->stack_depth);
  for (uint32_t i = 0; i < warp->stack_depth; i++) {
    const SimtEntry *entry = &warp->stack[i];
    put(state, (uint64_t)entry->pc << 32 | entry->reconverge);
    put(state, (uint64_t)entry->mask << 32 | entry->depth);
    put(state, (uint64_t)entry->frame << 32 | entry->local_frame);
  }
}

static void put_values(WaitState *state, const Warp *warp) {
  const uint32_t *predicates = (const uint32_t *)(const void *)warp->base[0];
  for (uint32_t i = 0; i < warp_top(warp)->function->predicate_count; i++)
    put(state, predicates[i]);
  put(state, (uint64_t)warp->carry << 32 | warp->exited);
}

// One that does not wait in a loop must be held by a barrier.
static bool put_warp(WaitState *state, const Sm *sm, uint32_t w, Cycle now) {
  const WarpSlot *slot = &sm->warps[w];
  const Warp *warp = slot->warp;
  uint64_t bit = UINT64_C(1) << w;
  if (warp->replay || warp->state == WARP_AT_CHILDREN || warp->cta->cluster) return false;
  put(state, (uint64_t)slot->fetch_pc << 32 | slot->buffer_pc);
  put(state, (uint64_t)slot->buffer_count << 48 | (uint64_t)slot->unit << 32 |
                 (uint64_t)slot->in_pipeline << 16 | (uint64_t)warp->state);
  put_time(state, slot->not_before, now);
  if (sm->late & bit) put_time(state, slot->operands_at, now);
  if (sm->asleep & bit) put_time(state, slot->awake_at, now);
  const uint64_t *pending = sm_scoreboard(sm, w, BOARD_PENDING);
  for (uint32_t i = 0; i < sm->scoreboards.words; i++) put(state, pending[i]);
  put(state, sm->age[w]);
  if (sm->ended & bit) return true;
  const WaitLoop *loop = wait_loops_at(&slot->table->waits, warp_top(warp)->pc);
  if (!loop) return sm->at_barrier & bit;
  put_stack(state, warp);
  put_values(state, warp);
  if (sm->late_results) put_results(state, sm, w, loop, now);
  return true;
}

static void put_sets(WaitState *state, const Sm *sm) {
  const uint64_t sets[] = {sm->resident,   sm->ended,     sm->lingering,    sm->buffered,
                           sm->ready,      sm->late,      sm->stale,        sm->at_barrier,
                           sm->asleep,     sm->at_access, sm->at_load,      sm->at_outside,
                           sm->at_release, sm->followed,  sm->was_resident, sm->empty_state};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) put(state, sets[i]);
  for (int u = 0; u < UNIT_KINDS; u++) put(state, sm->for_unit[u]);
}

// ---- operands and units

static void put_inflight(WaitState *state, const Sm *sm, const Inflight *inflight) {
  put(state, sm->issue_order - inflight->order);
  put(state, (uint64_t)inflight->pc << 32 | (uint64_t)inflight->warp << 16 | inflight->collector);
}

static void put_latch(WaitState *state, const Sm *sm, Inflight *const *latch, uint32_t count) {
  put(state, count);
  for (uint32_t i = 0; i < count; i++) put_inflight(state, sm, latch[i]);
}

static void put_path(WaitState *state, const Sm *sm, UnitPath *path) {
  put_latch(state, sm, collectors_issue_latch(path), path->issued);
  put_latch(state, sm, collectors_execute_latch(path), path->executing);
  put(state, path->free);
  put(state, path->ready);
  put(state, path->last);
  for (uint32_t i = 0; i < path->collectors; i++)
    if (!(path->free >> i & 1)) put_inflight(state, sm, collectors_held(path)[i]);
}

static void put_reads(WaitState *state, const Sm *sm, const Inflight *inflight) {
  put(state, sm->issue_order - inflight->order);
  put(state, inflight->read_depth);
  for (uint32_t i = 0; i < inflight->read_depth; i++) put(state, inflight->reads[i]);
}

static void put_collectors(WaitState *state, const Sm *sm, const Collectors *collectors) {
  put(state, (uint64_t)collectors->issued_units << 32 | collectors->full_units);
  put(state, collectors->ready_sets);
  put(state, collectors->reading_count);
  put(state, collectors->written);
  for (int u = 0; u < UNIT_KINDS; u++) put_path(state, sm, collectors_path(collectors, u));
  for (uint32_t i = 0; i < collectors->reading_count; i++)
    put_reads(state, sm, collectors->reading[i]);
}

static uint32_t calendar_index(const Sm *sm, Cycle cycle) {
  return (uint32_t)cycle & (sm->calendar.cycles - 1);
}

static void put_calendar(WaitState *state, const Sm *sm, Cycle now) {
  put(state, sm->calendar.total);
  for (Cycle at = now + 1; at <= now + sm->calendar.cycles; at++) {
    uint32_t index = calendar_index(sm, at);
    const CalendarSlot *slot = &sm->calendar.slots[index];
    bool has_bus = slot->bus_cycle == at;
    if (!slot->count && !has_bus) continue;
    put(state, at - now);
    put(state, has_bus ? slot->units : 0);
    put(state, (uint64_t)(has_bus ? slot->bus_count : 0) << 8 | slot->count);
    const Inflight *inflight = slot->first;
    for (uint32_t i = 0; i < slot->count; i++, inflight = inflight->next_result)
      put_inflight(state, sm, inflight);
  }
}

// ---- front end and schedulers

static void put_front_end(WaitState *state, const Sm *sm) {
  put(state, (uint64_t)sm->fetched.is_valid << 40 | sm->last_fetched);
  if (sm->fetched.is_valid) put(state, (uint64_t)sm->fetched.warp << 32 | sm->fetched.pc);
  put(state, sm->stream.base);
  put(state, sm->stream.next);
  put(state, sm->stream.end);
}

// Statistics of a policy are counters; each word that is one of them.
static bool is_statistic(const Stat *stats, size_t offset) {
  for (; stats && stats->name; stats++)
    if (stats->offset == offset || (stats->is_ratio && stats->denominator_offset == offset))
      return true;
  return false;
}

static uint32_t policy_states(const Sm *sm) {
  return sm->scheduler_type->one_per_sm ? 1 : sm->config->warp_schedulers;
}

static void put_policy(WaitState *state, const Sm *sm, const uint8_t *policy) {
  const PolicyType *type = &sm->scheduler_type->policy;
  for (size_t at = 0; at < type->state_size; at += sizeof(uint64_t)) {
    if (is_statistic(type->stats, at)) continue;
    uint64_t word = 0;
    size_t rest = type->state_size - at;
    memcpy(&word, policy + at, rest < sizeof word ? rest : sizeof word);
    put(state, word);
  }
}

static void put_blame(WaitState *state, const Blame *blame) {
  put(state, (uint64_t)blame->culprit.kernel << 32 | blame->culprit.pc);
  put(state, (uint64_t)blame->culprit.reason << 32 | blame->warp);
  put(state, (uint64_t)blame->head_pc << 32 | blame->awaited);
  put(state, blame->age);
}

static void put_schedulers(WaitState *state, const Sm *sm) {
  put(state, sm->turns % sm->config->warp_schedulers);
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++) {
    put(state, sm->schedulers[s].use);
    if (sm->loaders) put_blame(state, &sm->blames[s]);
  }
  for (uint32_t s = 0; s < policy_states(sm); s++) put_policy(state, sm, sm->schedulers[s].state);
}

// ---- all of it

static bool lsu_is_at_rest(const Sm *sm) {
  const Lsu *lsu = &sm->lsu;
  return !lsu->latch && !lsu->result && !lsu->bypass_result && !lsu->has_fills &&
         !lsu->has_misses && !lsu->is_blocked && !lsu->prefetches && !lsu->policies &&
         access_ring_is_empty(&lsu->l1_queue) && access_ring_is_empty(&lsu->replays) &&
         shared_ring_is_empty(&lsu->shared_pipe) && shared_ring_is_empty(&lsu->remote_pipe) &&
         shared_ring_is_empty(&lsu->constant_pipe) && shared_ring_is_empty(&lsu->texture_pipe) &&
         response_ring_is_empty(&lsu->responses) && !lsu->queued_blocks && !lsu->awaited &&
         !lsu->looping && !lsu->bulk.count && timed_ring_is_empty(&sm->network.lookups);
}

static bool is_at_rest(const Sm *sm) {
  if (sm->missing | sm->at_fence | sm->at_atomic | sm->at_copies | sm->at_mbarrier |
      sm->waits_memory | sm->at_launch | sm->loading | sm->passing)
    return false;
  if (sm->l1i_has_misses || sm->l1i_has_fills || sm->prefetches || sm->faulty || sm->to_do ||
      sm->ctas_ended || sm->began_to_wait || sm->stores.count || sm_requests_out(sm) ||
      sm->leaving.count)
    return false;
  if (sm->stream.next <= sm->stream.end && sm->l1i) return false;
  if (sm->async && sm_async_next(sm) != NEVER) return false;
  return lsu_is_at_rest(sm);
}

bool wait_state_take(WaitState *state, const Sm *sm, Cycle now) {
  state->count = 0;
  if (!is_at_rest(sm)) return false;
  put_sets(state, sm);
  for (uint64_t left = sm->resident; left; left &= left - 1)
    if (!put_warp(state, sm, (uint32_t)__builtin_ctzll(left), now)) return false;
  put_time(state, sm->next_late, now);
  put_time(state, sm->next_awake, now);
  put(state, sm->collected);
  put(state, sm->did_something);
  for (uint32_t s = 0; s < sm->sub_core_count; s++) put_collectors(state, sm, sm->collectors[s]);
  for (uint32_t u = 0; u < sm->unit_count; u++) put_time(state, sm->units[u].free_at, now);
  put_calendar(state, sm, now);
  put_front_end(state, sm);
  put_schedulers(state, sm);
  return true;
}

bool wait_state_is_equal(const WaitState *a, const WaitState *b) {
  return a->count == b->count && memcmp(a->words, b->words, a->count * sizeof *a->words) == 0;
}

void wait_state_clear(WaitState *state) {
  memory_free(state->words);
  *state = (WaitState){0};
}

// ---- counters

// Calls for each word of the schedulers' states that is a statistic.
#define FOR_STATISTICS(sm, word)                                                                 \
  for (uint32_t s_ = 0; s_ < policy_states(sm); s_++)                                            \
    for (size_t at_ = 0; at_ + sizeof(uint64_t) <= (sm)->scheduler_type->policy.state_size;      \
         at_ += sizeof(uint64_t))                                                                \
      if (is_statistic((sm)->scheduler_type->policy.stats, at_))                                 \
        for (uint64_t *word = (uint64_t *)(void *)((uint8_t *)(sm)->schedulers[s_].state + at_); \
             word; word = NULL)

static void take_policies(WaitCounters *counters, const Sm *sm) {
  uint32_t count = 0;
  FOR_STATISTICS(sm, word) count += word != NULL;
  if (!count) return;
  if (!counters->policies) counters->policies = memory_alloc(sizeof *counters->policies * count);
  counters->policy_count = 0;
  FOR_STATISTICS(sm, word) counters->policies[counters->policy_count++] = *word;
}

void wait_counters_take(WaitCounters *counters, const Sm *sm) {
  counters->stats = sm->stats;
  if (sm->l1i) {
    counters->l1i = *cache_stats_of(sm->l1i);
    counters->code_prefetches_used = cache_prefetch_stats(sm->l1i)->used;
  }
  counters->turns = sm->turns;
  counters->issue_order = sm->issue_order;
  for (uint32_t s = 0; s < MAX_SCHEDULERS; s++) counters->blamed[s] = sm->blames[s].slots;
  for (uint64_t left = sm->resident; left; left &= left - 1) {
    int w = __builtin_ctzll(left);
    counters->instructions[w] = sm->warps[w].warp->instructions;
    counters->thread_instructions[w] = sm->warps[w].warp->thread_instructions;
  }
  take_policies(counters, sm);
}

bool wait_counters_repeat(const WaitCounters *before, const Sm *sm) {
  return !sm->l1i || cache_repeats(sm->l1i, &before->l1i, before->code_prefetches_used);
}

void wait_counters_clear(WaitCounters *counters) {
  memory_free(counters->policies);
  *counters = (WaitCounters){0};
}

static void grow(uint64_t *counter, uint64_t before, uint64_t periods) {
  *counter += periods * (*counter - before);
}

// Structures of nothing but counters.
static void grow_all(void *counters, const void *before, size_t bytes, uint64_t periods) {
  uint64_t *words = counters;
  for (size_t i = 0; i < bytes / sizeof *words; i++)
    grow(&words[i], ((const uint64_t *)before)[i], periods);
}

static void pass_counters(Sm *sm, const WaitCounters *before, uint64_t periods) {
  grow_all(&sm->stats, &before->stats, sizeof sm->stats, periods);
  grow(&sm->turns, before->turns, periods);
  for (uint32_t s = 0; s < MAX_SCHEDULERS; s++)
    grow(&sm->blames[s].slots, before->blamed[s], periods);
  for (uint64_t left = sm->resident; left; left &= left - 1) {
    int w = __builtin_ctzll(left);
    grow(&sm->warps[w].warp->instructions, before->instructions[w], periods);
    grow(&sm->warps[w].warp->thread_instructions, before->thread_instructions[w], periods);
  }
  uint32_t i = 0;
  FOR_STATISTICS(sm, word) grow(word, before->policies[i++], periods);
}

// ---- times

static void pass_time(Cycle *time, Cycle now, Cycle passed) {
  if (*time > now && *time != NEVER) *time += passed;
}

static void pass_calendar(Sm *sm, Cycle now, Cycle passed) {
  Calendar *calendar = &sm->calendar;
  CalendarSlot *slots = memory_alloc_aligned(sizeof *slots * calendar->cycles, 64);
  for (Cycle at = now + 1; at <= now + calendar->cycles; at++) {
    const CalendarSlot *from = &calendar->slots[calendar_index(sm, at)];
    CalendarSlot *to = &slots[calendar_index(sm, at + passed)];
    *to = *from;
    if (from->bus_cycle == at)
      to->bus_cycle = (at + passed) & CALENDAR_LAST_CYCLE;
    else
      to->bus_cycle = 0, to->bus_count = 0, to->units = 0;
  }
  memory_free(calendar->slots);
  calendar->slots = slots;
}

static void pass_inflights(Sm *sm, Cycle passed, uint64_t issued) {
  for (uint32_t i = 0; i < sm->inflights.count; i++) {
    sm->inflights.all[i]->order += issued;
    sm->inflights.all[i]->issued += passed;
  }
  sm->issue_order += issued;
}

// Only registers that the last period wrote.
static void pass_results(Sm *sm, uint32_t w, Cycle since, Cycle passed) {
  uint32_t count = sm->scoreboards.words * 64;
  LateResult *results = &sm->late_results[(size_t)w * count];
  for (uint32_t i = 0; i < count; i++)
    if (results[i] >> 1 > since) results[i] += passed << 1;
}

static void pass_warp(Sm *sm, uint32_t w, Cycle now, Cycle since, Cycle passed) {
  WarpSlot *slot = &sm->warps[w];
  pass_time(&slot->not_before, now, passed);
  pass_time(&slot->operands_at, now, passed);
  pass_time(&slot->awake_at, now, passed);
  slot->last_result += passed;
  if (sm->late_results) pass_results(sm, w, since, passed);
}

void wait_state_pass(Sm *sm, const WaitCounters *before, Cycle now, Cycle cycles,
                     uint64_t periods) {
  Cycle passed = cycles * periods, since = now - cycles;
  pass_inflights(sm, passed, (sm->issue_order - before->issue_order) * periods);
  pass_counters(sm, before, periods);
  for (uint64_t left = sm->resident; left; left &= left - 1)
    pass_warp(sm, (uint32_t)__builtin_ctzll(left), now, since, passed);
  pass_time(&sm->next_late, now, passed);
  pass_time(&sm->next_awake, now, passed);
  for (uint32_t u = 0; u < sm->unit_count; u++) pass_time(&sm->units[u].free_at, now, passed);
  pass_calendar(sm, now, passed);
  if (sm->l1i) cache_repeat(sm->l1i, &before->l1i, since, periods, passed);
  sm->context.clock = now + passed;
}
