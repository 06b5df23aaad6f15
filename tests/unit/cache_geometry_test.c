// SPDX-License-Identifier: MIT
// Sets and ways: how addresses are spread over them, how a size becomes them, and
// which configurations cannot work.
#include "unit/cache_support.h"

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
  expect_refusal(config, "no read would ever be accepted");
  config = defaults();
  config.line_bytes = 96;
  expect_refusal(config, "power of two in 32..256 (nearest: 64, 128)");
  config = defaults();
  config.index_hash = INDEX_FERMI;
  config.sets = 128;
  expect_refusal(config, "fermi index hash requires 32 or 64 sets (nearest: 64)");
  config.index_hash = INDEX_XOR;
  config.sets = 33;
  expect_refusal(config, "power of two (nearest: 32, 64)");
  config = l2();
  config.allocate = ALLOCATE_ON_FILL;
  expect_refusal(config, "on_miss");
  config = defaults();
  config.write_allocate = WRITE_ALLOCATE_LAZY;
  expect_refusal(config, "back or through");
  config = defaults();
  config.write_policy = WRITE_THROUGH;
  config.write_allocate = WRITE_ALLOCATE_FETCH;
  expect_refusal(config, "requires write_policy = back");
  config = defaults();
  config.mshrs = 65536;
  config.mshr_merges = 4096;
  expect_refusal(config, "mshr_merges");
  config = defaults();
  config.size_kb = 65536;
  config.index_hash = INDEX_FERMI;
  expect_refusal(config,
                 "size_kb = 65536: not a size of 64 sets x 1..64 ways x 128 bytes (nearest: 512)");
  config = defaults();
  strcpy(config.replacement, "mru");
  expect_refusal(config, "mru");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fermi_xors_five_upper_bits_into_the_set),
      cmocka_unit_test(every_hash_reaches_every_set_evenly),
      cmocka_unit_test(sets_need_not_be_a_power_of_two),
      cmocka_unit_test(a_size_in_kilobytes_becomes_sets_and_ways),
      cmocka_unit_test(what_cannot_work_is_refused_with_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
