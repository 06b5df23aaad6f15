// SPDX-License-Identifier: MIT
// What prefetching and bypassing ask of a cache, step by step.
#include <string.h>

#include "memory/cache/cache.h"
#include "unit/cmocka_all.h"

// Two sets of two lines of 128 bytes: lines 0, 2, 4 ... share set 0.
static CacheConfig small(void) {
  CacheConfig config;
  ParamSection sections[] = {{"l1d", "", cache_params, &config}, {0}};
  memset(&config, 0, sizeof config);
  param_set_defaults(sections);
  config.sets = 2, config.ways = 2, config.line_bytes = 128;
  config.mshrs = 4, config.mshr_merges = 4, config.miss_queue = 8, config.miss_queue_reserve = 0;
  config.track_cold = true;
  return config;
}

static Cache *make(const CacheConfig *config) {
  Cache *cache;
  Error err;
  if (cache_create(&cache, config, &err) != OK) fail_msg("%s", err.text);
  return cache;
}

static CacheResult read_line(Cache *cache, MemRequest *request, uint64_t line, Cycle now) {
  FailReason reason;
  *request = (MemRequest){.address = line * 128, .bytes = 128, .kind = REQUEST_READ};
  return cache_access(cache, request, 0, request->address, now, &reason);
}

static CacheResult prefetch(Cache *cache, MemRequest *request, uint64_t line, Cycle now) {
  *request = (MemRequest){.address = line * 128, .bytes = 128, .kind = REQUEST_PREFETCH};
  return cache_prefetch(cache, request, request->address, now);
}

// The oldest miss goes out and comes back; all that wait for it are handed out.
static int fill(Cache *cache, Cycle now) {
  uint32_t sector;
  int handed_out = 0;
  CacheMiss miss = *cache_miss_front(cache);
  cache_miss_pop(cache);
  cache_fill(cache, miss.entry, miss.address, miss.address, now);
  while (cache_next_ready(cache, &sector)) handed_out++;
  return handed_out;
}

static CacheResult probe(const Cache *cache, uint64_t line) {
  return cache_probe(cache, line * 128, line * 128);
}

static void a_probe_says_what_a_read_would_find_and_changes_nothing(void **state) {
  (void)state;
  CacheConfig config = small();
  Cache *cache = make(&config);
  MemRequest request;
  assert_int_equal(probe(cache, 4), CACHE_MISS);
  assert_int_equal(read_line(cache, &request, 4, 1), CACHE_MISS);
  CacheStats before = *cache_stats_of(cache);
  assert_int_equal(probe(cache, 4), CACHE_HIT_PENDING);
  fill(cache, 2);
  assert_int_equal(probe(cache, 4), CACHE_HIT);
  assert_int_equal(probe(cache, 6), CACHE_MISS);
  assert_memory_equal(&before, cache_stats_of(cache), sizeof before);
  cache_destroy(cache);
}

// Lines that the last call evicted with a prefetch in them that nothing used.
static void note_unused(const Cache *cache, uint32_t *count, uint64_t *line) {
  const CacheEffects *effects = cache_effects(cache);
  for (uint32_t i = 0; i < effects->eviction_count; i++) {
    if (!effects->evictions[i].was_unused) continue;
    (*count)++;
    *line = effects->evictions[i].address;
  }
}

static void a_prefetched_line_is_used_late_or_unused(void **state) {
  (void)state;
  for (int allocate = ALLOCATE_ON_MISS; allocate <= ALLOCATE_ON_FILL; allocate++) {
    CacheConfig config = small();
    config.allocate = (uint32_t)allocate;
    Cache *cache = make(&config);
    const PrefetchStats *stats = cache_prefetch_stats(cache);
    MemRequest requests[8];
    assert_int_equal(prefetch(cache, &requests[0], 0, 1), CACHE_MISS);
    assert_int_equal(prefetch(cache, &requests[1], 0, 1), CACHE_HIT_PENDING);
    assert_int_equal(fill(cache, 2), 1);
    assert_int_equal(prefetch(cache, &requests[1], 0, 2), CACHE_HIT);
    assert_int_equal(read_line(cache, &requests[1], 0, 3), CACHE_HIT);
    assert_int_equal(read_line(cache, &requests[1], 0, 4), CACHE_HIT);
    assert_int_equal(stats->used, 1);  // the second hit finds an ordinary line

    assert_int_equal(prefetch(cache, &requests[2], 1, 5), CACHE_MISS);
    assert_int_equal(read_line(cache, &requests[3], 1, 6), CACHE_HIT_PENDING);
    assert_int_equal(read_line(cache, &requests[4], 1, 6), CACHE_HIT_PENDING);
    assert_int_equal(fill(cache, 7), 3);
    assert_int_equal(read_line(cache, &requests[1], 1, 8), CACHE_HIT);
    assert_int_equal(stats->late, 1);
    assert_int_equal(stats->used, 1);

    uint32_t unused = 0;
    uint64_t unused_line = 0;
    assert_int_equal(prefetch(cache, &requests[5], 2, 9), CACHE_MISS);
    fill(cache, 10);
    // Lines 4 and 6 drive 0 and then 2 out of their set.
    for (uint64_t line = 4; line <= 6; line += 2) {
      assert_int_equal(read_line(cache, &requests[6], line, 10 + line), CACHE_MISS);
      note_unused(cache, &unused, &unused_line);
      fill(cache, 11 + line);
      note_unused(cache, &unused, &unused_line);
    }
    assert_int_equal(stats->unused, 1);
    assert_int_equal(unused, 1);
    assert_int_equal(unused_line, 2 * 128);
    assert_int_equal(stats->fetches, 3);
    assert_int_equal(cache_stats_of(cache)->accesses, 7);  // reads only
    assert_true(cache_is_quiet(cache));
    cache_destroy(cache);
  }
}

static void a_prefetch_leaves_room_for_reads(void **state) {
  (void)state;
  CacheConfig config = small();
  config.sets = 8;
  Cache *cache = make(&config);
  MemRequest requests[8];
  for (uint64_t line = 0; line < 3; line++)
    assert_int_equal(prefetch(cache, &requests[line], line, 1), CACHE_MISS);
  assert_int_equal(prefetch(cache, &requests[3], 3, 1), CACHE_FAIL);  // the fourth MSHR is not its
  assert_int_equal(read_line(cache, &requests[3], 3, 1), CACHE_MISS);
  cache_destroy(cache);
  config.mshrs = 64, config.miss_queue = 2;
  cache = make(&config);
  assert_int_equal(prefetch(cache, &requests[0], 0, 1), CACHE_MISS);
  assert_int_equal(prefetch(cache, &requests[1], 1, 1), CACHE_FAIL);  // nor the last of the queue
  assert_int_equal(read_line(cache, &requests[1], 1, 1), CACHE_MISS);
  cache_destroy(cache);
}

static void a_sectored_cache_prefetches_sectors(void **state) {
  (void)state;
  CacheConfig config = small();
  config.sectored = true;
  Cache *cache = make(&config);
  MemRequest request = {.address = 64, .bytes = 32, .kind = REQUEST_PREFETCH};
  assert_int_equal(cache_prefetch(cache, &request, 64, 1), CACHE_MISS);
  assert_int_equal(cache_miss_front(cache)->bytes, 32);
  assert_int_equal(cache_miss_front(cache)->sectors, 4);
  fill(cache, 2);
  assert_int_equal(cache_probe(cache, 64, 64), CACHE_HIT);
  assert_int_equal(cache_probe(cache, 32, 32), CACHE_MISS);
  cache_destroy(cache);
}

static void a_demoted_line_goes_first(void **state) {
  (void)state;
  CacheConfig config = small();
  Cache *cache = make(&config);
  MemRequest request;
  for (uint64_t line = 0; line <= 2; line += 2) {
    read_line(cache, &request, line, 1 + line);
    fill(cache, 2 + line);
  }
  cache_demote(cache, 2 * 128, 2 * 128);
  cache_demote(cache, 8 * 128, 8 * 128);  // not there: nothing happens
  read_line(cache, &request, 4, 9);
  fill(cache, 10);
  assert_int_equal(probe(cache, 0), CACHE_HIT);
  assert_int_equal(probe(cache, 2), CACHE_MISS);
  cache_destroy(cache);
}

static void a_read_that_passes_counts_as_a_miss(void **state) {
  (void)state;
  CacheConfig config = small();
  Cache *cache = make(&config);
  cache_count_pass(cache, 128);
  cache_count_pass(cache, 128);
  const CacheStats *stats = cache_stats_of(cache);
  assert_int_equal(stats->accesses, 2);
  assert_int_equal(stats->reads, 2);
  assert_int_equal(stats->misses, 2);
  assert_int_equal(stats->cold_misses, 1);
  assert_int_equal(probe(cache, 1), CACHE_MISS);
  cache_destroy(cache);
}

// Lines 0, 2, 4 and 6 share a set of two ways.
static void a_lost_prefetch_that_is_wanted_later_was_early(void **state) {
  (void)state;
  CacheConfig config = small();
  Cache *cache = make(&config);
  const PrefetchStats *stats = cache_prefetch_stats(cache);
  MemRequest request;
  for (uint64_t line = 0; line <= 6; line += 2) {
    prefetch(cache, &request, line, line + 1);
    fill(cache, line + 2);
  }
  assert_int_equal(stats->unused, 2);  // 0 and 2
  assert_int_equal(stats->early, 0);
  assert_int_equal(read_line(cache, &request, 0, 10), CACHE_MISS);
  assert_int_equal(stats->early, 1);
  fill(cache, 11);
  assert_int_equal(read_line(cache, &request, 8, 12), CACHE_MISS);  // was never prefetched
  assert_int_equal(stats->early, 1);
  assert_int_equal(cache_stats_of(cache)->cold_misses, 1);  // 0 was fetched before
  fill(cache, 13);
  assert_int_equal(read_line(cache, &request, 4, 14), CACHE_MISS);  // 4 made room for 0
  fill(cache, 15);
  assert_int_equal(read_line(cache, &request, 0, 16), CACHE_MISS);  // its prefetch has been counted
  assert_int_equal(stats->early, 2);
  cache_destroy(cache);
}

static void hits_are_told_apart_by_what_came_before(void **state) {
  (void)state;
  CacheConfig config = small();
  Cache *cache = make(&config);
  MemRequest request;
  const CacheStats *stats = cache_stats_of(cache);
  read_line(cache, &request, 0, 1);
  fill(cache, 2);
  for (Cycle now = 3; now < 6; now++) read_line(cache, &request, 0, now);
  assert_int_equal(stats->hits_after_hits, 2);  // the first was after a miss
  read_line(cache, &request, 1, 6);
  fill(cache, 7);
  read_line(cache, &request, 0, 8);
  assert_int_equal(stats->hits, 4);
  assert_int_equal(stats->hits_after_hits, 2);
  cache_destroy(cache);
}

static void an_evicted_line_is_its_bringers(void **state) {
  (void)state;
  CacheConfig config = small();
  Cache *cache = make(&config);
  FailReason reason;
  MemRequest requests[4];
  for (uint16_t i = 0; i < 4; i++) {
    requests[i] =
        (MemRequest){.address = 256u * i, .bytes = 128, .requester.warp = (uint8_t)(i + 5)};
    cache_access(cache, &requests[i], 0, requests[i].address, i, &reason);
    // Lines 0 and 1 of the set make room for lines 2 and 3, one each.
    const CacheEffects *effects = cache_effects(cache);
    assert_int_equal(effects->outcome, OUTCOME_MISS);
    assert_int_equal(effects->eviction_count, i < 2 ? 0 : 1);
    if (i >= 2) {
      assert_int_equal(effects->evictions[0].address, 256 * (i - 2));
      assert_int_equal(effects->evictions[0].warp, i + 3);
      assert_false(effects->evictions[0].was_unused);
    }
    fill(cache, i);
    assert_int_equal(cache_effects(cache)->eviction_count, 0);
  }
  assert_int_equal(cache_stats_of(cache)->evictions, 2);
  cache_destroy(cache);
}

static void the_room_is_what_is_free(void **state) {
  (void)state;
  CacheConfig config = small();
  Cache *cache = make(&config);
  MemRequest requests[2];
  read_line(cache, &requests[0], 0, 1);
  read_line(cache, &requests[1], 1, 1);
  assert_int_equal(cache_room(cache).mshrs, 2);
  assert_int_equal(cache_room(cache).queue, 6);
  fill(cache, 2);
  assert_int_equal(cache_room(cache).mshrs, 3);
  assert_int_equal(cache_room(cache).queue, 7);
  cache_destroy(cache);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_probe_says_what_a_read_would_find_and_changes_nothing),
      cmocka_unit_test(a_prefetched_line_is_used_late_or_unused),
      cmocka_unit_test(a_prefetch_leaves_room_for_reads),
      cmocka_unit_test(a_sectored_cache_prefetches_sectors),
      cmocka_unit_test(a_demoted_line_goes_first),
      cmocka_unit_test(a_read_that_passes_counts_as_a_miss),
      cmocka_unit_test(a_lost_prefetch_that_is_wanted_later_was_early),
      cmocka_unit_test(hits_are_told_apart_by_what_came_before),
      cmocka_unit_test(an_evicted_line_is_its_bringers),
      cmocka_unit_test(the_room_is_what_is_free),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
