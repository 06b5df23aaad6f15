// SPDX-License-Identifier: MIT
// MurmurHash2 against its author's verification value, and what a Bloom filter owes: no
// member is missed, and others are taken for members as often as the formula says.
#include "base/bloom_filter.h"

#include <math.h>
#include <string.h>

#include "unit/cmocka_all.h"

// SMHasher's check of a hash: keys 0, 0 1, 0 1 2, ... with seeds 256, 255, ...; then the
// hash of all results, with seed 0. Its list has 0x27864C1E for MurmurHash2.
static void murmur_hash2_has_its_published_verification_value(void **state) {
  (void)state;
  uint8_t key[256], hashes[256 * 4];
  for (uint32_t i = 0; i < 256; i++) {
    key[i] = (uint8_t)i;
    uint32_t hash = murmur_hash2(key, i, 256 - i);
    memcpy(&hashes[i * 4], &hash, sizeof hash);
  }
  assert_int_equal(murmur_hash2(hashes, sizeof hashes, 0), 0x27864C1E);
}

static void a_key_of_eight_bytes_is_hashed_as_bytes_are(void **state) {
  (void)state;
  for (uint64_t key = 1; key < UINT64_MAX / 7; key *= 7)
    for (uint32_t seed = 0; seed < 3; seed++)
      assert_int_equal(murmur_hash2_u64(key, seed), murmur_hash2(&key, sizeof key, seed));
}

// False positives of a filter with so many bits after so many members, over lines of memory.
static double false_positive_rate(uint32_t bits, uint32_t members, uint64_t first) {
  enum { LOOKUPS = 100000 };
  Arena arena = {0};
  BloomFilter filter;
  uint32_t found = 0;
  bloom_filter_init(&filter, bits, bloom_filter_best_hashes(bits, members), &arena);
  for (uint64_t i = 0; i < members; i++) bloom_filter_add(&filter, bloom_key(first + i * 128));
  for (uint64_t i = 0; i < members; i++)
    assert_true(bloom_filter_has(&filter, bloom_key(first + i * 128)));
  for (uint64_t i = 0; i < LOOKUPS; i++)
    found += bloom_filter_has(&filter, bloom_key(first + (members + i) * 128));
  arena_clear(&arena);
  return found / (double)LOOKUPS;
}

// Tang et al.: 605 bytes for 1000 entries and a false-positive probability of 0.1. The
// textbook rate with k positions is (1 - e^(-k n / m))^k.
static void a_filter_of_605_bytes_has_one_false_positive_in_ten(void **state) {
  (void)state;
  double k = bloom_filter_best_hashes(605 * 8, 1000), sum = 0;
  assert_int_equal((int)k, 3);
  double textbook = pow(1 - exp(-k * 1000 / (605 * 8)), k);
  assert_true(textbook > 0.095 && textbook < 0.1);
  for (uint64_t i = 0; i < 16; i++)
    sum += false_positive_rate(605 * 8, 1000, 0x700000000 + i * 0x1234000);
  assert_true(fabs(sum / 16 - textbook) < 0.01);
}

static void an_empty_filter_has_nothing(void **state) {
  (void)state;
  Arena arena = {0};
  BloomFilter filter;
  bloom_filter_init(&filter, 4840, 3, &arena);
  for (uint64_t key = 0; key < 1000; key++) assert_false(bloom_filter_has(&filter, bloom_key(key)));
  bloom_filter_add(&filter, bloom_key(7));
  assert_true(bloom_filter_has(&filter, bloom_key(7)));
  bloom_filter_reset(&filter);
  assert_false(bloom_filter_has(&filter, bloom_key(7)));
  arena_clear(&arena);
}

// Sizes that make no sense elsewhere are of no harm here.
static void filters_of_any_size_work(void **state) {
  (void)state;
  assert_int_equal(bloom_filter_best_hashes(1, 1000000), 1);
  assert_int_equal(bloom_filter_best_hashes(1000000, 1), 16);
  for (uint32_t bits = 1; bits < 200; bits++) assert_true(false_positive_rate(bits, 3, bits) <= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(murmur_hash2_has_its_published_verification_value),
      cmocka_unit_test(a_key_of_eight_bytes_is_hashed_as_bytes_are),
      cmocka_unit_test(a_filter_of_605_bytes_has_one_false_positive_in_ten),
      cmocka_unit_test(an_empty_filter_has_nothing),
      cmocka_unit_test(filters_of_any_size_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
