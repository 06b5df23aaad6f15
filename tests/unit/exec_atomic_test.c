// SPDX-License-Identifier: MIT
// Atomic operations against the manual: results, lane order, faults.
#include "unit/memory_support.h"

// A lane's way through one word: what stands there, the operands, what stands
// there afterwards. 64-bit forms use all the bits.
typedef struct Row {
  Operation operation;
  DataType type;
  uint64_t before, a, b, after;
} Row;

static const Row rows[] = {
    {OPERATION_ADD, TYPE_U32, 0xffffffff, 3, 0, 2},
    {OPERATION_ADD, TYPE_S32, 5, 0xfffffffd, 0, 2},
    {OPERATION_ADD, TYPE_U64, 0xffffffff, 1, 0, 0x100000000},
    {OPERATION_ADD, TYPE_F32, 0x3f800000, 0x40000000, 0, 0x40400000},
    {OPERATION_ADD, TYPE_F64, 0x3ff0000000000000, 0x4000000000000000, 0, 0x4008000000000000},
    {OPERATION_ADD, TYPE_F32, 0x7f800000, 0xff800000, 0, 0x7fffffff},
    {OPERATION_ADD, TYPE_F16, 0x3c00, 0x4000, 0, 0x4200},
    {OPERATION_ADD, TYPE_F16, 0x0001, 0x0001, 0, 0x0002},
    {OPERATION_ADD, TYPE_F16, 0x7c00, 0xfc00, 0, 0x7fff},
    {OPERATION_ADD, TYPE_BF16, 0x3f80, 0x4000, 0, 0x4040},
    {OPERATION_ADD, TYPE_BF16, 0x3f80, 0x3b80, 0, 0x3f80},  // a tie goes to even
    {OPERATION_ADD, TYPE_BF16, 0x3f81, 0x3b80, 0, 0x3f82},
    {OPERATION_ADD, TYPE_F16X2, 0x40003c00, 0x3c003c00, 0, 0x42004000},
    {OPERATION_ADD, TYPE_BF16X2, 0x3f803f80, 0x3f804000, 0, 0x40004040},
    {OPERATION_MIN, TYPE_U32, 0xffffffff, 1, 0, 1},
    {OPERATION_MIN, TYPE_S32, 0xffffffff, 1, 0, 0xffffffff},
    {OPERATION_MIN, TYPE_U64, 0x8000000000000000, 7, 0, 7},
    {OPERATION_MIN, TYPE_S64, 0x8000000000000000, 7, 0, 0x8000000000000000},
    {OPERATION_MAX, TYPE_U32, 0xffffffff, 1, 0, 0xffffffff},
    {OPERATION_MAX, TYPE_S32, 0xffffffff, 1, 0, 1},
    {OPERATION_MAX, TYPE_U64, 0x8000000000000000, 7, 0, 0x8000000000000000},
    {OPERATION_MAX, TYPE_S64, 0x8000000000000000, 7, 0, 7},
    {OPERATION_INC, TYPE_U32, 4, 5, 0, 5},
    {OPERATION_INC, TYPE_U32, 5, 5, 0, 0},
    {OPERATION_INC, TYPE_U32, 9, 5, 0, 0},
    {OPERATION_DEC, TYPE_U32, 4, 5, 0, 3},
    {OPERATION_DEC, TYPE_U32, 0, 5, 0, 5},
    {OPERATION_DEC, TYPE_U32, 9, 5, 0, 5},
    {OPERATION_AND, TYPE_B32, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {OPERATION_AND, TYPE_B64, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0x0f000f000f000f00},
    {OPERATION_OR, TYPE_B32, 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
    {OPERATION_OR, TYPE_B64, 1, 0x8000000000000000, 0, 0x8000000000000001},
    {OPERATION_XOR, TYPE_B32, 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
    {OPERATION_XOR, TYPE_B64, 3, 0x8000000000000001, 0, 0x8000000000000002},
    {OPERATION_EXCH, TYPE_B32, 0x12345678, 0x9abcdef0, 0, 0x9abcdef0},
    {OPERATION_EXCH, TYPE_B64, 0x123456789abcdef0, 5, 0, 5},
    {OPERATION_CAS, TYPE_B32, 7, 7, 9, 9},
    {OPERATION_CAS, TYPE_B32, 8, 7, 9, 8},
    {OPERATION_CAS, TYPE_B64, 0x700000000, 0x700000000, 0x900000000, 0x900000000},
    {OPERATION_CAS, TYPE_B64, 0x700000000, 0, 9, 0x700000000},
    {OPERATION_CAS, TYPE_B16, 0xabcd, 0xabcd, 0x1234, 0x1234},
};

static Place place_of(DataType type, int n) {
  return type_bytes(type) == 8 ? D(n) : R(n);
}

static void set(Rig *rig, Place place, DataType type, uint64_t value) {
  if (type_bytes(type) == 8)
    rig_ramp_64(rig, place, value, 0);
  else
    rig_ramp_32(rig, place, (uint32_t)value, 0);
}

static uint64_t lane_of(Rig *rig, Place place, DataType type, int lane) {
  return type_bytes(type) == 8 ? rig_64(rig, place)[lane] : rig_32(rig, place)[lane];
}

// Executes a row for lane 7 alone at the address in D(0) and checks the word there.
static void check_row(Rig *rig, const Row *row, Space space, uint8_t *host) {
  size_t bytes = (size_t)type_bytes(row->type);
  uint64_t after = 0;
  Instruction *in = rig_form(rig, (Form){.op = OP_ATOM,
                                         .space = (uint8_t)space,
                                         .operation = (uint8_t)row->operation,
                                         .type = (uint8_t)row->type});
  in->dst[0] = place_of(row->type, 4);
  in->src[0] = D(0);
  in->src[1] = place_of(row->type, 2);
  in->src[2] = place_of(row->type, 3);
  set(rig, in->src[1], row->type, row->a);
  set(rig, in->src[2], row->type, row->b);
  set(rig, in->dst[0], row->type, 0x5555);
  memcpy(host, &row->before, bytes);
  host[bytes] = 0xee;
  assert_true(rig_run(rig, exec_find_atomic, 1 << 7));
  memcpy(&after, host, bytes);
  assert_true(after == row->after);
  assert_int_equal(host[bytes], 0xee);
  assert_true(lane_of(rig, in->dst[0], row->type, 7) == row->before);
  assert_true(lane_of(rig, in->dst[0], row->type, 8) == 0x5555);
  assert_true(rig->context.access.atomic);
  assert_true(rig->context.access.write);
}

static void every_operation_does_to_memory_what_the_manual_says(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 64);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    rig_ramp_64(rig, D(0), address + 16, 0);
    check_row(rig, &rows[k], SPACE_GLOBAL, rig_host(rig, address + 16));
    check_row(rig, &rows[k], SPACE_GENERIC, rig_host(rig, address + 16));
    rig_ramp_64(rig, D(0), 24, 0);
    check_row(rig, &rows[k], SPACE_SHARED, rig->shared + 24);
    rig_ramp_64(rig, D(0), SHARED_WINDOW + 32, 0);
    check_row(rig, &rows[k], SPACE_GENERIC, rig->shared + 32);
  }
}

static void lanes_follow_each_other_in_lane_order(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 4);
  rig_ramp_64(rig, D(0), address, 0);
  rig_ramp_32(rig, R(0), 100, 1);
  Instruction *in = rig_form(
      rig,
      (Form){.op = OP_ATOM, .space = SPACE_GLOBAL, .operation = OPERATION_EXCH, .type = TYPE_B32});
  in->dst[0] = R(1);
  in->src[0] = D(0);
  in->src[1] = R(0);
  assert_true(rig_run(rig, exec_find_atomic, FULL_MASK));
  assert_int_equal(*(uint32_t *)rig_host(rig, address), 131);
  assert_int_equal(rig_32(rig, R(1))[0], 0);
  for (uint32_t i = 1; i < 32; i++) assert_int_equal(rig_32(rig, R(1))[i], 99 + i);
}

static void a_reduction_gives_no_result(void **state) {
  Rig *rig = *state;
  rig_ramp_64(rig, D(0), 64, 0);
  rig_ramp_32(rig, R(0), 1, 1);
  Instruction *in = rig_form(
      rig,
      (Form){.op = OP_RED, .space = SPACE_SHARED, .operation = OPERATION_ADD, .type = TYPE_U32});
  in->src[0] = D(0);
  in->src[1] = R(0);
  assert_true(rig_run(rig, exec_find_atomic, 0x0000ffff));
  assert_int_equal(*(uint32_t *)(rig->shared + 64), 16 * 17 / 2);
}

static void float_sums_flush_subnormals_in_global_memory_only(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 8);
  const Row global = {OPERATION_ADD, TYPE_F32, 0x80000001, 0x80000001, 0, 0x80000000};
  const Row underflow = {OPERATION_ADD, TYPE_F32, 0x00800001, 0x80800000, 0, 0};
  const Row shared = {OPERATION_ADD, TYPE_F32, 1, 1, 0, 2};
  rig_ramp_64(rig, D(0), address, 0);
  check_row(rig, &global, SPACE_GLOBAL, rig_host(rig, address));
  check_row(rig, &underflow, SPACE_GENERIC, rig_host(rig, address));
  rig_ramp_64(rig, D(0), 0, 0);
  check_row(rig, &shared, SPACE_SHARED, rig->shared);
  rig_ramp_64(rig, D(0), SHARED_WINDOW, 0);
  check_row(rig, &shared, SPACE_GENERIC, rig->shared);
}

static void a_bad_address_changes_nothing(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 4);
  rig_ramp_64(rig, D(0), address, 0);
  rig_64(rig, D(0))[20] = address + 4;
  rig_ramp_32(rig, R(0), 1, 0);
  Instruction *in = rig_form(
      rig,
      (Form){.op = OP_ATOM, .space = SPACE_GLOBAL, .operation = OPERATION_ADD, .type = TYPE_U32});
  in->dst[0] = R(1);
  in->src[0] = D(0);
  in->src[1] = R(0);
  assert_false(rig_run(rig, exec_find_atomic, FULL_MASK));
  assert_int_equal(rig->context.fault.kind, FAULT_OUT_OF_BOUNDS);
  assert_int_equal(rig->context.fault.lane, 20);
  assert_true(rig->context.fault.write);
  assert_int_equal(*(uint32_t *)rig_host(rig, address), 0);
}

static void what_is_not_supported_is_refused(void **state) {
  (void)state;
  static const Form forms[] = {
      {.op = OP_ATOM, .space = SPACE_GLOBAL, .operation = OPERATION_EXCH, .type = TYPE_B128},
      {.op = OP_ATOM, .space = SPACE_GLOBAL, .operation = OPERATION_MIN, .type = TYPE_F32},
      {.op = OP_ATOM, .space = SPACE_GLOBAL, .operation = OPERATION_INC, .type = TYPE_U64},
      {.op = OP_ATOM, .space = SPACE_CONST, .operation = OPERATION_ADD, .type = TYPE_U32},
      {.op = OP_RED,
       .space = SPACE_GLOBAL,
       .operation = OPERATION_ADD,
       .type = TYPE_F64,
       .vector = 2},
  };
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
    assert_null(exec_find_atomic(&forms[k]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(every_operation_does_to_memory_what_the_manual_says),
      RIG_TEST(lanes_follow_each_other_in_lane_order),
      RIG_TEST(a_reduction_gives_no_result),
      RIG_TEST(float_sums_flush_subnormals_in_global_memory_only),
      RIG_TEST(a_bad_address_changes_nothing),
      RIG_TEST(what_is_not_supported_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
