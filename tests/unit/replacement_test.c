// SPDX-License-Identifier: MIT
// Each policy by its own example, and all of them by what every policy owes.
#include "policies/replacement/replacement.h"

#include <string.h>

#include "unit/cmocka_all.h"

static const Cycle last_used[] = {40, 10, 30, 10}, filled[] = {1, 9, 3, 7};

static uint32_t ask(const char *spec, uint64_t candidates) {
  Replacement replacement;
  SetView view = {.candidates = candidates, .last_used = last_used, .filled = filled, .ways = 4};
  assert_int_equal(replacement_init(&replacement, NULL, spec, NULL, NULL), OK);
  uint32_t way = replacement_victim(&replacement, &view);
  replacement_clear(&replacement);
  return way;
}

static void lru_takes_the_longest_unused_and_of_two_the_lower(void **state) {
  (void)state;
  assert_int_equal(ask("lru", 0xf), 1);
  assert_int_equal(ask("lru", 0xd), 3);
  assert_int_equal(ask("lru", 0x5), 2);
  assert_int_equal(ask("lru", 0x1), 0);
}

// Of 1 to 64 ways, by blocks of four and the rest one by one, with and without equal times.
static void the_earliest_of_any_candidates_is_the_one_a_plain_search_finds(void **state) {
  (void)state;
  uint64_t random = 1;
  for (int round = 0; round < 20000; round++) {
    Cycle times[64];
    uint32_t ways = 1 + (uint32_t)round % 64, best = 64;
    for (uint32_t way = 0; way < ways; way++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      times[way] = random >> 33 & (round % 2 ? 7 : 0xffff);
    }
    uint64_t candidates = (round % 3 ? random : UINT64_MAX) & UINT64_MAX >> (64 - ways);
    if (!candidates) continue;
    for (uint32_t way = 0; way < ways; way++)
      if (candidates >> way & 1 && (best == 64 || times[way] < times[best])) best = way;
    assert_int_equal(replacement_earliest(candidates, times), best);
  }
}

static void fifo_takes_the_first_that_came(void **state) {
  (void)state;
  assert_int_equal(ask("fifo", 0xf), 0);
  assert_int_equal(ask("fifo", 0xe), 2);
  assert_int_equal(ask("fifo", 0xa), 3);
}

static void random_takes_each_about_as_often_and_the_same_each_time(void **state) {
  (void)state;
  Replacement one, same, other;
  SetView view = {.candidates = 0xb, .last_used = last_used, .filled = filled, .ways = 4};
  assert_int_equal(replacement_init(&one, NULL, "random", NULL, NULL), OK);
  assert_int_equal(replacement_init(&same, NULL, "random:seed=1", NULL, NULL), OK);
  assert_int_equal(replacement_init(&other, NULL, "random:seed=2", NULL, NULL), OK);
  int counts[4] = {0}, differences = 0;
  for (int i = 0; i < 3000; i++) {
    uint32_t way = replacement_victim(&one, &view);
    counts[way]++;
    assert_int_equal(replacement_victim(&same, &view), way);
    differences += replacement_victim(&other, &view) != way;
  }
  for (int way = 0; way < 4; way++)
    if (way != 2) assert_in_range(counts[way], 900, 1100);
  assert_in_range(differences, 1800, 2200);
  replacement_clear(&one);
  replacement_clear(&same);
  replacement_clear(&other);
}

// Hits of a loop over 6 lines, 500 times, in a set of 4 ways.
static int loop_hits(const char *spec) {
  const CacheShape shape = {.sets = 1, .ways = 4, .line_bytes = 128};
  uint64_t lines[4] = {99, 99, 99, 99};
  Cycle used[4] = {0}, came[4] = {0};
  Replacement replacement;
  int hits = 0;
  assert_int_equal(replacement_init(&replacement, NULL, spec, &shape, NULL), OK);
  for (uint32_t i = 0; i < 6 * 500; i++) {
    uint32_t way = 0;
    while (way < 4 && lines[way] != i % 6) way++;
    bool is_hit = way < 4;
    hits += is_hit;
    SetView view = {.candidates = 0xf, .last_used = used, .filled = came, .ways = 4};
    if (!is_hit) way = replacement_victim(&replacement, &view);
    if (!is_hit) came[way] = i;
    lines[way] = i % 6;
    used[way] = i;
    LineView line = {.now = i, .way = way, .address = lines[way]};
    if (is_hit && replacement.type->on_hit) replacement.type->on_hit(replacement.state, &line);
    if (!is_hit && replacement.type->on_fill) replacement.type->on_fill(replacement.state, &line);
  }
  replacement_clear(&replacement);
  return hits;
}

// The best replacement keeps three lines and passes the others through the fourth way, or keeps
// four: at most 4 hits per round, 2000 in all.
static void bimodal_insertion_keeps_a_part_of_a_loop(void **state) {
  (void)state;
  assert_int_equal(loop_hits("lru"), 0);
  assert_in_range(loop_hits("bimodal"), 1300, 2000);
  assert_int_equal(loop_hits("bimodal:interval=1"), 0);  // is LRU
}

// ---- set dueling

// A cache of 16 sets of 4 ways.
enum { SETS = 16, ROUNDS = 800 };

typedef struct DuelCache {
  Replacement replacement;
  uint64_t held[SETS][4];
  Cycle times[SETS][4], now;
} DuelCache;

static bool duel_access(DuelCache *cache, uint32_t set, uint64_t line) {
  uint32_t way = 0;
  while (way < 4 && cache->held[set][way] != line) way++;
  bool is_hit = way < 4;
  Cycle *times = cache->times[set];
  SetView view = {.candidates = 0xf, .last_used = times, .filled = times, .set = set, .ways = 4};
  if (!is_hit) way = replacement_victim(&cache->replacement, &view);
  cache->held[set][way] = line;
  times[way] = ++cache->now;
  LineView event = {.now = cache->now, .set = set, .way = way, .address = line};
  const ReplacementType *type = cache->replacement.type;
  (is_hit ? type->on_hit : type->on_fill)(cache->replacement.state, &event);
  return is_hit;
}

static DuelCache new_duel(const char *spec) {
  const CacheShape shape = {.sets = SETS, .ways = 4, .line_bytes = 128};
  DuelCache cache;
  memset(&cache, 0xff, sizeof cache);
  cache.now = 0;
  assert_int_equal(replacement_init(&cache.replacement, NULL, spec, &shape, NULL), OK);
  return cache;
}

// Each set sees a loop over so many lines of its own. Hits of the last 200 of 800 rounds, by set.
static void loop_duel(DuelCache *cache, uint32_t lines, int hits[SETS]) {
  memset(hits, 0, sizeof(int) * SETS);
  for (uint32_t i = 0; i < ROUNDS * lines * SETS; i++)
    if (duel_access(cache, i % SETS, i / SETS % lines) && i >= ROUNDS / 4 * 3 * lines * SETS)
      hits[i % SETS]++;
}

// Each line is read twice, the second time after the next one was read first. Hits of the last
// half.
static void stream_duel(DuelCache *cache, uint32_t lines, int hits[SETS]) {
  memset(hits, 0, sizeof(int) * SETS);
  for (uint32_t i = 0; i < 2 * lines * SETS; i++) {
    uint64_t step = i / SETS, line = 1000 + step / 2 - step % 2;
    if (duel_access(cache, i % SETS, line) && i >= lines * SETS) hits[i % SETS]++;
  }
}

// With 2 leaders in 16 sets: 0 and 8 are bimodal, 4 and 12 LRU, the others follow. A loop over 6
// lines does not fit: LRU never hits, and the followers become bimodal. In the stream LRU hits
// every second time, bimodal sets hardly ever, and the followers return.
static void sets_follow_the_kind_that_hits_more(void **state) {
  (void)state;
  int hits[SETS];
  DuelCache cache = new_duel("bimodal:leaders=2");
  loop_duel(&cache, 6, hits);
  for (int set = 0; set < SETS; set++) {
    if (set % 8 == 4) assert_int_equal(hits[set], 0);
    if (set % 8 != 4) assert_in_range(hits[set], 400, 800);
  }
  stream_duel(&cache, 2000, hits);
  for (int set = 0; set < SETS; set++) {
    if (set % 8 == 0) assert_in_range(hits[set], 0, 200);
    if (set % 8 != 0) assert_in_range(hits[set], 995, 1000);
  }
  replacement_clear(&cache.replacement);
}

// A loop over 4 lines fits: LRU hits always, and the followers with it.
static void sets_stay_lru_where_nothing_is_gained(void **state) {
  (void)state;
  int hits[SETS];
  DuelCache cache = new_duel("bimodal:leaders=2");
  loop_duel(&cache, 4, hits);
  for (int set = 0; set < SETS; set++)
    if (set % 8) assert_int_equal(hits[set], 800);
  replacement_clear(&cache.replacement);
}

static void half_of_the_sets_can_lead_at_most(void **state) {
  (void)state;
  const CacheShape shape = {.sets = 16, .ways = 4, .line_bytes = 128};
  Replacement replacement;
  Error err = {0};
  assert_int_equal(replacement_init(&replacement, NULL, "bimodal:leaders=9", &shape, &err),
                   ERR_CONFIG);
  assert_non_null(strstr(err.text, "at most half"));
}

// ---- the partition between prefetched and demand lines

typedef struct OneSet {
  Replacement replacement;
  uint64_t held[4];
  Cycle now;
} OneSet;

static void one_set_init(OneSet *set, const char *spec) {
  const CacheShape shape = {.sets = 1, .ways = 4, .line_bytes = 128};
  *set = (OneSet){.held = {0}};
  assert_int_equal(replacement_init(&set->replacement, NULL, spec, &shape, NULL), OK);
}

// An access or a prefetch; true: a hit.
static bool access_line(OneSet *set, uint64_t line, bool is_prefetch) {
  uint32_t way = 0;
  Cycle times[4] = {0};
  while (way < 4 && set->held[way] != line) way++;
  bool is_hit = way < 4;
  for (uint32_t w = 0; !is_hit && w < 4; w++)
    if (!set->held[w]) way = w;
  SetView view = {.candidates = 0xf, .last_used = times, .filled = times, .ways = 4};
  if (way == 4) way = replacement_victim(&set->replacement, &view);
  set->held[way] = line;
  LineView event = {
      .now = ++set->now, .way = way, .address = line * 128, .is_prefetch = is_prefetch};
  if (is_hit) set->replacement.type->on_hit(set->replacement.state, &event);
  if (!is_hit) set->replacement.type->on_fill(set->replacement.state, &event);
  return is_hit;
}

static bool holds(const OneSet *set, uint64_t line) {
  for (int w = 0; w < 4; w++)
    if (set->held[w] == line) return true;
  return false;
}

// Two demand lines survive any number of prefetches; a used prefetch is a demand line.
static void unused_prefetches_keep_to_their_ways(void **state) {
  (void)state;
  OneSet set;
  one_set_init(&set, "prefetch_partition:quota=1,dynamic=false");
  access_line(&set, 1, false);
  access_line(&set, 2, false);
  for (uint64_t line = 100; line < 120; line++) access_line(&set, line, true);
  assert_true(holds(&set, 1) && holds(&set, 2));
  assert_true(access_line(&set, 119, false));  // used: one of three demand lines
  access_line(&set, 120, true);
  access_line(&set, 121, true);
  access_line(&set, 122, true);
  assert_true(holds(&set, 119));
  replacement_clear(&set.replacement);
}

// Prefetches used after two others have come: with one way they are lost, and the border moves.
static uint64_t early_hits(const char *spec) {
  OneSet set;
  uint64_t hits = 0;
  one_set_init(&set, spec);
  for (uint64_t i = 0; i < 2000; i++) {
    access_line(&set, 1000 + i, true);
    if (i >= 2) hits += access_line(&set, 998 + i, false);
  }
  replacement_clear(&set.replacement);
  return hits;
}

static void the_border_moves_to_the_kind_that_loses_more(void **state) {
  (void)state;
  assert_in_range(early_hits("prefetch_partition:quota=1,dynamic=false"), 0, 20);
  assert_in_range(early_hits("prefetch_partition:quota=1,epoch=16"), 1500, 2000);
}

static void every_policy_answers_with_a_candidate(void **state) {
  (void)state;
  Cycle times[64];
  for (uint64_t i = 0; i < 64; i++) times[i] = i * 37 % 64;
  for (const PolicyType *const *type = replacement_family.types; *type; type++) {
    Replacement replacement;
    assert_int_equal(replacement_init(&replacement, NULL, (*type)->name, NULL, NULL), OK);
    uint64_t random = 1;
    for (int i = 0; i < 10000; i++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      SetView view = {.candidates = random, .last_used = times, .filled = times, .ways = 64};
      uint32_t way = replacement_victim(&replacement, &view);
      assert_true(way < 64 && random >> way & 1);
    }
    replacement_clear(&replacement);
  }
}

static void an_unknown_policy_or_parameter_is_refused(void **state) {
  (void)state;
  Replacement replacement;
  Error err = {0};
  assert_int_equal(replacement_init(&replacement, NULL, "plru", NULL, &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "lru, fifo, random"));
  assert_int_equal(replacement_init(&replacement, NULL, "lru:seed=1", NULL, &err), ERR_CONFIG);
  assert_int_equal(replacement_init(&replacement, NULL, "random:seed=0", NULL, &err), ERR_CONFIG);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lru_takes_the_longest_unused_and_of_two_the_lower),
      cmocka_unit_test(the_earliest_of_any_candidates_is_the_one_a_plain_search_finds),
      cmocka_unit_test(fifo_takes_the_first_that_came),
      cmocka_unit_test(random_takes_each_about_as_often_and_the_same_each_time),
      cmocka_unit_test(bimodal_insertion_keeps_a_part_of_a_loop),
      cmocka_unit_test(sets_follow_the_kind_that_hits_more),
      cmocka_unit_test(sets_stay_lru_where_nothing_is_gained),
      cmocka_unit_test(half_of_the_sets_can_lead_at_most),
      cmocka_unit_test(unused_prefetches_keep_to_their_ways),
      cmocka_unit_test(the_border_moves_to_the_kind_that_loses_more),
      cmocka_unit_test(every_policy_answers_with_a_candidate),
      cmocka_unit_test(an_unknown_policy_or_parameter_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
