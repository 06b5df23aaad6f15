// SPDX-License-Identifier: MIT
// Caches as GPGPU-Sim's GTX 480 has them, and odder ones.
#include "memory/cache.h"

#include <string.h>

#include "memory/cache_tags.h"
#include "unit/cmocka_all.h"

enum { REQUESTS = 512 };

typedef struct Bench {
  CacheConfig config;
  Cache *cache;
  MemRequest requests[REQUESTS];
  uint32_t used;
  Cycle now;
  FailReason reason;
} Bench;

static CacheConfig defaults(void) {
  CacheConfig config;
  ParamSection sections[] = {{"cache", "", cache_params, &config}, {0}};
  memset(&config, 0, sizeof config);
  param_set_defaults(sections);
  return config;
}

// 32 sets of 4 ways of 128 bytes, 64 MSHRs of 8, miss queue of 8.
static CacheConfig l1d(void) {
  CacheConfig config = defaults();
  config.index_hash = INDEX_FERMI;
  return config;
}

// 64 sets of 8 ways of four sectors, 256 MSHRs of 4, miss queue of 4.
static CacheConfig l2(void) {
  CacheConfig config = defaults();
  config.sets = 64;
  config.ways = 8;
  config.sectored = true;
  config.write_policy = WRITE_BACK;
  config.write_allocate = WRITE_ALLOCATE_LAZY;
  config.mshrs = 256;
  config.mshr_merges = 4;
  config.miss_queue = 4;
  return config;
}

// 4 sets of 4 ways, allocated on fill, 2 MSHRs of 32, miss queue of 4.
static CacheConfig l1i(void) {
  CacheConfig config = defaults();
  config.sets = 4;
  config.write_policy = WRITE_READ_ONLY;
  config.allocate = ALLOCATE_ON_FILL;
  config.mshrs = 2;
  config.mshr_merges = 32;
  config.miss_queue = 4;
  config.miss_queue_reserve = 0;
  return config;
}

static void bench_init(Bench *bench, CacheConfig config) {
  Error err;
  memset(bench, 0, sizeof *bench);
  bench->config = config;
  assert_int_equal(cache_create(&bench->cache, &config, &err), OK);
}

static void bench_clear(Bench *bench) {
  const CacheStats *stats = cache_stats_of(bench->cache);
  assert_int_equal(stats->accesses, stats->hits + stats->merges + stats->misses);
  assert_int_equal(stats->accesses, stats->reads + stats->writes);
  cache_destroy(bench->cache);
}

static MemRequest *request(Bench *bench, RequestKind kind, uint64_t address, uint16_t bytes) {
  assert_true(bench->used < REQUESTS);
  MemRequest *made = &bench->requests[bench->used++];
  *made = (MemRequest){.address = address, .bytes = bytes, .kind = (uint8_t)kind};
  made->full_sectors = (uint8_t)((1u << bytes / SECTOR_BYTES) - 1);
  return made;
}

static CacheResult ask(Bench *bench, MemRequest *what) {
  return cache_access(bench->cache, what, 0, what->address, ++bench->now, &bench->reason);
}

static CacheResult load(Bench *bench, uint64_t address) {
  return ask(bench, request(bench, REQUEST_READ, address, 32));
}

static CacheResult store(Bench *bench, uint64_t address) {
  return ask(bench, request(bench, REQUEST_WRITE, address, 32));
}

static CacheResult store_partly(Bench *bench, uint64_t address) {
  MemRequest *what = request(bench, REQUEST_WRITE, address, 32);
  what->full_sectors = 0;
  return ask(bench, what);
}

static CacheMiss next_miss(Bench *bench) {
  const CacheMiss *front = cache_miss_front(bench->cache);
  assert_non_null(front);
  CacheMiss miss = *front;
  cache_miss_pop(bench->cache);
  return miss;
}

static void fill(Bench *bench, uint64_t address) {
  cache_fill(bench->cache, address, address, ++bench->now);
}

static uint32_t hand_out_all(Bench *bench) {
  uint32_t sector, count = 0;
  while (cache_next_ready(bench->cache, &sector)) count++;
  return count;
}

// A line that is there, with nothing left of how it came.
static void bring(Bench *bench, uint64_t address) {
  assert_int_equal(load(bench, address), CACHE_MISS);
  next_miss(bench);
  fill(bench, address);
  assert_int_equal(hand_out_all(bench), 1);
}

static const CacheStats *stats(const Bench *bench) {
  return cache_stats_of(bench->cache);
}

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
  assert_int_equal(cache_evicted_bytes(bench.cache), 128);
  assert_int_equal(next_miss(&bench).address, 0x80);
  CacheMiss back = next_miss(&bench);
  assert_true(back.write && back.write_back);
  assert_null(back.request);
  assert_int_equal(back.address, 0);
  assert_int_equal(back.bytes, 128);
  assert_int_equal(stats(&bench)->write_backs, 1);
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

// Lines whose set is `set`, as the cache shows it: in a cache of one way the
// first line of a set is thrown out by another of the same set and no other.
static bool share_a_set(CacheConfig config, uint64_t one, uint64_t other) {
  Bench bench;
  config.ways = 1;
  bench_init(&bench, config);
  bring(&bench, one);
  bring(&bench, other);
  bool shared = load(&bench, one) != CACHE_HIT;
  bench_clear(&bench);
  return shared;
}

static void fermi_xors_five_upper_bits_into_the_set(void **state) {
  (void)state;
  // set = a[11:7] ^ {a19, a17, a15, a14, a13}
  static const struct {
    int address_bit, set_bit;
  } pairs[] = {{13, 0}, {14, 1}, {15, 2}, {17, 3}, {19, 4}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    uint64_t upper = (uint64_t)1 << pairs[i].address_bit;
    uint64_t lower = (uint64_t)1 << (7 + pairs[i].set_bit);
    assert_true(share_a_set(l1d(), upper, lower));
    assert_false(share_a_set(l1d(), upper, 0));
  }
  assert_true(share_a_set(l1d(), 0, 1 << 12));
  assert_true(share_a_set(l1d(), 0, 1 << 16));
  assert_true(share_a_set(l1d(), 0, 1 << 18));
  CacheConfig config = l1d();
  config.sets = 64;
  assert_false(share_a_set(config, 0, 1 << 12));
}

static void every_hash_reaches_every_set_evenly(void **state) {
  (void)state;
  for (uint32_t hash = INDEX_LINEAR; hash <= INDEX_IPOLY; hash++) {
    Bench bench;
    CacheConfig config = l1d();
    config.index_hash = hash;
    bench_init(&bench, config);
    for (uint64_t i = 0; i < 128; i++) bring(&bench, i * 128);
    assert_int_equal(stats(&bench)->evictions, 0);
    bench_clear(&bench);
  }
  // A stride of the cache's size meets one set, unless it is hashed.
  CacheConfig config = l1d();
  config.index_hash = INDEX_LINEAR;
  assert_true(share_a_set(config, 0, 0x1000));
  config.index_hash = INDEX_XOR;
  assert_false(share_a_set(config, 0, 0x1000));
  config.index_hash = INDEX_IPOLY;
  assert_false(share_a_set(config, 0, 0x1000));
}

static void sets_need_not_be_a_power_of_two(void **state) {
  (void)state;
  Bench bench;
  CacheConfig config = defaults();
  config.sets = 3;
  config.ways = 5;
  config.line_bytes = 64;
  bench_init(&bench, config);
  for (uint64_t i = 0; i < 15; i++) bring(&bench, i * 64);
  for (uint64_t i = 0; i < 15; i++) assert_int_equal(load(&bench, i * 64), CACHE_HIT);
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

static void a_size_in_kilobytes_becomes_sets_and_ways(void **state) {
  (void)state;
  static const struct {
    uint32_t kb, hash, sets, ways;
  } sizes[] = {{16, INDEX_FERMI, 32, 4}, {48, INDEX_FERMI, 64, 6},   {32, INDEX_LINEAR, 64, 4},
               {8, INDEX_FERMI, 32, 2},  {128, INDEX_FERMI, 64, 16}, {1, INDEX_LINEAR, 2, 4}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    CacheConfig config = defaults();
    uint32_t sets, ways;
    config.size_kb = sizes[i].kb;
    config.index_hash = sizes[i].hash;
    assert_int_equal(cache_geometry(&config, &sets, &ways, NULL), OK);
    assert_int_equal(sets, sizes[i].sets);
    assert_int_equal(ways, sizes[i].ways);
  }
}

static void expect_refusal(CacheConfig config, const char *words) {
  Cache *cache;
  Error err = {0};
  assert_int_equal(cache_create(&cache, &config, &err), ERR_CONFIG);
  assert_null(cache);
  assert_non_null(strstr(err.text, words));
}

static void what_cannot_work_is_refused_with_the_reason(void **state) {
  (void)state;
  CacheConfig config = defaults();
  config.miss_queue = 1;
  expect_refusal(config, "no read would ever fit");
  config = defaults();
  config.line_bytes = 96;
  expect_refusal(config, "power of two");
  config = defaults();
  config.index_hash = INDEX_FERMI;
  config.sets = 128;
  expect_refusal(config, "32 or 64 sets");
  config.index_hash = INDEX_XOR;
  config.sets = 33;
  expect_refusal(config, "power of two");
  config = l2();
  config.allocate = ALLOCATE_ON_FILL;
  expect_refusal(config, "on_miss");
  config = defaults();
  config.write_allocate = WRITE_ALLOCATE_LAZY;
  expect_refusal(config, "back or through");
  config = defaults();
  config.write_policy = WRITE_THROUGH;
  config.write_allocate = WRITE_ALLOCATE_FETCH;
  expect_refusal(config, "needs write_policy = back");
  config = defaults();
  config.mshrs = 65536;
  config.mshr_merges = 4096;
  expect_refusal(config, "mshr_merges");
  config = defaults();
  config.size_kb = 65536;
  config.index_hash = INDEX_FERMI;
  expect_refusal(config, "size_kb");
  config = defaults();
  strcpy(config.replacement, "mru");
  expect_refusal(config, "mru");
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
  assert_int_equal(replacement_init(&lru, NULL, "lru", NULL), OK);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_miss_asks_for_the_whole_line_and_hits_once_filled),
      cmocka_unit_test(reads_and_merges_need_a_free_entry_besides_their_own),
      cmocka_unit_test(a_line_takes_eight_requests_in_all),
      cmocka_unit_test(a_set_of_pending_lines_and_a_full_mshr_file_refuse),
      cmocka_unit_test(the_least_recently_used_line_goes),
      cmocka_unit_test(a_global_store_drops_its_line_a_local_one_keeps_it),
      cmocka_unit_test(a_dirty_victim_is_written_back_behind_the_fetch),
      cmocka_unit_test(write_through_keeps_the_line_and_sends),
      cmocka_unit_test(lines_allocated_on_fill_merge_while_they_are_nowhere),
      cmocka_unit_test(a_streaming_cache_has_more_misses_under_way_than_lines),
      cmocka_unit_test(a_sectored_miss_fetches_its_sector_alone),
      cmocka_unit_test(a_fifth_request_for_a_pending_sector_fails),
      cmocka_unit_test(writes_take_lines_without_fetching_them),
      cmocka_unit_test(an_evicted_line_writes_back_its_dirty_sectors),
      cmocka_unit_test(a_write_over_a_pending_sector_survives_its_fill),
      cmocka_unit_test(atomics_read_and_leave_the_sector_dirty),
      cmocka_unit_test(fetch_on_write_waits_for_the_rest_of_the_line),
      cmocka_unit_test(invalidation_spares_what_is_on_its_way),
      cmocka_unit_test(free_ways_are_taken_from_the_highest_down),
      cmocka_unit_test(fermi_xors_five_upper_bits_into_the_set),
      cmocka_unit_test(every_hash_reaches_every_set_evenly),
      cmocka_unit_test(sets_need_not_be_a_power_of_two),
      cmocka_unit_test(small_lines_are_asked_for_sector_by_sector),
      cmocka_unit_test(a_size_in_kilobytes_becomes_sets_and_ways),
      cmocka_unit_test(what_cannot_work_is_refused_with_the_reason),
      cmocka_unit_test(an_endless_cache_has_only_cold_misses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
