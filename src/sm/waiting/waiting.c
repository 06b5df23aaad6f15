// SPDX-License-Identifier: MIT
// The search for a period, its proof, and periods that pass at once.
#include "sm/waiting/waiting.h"

#include <assert.h>

#include "base/divisor.h"
#include "base/memory.h"
#include "sm/waiting/wait_state.h"
#include "sm/waiting/wait_values.h"

// A search that takes longer is given up, for a multiple of its time.
enum { LONGEST_SEARCH_TURNS = 1024, REST_FACTOR = 16, MOST_DOUBLINGS = 16 };
// The most that passes at once, so that a loop without end does not run out of cycles.
#define LONGEST_PASS (UINT64_C(1) << 32)
#define NO_LEADER UINT32_MAX

typedef enum WaitPhase {
  PHASE_SEARCH,   // for a period
  PHASE_FIRST,    // of the two periods that must repeat it
  PHASE_WATCHED,  // the second
  PHASE_PASSING,
} WaitPhase;

struct SmWaiting {
  WaitPhase phase;
  uint32_t leader;
  bool has_turned;         // the leader has branched back in this tick
  WaitState saved, taken;  // an earlier state, and that of this tick
  Cycle saved_at;
  uint32_t turns, turns_to_save;  // since the search began or a state was saved; when the next is
  Cycle again;                    // no search before
  uint32_t failures;              // in a row, of searches and proofs
  Cycle began;                    // the period; when passing: the last that was simulated has ended
  WaitTime time;
  WaitCounters counters;  // when the watched period began
  Cycle next;             // when passing: *wake, if nothing passed
  uint64_t passed;
  WaitValues values[MAX_WARPS_PER_SM];
};

SmWaiting *sm_waiting_create(void) {
  SmWaiting *waiting = memory_alloc(sizeof *waiting);
  waiting->leader = NO_LEADER;
  return waiting;
}

void sm_waiting_destroy(SmWaiting *waiting) {
  if (!waiting) return;
  wait_state_clear(&waiting->saved);
  wait_state_clear(&waiting->taken);
  wait_counters_clear(&waiting->counters);
  for (uint32_t w = 0; w < MAX_WARPS_PER_SM; w++) wait_values_clear(&waiting->values[w]);
  memory_free(waiting);
}

bool sm_waiting_is_passing(const SmWaiting *waiting) {
  return waiting->phase == PHASE_PASSING;
}

uint64_t sm_waiting_passed(const SmWaiting *waiting) {
  return waiting ? waiting->passed : 0;
}

// The loop that the warp in the slot is in, or NULL.
static const WaitLoop *loop_of(const Sm *sm, uint32_t w) {
  const WarpSlot *slot = &sm->warps[w];
  if (!((sm->resident & ~sm->ended) >> w & 1)) return NULL;
  return wait_loops_at(&slot->table->waits, warp_top(slot->warp)->pc);
}

// Loops over the warps that wait, with their loops.
#define FOR_WAITERS(sm, w, loop)                                                     \
  for (uint64_t left_ = (sm)->resident & ~(sm)->ended; left_; left_ &= left_ - 1)    \
    for (uint32_t w = (uint32_t)__builtin_ctzll(left_), once_ = 1; once_; once_ = 0) \
      for (const WaitLoop *loop = loop_of(sm, w); loop; loop = NULL)

// ---- search

static void search_again(SmWaiting *waiting) {
  waiting->phase = PHASE_SEARCH;
  waiting->saved.count = 0;
  waiting->turns = 0;
  waiting->turns_to_save = 1;
}

static void rest(SmWaiting *waiting, Cycle now, Cycle cycles) {
  if (waiting->failures < MOST_DOUBLINGS) waiting->failures++;
  waiting->again = now + (cycles << waiting->failures);
  search_again(waiting);
}

static void save(SmWaiting *waiting, Cycle now) {
  WaitState taken = waiting->taken;
  waiting->taken = waiting->saved;
  waiting->saved = taken;
  waiting->saved_at = now;
  waiting->turns = 0;
  waiting->turns_to_save *= 2;
}

// Where a loop reads %globaltimer, as many periods are one as take whole nanoseconds.
static void set_period(const Sm *sm, WaitTime *time, Cycle cycles) {
  uint64_t mhz = sm->context.clock_mhz;
  bool reads_timer = false;
  FOR_WAITERS(sm, w, loop) reads_timer |= loop->reads_timer;
  if (reads_timer && mhz) cycles *= mhz / common_divisor(mhz, cycles * 1000 % mhz);
  *time = (WaitTime){.cycles = cycles, .nanoseconds = mhz ? cycles * 1000 / mhz : cycles};
}

static void begin_first(Sm *sm, Cycle now) {
  SmWaiting *waiting = sm->waiting;
  set_period(sm, &waiting->time, now - waiting->saved_at);
  FOR_WAITERS(sm, w, loop) wait_values_note(&waiting->values[w], sm->warps[w].warp);
  waiting->began = now;
  waiting->phase = PHASE_FIRST;
}

static void search(Sm *sm, Cycle now) {
  SmWaiting *waiting = sm->waiting;
  if (!wait_state_take(&waiting->taken, sm, now)) {
    search_again(waiting);
    return;
  }
  waiting->turns++;
  if (waiting->saved.count && wait_state_is_equal(&waiting->saved, &waiting->taken))
    begin_first(sm, now);
  else if (waiting->turns_to_save > LONGEST_SEARCH_TURNS)
    rest(waiting, now, REST_FACTOR * (now - waiting->saved_at));
  else if (!waiting->saved.count || waiting->turns >= waiting->turns_to_save)
    save(waiting, now);
}

// ---- proof

// Whether a period has just ended as it should. One that has not ended yet is left alone.
static bool has_repeated(Sm *sm, Cycle now) {
  SmWaiting *waiting = sm->waiting;
  if (now < waiting->began + waiting->time.cycles) return false;
  if (now == waiting->began + waiting->time.cycles && wait_state_take(&waiting->taken, sm, now) &&
      wait_state_is_equal(&waiting->saved, &waiting->taken))
    return true;
  search_again(waiting);
  return false;
}

static void begin_watched(Sm *sm, Cycle now) {
  SmWaiting *waiting = sm->waiting;
  FOR_WAITERS(sm, w, loop) wait_values_begin(&waiting->values[w], sm->warps[w].warp, loop);
  wait_counters_take(&waiting->counters, sm);
  waiting->time.limit = UINT64_MAX;
  waiting->time.is_unknown = false;
  waiting->began = now;
  waiting->phase = PHASE_WATCHED;
}

static bool is_proven(Sm *sm) {
  SmWaiting *waiting = sm->waiting;
  bool holds = !waiting->time.is_unknown && wait_counters_repeat(&waiting->counters, sm);
  FOR_WAITERS(sm, w, loop)
  holds = holds && wait_values_hold(&waiting->values[w], sm->warps[w].warp, loop);
  return holds;
}

static void begin_to_pass(Sm *sm, Cycle now) {
  SmWaiting *waiting = sm->waiting;
  if (!is_proven(sm)) {
    rest(waiting, now, waiting->time.cycles);
    return;
  }
  uint64_t most = LONGEST_PASS / waiting->time.cycles;
  if (waiting->time.limit > most) waiting->time.limit = most;
  waiting->failures = 0;
  if (!waiting->time.limit) {
    search_again(waiting);
    return;
  }
  waiting->began = now;
  waiting->phase = PHASE_PASSING;
  waiting->next = *sm->wake;
  *sm->wake = now + waiting->time.limit * waiting->time.cycles + 1;
  // A wait may be longer than what counts as a deadlock.
  if (sm->progress < *sm->wake) sm->progress = *sm->wake;
}

// ---- called by the SM

static bool is_possible(const Sm *sm) {
  return sm->scheduler_type->is_timeless && !sm->context.watch &&
         !(sm->events && event_is_wanted(sm->events, EVENT_ISSUE));
}

void sm_waiting_step(Sm *sm, uint32_t w, Cycle now) {
  SmWaiting *waiting = sm->waiting;
  if (!waiting || now < waiting->again) return;
  const Warp *warp = sm->warps[w].warp;
  uint32_t pc = warp_top(warp)->pc;
  const Instruction *in = &warp->code[pc];
  if (waiting->phase == PHASE_WATCHED)
    wait_values_step(&waiting->values[w], warp, &sm->context, &waiting->time);
  if (in->form.op != OP_BRA || in->target > pc) return;
  if (waiting->leader != w && (waiting->leader == NO_LEADER || !loop_of(sm, waiting->leader))) {
    waiting->leader = w;
    search_again(waiting);
  }
  waiting->has_turned |= waiting->leader == w;
}

void sm_waiting_tick(Sm *sm, Cycle now) {
  SmWaiting *waiting = sm->waiting;
  if (waiting->phase == PHASE_PASSING) search_again(waiting);
  if (!waiting->has_turned) return;
  waiting->has_turned = false;
  if (!is_possible(sm)) return;
  if (waiting->phase == PHASE_SEARCH)
    search(sm, now);
  else if (has_repeated(sm, now)) {
    if (waiting->phase == PHASE_FIRST)
      begin_watched(sm, now);
    else
      begin_to_pass(sm, now);
  }
}

// What is left of a period is simulated. Nothing leaves the SM meanwhile.
static void tick_rest(Sm *sm, Cycle from, Cycle end) {
  while (from < end) {
    Cycle next = *sm->wake < end ? *sm->wake : end;
    if (next > from) {
      sm_skip(sm, next - from);
      from = next;
      continue;
    }
    sm_tick(sm, from++);
  }
}

void sm_waiting_pass(Sm *sm, Cycle cycles) {
  SmWaiting *waiting = sm->waiting;
  uint64_t periods = cycles / waiting->time.cycles;
  Cycle passed = periods * waiting->time.cycles, ended = waiting->began + passed;
  assert(periods <= waiting->time.limit && "an SM slept longer than its warps wait");
  if (periods) {
    FOR_WAITERS(sm, w, loop)
    wait_values_pass(&waiting->values[w], sm->warps[w].warp, loop, periods);
    wait_state_pass(sm, &waiting->counters, waiting->began, waiting->time.cycles, periods);
  }
  *sm->wake = waiting->next == NEVER ? NEVER : waiting->next + passed;
  waiting->passed += passed;
  // The state that repeats is that of the last period's end.
  waiting->phase = PHASE_SEARCH;
  waiting->saved_at = ended;
  waiting->turns = 0;
  tick_rest(sm, ended + 1, waiting->began + cycles + 1);
}

void sm_waiting_disturb(Sm *sm) {
  SmWaiting *waiting = sm->waiting;
  if (!waiting || waiting->phase != PHASE_PASSING) return;
  search_again(waiting);
  *sm->wake = waiting->next;  // not earlier: the SM may be ahead of the clock
}
