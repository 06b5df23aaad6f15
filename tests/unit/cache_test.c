// SPDX-License-Identifier: MIT
// What caches do with reads, as GPGPU-Sim's GTX 480 has them, and odder ones.
#include "memory/cache/cache_tags.h"
#include "unit/cache_support.h"

static void a_miss_asks_for_the_whole_line_and_hits_once_filled(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, l1d());
  assert_int_equal(load(&bench, 0x1040), CACHE_MISS);
  CacheMiss miss = next_miss(&bench);
  assert_ptr_equal(miss.request, &bench.requests[0]);
  assert_int_equal(miss.address, 0x1000);
  assert_int_equal(miss.bytes, 128);
  assert_int_equal(miss.sectors, 0xf);
  assert_false(miss.write);
  assert_int_equal(load(&bench, 0x1000), CACHE_HIT_PENDING);
  assert_null(cache_miss_front(bench.cache));

  fill(&bench, 0x1000);
  uint32_t sector;
  assert_ptr_equal(cache_next_ready(bench.cache, &sector), &bench.requests[0]);
  assert_true(cache_has_ready(bench.cache));
  assert_false(cache_is_quiet(bench.cache));
  assert_ptr_equal(cache_next_ready(bench.cache, &sector), &bench.requests[1]);
  assert_null(cache_next_ready(bench.cache, &sector));
  assert_true(cache_is_quiet(bench.cache));
  assert_int_equal(load(&bench, 0x1060), CACHE_HIT);
  assert_int_equal(stats(&bench)->misses, 1);
  assert_int_equal(stats(&bench)->merges, 1);
  assert_int_equal(stats(&bench)->hits, 1);
  bench_clear(&bench);
}

static void reads_and_merges_need_a_free_entry_besides_their_own(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, l1d());
  for (uint64_t i = 0; i < 7; i++) assert_int_equal(load(&bench, i * 128), CACHE_MISS);
  // Seven of eight are used: neither a miss nor a merge is let in, a store is.
  assert_int_equal(load(&bench, 7 * 128), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_queue);
  assert_int_equal(load(&bench, 0), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_queue);
  assert_int_equal(store(&bench, 0x8000), CACHE_WRITE_SENT);
  assert_int_equal(store(&bench, 0x8000), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_queue);
  assert_int_equal(stats(&bench)->fail_queue, 3);
  next_miss(&bench), next_miss(&bench);
  assert_int_equal(load(&bench, 0), CACHE_HIT_PENDING);
  assert_int_equal(stats(&bench)->accesses, 9);  // failed tries are none
  bench_clear(&bench);
}

static void a_line_takes_eight_requests_in_all(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, l1d());
  assert_int_equal(load(&bench, 0), CACHE_MISS);
  for (int i = 0; i < 7; i++) assert_int_equal(load(&bench, 32), CACHE_HIT_PENDING);
  assert_int_equal(load(&bench, 0), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_merge);
  next_miss(&bench);
  fill(&bench, 0);
  assert_int_equal(hand_out_all(&bench), 8);
  assert_int_equal(load(&bench, 0), CACHE_HIT);
  bench_clear(&bench);
}

static void a_set_of_pending_lines_and_a_full_mshr_file_refuse(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = defaults();
  config.mshrs = 5;
  bench_init(&bench, config);
  for (uint64_t way = 0; way < 4; way++) {
    assert_int_equal(load(&bench, way * 32 * 128), CACHE_MISS);
    next_miss(&bench);
  }
  assert_int_equal(load(&bench, 4 * 32 * 128), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_line);
  assert_int_equal(load(&bench, 128), CACHE_MISS);
  next_miss(&bench);
  assert_int_equal(load(&bench, 256), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_mshr);
  fill(&bench, 128);
  // The MSHR is free when its last request has been handed out.
  assert_int_equal(load(&bench, 256), CACHE_FAIL);
  assert_int_equal(hand_out_all(&bench), 1);
  assert_int_equal(load(&bench, 256), CACHE_MISS);
  cache_count_fails(bench.cache, FAIL_mshr, 10);
  assert_int_equal(stats(&bench)->fail_mshr, 12);
  assert_int_equal(stats(&bench)->fail_line, 1);
  bench_clear(&bench);
}

static void the_least_recently_used_line_goes(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, defaults());
  for (uint64_t way = 0; way < 4; way++) bring(&bench, way * 0x1000);
  assert_int_equal(load(&bench, 0), CACHE_HIT);
  bring(&bench, 4 * 0x1000);
  assert_int_equal(load(&bench, 0), CACHE_HIT);
  assert_int_equal(load(&bench, 0x2000), CACHE_HIT);
  assert_int_equal(load(&bench, 0x1000), CACHE_MISS);
  assert_int_equal(stats(&bench)->evictions, 2);
  assert_int_equal(stats(&bench)->cold_misses, 5);  // 0x1000 came back
  assert_int_equal(stats(&bench)->misses, 6);
  bench_clear(&bench);
}

static void lines_allocated_on_fill_merge_while_they_are_nowhere(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, l1i());
  assert_int_equal(load(&bench, 0), CACHE_MISS);
  assert_int_equal(load(&bench, 0x200), CACHE_MISS);
  assert_int_equal(load(&bench, 0x400), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_mshr);
  for (int i = 1; i < 32; i++) assert_int_equal(load(&bench, 64), CACHE_HIT_PENDING);
  assert_int_equal(load(&bench, 0), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_merge);
  fill(&bench, 0x200);
  assert_int_equal(load(&bench, 0x200), CACHE_HIT);
  fill(&bench, 0);
  assert_int_equal(hand_out_all(&bench), 33);
  assert_int_equal(load(&bench, 0), CACHE_HIT);
  bench_clear(&bench);
}

static void a_streaming_cache_has_more_misses_under_way_than_lines(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = defaults();
  config.allocate = ALLOCATE_STREAMING;
  config.sectored = true;
  config.sets = 1;
  config.ways = 2;
  config.mshrs = 64;
  bench_init(&bench, config);
  for (uint64_t i = 0; i < 64; i++) {
    assert_int_equal(load(&bench, i * 32), CACHE_MISS);
    next_miss(&bench);
  }
  for (uint64_t i = 64; i-- > 0;) fill(&bench, i * 32);
  assert_int_equal(hand_out_all(&bench), 64);
  assert_int_equal(stats(&bench)->evictions, 14);  // 16 lines came, 2 fit
  assert_int_equal(load(&bench, 0x60), CACHE_HIT);
  assert_int_equal(load(&bench, 0x80), CACHE_HIT);
  assert_int_equal(load(&bench, 0x100), CACHE_MISS);
  bench_clear(&bench);
}

static void a_sectored_miss_fetches_its_sector_alone(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, l2());
  MemRequest *wide = request(&bench, REQUEST_READ, 0x1000, 128);
  for (uint32_t sector = 1; sector < 4; sector += 2) {
    assert_int_equal(cache_access(bench.cache, wide, sector, 0x1000, 1, &bench.reason), CACHE_MISS);
    CacheMiss miss = next_miss(&bench);
    assert_int_equal(miss.address, 0x1000 + 32 * sector);
    assert_int_equal(miss.bytes, 32);
    assert_int_equal(miss.sectors, 1 << sector);
    assert_int_equal(miss.request_sector, sector);
  }
  assert_int_equal(stats(&bench)->sector_misses, 1);
  assert_int_equal(stats(&bench)->cold_misses, 1);
  fill(&bench, 0x1060);
  uint32_t sector = 9;
  assert_ptr_equal(cache_next_ready(bench.cache, &sector), wide);
  assert_int_equal(sector, 3);
  assert_int_equal(load(&bench, 0x1060), CACHE_HIT);
  assert_int_equal(load(&bench, 0x1020), CACHE_HIT_PENDING);
  bench_clear(&bench);
}

static void a_miss_may_fetch_the_sector_beside_its_own(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = l2();
  config.fetch_bytes = 64;
  bench_init(&bench, config);
  assert_int_equal(load(&bench, 0x1060), CACHE_MISS);
  CacheMiss miss = next_miss(&bench);
  assert_int_equal(miss.address, 0x1060);
  assert_int_equal(miss.bytes, 64);
  assert_int_equal(miss.sectors, 0xc);
  assert_int_equal(load(&bench, 0x1040), CACHE_HIT_PENDING);
  assert_int_equal(load(&bench, 0x1000), CACHE_MISS);
  assert_int_equal(next_miss(&bench).sectors, 3);
  fill(&bench, 0x1060);
  assert_int_equal(hand_out_all(&bench), 2);
  assert_int_equal(load(&bench, 0x1040), CACHE_HIT);
  // Nobody has asked for its second sector.
  fill(&bench, 0x1000);
  assert_int_equal(hand_out_all(&bench), 1);
  assert_true(cache_is_quiet(bench.cache));
  assert_int_equal(load(&bench, 0x1020), CACHE_HIT);
  bench_clear(&bench);
}

static void a_fifth_request_for_a_pending_sector_fails(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, l2());
  assert_int_equal(load(&bench, 0), CACHE_MISS);
  for (int i = 0; i < 3; i++) assert_int_equal(load(&bench, 0), CACHE_HIT_PENDING);
  assert_int_equal(load(&bench, 0), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_merge);
  assert_int_equal(load(&bench, 32), CACHE_MISS);
  assert_int_equal(load(&bench, 64), CACHE_MISS);
  // Three of four entries: reads need two free ones.
  assert_int_equal(load(&bench, 96), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_queue);
  bench_clear(&bench);
}

static void invalidation_spares_what_is_on_its_way(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, l1d());
  bring(&bench, 0);
  assert_int_equal(load(&bench, 0x80), CACHE_MISS);
  next_miss(&bench);
  cache_invalidate(bench.cache);
  assert_int_equal(load(&bench, 0x80), CACHE_HIT_PENDING);
  fill(&bench, 0x80);
  hand_out_all(&bench);
  assert_int_equal(load(&bench, 0x80), CACHE_HIT);
  assert_int_equal(load(&bench, 0), CACHE_MISS);
  bench_clear(&bench);
}

static void small_lines_are_asked_for_sector_by_sector(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = defaults();
  config.line_bytes = 32;
  bench_init(&bench, config);
  MemRequest *wide = request(&bench, REQUEST_READ, 0x100, 128);
  MemRequest *write = request(&bench, REQUEST_WRITE, 0x100, 128);
  for (uint32_t sector = 0; sector < 4; sector++) {
    uint64_t address = wide->address + 32 * sector;
    assert_int_equal(cache_access(bench.cache, wide, sector, address, 1, &bench.reason),
                     CACHE_MISS);
    assert_int_equal(next_miss(&bench).bytes, 32);
    assert_int_equal(cache_access(bench.cache, write, sector, address, 1, &bench.reason),
                     CACHE_WRITE_SENT);
    CacheMiss sent = next_miss(&bench);
    assert_int_equal(sent.address, address);
    assert_int_equal(sent.bytes, 32);
    fill(&bench, address);
  }
  bench_clear(&bench);
}

// What a fully associative cache that never misses twice has: cold misses.
static void an_endless_cache_has_only_cold_misses(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = defaults();
  config.sets = 4096;
  config.ways = 64;
  bench_init(&bench, config);
  uint64_t random = 1;
  for (int i = 0; i < 20000; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    bench.used = 0;
    uint64_t address = (random >> 33) % 2048 * 128;
    if (load(&bench, address) != CACHE_MISS) continue;
    next_miss(&bench);
    fill(&bench, address);
    hand_out_all(&bench);
  }
  assert_int_equal(stats(&bench)->misses, stats(&bench)->cold_misses);
  assert_int_equal(stats(&bench)->misses, 2048);
  bench_clear(&bench);
}

static void free_ways_are_taken_from_the_highest_down(void **state) {
  (void)state;
  CacheTags tags;
  Replacement lru;
  assert_int_equal(replacement_init(&lru, NULL, "lru", NULL, NULL), OK);
  cache_tags_init(&tags, 2, 4, lru);
  for (uint32_t way = 4; way-- > 0;) {
    assert_int_equal(cache_tags_victim(&tags, 1), 4 + way);
    cache_tags_place(&tags, 4 + way, way, 100 - way);
  }
  assert_int_equal(cache_tags_victim(&tags, 1), 7);  // the least recently used
  cache_tags_drop(&tags, 5);
  assert_int_equal(cache_tags_victim(&tags, 1), 5);
  assert_int_equal(tags.used, 3);
  cache_tags_clear(&tags);
}

// Lines that eight misses of a full set evict, one after the other, if each was rejected so many
// times before.
static void evict_eight(uint32_t rejections, uint64_t evicted[8]) {
  Bench bench;
  CacheConfig config = defaults();
  snprintf(config.replacement, sizeof config.replacement, "random");
  config.mshrs = 1;
  bench_init(&bench, config);
  for (uint64_t way = 0; way < 4; way++) bring(&bench, way * 0x1000);
  for (uint64_t i = 0; i < 8; i++) {
    assert_int_equal(load(&bench, 128 + i * 0x1000), CACHE_MISS);  // keeps the MSHR
    next_miss(&bench);
    for (uint32_t k = 0; k < rejections; k++)
      assert_int_equal(load(&bench, (4 + i) * 0x1000), CACHE_FAIL);
    fill(&bench, 128 + i * 0x1000);
    hand_out_all(&bench);
    bring(&bench, (4 + i) * 0x1000);
    assert_int_equal(load(&bench, (4 + i) * 0x1000), CACHE_HIT);
    evicted[i] = stats(&bench)->evictions;
    for (uint64_t line = 0; line < 4 + i; line++)
      if (cache_probe(bench.cache, line * 0x1000, line * 0x1000) == CACHE_HIT)
        evicted[i] += UINT64_C(1) << (8 + line);
  }
  bench_clear(&bench);
}

static void a_rejected_access_does_not_ask_the_replacement_policy(void **state) {
  (void)state;
  uint64_t at_once[8], after_many[8];
  evict_eight(0, at_once);
  evict_eight(7, after_many);
  assert_memory_equal(at_once, after_many, sizeof at_once);
}

// A spot serves as long as its line is where it was, in the order of uses that lookups would make.
static void a_read_hits_again_where_it_hit_until_its_line_is_gone(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, defaults());
  assert_false(cache_hits_again(bench.cache, &(CacheSpot){0}, ++bench.now));  // there are no lines
  for (uint64_t i = 0; i < 4; i++) bring(&bench, i * 0x1000);
  assert_int_equal(load(&bench, 0), CACHE_HIT);
  CacheSpot first = cache_spot_of(bench.cache, 0);
  assert_int_equal(load(&bench, 0x1000), CACHE_HIT);
  CacheSpot second = cache_spot_of(bench.cache, 0x1000);
  assert_true(cache_hits_again(bench.cache, &first, ++bench.now));
  assert_true(cache_hits_again(bench.cache, &second, ++bench.now));
  assert_int_equal(stats(&bench)->hits, 4);
  assert_int_equal(stats(&bench)->hits_after_hits, 3);
  assert_int_equal(stats(&bench)->accesses, 8);

  bring(&bench, 0x4000);  // in place of the third line, the least recently used
  assert_true(cache_hits_again(bench.cache, &first, ++bench.now));
  bring(&bench, 0x5000);  // of the fourth
  bring(&bench, 0x6000);  // of the second
  assert_false(cache_hits_again(bench.cache, &second, ++bench.now));
  assert_int_equal(stats(&bench)->hits, 5);
  bench_clear(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_miss_asks_for_the_whole_line_and_hits_once_filled),
      cmocka_unit_test(reads_and_merges_need_a_free_entry_besides_their_own),
      cmocka_unit_test(a_line_takes_eight_requests_in_all),
      cmocka_unit_test(a_set_of_pending_lines_and_a_full_mshr_file_refuse),
      cmocka_unit_test(the_least_recently_used_line_goes),
      cmocka_unit_test(lines_allocated_on_fill_merge_while_they_are_nowhere),
      cmocka_unit_test(a_streaming_cache_has_more_misses_under_way_than_lines),
      cmocka_unit_test(a_sectored_miss_fetches_its_sector_alone),
      cmocka_unit_test(a_miss_may_fetch_the_sector_beside_its_own),
      cmocka_unit_test(a_fifth_request_for_a_pending_sector_fails),
      cmocka_unit_test(invalidation_spares_what_is_on_its_way),
      cmocka_unit_test(small_lines_are_asked_for_sector_by_sector),
      cmocka_unit_test(an_endless_cache_has_only_cold_misses),
      cmocka_unit_test(free_ways_are_taken_from_the_highest_down),
      cmocka_unit_test(a_rejected_access_does_not_ask_the_replacement_policy),
      cmocka_unit_test(a_read_hits_again_where_it_hit_until_its_line_is_gone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
