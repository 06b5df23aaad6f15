// SPDX-License-Identifier: MIT
// Shuffles and votes, lane by lane.
#include "unit/memory_support.h"

static Instruction *lane_form(Rig *rig, Opcode op, Mode mode, DataType type) {
  return rig_form(rig, (Form){.op = (uint8_t)op, .mode = (uint8_t)mode, .type = (uint8_t)type});
}

static void shfl(Rig *rig, Mode mode, uint32_t b, uint32_t c, uint32_t mask) {
  Instruction *in = lane_form(rig, OP_SHFL, mode, TYPE_B32);
  in->dst[0] = R(3);
  in->dst[1] = P(0);
  in->src[0] = R(0);
  in->src[1] = R(1);
  in->src[2] = R(2);
  rig_ramp_32(rig, R(0), 100, 1);
  rig_ramp_32(rig, R(1), b, 0);
  rig_ramp_32(rig, R(2), c, 0);
  assert_true(rig_run(rig, exec_find_lane, mask));
}

// The c operand that __shfl_*_sync makes of a width.
static uint32_t segments(uint32_t width, bool up) {
  return (32 - width) << 8 | (up ? 0 : 31);
}

static void shfl_up_and_down_stop_at_the_ends_of_a_segment(void **state) {
  Rig *rig = *state;
  for (uint32_t width = 1; width <= 32; width *= 2) {
    shfl(rig, MODE_UP, 3, segments(width, true), FULL_MASK);
    for (uint32_t i = 0; i < 32; i++) {
      bool inside = i % width >= 3;
      assert_int_equal(rig_32(rig, R(3))[i], 100 + (inside ? i - 3 : i));
      assert_int_equal(*predicate_at(&rig->warp, P(0)) >> i & 1, inside);
    }
    shfl(rig, MODE_DOWN, 3, segments(width, false), FULL_MASK);
    for (uint32_t i = 0; i < 32; i++) {
      bool inside = i % width + 3 < width;
      assert_int_equal(rig_32(rig, R(3))[i], 100 + (inside ? i + 3 : i));
      assert_int_equal(*predicate_at(&rig->warp, P(0)) >> i & 1, inside);
    }
  }
}

static void shfl_bfly_and_idx_stay_in_their_segment(void **state) {
  Rig *rig = *state;
  for (uint32_t width = 1; width <= 32; width *= 2) {
    shfl(rig, MODE_BFLY, 5, segments(width, false), FULL_MASK);
    for (uint32_t i = 0; i < 32; i++) {
      uint32_t source = i ^ 5;
      bool inside = source <= (i / width * width + width - 1);
      assert_int_equal(rig_32(rig, R(3))[i], 100 + (inside ? source : i));
    }
    shfl(rig, MODE_IDX, 6, segments(width, false), FULL_MASK);
    for (uint32_t i = 0; i < 32; i++)
      assert_int_equal(rig_32(rig, R(3))[i], 100 + i / width * width + 6 % width);
  }
}

static void shfl_writes_only_its_lanes_and_may_overwrite_its_source(void **state) {
  Rig *rig = *state;
  *predicate_at(&rig->warp, P(0)) = 0x80000000;
  rig_ramp_32(rig, R(3), 7, 0);
  shfl(rig, MODE_IDX, 2, 0x1f, 0x0000ffff);
  assert_int_equal(rig_32(rig, R(3))[15], 102);
  assert_int_equal(rig_32(rig, R(3))[16], 7);
  assert_int_equal(*predicate_at(&rig->warp, P(0)), 0x8000ffff);
  rig->in.dst[0] = R(0);
  rig->in.dst[1] = NO_PLACE;
  rig_ramp_32(rig, R(1), 1, 0);
  rig->in.form.mode = MODE_DOWN;
  assert_true(rig_run(rig, exec_find_lane, FULL_MASK));
  for (uint32_t i = 0; i < 31; i++) assert_int_equal(rig_32(rig, R(0))[i], 101 + i);
}

static void shfl_from_a_lane_that_does_not_execute_it_gives_zero(void **state) {
  Rig *rig = *state;
  shfl(rig, MODE_DOWN, 4, segments(32, false), 0x000000ff);
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(rig_32(rig, R(3))[i], i < 4 ? 104 + i : 0);
}

static uint32_t vote(Rig *rig, Mode mode, uint32_t said_yes, bool negated, uint32_t mask) {
  Instruction *in = lane_form(rig, OP_VOTE, mode, TYPE_PRED);
  in->dst[0] = P(1);
  in->src[0] = P(0);
  in->negated = negated;
  *predicate_at(&rig->warp, P(0)) = said_yes;
  *predicate_at(&rig->warp, P(1)) = 0;
  assert_true(rig_run(rig, exec_find_lane, mask));
  return *predicate_at(&rig->warp, P(1));
}

static void a_vote_asks_the_lanes_that_execute_it(void **state) {
  Rig *rig = *state;
  assert_int_equal(vote(rig, MODE_ALL, 0x000000ff, false, 0x000000ff), 0x000000ff);
  assert_int_equal(vote(rig, MODE_ALL, 0x000000fe, false, 0x000000ff), 0);
  assert_int_equal(vote(rig, MODE_ALL, 0xffffff00, true, 0x000000ff), 0x000000ff);
  assert_int_equal(vote(rig, MODE_ANY, 0x00000100, false, 0x000000ff), 0);
  assert_int_equal(vote(rig, MODE_ANY, 0x00000080, false, 0x000000ff), 0x000000ff);
  assert_int_equal(vote(rig, MODE_UNIFORM, 0, false, 0x000000ff), 0x000000ff);
  assert_int_equal(vote(rig, MODE_UNIFORM, 0xff, false, 0x000000ff), 0x000000ff);
  assert_int_equal(vote(rig, MODE_UNIFORM, 0x7f, false, 0x000000ff), 0);
}

static void a_ballot_has_a_bit_for_each_lane_and_tiles_their_own(void **state) {
  Rig *rig = *state;
  Instruction *in = lane_form(rig, OP_VOTE, MODE_BALLOT, TYPE_B32);
  in->dst[0] = R(0);
  in->src[0] = P(0);
  *predicate_at(&rig->warp, P(0)) = 0x80f0000f;
  rig_ramp_32(rig, R(0), 9, 0);
  assert_true(rig_run(rig, exec_find_lane, 0x7fffffff));
  assert_int_equal(rig_32(rig, R(0))[0], 0x00f0000f);
  assert_int_equal(rig_32(rig, R(0))[31], 9);
  // Two tiles of 16 lanes with a mask each, in one instruction.
  for (int i = 0; i < 32; i++) rig_32(rig, R(1))[i] = i < 16 ? 0x0000ffff : 0xffff0000;
  in->src[1] = R(1);
  assert_true(rig_run(rig, exec_find_lane, FULL_MASK));
  assert_int_equal(rig_32(rig, R(0))[3], 0x0000000f);
  assert_int_equal(rig_32(rig, R(0))[30], 0x80f00000);
}

static void match_finds_lanes_with_the_same_value(void **state) {
  Rig *rig = *state;
  Instruction *in = lane_form(rig, OP_MATCH, MODE_ANY, TYPE_B32);
  in->dst[0] = R(0);
  in->src[0] = R(1);
  in->src[1] = R(2);
  rig_ramp_32(rig, R(2), FULL_MASK, 0);
  for (uint32_t i = 0; i < 32; i++) rig_32(rig, R(1))[i] = i % 3;
  assert_true(rig_run(rig, exec_find_lane, 0x00ffffff));
  assert_int_equal(rig_32(rig, R(0))[0], 0x00249249);
  assert_int_equal(rig_32(rig, R(0))[1], 0x00492492);
  assert_int_equal(rig_32(rig, R(0))[5], 0x00924924);

  in = lane_form(rig, OP_MATCH, MODE_ALL, TYPE_B64);
  in->dst[0] = R(0);
  in->dst[1] = P(0);
  in->src[0] = D(1);
  in->src[1] = R(2);
  rig_ramp_64(rig, D(1), UINT64_C(1) << 40, 0);
  assert_true(rig_run(rig, exec_find_lane, FULL_MASK));
  assert_int_equal(rig_32(rig, R(0))[8], FULL_MASK);
  assert_int_equal(*predicate_at(&rig->warp, P(0)), FULL_MASK);
  rig_64(rig, D(1))[4] = UINT64_C(1) << 41;
  assert_true(rig_run(rig, exec_find_lane, FULL_MASK));
  assert_int_equal(rig_32(rig, R(0))[8], 0);
  assert_int_equal(*predicate_at(&rig->warp, P(0)), 0);
}

static uint32_t redux(Rig *rig, Operation operation, DataType type, uint32_t mask) {
  Instruction *in =
      rig_form(rig, (Form){.op = OP_REDUX, .operation = (uint8_t)operation, .type = (uint8_t)type});
  in->dst[0] = R(0);
  in->src[0] = R(1);
  in->src[1] = R(2);
  rig_ramp_32(rig, R(2), FULL_MASK, 0);
  rig_ramp_32(rig, R(1), (uint32_t)-3, 1);  // -3 to 28
  assert_true(rig_run(rig, exec_find_lane, mask));
  return rig_32(rig, R(0))[__builtin_ctz(mask)];
}

static void redux_reduces(void **state) {
  Rig *rig = *state;
  assert_int_equal(redux(rig, OPERATION_ADD, TYPE_S32, FULL_MASK), 32 * 25 / 2);
  assert_int_equal(redux(rig, OPERATION_ADD, TYPE_U32, 0xf0), 1 + 2 + 3 + 4);
  assert_int_equal(redux(rig, OPERATION_MIN, TYPE_S32, FULL_MASK), (uint32_t)-3);
  assert_int_equal(redux(rig, OPERATION_MIN, TYPE_U32, FULL_MASK), 0);
  assert_int_equal(redux(rig, OPERATION_MAX, TYPE_S32, FULL_MASK), 28);
  assert_int_equal(redux(rig, OPERATION_MAX, TYPE_U32, FULL_MASK), 0xffffffff);
  assert_int_equal(redux(rig, OPERATION_AND, TYPE_B32, 0x7), 0xfffffffc);
  assert_int_equal(redux(rig, OPERATION_OR, TYPE_B32, 0xff0), 15);
  assert_int_equal(redux(rig, OPERATION_XOR, TYPE_B32, 0xf0), 1 ^ 2 ^ 3 ^ 4);
}

static void elect_takes_the_lowest_lane_and_activemask_tells_all(void **state) {
  Rig *rig = *state;
  Instruction *in = lane_form(rig, OP_ELECT, MODE_SYNC, TYPE_NONE);
  in->dst[0] = R(0);
  in->dst[1] = P(0);
  in->src[0] = R(1);
  rig_ramp_32(rig, R(1), 0xfffffff0, 0);
  assert_true(rig_run(rig, exec_find_lane, 0x0000ffe0));
  assert_int_equal(rig_32(rig, R(0))[9], 5);
  assert_int_equal(*predicate_at(&rig->warp, P(0)), 1 << 5);
  in = lane_form(rig, OP_ACTIVEMASK, MODE_NONE, TYPE_B32);
  in->dst[0] = R(2);
  assert_true(rig_run(rig, exec_find_lane, 0x0000ffe0));
  assert_int_equal(rig_32(rig, R(2))[5], 0x0000ffe0);
  assert_int_equal(rig_32(rig, R(2))[0], 0);
}

static void asking_the_machine_changes_nothing(void **state) {
  Rig *rig = *state;
  rig_ramp_32(rig, R(0), 5, 1);
  Instruction *in = lane_form(rig, OP_NANOSLEEP, MODE_NONE, TYPE_U32);
  in->src[0] = R(0);
  assert_true(rig_run(rig, exec_find_system, FULL_MASK));
  assert_int_equal(rig->context.access.mask, 0);
  assert_int_equal(rig_32(rig, R(0))[3], 8);
  Form add = {.op = OP_ADD};
  assert_null(exec_find_system(&add));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(shfl_up_and_down_stop_at_the_ends_of_a_segment),
      RIG_TEST(shfl_bfly_and_idx_stay_in_their_segment),
      RIG_TEST(shfl_from_a_lane_that_does_not_execute_it_gives_zero),
      RIG_TEST(shfl_writes_only_its_lanes_and_may_overwrite_its_source),
      RIG_TEST(a_vote_asks_the_lanes_that_execute_it),
      RIG_TEST(a_ballot_has_a_bit_for_each_lane_and_tiles_their_own),
      RIG_TEST(match_finds_lanes_with_the_same_value),
      RIG_TEST(redux_reduces),
      RIG_TEST(elect_takes_the_lowest_lane_and_activemask_tells_all),
      RIG_TEST(asking_the_machine_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
