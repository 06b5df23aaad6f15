// SPDX-License-Identifier: MIT
// The optimal replacement against every possible one, on short streams.
#include "observers/reuse/belady.h"

#include <string.h>

#include "unit/cmocka_all.h"

enum { LENGTH = 12, LINES = 5, CAPACITY = 2 };

// Most hits from position `at` on, if the cache holds the lines of a mask: all choices are tried.
static uint32_t most_hits(const uint64_t *stream, uint32_t at, uint32_t held) {
  if (at == LENGTH) return 0;
  uint32_t bit = 1u << stream[at], hit = (held & bit) != 0, best, with = held | bit;
  best = most_hits(stream, at + 1, held);
  if (!hit && __builtin_popcount(held) < CAPACITY) {
    uint32_t other = most_hits(stream, at + 1, with);
    if (other > best) best = other;
  }
  for (uint32_t victims = held; !hit && victims; victims &= victims - 1) {
    uint32_t other = most_hits(stream, at + 1, with & ~(victims & -victims));
    if (other > best) best = other;
  }
  return best + hit;
}

static uint64_t plain_lru(const uint64_t *stream) {
  uint64_t order[CAPACITY], hits = 0;
  uint32_t used = 0;
  for (uint32_t i = 0; i < LENGTH; i++) {
    uint32_t at = 0;
    while (at < used && order[at] != stream[i]) at++;
    hits += at < used;
    if (at == used && used < CAPACITY) used++;
    if (at >= CAPACITY) at = CAPACITY - 1;
    memmove(&order[1], &order[0], sizeof *order * at);
    order[0] = stream[i];
  }
  return hits;
}

static void it_is_the_best_of_all_replacements(void **state) {
  (void)state;
  uint64_t random = 1;
  uint32_t better = 0;
  for (int run = 0; run < 300; run++) {
    uint64_t stream[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
      stream[i] = (random >> 33) % LINES;
    }
    BeladyHits hits = belady_hits(stream, LENGTH, CAPACITY);
    assert_int_equal(hits.optimal, most_hits(stream, 0, 0));
    assert_int_equal(hits.lru, plain_lru(stream));
    better += hits.optimal > hits.lru;
  }
  assert_true(better > 100);
}

// Three lines in turn, room for two: LRU never hits, the best keeps two of them.
static void a_loop_larger_than_the_cache(void **state) {
  (void)state;
  const uint64_t stream[] = {7, 8, 9, 7, 8, 9, 7, 8, 9};
  BeladyHits hits = belady_hits(stream, 9, 2);
  assert_int_equal(hits.lines, 3);
  assert_int_equal(hits.lru, 0);
  assert_int_equal(hits.optimal, 4);
  assert_int_equal(belady_hits(stream, 9, 3).optimal, 6);
  assert_int_equal(belady_hits(stream, 9, 3).lru, 6);
  assert_int_equal(belady_hits(stream, 0, 2).optimal, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_the_best_of_all_replacements),
      cmocka_unit_test(a_loop_larger_than_the_cache),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
