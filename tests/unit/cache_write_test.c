// SPDX-License-Identifier: MIT
// What caches do with stores and atomics.
#include "unit/cache_support.h"

static void a_global_store_drops_its_line_a_local_one_keeps_it(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, l1d());
  bring(&bench, 0);
  assert_int_equal(store(&bench, 64), CACHE_WRITE_SENT);
  CacheMiss sent = next_miss(&bench);
  assert_true(sent.write && !sent.write_back);
  assert_int_equal(sent.address, 64);
  assert_int_equal(sent.bytes, 32);
  assert_int_equal(sent.sectors, 4);
  assert_int_equal(load(&bench, 64), CACHE_MISS);
  // The line is on its way: the store goes past it and leaves it alone.
  assert_int_equal(store(&bench, 64), CACHE_WRITE_SENT);
  next_miss(&bench), next_miss(&bench);
  fill(&bench, 0);
  hand_out_all(&bench);
  assert_int_equal(load(&bench, 64), CACHE_HIT);

  MemRequest *local = request(&bench, REQUEST_WRITE, 0, 128);
  local->local = true;
  assert_int_equal(ask(&bench, local), CACHE_HIT);
  assert_null(cache_miss_front(bench.cache));
  local = request(&bench, REQUEST_WRITE, 0x10000, 128);
  local->local = true;
  assert_int_equal(ask(&bench, local), CACHE_WRITE_SENT);
  assert_int_equal(next_miss(&bench).bytes, 128);
  bench_clear(&bench);
}

static void a_dirty_victim_is_written_back_behind_the_fetch(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = defaults();
  config.sets = config.ways = 1;
  bench_init(&bench, config);
  bring(&bench, 0);
  MemRequest *local = request(&bench, REQUEST_WRITE, 32, 32);
  local->local = true;
  assert_int_equal(ask(&bench, local), CACHE_HIT);
  assert_int_equal(load(&bench, 0x80), CACHE_MISS);
  assert_int_equal(cache_effects(bench.cache)->eviction_count, 1);
  assert_int_equal(cache_effects(bench.cache)->evictions[0].written_bytes, 128);
  assert_int_equal(next_miss(&bench).address, 0x80);
  CacheMiss back = next_miss(&bench);
  assert_true(back.write && back.write_back);
  assert_null(back.request);
  assert_int_equal(back.address, 0);
  assert_int_equal(back.bytes, 128);
  assert_int_equal(stats(&bench)->write_backs, 1);
  bench_clear(&bench);
}

// A set of four ways, of which half may be dirty.
static CacheConfig half_dirty(void) {
  CacheConfig config = defaults();
  config.sets = 1;
  config.ways = 4;
  config.sectored = true;
  config.write_policy = WRITE_BACK;
  config.write_allocate = WRITE_ALLOCATE_LAZY;
  config.dirty_percent = 50;
  return config;
}

// The third dirty line cleans the oldest, which stays and is not written back again.
static void at_most_half_of_a_set_is_dirty(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, half_dirty());
  assert_int_equal(store(&bench, 0), CACHE_WRITE_KEPT);
  assert_int_equal(store(&bench, 0x80), CACHE_WRITE_KEPT);
  assert_int_equal(store(&bench, 0xa0), CACHE_WRITE_KEPT);
  assert_null(cache_miss_front(bench.cache));
  assert_int_equal(store(&bench, 0x100), CACHE_WRITE_KEPT);
  CacheMiss back = next_miss(&bench);
  assert_true(back.write && back.write_back);
  assert_int_equal(back.address, 0);
  assert_int_equal(back.bytes, 32);
  assert_int_equal(back.sectors, 1);
  assert_null(cache_miss_front(bench.cache));
  assert_int_equal(load(&bench, 0), CACHE_HIT);
  // Written again it is the newest, and the oldest goes.
  assert_int_equal(store(&bench, 0), CACHE_HIT);
  back = next_miss(&bench);
  assert_int_equal(back.address, 0x80);
  assert_int_equal(back.sectors, 3);
  assert_int_equal(stats(&bench)->write_backs, 2);
  assert_int_equal(stats(&bench)->evictions, 0);
  bench_clear(&bench);
}

// As above without time: what is written back costs nothing, and evicted later it is clean.
static void warming_leaves_no_more_dirty_than_may_be(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, half_dirty());
  bench.now = 100;
  for (uint64_t line = 0; line < 3 * 0x80; line += 0x80)
    cache_warm(bench.cache, line, line, true, true, bench.now);
  assert_null(cache_miss_front(bench.cache));
  // The first is clean: the next two have the cache write back one more each.
  assert_int_equal(store(&bench, 0x180), CACHE_WRITE_KEPT);
  assert_int_equal(next_miss(&bench).address, 0x80);
  assert_int_equal(store(&bench, 0), CACHE_HIT);
  assert_int_equal(next_miss(&bench).address, 0x100);
  bench_clear(&bench);
}

static void write_through_keeps_the_line_and_sends(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = defaults();
  config.write_policy = WRITE_THROUGH;
  bench_init(&bench, config);
  bring(&bench, 0);
  assert_int_equal(store(&bench, 0), CACHE_WRITE_SENT);
  next_miss(&bench);
  assert_int_equal(load(&bench, 0), CACHE_HIT);
  assert_int_equal(store(&bench, 0x80), CACHE_WRITE_SENT);
  next_miss(&bench);
  assert_int_equal(load(&bench, 0x80), CACHE_MISS);
  bench_clear(&bench);
}

// Volta's L1: stores take lines, and no number of ways limits the misses under way.
static void writes_take_lines_of_a_streaming_cache(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = defaults();
  config.sets = 1;
  config.ways = 2;
  config.sectored = true;
  config.allocate = ALLOCATE_STREAMING;
  config.write_policy = WRITE_THROUGH;
  config.write_allocate = WRITE_ALLOCATE_LAZY;
  bench_init(&bench, config);
  assert_int_equal(store(&bench, 0), CACHE_WRITE_SENT);
  next_miss(&bench);
  assert_int_equal(load(&bench, 0), CACHE_HIT);
  for (uint64_t line = 1; line < 5; line++) {
    assert_int_equal(load(&bench, line * 0x80), CACHE_MISS);
    next_miss(&bench);
  }
  assert_int_equal(load(&bench, 0), CACHE_HIT);
  assert_int_equal(stats(&bench)->fail_line, 0);
  for (uint64_t line = 1; line < 5; line++) fill(&bench, line * 0x80);
  assert_int_equal(load(&bench, 4 * 0x80), CACHE_HIT);
  assert_int_equal(load(&bench, 0), CACHE_MISS);
  bench_clear(&bench);
}

static void writes_take_lines_without_fetching_them(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, l2());
  assert_int_equal(store(&bench, 0), CACHE_WRITE_KEPT);
  assert_null(cache_miss_front(bench.cache));
  assert_int_equal(load(&bench, 0), CACHE_HIT);
  assert_int_equal(store(&bench, 0), CACHE_HIT);
  // Half a sector cannot be read until the rest has been fetched.
  assert_int_equal(store_partly(&bench, 32), CACHE_WRITE_KEPT);
  assert_int_equal(load(&bench, 32), CACHE_MISS);
  next_miss(&bench);
  fill(&bench, 32);
  hand_out_all(&bench);
  assert_int_equal(load(&bench, 32), CACHE_HIT);
  // Half of a sector that is there leaves it readable.
  assert_int_equal(store_partly(&bench, 32), CACHE_HIT);
  assert_int_equal(load(&bench, 32), CACHE_HIT);
  assert_int_equal(stats(&bench)->misses, 3);
  assert_int_equal(stats(&bench)->sector_misses, 2);
  bench_clear(&bench);
}

static void an_evicted_line_writes_back_its_dirty_sectors(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = l2();
  config.sets = config.ways = 1;
  bench_init(&bench, config);
  store(&bench, 0x20);
  store_partly(&bench, 0x60);
  assert_int_equal(load(&bench, 0x40), CACHE_MISS);
  // A sector on its way keeps the line in place.
  assert_int_equal(store(&bench, 0x80), CACHE_FAIL);
  assert_int_equal(bench.reason, FAIL_line);
  next_miss(&bench);
  fill(&bench, 0x40);
  hand_out_all(&bench);
  assert_int_equal(store(&bench, 0x80), CACHE_WRITE_KEPT);
  CacheMiss back = next_miss(&bench);
  assert_true(back.write_back);
  assert_int_equal(back.address, 0);
  assert_int_equal(back.bytes, 64);
  assert_int_equal(back.sectors, 0xa);
  cache_flush(bench.cache);
  assert_int_equal(stats(&bench)->write_backs, 2);
  assert_null(cache_miss_front(bench.cache));
  assert_int_equal(load(&bench, 0x80), CACHE_MISS);
  bench_clear(&bench);
}

static void a_write_over_a_pending_sector_survives_its_fill(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = l2();
  config.sets = config.ways = 1;
  bench_init(&bench, config);
  assert_int_equal(load(&bench, 0), CACHE_MISS);
  assert_int_equal(store_partly(&bench, 0), CACHE_WRITE_KEPT);
  assert_int_equal(load(&bench, 0), CACHE_HIT_PENDING);
  assert_int_equal(store(&bench, 0), CACHE_WRITE_KEPT);
  assert_int_equal(load(&bench, 0), CACHE_HIT);  // all its bytes are known
  next_miss(&bench);
  fill(&bench, 0);
  assert_int_equal(hand_out_all(&bench), 2);
  assert_int_equal(load(&bench, 0x80), CACHE_MISS);
  next_miss(&bench);
  assert_int_equal(next_miss(&bench).bytes, 32);
  bench_clear(&bench);
}

static void atomics_read_and_leave_the_sector_dirty(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = l2();
  config.sets = config.ways = 1;
  bench_init(&bench, config);
  assert_int_equal(ask(&bench, request(&bench, REQUEST_ATOMIC, 0, 32)), CACHE_MISS);
  next_miss(&bench);
  fill(&bench, 0);
  hand_out_all(&bench);
  assert_int_equal(load(&bench, 32), CACHE_MISS);
  next_miss(&bench);
  fill(&bench, 32);
  hand_out_all(&bench);
  assert_int_equal(ask(&bench, request(&bench, REQUEST_ATOMIC, 32, 32)), CACHE_HIT);
  assert_int_equal(load(&bench, 0x80), CACHE_MISS);
  next_miss(&bench);
  assert_int_equal(next_miss(&bench).sectors, 3);
  bench_clear(&bench);
}

static void fetch_on_write_waits_for_the_rest_of_the_line(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = l2();
  config.sets = config.ways = 1;
  config.sectored = false;
  config.write_allocate = WRITE_ALLOCATE_FETCH;
  bench_init(&bench, config);
  assert_int_equal(store(&bench, 0x20), CACHE_MISS);
  assert_int_equal(next_miss(&bench).bytes, 128);
  fill(&bench, 0);
  uint32_t sector;
  assert_ptr_equal(cache_next_ready(bench.cache, &sector), &bench.requests[0]);
  // A whole line needs no fetch.
  assert_int_equal(ask(&bench, request(&bench, REQUEST_WRITE, 0x80, 128)), CACHE_WRITE_KEPT);
  CacheMiss back = next_miss(&bench);
  assert_true(back.write_back);
  assert_int_equal(back.bytes, 128);
  assert_int_equal(back.sectors, 0xf);
  bench_clear(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_global_store_drops_its_line_a_local_one_keeps_it),
      cmocka_unit_test(a_dirty_victim_is_written_back_behind_the_fetch),
      cmocka_unit_test(at_most_half_of_a_set_is_dirty),
      cmocka_unit_test(warming_leaves_no_more_dirty_than_may_be),
      cmocka_unit_test(write_through_keeps_the_line_and_sends),
      cmocka_unit_test(writes_take_lines_of_a_streaming_cache),
      cmocka_unit_test(writes_take_lines_without_fetching_them),
      cmocka_unit_test(an_evicted_line_writes_back_its_dirty_sectors),
      cmocka_unit_test(a_write_over_a_pending_sector_survives_its_fill),
      cmocka_unit_test(atomics_read_and_leave_the_sector_dirty),
      cmocka_unit_test(fetch_on_write_waits_for_the_rest_of_the_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
