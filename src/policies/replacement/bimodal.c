// SPDX-License-Identifier: MIT
// Bimodal insertion (Qureshi, Jaleel, Patt, Steely, Emer, "Adaptive Insertion Policies for High
// Performance Caching", ISCA 2007): least recently used, but a new line is inserted as the next
// victim, except for one in `interval`, which is inserted as the most recent. Of a loop over more
// lines than the cache holds a part then stays, where LRU evicts each line before its next use.
#include "policies/replacement/replacement.h"

typedef struct Bimodal {
  uint32_t interval;  // parameter
  uint32_t ways;
  uint64_t *ranks;  // by set and way: time of the promotion; 0: the next victim
  uint64_t now, fills;
  uint64_t kept;
} Bimodal;

static Status bimodal_init(void *state, const PolicySetup *setup, Error *err) {
  Bimodal *bimodal = state;
  const CacheShape *shape = setup->part;
  (void)err;
  if (!shape) return OK;
  bimodal->ways = shape->ways;
  bimodal->ranks = ARENA_ARRAY(setup->arena, uint64_t, (size_t)shape->sets * shape->ways);
  return OK;
}

static uint32_t bimodal_victim(void *state, const SetView *view) {
  const Bimodal *bimodal = state;
  if (!bimodal->ranks) return replacement_earliest(view->candidates, view->last_used);
  return replacement_earliest(view->candidates, &bimodal->ranks[(size_t)view->set * bimodal->ways]);
}

static void set_rank(Bimodal *bimodal, const LineView *line, uint64_t rank) {
  if (bimodal->ranks) bimodal->ranks[(size_t)line->set * bimodal->ways + line->way] = rank;
}

static void bimodal_on_hit(void *state, const LineView *line) {
  Bimodal *bimodal = state;
  set_rank(bimodal, line, ++bimodal->now);
}

static void bimodal_on_fill(void *state, const LineView *line) {
  Bimodal *bimodal = state;
  bool is_kept = ++bimodal->fills % bimodal->interval == 0;
  bimodal->kept += is_kept;
  set_rank(bimodal, line, is_kept ? ++bimodal->now : 0);
}

static const Param bimodal_params[] = {
    PARAM(Bimodal, interval, 32, 1, 1 << 20, "one in this many new lines is the most recent"), {0}};
static const Stat bimodal_stats[] = {
    STAT_COUNT(Bimodal, fills, "new lines"),
    STAT_COUNT(Bimodal, kept, "new lines inserted as the most recent"),
    {0}};

const ReplacementType bimodal_replacement = {
    .policy = {.name = "bimodal",
               .summary =
                   "LRU that inserts most new lines as the next victim: keeps part of a loop",
               .state_size = sizeof(Bimodal),
               .params = bimodal_params,
               .stats = bimodal_stats,
               .init = bimodal_init},
    .victim = bimodal_victim,
    .on_hit = bimodal_on_hit,
    .on_fill = bimodal_on_fill,
};
