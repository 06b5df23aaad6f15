// SPDX-License-Identifier: MIT
// MSHRs, and the set of seen lines: order, merging, memory.
#include "memory/cache/mshr.h"

#include "memory/cache/seen_lines.h"
#include "unit/cmocka_all.h"

static void requests_come_out_in_order_of_fills_then_of_merging(void **state) {
  (void)state;
  MshrFile file;
  MemRequest requests[4];
  mshr_init(&file, 2, 3);
  uint32_t first = mshr_take(&file, 100, 7), second = mshr_take(&file, 200, 8);
  assert_true(mshr_is_full(&file));
  assert_int_equal(mshr_find(&file, 100), first);
  assert_int_equal(mshr_find(&file, 200), second);
  assert_int_equal(mshr_find(&file, 300), MSHR_NONE);
  assert_int_equal(file.entries[second].line, 8);
  mshr_add(&file, first, &requests[0], 3);
  mshr_add(&file, second, &requests[1], 0);
  mshr_add(&file, first, &requests[2], 1);
  mshr_add(&file, second, &requests[3], 2);

  mshr_fill(&file, second);
  assert_int_equal(mshr_find(&file, 200), MSHR_NONE);
  mshr_fill(&file, first);
  static const int order[] = {1, 3, 0, 2}, sectors[] = {0, 2, 3, 1};
  for (int i = 0; i < 4; i++) {
    uint32_t sector;
    assert_ptr_equal(mshr_next_ready(&file, &sector), &requests[order[i]]);
    assert_int_equal(sector, sectors[i]);
    assert_int_equal(file.used, i == 0 ? 2 : i < 3 ? 1 : 0);
  }
  mshr_clear(&file);
}

static void many_blocks_are_told_apart(void **state) {
  (void)state;
  MshrFile file;
  MemRequest request;
  enum { COUNT = 100 };
  mshr_init(&file, COUNT, 1);
  for (uint64_t round = 0; round < 5; round++) {
    for (uint64_t i = 0; i < COUNT; i++)
      mshr_add(&file, mshr_take(&file, i * 4096 + round, (uint32_t)i), &request, 0);
    for (uint64_t i = 0; i < COUNT; i++)
      assert_int_equal(file.entries[mshr_find(&file, i * 4096 + round)].line, i);
    uint32_t sector;
    for (uint64_t i = COUNT; i-- > 0;) {
      mshr_fill(&file, mshr_find(&file, i * 4096 + round));
      assert_ptr_equal(mshr_next_ready(&file, &sector), &request);
    }
    assert_null(mshr_next_ready(&file, &sector));
    assert_int_equal(file.used, 0);
  }
  mshr_clear(&file);
}

static void a_line_is_new_once(void **state) {
  (void)state;
  SeenLines seen = {0};
  for (uint64_t i = 0; i < 100000; i++) assert_true(seen_lines_add(&seen, i * i));
  for (uint64_t i = 0; i < 100000; i++) assert_false(seen_lines_add(&seen, i * i));
  assert_true(seen_lines_add(&seen, 2));
  seen_lines_clear(&seen);
}

static void dense_lines_cost_little(void **state) {
  (void)state;
  SeenLines seen = {0};
  for (uint64_t i = 0; i < 1 << 20; i++) seen_lines_add(&seen, i);
  // A million lines are 128 MB of a program: at most 1 MB of ours.
  assert_true(seen.capacity * sizeof(SeenGroup) <= 1 << 20);
  seen_lines_clear(&seen);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(requests_come_out_in_order_of_fills_then_of_merging),
      cmocka_unit_test(many_blocks_are_told_apart),
      cmocka_unit_test(a_line_is_new_once),
      cmocka_unit_test(dense_lines_cost_little),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
