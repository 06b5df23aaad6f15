// SPDX-License-Identifier: MIT
// What lanes of an atomic on shared memory cost by where they meet: in a word, in a bank, in a
// lock.
#include "sm/lsu/shared_atomic.h"
#include "unit/cmocka_all.h"

static const SmConfig lock = {.shared_banks = 32,
                              .shared_bank_bytes = 4,
                              .shared_atomics = SHARED_ATOMICS_LOCK,
                              .shared_locks = 1024,
                              .shared_lock_cycles = 90,
                              .shared_relock_cycles = 120};
static const SmConfig native = {.shared_banks = 32,
                                .shared_bank_bytes = 4,
                                .shared_atomics = SHARED_ATOMICS_NATIVE,
                                .shared_atomic_lane_cycles = 2,
                                .shared_atomic_gap_cycles = 3,
                                .shared_cas_loop_cycles = 50,
                                .shared_increments_merge = true};

static const IssueInfo plain, increment = {.adds_one = true};

// All lanes; lane i at i / lanes * stride bytes.
static Inflight describe(const SmConfig *config, Operation operation, DataType type,
                         const IssueInfo *info, uint32_t lanes, uint32_t stride) {
  Inflight out = {.info = info};
  Instruction in = {.form = {.op = OP_ATOM, .operation = operation, .type = type, .vector = 1}};
  MemoryAccess access = {.mask = FULL_MASK, .space = SPACE_SHARED, .atomic = true};
  for (uint32_t i = 0; i < WARP_LANES; i++) access.address[i] = i / lanes * stride;
  shared_atomic_describe(&out, &in, &access, FULL_MASK, config);
  return out;
}

static Inflight add(const SmConfig *config, uint32_t lanes, uint32_t stride) {
  return describe(config, OPERATION_ADD, TYPE_U32, &plain, lanes, stride);
}

static void lanes_on_a_word_are_served_one_after_the_other(void **state) {
  (void)state;
  for (uint32_t lanes = 1; lanes <= 32; lanes *= 2) {
    Inflight out = add(&native, lanes, 4);
    assert_int_equal(out.passes, lanes);
    assert_int_equal(out.conflict_cycles, 1 + 2 * (lanes - 1));
    assert_int_equal(out.bank_cycles, 1);  // nor is that a bank conflict
    assert_int_equal(out.loop_cycles, 3);
  }
}

// 16 words of two lanes each, in one bank.
static void words_of_a_bank_conflict_as_those_of_loads(void **state) {
  (void)state;
  Inflight out = add(&native, 1, 128);
  assert_int_equal(out.bank_cycles, 32);
  assert_int_equal(out.passes, 32);
  assert_int_equal(out.conflict_cycles, 32);
  out = add(&native, 2, 128);
  assert_int_equal(out.bank_cycles, 16);
  assert_int_equal(out.passes, 32);
  assert_int_equal(out.conflict_cycles, 16 * 3);
}

static void increments_by_one_are_merged_where_the_gpu_does(void **state) {
  (void)state;
  Inflight out = describe(&native, OPERATION_ADD, TYPE_U32, &increment, 32, 4);
  assert_int_equal(out.passes, 1);
  assert_int_equal(out.conflict_cycles, 1);
  SmConfig older = native;
  older.shared_increments_merge = false;
  out = describe(&older, OPERATION_ADD, TYPE_U32, &increment, 32, 4);
  assert_int_equal(out.passes, 32);
}

static void compare_and_swap_takes_twice_as_long(void **state) {
  (void)state;
  Inflight out = describe(&native, OPERATION_CAS, TYPE_B32, &plain, 32, 4);
  assert_int_equal(out.passes, 32);
  assert_int_equal(out.conflict_cycles, 1 + 4 * 31);
  assert_false(out.is_loop);
  assert_false(describe(&native, OPERATION_CAS, TYPE_B64, &plain, 1, 8).is_loop);
  assert_false(describe(&native, OPERATION_EXCH, TYPE_B64, &plain, 1, 8).is_loop);
}

// Of the lanes on a word one succeeds per pass; the others have tried in vain.
static void floats_and_64_bit_sums_are_loops(void **state) {
  (void)state;
  Inflight out = describe(&native, OPERATION_ADD, TYPE_F32, &plain, 4, 4);
  assert_true(out.is_loop);
  assert_int_equal(out.passes, 4);
  assert_int_equal(out.loop_cycles, 4 * 50);
  assert_int_equal(out.conflict_cycles, 2 * 4 + 2 * (3 + 2 + 1));
  assert_true(describe(&native, OPERATION_ADD, TYPE_U64, &plain, 1, 8).is_loop);
  assert_true(describe(&native, OPERATION_ADD, TYPE_F16X2, &plain, 1, 4).is_loop);
  assert_false(describe(&native, OPERATION_MAX, TYPE_S32, &plain, 1, 4).is_loop);
}

static void locks_take_a_pass_per_lane(void **state) {
  (void)state;
  Inflight out = add(&lock, 8, 4);
  assert_true(out.is_loop);
  assert_int_equal(out.passes, 8);
  assert_int_equal(out.conflict_cycles, 16);
  assert_int_equal(out.loop_cycles, 90 + 7 * 120);
  // Words 1024 apart share a lock, and a bank: both cost.
  out = add(&lock, 16, 4096);
  assert_int_equal(out.bank_cycles, 2);
  assert_int_equal(out.loop_cycles, 90 + 31 * 120);
}

static void without_a_rule_they_cost_what_loads_do(void **state) {
  (void)state;
  SmConfig none = native;
  none.shared_atomics = SHARED_ATOMICS_FREE;
  Inflight out = add(&none, 32, 4);
  assert_int_equal(out.passes, 1);
  assert_int_equal(out.conflict_cycles, 1);
  assert_int_equal(out.loop_cycles, 0);
}

// Warps wait for each other's locks, in turn, and for no others.
static void warps_wait_for_locks_in_turn(void **state) {
  (void)state;
  SharedLocks locks;
  static const MemoryAccess access;
  shared_locks_init(&locks, &lock);
  assert_int_equal(shared_locks_take(&locks, &lock, &access, 1, 0, 0, 1000), 1090);
  assert_int_equal(shared_locks_take(&locks, &lock, &access, 3, 0, 0, 1010), 1090 + 90 + 120);
  assert_int_equal(shared_locks_take(&locks, &lock, &access, 1, 4, 0, 1010), 1100);
  assert_int_equal(shared_locks_take(&locks, &lock, &access, 1, 4096, 0, 1020), 1300 + 90);
  assert_int_equal(shared_locks_take(&locks, &lock, &access, 1, 0, 0, 5000), 5090);
  shared_locks_clear(&locks);
}

// A success of one warp makes the others' compare-and-swap fail: in turn as well, word by word.
static void loops_of_warps_on_a_word_succeed_in_turn(void **state) {
  (void)state;
  SharedLocks locks;
  static const MemoryAccess access;
  shared_locks_init(&locks, &native);
  assert_int_equal(shared_locks_take(&locks, &native, &access, 1, 0, 0, 1000), 1050);
  assert_int_equal(shared_locks_take(&locks, &native, &access, 7, 0, 0, 1010), 1050 + 3 * 50);
  assert_int_equal(shared_locks_take(&locks, &native, &access, 1, 4096, 0, 1010), 1060);
  shared_locks_clear(&locks);
}

// Passes of 50 cycles, of which each adds for 40: the second warp fails once, then succeeds.
static void passes_that_fail_add_as_well(void **state) {
  (void)state;
  SharedLocks locks;
  static const MemoryAccess access;
  shared_locks_init(&locks, &native);
  assert_int_equal(shared_locks_take(&locks, &native, &access, 1, 0, 40, 1000), 1050);
  assert_int_equal(shared_locks_take(&locks, &native, &access, 1, 0, 40, 1000), 1000 + 3 * 40);
  assert_int_equal(shared_locks_take(&locks, &native, &access, 1, 4096, 40, 1000), 1000 + 4 * 40);
  shared_locks_clear(&locks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_on_a_word_are_served_one_after_the_other),
      cmocka_unit_test(words_of_a_bank_conflict_as_those_of_loads),
      cmocka_unit_test(increments_by_one_are_merged_where_the_gpu_does),
      cmocka_unit_test(compare_and_swap_takes_twice_as_long),
      cmocka_unit_test(floats_and_64_bit_sums_are_loops),
      cmocka_unit_test(loops_of_warps_on_a_word_succeed_in_turn),
      cmocka_unit_test(passes_that_fail_add_as_well),
      cmocka_unit_test(locks_take_a_pass_per_lane),
      cmocka_unit_test(without_a_rule_they_cost_what_loads_do),
      cmocka_unit_test(warps_wait_for_locks_in_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
