// SPDX-License-Identifier: MIT
// Cache-conscious wavefront scheduling: warps that keep losing their own lines
// may load, at the cost of others, until they lose no more.
//
// Rogers, O'Connor and Aamodt, "Cache-Conscious Wavefront Scheduling", MICRO
// 2012. A line that leaves the L1D goes into the victim tag array (VTA) of the warp that
// brought it; a miss that finds its line there is lost locality, and
// raises the warp's score to
//
//   K_throttle * VTA hits / instructions * cutoff,    cutoff = warps * base score,
//
// if that is more than it has. Scores fall by one per cycle down to the base. Warps are
// stacked up from the highest score; those above the cutoff issue no loads. Among the rest it is
// greedy then oldest.
//
// Simplified: the stack is built anew every few cycles and when a score is raised,
// not each cycle; of equal scores the older warp is lower; a VTA is fully
// associative and replaces its oldest tag.
#include "policies/warp_scheduler/warp_scheduler.h"

enum { MOST_TAGS = 1 << 12, STACK_CYCLES = 16 };

typedef struct Ccws {
  uint32_t throttle, base_score, victim_tags;  // parameters
  uint64_t *victims;      // VTA, victim_tags by warp: lines + 1; 0: none
  uint32_t *next_victim;  // by warp
  Cycle *base_again;      // by warp: when the score will have fallen to the base
  uint64_t present, may_load;
  Cycle stacked;            // when may_load was worked out
  bool is_stale;            // ... and a score has been raised since
  uint64_t *greedy;         // by scheduler: bit of the warp that issued last
  uint64_t issues, lost, barred;
} Ccws;

static uint64_t bit_of(int warp) {
  return UINT64_C(1) << warp;
}

static uint64_t score_of(const Ccws *ccws, int warp, Cycle now) {
  Cycle end = ccws->base_again[warp];
  return ccws->base_score + (end > now ? end - now : 0);
}

// ---- victim tags

static uint64_t *victims_of(const Ccws *ccws, uint32_t warp) {
  return &ccws->victims[(size_t)warp * ccws->victim_tags];
}

static void ccws_on_evict(void *state, int warp, uint64_t line) {
  Ccws *ccws = state;
  victims_of(ccws, (uint32_t)warp)[ccws->next_victim[warp]] = line + 1;
  ccws->next_victim[warp] = (ccws->next_victim[warp] + 1) % ccws->victim_tags;
}

static bool take_victim(Ccws *ccws, uint32_t warp, uint64_t line) {
  uint64_t *victims = victims_of(ccws, warp);
  for (uint32_t i = 0; i < ccws->victim_tags; i++)
    if (victims[i] == line + 1) {
      victims[i] = 0;
      return true;
    }
  return false;
}

static uint64_t cutoff(const Ccws *ccws) {
  return (uint64_t)__builtin_popcountll(ccws->present) * ccws->base_score;
}

static void ccws_on_access(void *state, const L1dAccess *access) {
  Ccws *ccws = state;
  if (access->outcome != OUTCOME_MISS || !take_victim(ccws, access->requester.warp, access->line))
    return;
  ccws->lost++;
  uint64_t score = ccws->throttle * ccws->lost * cutoff(ccws) / (ccws->issues ? ccws->issues : 1);
  if (score <= score_of(ccws, (int)access->requester.warp, access->now)) return;
  ccws->base_again[access->requester.warp] = access->now + score - ccws->base_score;
  ccws->is_stale = true;
}

static void ccws_on_warp(void *state, const Requester *requester, bool begins) {
  Ccws *ccws = state;
  uint32_t warp = requester->warp;
  uint64_t bit = bit_of((int)warp);
  ccws->present = begins ? ccws->present | bit : ccws->present & ~bit;
  ccws->base_again[warp] = 0;
  ccws->is_stale = true;
  for (uint32_t i = 0; i < ccws->victim_tags; i++) victims_of(ccws, warp)[i] = 0;
}

// ---- the stack

static int highest(const Ccws *ccws, const IssueView *view, uint64_t warps) {
  int best = __builtin_ctzll(warps);
  for (uint64_t left = warps & (warps - 1); left; left &= left - 1) {
    int warp = __builtin_ctzll(left);
    uint64_t score = score_of(ccws, warp, view->now), most = score_of(ccws, best, view->now);
    if (score > most || (score == most && view->age[warp] < view->age[best])) best = warp;
  }
  return best;
}

static uint64_t warps_above_base(const Ccws *ccws, Cycle now) {
  uint64_t above = 0;
  for (uint64_t left = ccws->present; left; left &= left - 1) {
    int warp = __builtin_ctzll(left);
    if (ccws->base_again[warp] > now) above |= bit_of(warp);
  }
  return above;
}

// The highest warp may always load.
static uint64_t stack_up(const Ccws *ccws, const IssueView *view) {
  uint64_t left = ccws->present, below = 0, height = 0;
  if (!warps_above_base(ccws, view->now)) return left;
  while (left) {
    int warp = highest(ccws, view, left);
    height += score_of(ccws, warp, view->now);
    if (below && height > cutoff(ccws)) break;
    below |= bit_of(warp);
    left &= ~bit_of(warp);
  }
  return below;
}

static int ccws_pick(void *state, const IssueView *view) {
  Ccws *ccws = state;
  if (ccws->is_stale || view->now - ccws->stacked >= STACK_CYCLES) {
    ccws->may_load = stack_up(ccws, view);
    ccws->stacked = view->now;
    ccws->is_stale = false;
  }
  uint64_t allowed = view->candidates & (ccws->may_load | ~view->loads);
  if (!allowed) {
    ccws->barred++;
    return ISSUE_NONE;
  }
  uint64_t greedy = ccws->greedy[view->scheduler];
  if (allowed & greedy) return __builtin_ctzll(greedy);
  return oldest_warp(view->age, allowed);
}

static void ccws_on_issue(void *state, const IssueView *view, int warp) {
  Ccws *ccws = state;
  ccws->greedy[view->scheduler] = bit_of(warp);
  ccws->issues++;
}

static Status ccws_init(void *state, const PolicySetup *setup, Error *err) {
  Ccws *ccws = state;
  uint32_t warps = setup->machine->max_warps;
  (void)err;
  ccws->victims = ARENA_ARRAY(setup->arena, uint64_t, (size_t)warps * ccws->victim_tags);
  ccws->next_victim = ARENA_ARRAY(setup->arena, uint32_t, warps);
  ccws->base_again = ARENA_ARRAY(setup->arena, Cycle, warps);
  ccws->greedy = ARENA_ARRAY(setup->arena, uint64_t, setup->machine->warp_schedulers);
  return OK;
}

static const Param ccws_params[] = {
    PARAM(Ccws, throttle, 8, 1, 1024, "K_throttle: weight of lost locality"),
    PARAM(Ccws, base_score, 100, 1, 10000, "base score of a warp"),
    PARAM(Ccws, victim_tags, 16, 1, MOST_TAGS, "victim tags per warp"),
    {0}};

static const Stat ccws_stats[] = {
    STAT_COUNT(Ccws, issues, "instructions issued"),
    STAT_COUNT(Ccws, lost, "lost-locality events (hits in a warp's victim tags)"),
    STAT_COUNT(Ccws, barred, "cycles without issue because ready warps may not load"),
    {0}};

// Tags of 48 bits and a score of 10 bits per warp.
static uint64_t ccws_storage_bits(const void *state, uint32_t warps) {
  return (uint64_t)warps * (((const Ccws *)state)->victim_tags * 48 + 10);
}

const WarpSchedulerType ccws_scheduler = {
    .policy = {.name = "ccws",
               .summary = "cache-conscious: throttles loads while warps lose locality",
               .state_size = sizeof(Ccws),
               .params = ccws_params,
               .stats = ccws_stats,
               .storage_bits = ccws_storage_bits,
               .init = ccws_init},
    .one_per_sm = true,
    .pick = ccws_pick,
    .on_issue = ccws_on_issue,
    .on_warp = ccws_on_warp,
    .on_access = ccws_on_access,
    .on_evict = ccws_on_evict,
};
