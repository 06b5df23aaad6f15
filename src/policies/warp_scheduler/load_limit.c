// SPDX-License-Identifier: MIT
// For warp schedulers: limits the number of warps per SM that may load, so that they reuse their
// own lines.
#include "policies/warp_scheduler/load_limit.h"

// Warps per SM.
static const uint32_t limits[LOAD_LIMITS] = {LIMIT_WARPS, 16, 8, 4};
// Epochs that a limit holds, or that the first round without a gain is followed
// by; gains of less than one part in GAIN_SHARE do not count, nor does an L1D
// that is asked less than once in BUSY_CYCLES: what few loads there are says
// nothing, and limits cannot help.
enum { REST = 40, MOST_FAILURES = 3, LOST_SHARE = 8, GAIN_SHARE = 16, BUSY_CYCLES = 16 };

static void restart(LoadLimit *limit) {
  limit->phase = limit->level = 0;
  limit->failures = 0;
  limit->measured = limit->lost = limit->accesses = 0;
  limit->is_restarted = true;
}

static KnownLimit *known_limit(LoadLimit *limit, uint32_t first_load) {
  return &limit->known[first_load % KNOWN_KERNELS];
}

// The first access of a kernel: what its last launch found to be best holds.
static void begin_kernel(LoadLimit *limit, uint32_t first_load) {
  const KnownLimit *known = known_limit(limit, first_load);
  limit->is_restarted = false;
  limit->first_load = first_load;
  if (known->first_load != first_load + 1 || !known->level) return;
  limit->level = known->level;
  limit->beaten = known->beaten;
  limit->phase = LOAD_TRIALS;
  limit->rest = REST;
}

void load_limit_on_warp(LoadLimit *limit, const Requester *requester, bool begins) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < limit->count; i++)
    if (limit->order[i] != requester->warp) limit->order[kept++] = limit->order[i];
  if (begins) limit->order[kept++] = requester->warp;
  limit->count = kept;
  if (!begins || requester->kernel < limit->kernel) return;
  limit->kernel = requester->kernel + 1;
  restart(limit);
}

static UsedLine *entry_of(LoadLimit *limit, uint64_t line) {
  return &limit->used[(line >> 7) * 0x9e3779b97f4a7c15u >> 54];
}

// A line that no load requested was prefetched: its loss is attributed to the prefetcher.
void load_limit_on_evict(LoadLimit *limit, uint64_t line) {
  UsedLine *used = entry_of(limit, line);
  if (used->line == line + 1) used->is_evicted = true;
}

// The first trial and the last are without a limit.
static uint32_t level_of_trial(uint32_t phase) {
  return phase < LOAD_LIMITS ? phase : 0;
}

// Expected rate of the limited epoch without the limit, assuming a linear drift.
static uint64_t unlimited_rate(const LoadLimit *limit, uint32_t level) {
  return (limit->rates[0] * (LOAD_LIMITS - level) + limit->rates[LOAD_LIMITS] * level) /
         LOAD_LIMITS;
}

// The limit that gains most over none, or 0.
static uint32_t best_level(const LoadLimit *limit) {
  uint32_t best = 0;
  uint64_t best_gain = GAIN_SHARE + 1;  // in parts of GAIN_SHARE
  for (uint32_t i = 1; i < LOAD_LIMITS; i++) {
    uint64_t unlimited = unlimited_rate(limit, i);
    if (limit->rates[i] * GAIN_SHARE <= best_gain * unlimited) continue;
    best_gain = unlimited ? limit->rates[i] * GAIN_SHARE / unlimited : UINT32_MAX;
    best = i;
  }
  return best;
}

// A limit that is far below expectation after half of the measured time is abandoned,
// and so are lower limits.
static bool is_hopeless(const LoadLimit *limit, Cycle now, uint32_t epoch_cycles) {
  bool is_late = now + epoch_cycles / 4 >= limit->epoch_end;
  return is_late && limit->phase < LOAD_TRIALS && level_of_trial(limit->phase) &&
         limit->measured * 4 < limit->rates[0];
}

static void end_round(LoadLimit *limit) {
  limit->level = best_level(limit);
  limit->beaten = limit->level ? unlimited_rate(limit, limit->level) : 0;
  limit->rest = REST << limit->failures;
  *known_limit(limit, limit->first_load) =
      (KnownLimit){limit->first_load + 1, limit->level, limit->beaten};
  if (limit->level)
    limit->failures = 0;
  else if (limit->failures < MOST_FAILURES)
    limit->failures++;
}

static void end_trial(LoadLimit *limit, uint32_t epoch_cycles, bool is_cut) {
  limit->rates[limit->phase] = limit->measured;
  bool loses = limit->lost * LOST_SHARE > limit->accesses;
  bool is_busy = limit->accesses * BUSY_CYCLES > epoch_cycles;
  // Without losses the first unlimited epoch is repeated.
  if (limit->phase == 0 && !(loses && is_busy)) return;
  limit->phase++;
  for (; is_cut && limit->phase < LOAD_LIMITS; limit->phase++) limit->rates[limit->phase] = 0;
  if (limit->phase == LOAD_TRIALS)
    end_round(limit);
  else
    limit->level = level_of_trial(limit->phase);
}

// Single epochs vary: a limit is dropped only when one is far below expectation.
static void end_rest(LoadLimit *limit) {
  bool is_behind = limit->measured * 4 < limit->beaten * 3;
  limit->phase++;
  if (limit->phase < LOAD_TRIALS + limit->rest && !is_behind) return;
  limit->phase = limit->level = 0;
}

static void end_epoch(LoadLimit *limit, Cycle now, uint32_t epoch_cycles, bool is_cut) {
  if (limit->phase < LOAD_TRIALS)
    end_trial(limit, epoch_cycles, is_cut);
  else
    end_rest(limit);
  limit->measured = limit->lost = limit->accesses = 0;
  limit->epoch_end = now + epoch_cycles;
}

void load_limit_on_access(LoadLimit *limit, const L1dAccess *access, uint32_t epoch_cycles) {
  if (limit->is_restarted) {
    begin_kernel(limit, access->requester.pc);
    limit->epoch_end = access->now + epoch_cycles;
  }
  UsedLine *used = entry_of(limit, access->line);
  limit->accesses++;
  limit->lost += access->outcome == OUTCOME_MISS && used->line == access->line + 1 &&
                 used->is_evicted && used->warp == access->requester.warp;
  *used = (UsedLine){access->line + 1, access->requester.warp, false};
  // The first half of an epoch is left to loads of the one before.
  limit->measured += access->now + epoch_cycles / 2 >= limit->epoch_end;
  bool is_cut = is_hopeless(limit, access->now, epoch_cycles);
  if (is_cut || access->now >= limit->epoch_end)
    end_epoch(limit, access->now, epoch_cycles, is_cut);
}

// Trial 0 lasts while warps lose no lines: most programs never leave it.
bool load_limit_is_tried(const LoadLimit *limit) {
  return limit->phase > 0 && limit->phase < LOAD_TRIALS;
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
