// SPDX-License-Identifier: MIT
#include "policies/warp_scheduler/load_limit.h"

// Warps per SM. The first epochs of a period try the limits, the rest have the best.
static const uint32_t limits[LOAD_LIMITS] = {LIMIT_WARPS, 16, 8, 4};
enum { PERIOD = 48, LOST_SHARE = 8 };

void load_limit_on_warp(LoadLimit *limit, uint32_t warp, bool begins) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < limit->count; i++)
    if (limit->order[i] != warp) limit->order[kept++] = limit->order[i];
  if (begins) limit->order[kept++] = (uint8_t)warp;
  limit->count = kept;
}

static LostLine *entry_of(LoadLimit *limit, uint64_t line) {
  return &limit->evicted[(line >> 7) * 0x9e3779b97f4a7c15u >> 54];
}

void load_limit_on_evict(LoadLimit *limit, uint32_t warp, uint64_t line) {
  *entry_of(limit, line) = (LostLine){line + 1, (uint8_t)warp};
}

static uint32_t best_level(const LoadLimit *limit) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < LOAD_LIMITS; i++)
    if (limit->rates[i] > limit->rates[best] + limit->rates[best] / 16) best = i;
  return best;
}

// A limit that is far behind when half of its epoch is over is not tried to the end.
static bool is_hopeless(const LoadLimit *limit, Cycle now, uint32_t epoch_cycles) {
  bool is_half = now + epoch_cycles / 2 >= limit->epoch_end;
  return is_half && limit->phase >= 1 && limit->phase < LOAD_LIMITS &&
         limit->loads * 4 < limit->rates[0];
}

static void end_epoch(LoadLimit *limit, Cycle now, uint32_t epoch_cycles) {
  if (limit->phase < LOAD_LIMITS) limit->rates[limit->phase] = limit->loads;
  bool loses = limit->lost * LOST_SHARE > limit->accesses;
  bool is_trying = limit->phase < LOAD_LIMITS;
  uint32_t next = (limit->phase + 1) % PERIOD;
  // Without losses the unlimited phase goes on.
  if (limit->phase == 0 && !loses) next = 0;
  limit->phase = next;
  if (next < LOAD_LIMITS)
    limit->level = next;
  else if (is_trying)
    limit->level = best_level(limit);
  limit->loads = limit->lost = limit->accesses = 0;
  limit->epoch_end = now + epoch_cycles;
}

void load_limit_on_access(LoadLimit *limit, const L1dAccess *access, uint32_t epoch_cycles) {
  limit->accesses++;
  if (access->outcome == OUTCOME_MISS) {
    LostLine *evicted = entry_of(limit, access->line);
    limit->lost += evicted->line == access->line + 1 && evicted->warp == access->who.warp;
  }
  if (access->now >= limit->epoch_end || is_hopeless(limit, access->now, epoch_cycles))
    end_epoch(limit, access->now, epoch_cycles);
}

uint64_t load_limit_allowed(const LoadLimit *limit, const IssueView *view) {
  if (!limit->level) return view->candidates;
  uint64_t may_load = 0, counts = view->resident & ~view->at_barrier;
  uint32_t left = limits[limit->level] / view->scheduler_count;
  if (!left) left = 1;
  for (uint32_t i = 0; i < limit->count && left; i++) {
    uint64_t bit = UINT64_C(1) << limit->order[i];
    if (!(counts & bit)) continue;
    may_load |= bit;
    left--;
  }
  return view->candidates & (may_load | ~view->loads);
}
