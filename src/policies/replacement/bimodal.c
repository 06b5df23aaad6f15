// SPDX-License-Identifier: MIT
// Bimodal insertion (Qureshi, Jaleel, Patt, Steely, Emer, "Adaptive Insertion Policies for High
// Performance Caching", ISCA 2007): least recently used, but a new line is inserted as the next
// victim, except for one in `interval`, which is inserted as the most recent. Of a loop over more
// lines than the cache holds a part then stays, where LRU evicts each line before its next use.
//
// With `leaders` the cache chooses between the two by set dueling, as in that paper's section 4: so
// many sets are always bimodal, as many always LRU, and the others follow the kind with the higher
// hit rate. Simplified: the paper counts misses up and down in one counter; here the hit rates of
// the leaders are compared, hits against new lines, so that neither a set with more accesses nor
// merges with a fetch in flight decide.
#include "policies/replacement/replacement.h"

// Accesses to the leaders of each kind after which the followers choose; the past then counts half.
enum { DUEL_ACCESSES = 512 };

typedef enum SetKind { SET_BIMODAL, SET_LRU, SET_FOLLOWS } SetKind;

typedef struct Duel {
  uint32_t hits, accesses;
} Duel;

typedef struct Bimodal {
  uint32_t interval, leaders;  // parameters
  uint32_t ways, period;       // period: sets per leader of each kind
  Duel duels[2];               // by SetKind
  bool follows_lru;
  uint64_t *ranks;      // by set and way: time of the promotion; 0: the next victim
  uint32_t *set_fills;  // with leaders, by set: in one count for all, every set could miss its turn
  uint64_t now, fills;
  uint64_t kept, changes;
} Bimodal;

static Status bimodal_init(void *state, const PolicySetup *setup, Error *err) {
  Bimodal *bimodal = state;
  const CacheShape *shape = setup->part;
  if (!shape) return OK;
  bimodal->ways = shape->ways;
  if (bimodal->leaders) bimodal->period = shape->sets / bimodal->leaders;
  if (bimodal->leaders && bimodal->period < 2)
    return error_set(err, ERR_CONFIG, "bimodal:leaders=%u: at most half of the %u sets can lead",
                     bimodal->leaders, shape->sets);
  bimodal->follows_lru = true;
  bimodal->set_fills = ARENA_ARRAY(setup->arena, uint32_t, shape->sets);
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

// ---- dueling

static SetKind kind_of(const Bimodal *bimodal, uint32_t set) {
  if (!bimodal->period) return SET_BIMODAL;
  uint32_t place = set % bimodal->period;
  bool leads = set / bimodal->period < bimodal->leaders;
  if (leads && place == 0) return SET_BIMODAL;
  return leads && place == bimodal->period / 2 ? SET_LRU : SET_FOLLOWS;
}

// The followers change only for a difference of more than one in 64: equal kinds stay as they are.
static void choose(Bimodal *bimodal) {
  const Duel *bip = &bimodal->duels[SET_BIMODAL], *lru = &bimodal->duels[SET_LRU];
  double gain = (double)bip->hits / bip->accesses - (double)lru->hits / lru->accesses;
  bool was_lru = bimodal->follows_lru;
  if (gain > 1.0 / 64) bimodal->follows_lru = false;
  if (gain < -1.0 / 64) bimodal->follows_lru = true;
  bimodal->changes += was_lru != bimodal->follows_lru;
}

static void note(Bimodal *bimodal, SetKind kind, bool is_hit) {
  if (!bimodal->period || kind == SET_FOLLOWS) return;
  bimodal->duels[kind].hits += is_hit;
  bimodal->duels[kind].accesses++;
  for (int k = 0; k < 2; k++)
    if (bimodal->duels[k].accesses < DUEL_ACCESSES) return;
  choose(bimodal);
  for (int k = 0; k < 2; k++) {
    bimodal->duels[k].hits /= 2;
    bimodal->duels[k].accesses /= 2;
  }
}

static void bimodal_on_hit(void *state, const LineView *line) {
  Bimodal *bimodal = state;
  note(bimodal, kind_of(bimodal, line->set), true);
  set_rank(bimodal, line, ++bimodal->now);
}

static void bimodal_on_fill(void *state, const LineView *line) {
  Bimodal *bimodal = state;
  SetKind kind = kind_of(bimodal, line->set);
  note(bimodal, kind, false);
  bool is_lru = kind == SET_LRU || (kind == SET_FOLLOWS && bimodal->follows_lru);
  uint64_t fills = ++bimodal->fills;
  if (bimodal->period) fills = ++bimodal->set_fills[line->set];
  bool is_kept = fills % bimodal->interval == 0 || is_lru;
  bimodal->kept += is_kept;
  set_rank(bimodal, line, is_kept ? ++bimodal->now : 0);
}

static const Param bimodal_params[] = {
    PARAM(Bimodal, interval, 32, 1, 1 << 20, "one in this many new lines is the most recent"),
    PARAM(Bimodal, leaders, 0, 0, 1 << 16,
          "sets that are always bimodal, and as many that are always LRU, by which the others "
          "choose; 0: all are bimodal"),
    {0}};
static const Stat bimodal_stats[] = {
    STAT_COUNT(Bimodal, fills, "new lines"),
    STAT_COUNT(Bimodal, kept, "new lines inserted as the most recent"),
    STAT_COUNT(Bimodal, changes, "changes of the sets that follow"),
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
