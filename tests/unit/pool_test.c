// SPDX-License-Identifier: MIT
#include "base/pool.h"

#include "base/ring.h"
#include "unit/cmocka_all.h"

static void a_pool_gives_each_item_once_and_says_when_it_is_empty(void **state) {
  (void)state;
  Pool pool;
  pool_init(&pool, sizeof(uint64_t), 3);
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t index = pool_take(&pool);
    assert_int_equal(index, i);
    *POOL_AT(&pool, uint64_t, index) = 100 + i;
  }
  assert_int_equal(pool_take(&pool), POOL_NONE);
  assert_int_equal(pool.used, 3);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(*POOL_AT(&pool, uint64_t, i), 100 + i);
  pool_clear(&pool);
}

static void what_was_given_back_is_taken_again(void **state) {
  (void)state;
  Pool pool;
  pool_init(&pool, 24, 4);
  for (int i = 0; i < 4; i++) pool_take(&pool);
  pool_give(&pool, 2);
  pool_give(&pool, 0);
  assert_int_equal(pool.used, 2);
  assert_int_equal(pool_take(&pool), 0);
  assert_int_equal(pool_take(&pool), 2);
  assert_int_equal(pool_take(&pool), POOL_NONE);
  pool_clear(&pool);
}

static void a_pool_of_nothing_is_full(void **state) {
  (void)state;
  Pool pool;
  pool_init(&pool, 8, 0);
  assert_int_equal(pool_take(&pool), POOL_NONE);
  pool_clear(&pool);
}

static void a_ring_keeps_order_across_its_seam(void **state) {
  (void)state;
  IndexRing ring;
  index_ring_init(&ring, 5);  // storage of 8
  uint32_t in = 0, out = 0;
  for (int round = 0; round < 50; round++) {
    while (!index_ring_is_full(&ring)) index_ring_push(&ring, in++);
    assert_int_equal(ring.count, 5);
    assert_int_equal(*index_ring_at(&ring, 4), in - 1);
    for (int i = 0; i < 3; i++) assert_int_equal(index_ring_pop(&ring), out++);
    assert_int_equal(*index_ring_front(&ring), out);
  }
  while (!index_ring_is_empty(&ring)) assert_int_equal(index_ring_pop(&ring), out++);
  assert_int_equal(in, out);
  index_ring_clear(&ring);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pool_gives_each_item_once_and_says_when_it_is_empty),
      cmocka_unit_test(what_was_given_back_is_taken_again),
      cmocka_unit_test(a_pool_of_nothing_is_full),
      cmocka_unit_test(a_ring_keeps_order_across_its_seam),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
