// SPDX-License-Identifier: MIT
// Replacement: static re-reference interval prediction.
//
// Jaleel, Theobald, Steely and Emer, "High performance cache replacement using
// re-reference interval prediction (RRIP)", ISCA 2010. A line enters with a long
// interval, a hit makes it the shortest; the victim is one with the longest, and
// if there is none all candidates age.
#include "policies/plugin.h"
#include "policies/replacement/replacement.h"

enum { LONGEST = 3, LONG = 2 };  // two bits per line

typedef struct Srrip {
  uint8_t *intervals;  // by set and way
  uint32_t ways;
  uint64_t agings;
} Srrip;

static Status srrip_init(void *state, const PolicySetup *setup, Error *err) {
  Srrip *srrip = state;
  const CacheShape *shape = setup->part;
  (void)err;
  srrip->ways = shape->ways;
  srrip->intervals = ARENA_ARRAY(setup->arena, uint8_t, (size_t)shape->sets * shape->ways);
  return OK;
}

static uint32_t srrip_victim(void *state, const SetView *view) {
  Srrip *srrip = state;
  uint8_t *intervals = &srrip->intervals[view->set * srrip->ways];
  for (;; srrip->agings++) {
    for (uint32_t way = 0; way < view->ways; way++)
      if (view->candidates >> way & 1 && intervals[way] >= LONGEST) return way;
    for (uint32_t way = 0; way < view->ways; way++)
      if (view->candidates >> way & 1) intervals[way]++;
  }
}

static void srrip_on_hit(void *state, const LineView *line) {
  Srrip *srrip = state;
  srrip->intervals[line->set * srrip->ways + line->way] = 0;
}

static void srrip_on_fill(void *state, const LineView *line) {
  Srrip *srrip = state;
  srrip->intervals[line->set * srrip->ways + line->way] = LONG;
}

static const Stat stats[] = {STAT_COUNT(Srrip, agings, "times that a set aged"), {0}};

static const ReplacementType srrip = {
    .policy = {.name = "srrip",
               .summary = "re-reference interval prediction with two bits per line",
               .state_size = sizeof(Srrip),
               .stats = stats,
               .init = srrip_init},
    .victim = srrip_victim,
    .on_hit = srrip_on_hit,
    .on_fill = srrip_on_fill,
};
POLICY_PLUGIN("replacement", srrip);
