// SPDX-License-Identifier: MIT
// mov in all its shapes, and what the special registers show.
#include "exec_support.h"

static void fill(Rig *rig, int registers, int bytes) {
  for (int k = 0; k < registers; k++)
    for (int lane = 0; lane < WARP_LANES; lane++) rig_set(rig, k, bytes, lane, rig_random(rig));
}

static void moves_copy_the_lanes_of_the_mask(void **state) {
  (void)state;
  for (int bytes = 4; bytes <= 8; bytes += 4)
    for (int round = 0; round < 100; round++) {
      Rig rig;
      rig_init(&rig);
      fill(&rig, 2, bytes);
      Rig before = rig;
      rig.in.dst[0] = rig_place(0);
      rig.in.src[0] = rig_place(1);
      uint32_t mask = round ? (uint32_t)rig_random(&rig) >> round % 32 | 1 : FULL_MASK;
      (bytes == 8 ? exec_mov_64 : exec_mov_32)(&rig.context, &rig.warp, &rig.in, mask);
      for (int lane = 0; lane < WARP_LANES; lane++)
        assert_int_equal(rig_get(&rig, 0, bytes, lane),
                         rig_get(&before, mask >> lane & 1 ? 1 : 0, bytes, lane));
    }
}

static void predicates_move_plain_and_negated(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig);
  rig.in.dst[0] = rig_place(0);
  rig.in.src[0] = rig_place(1);
  rig_set_predicate(&rig, 0, 0xffff0000);
  rig_set_predicate(&rig, 1, 0x12345678);
  exec_mov_predicate(&rig.context, &rig.warp, &rig.in, 0x00ffff00);
  assert_int_equal(rig_predicate(&rig, 0), 0xff345600);
  rig.in.negated = 1;
  exec_mov_predicate(&rig.context, &rig.warp, &rig.in, FULL_MASK);
  assert_int_equal(rig_predicate(&rig, 0), ~0x12345678u);
}

static void addresses_are_relative_to_frame_or_shared_memory(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig);
  rig.stack[0].local_frame = 0x100;
  rig.kernel.static_shared_bytes = 0x2000;
  rig.in.offset = 0x18;
  rig.in.dst[0] = rig_place(0);
  static const struct {
    AddressBase base;
    uint64_t wanted;
  } cases[] = {{BASE_ABSOLUTE, 0x18}, {BASE_FRAME, 0x118}, {BASE_DYNAMIC_SHARED, 0x2018}};
  for (int k = 0; k < 6; k++) {
    int bytes = k & 1 ? 8 : 4;
    rig.in.address_base = (uint8_t)cases[k / 2].base;
    rig.in.dst_bytes = (uint8_t)bytes;
    rig_set(&rig, 0, bytes, 31, UINT32_MAX);
    exec_mov_address(&rig.context, &rig.warp, &rig.in, 0x7fffffff);
    assert_int_equal(rig_get(&rig, 0, bytes, 0), cases[k / 2].wanted);
    assert_int_equal(rig_get(&rig, 0, bytes, 30), cases[k / 2].wanted);
    assert_int_equal(rig_get(&rig, 0, bytes, 31), UINT32_MAX);
  }
}

static const struct {
  DataType whole;
  int count;
} shapes[] = {{TYPE_B64, 2}, {TYPE_B64, 4}, {TYPE_B32, 2}, {TYPE_B32, 4}, {TYPE_B16, 2}};

static uint64_t part_of(uint64_t whole, int k, int bits) {
  return whole >> k * bits & ((UINT64_C(1) << bits) - 1);
}

static void parts_are_packed_lowest_first(void **state) {
  (void)state;
  for (int s = 0; s < 5; s++)
    for (int round = 0; round < 2; round++) {
      Rig rig;
      rig_init(&rig);
      fill(&rig, 4, 4);  // bits above a part must not show
      int count = shapes[s].count, bits = type_bits(shapes[s].whole) / count;
      int bytes = lane_bytes(shapes[s].whole);
      rig.in.form = (Form){
          .op = OP_MOV, .type = (uint8_t)shapes[s].whole, .vector = round ? (uint8_t)count : 1};
      for (int k = 0; k < count; k++) rig.in.src[k] = rig_place(k);
      rig.in.dst[0] = rig_place(5);
      exec_mov_pack(&rig.context, &rig.warp, &rig.in, 0x0fffffff);
      for (int lane = 0; lane < WARP_LANES; lane++)
        for (int k = 0; k < count; k++) {
          uint64_t wanted = lane < 28 ? part_of(rig_get(&rig, k, 4, lane), 0, bits) : 0;
          assert_int_equal(part_of(rig_get(&rig, 5, bytes, lane), k, bits), wanted);
        }
      if (bytes == 4 && shapes[s].whole == TYPE_B16) assert_true(rig_get(&rig, 5, 4, 0) <= 0xffff);
    }
}

static void wholes_are_split_around_sinks(void **state) {
  (void)state;
  for (int s = 0; s < 5; s++) {
    Rig rig;
    rig_init(&rig);
    int count = shapes[s].count, bits = type_bits(shapes[s].whole) / count;
    int bytes = lane_bytes(shapes[s].whole);
    for (int lane = 0; lane < WARP_LANES; lane++)
      rig_set(&rig, 5, bytes, lane, random_value(&rig, shapes[s].whole));
    rig.in.form = (Form){.op = OP_MOV, .type = (uint8_t)shapes[s].whole, .vector = (uint8_t)count};
    rig.in.src[0] = rig_place(5);
    for (int k = 1; k < count; k++) rig.in.dst[k] = rig_place(k);  // the first goes nowhere
    exec_mov_unpack(&rig.context, &rig.warp, &rig.in, 0xfffffff0);
    for (int lane = 0; lane < WARP_LANES; lane++)
      for (int k = 0; k < count; k++) {
        uint64_t part = part_of(rig_get(&rig, 5, bytes, lane), k, bits);
        assert_int_equal(rig_get(&rig, k, 4, lane), k && lane >= 4 ? part : 0);
      }
  }
}

static void a_register_can_be_split_into_itself(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig);
  for (int lane = 0; lane < WARP_LANES; lane++) rig_set(&rig, 0, 4, lane, 0x11112222);
  rig.in.form = (Form){.op = OP_MOV, .type = TYPE_B32, .vector = 2};
  rig.in.src[0] = rig.in.dst[0] = rig_place(0);
  rig.in.dst[1] = rig_place(1);
  exec_mov_unpack(&rig.context, &rig.warp, &rig.in, FULL_MASK);
  assert_int_equal(rig_get(&rig, 0, 4, 9), 0x2222);
  assert_int_equal(rig_get(&rig, 1, 4, 9), 0x1111);
}

// -- special registers

static uint64_t special_at(Rig *rig, SpecialRegister special, int lane) {
  special_read(&rig->context, &rig->warp, special, rig->frame[0]);
  return rig_get(rig, 0, special_bits(special) / 8, lane);
}

static void threads_are_numbered_x_first(void **state) {
  (void)state;
  static const uint32_t blocks[][3] = {{256, 1, 1}, {16, 16, 1}, {5, 7, 3}, {1, 1, 64}, {33, 2, 2}};
  for (int b = 0; b < 5; b++) {
    Rig rig;
    rig_init(&rig);
    const uint32_t *block = blocks[b];
    memcpy(rig.launch.block, block, sizeof rig.launch.block);
    for (uint32_t warp = 0; warp * 32 < block[0] * block[1] * block[2]; warp++)
      for (int axis = 0; axis < 3; axis++) {
        rig.warp.index = warp;
        special_read(&rig.context, &rig.warp, (SpecialRegister)(SPECIAL_TID_X + axis),
                     rig.frame[0]);
        for (uint32_t lane = 0; lane < 32; lane++) {
          uint32_t t = warp * 32 + lane;
          uint32_t wanted[] = {t % block[0], t / block[0] % block[1], t / (block[0] * block[1])};
          assert_int_equal(rig_get(&rig, 0, 4, (int)lane), wanted[axis]);
        }
      }
  }
}

static void lane_masks_show_the_other_lanes(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig);
  for (int lane = 0; lane < 32; lane++) {
    uint32_t eq = 1u << lane, lt = eq - 1;
    assert_int_equal(special_at(&rig, SPECIAL_LANEID, lane), lane);
    assert_int_equal(special_at(&rig, SPECIAL_LANEMASK_EQ, lane), eq);
    assert_int_equal(special_at(&rig, SPECIAL_LANEMASK_LT, lane), lt);
    assert_int_equal(special_at(&rig, SPECIAL_LANEMASK_LE, lane), lt | eq);
    assert_int_equal(special_at(&rig, SPECIAL_LANEMASK_GE, lane), ~lt);
    assert_int_equal(special_at(&rig, SPECIAL_LANEMASK_GT, lane), ~lt ^ eq);
  }
}

static void uniform_registers_show_launch_machine_and_clock(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig);
  rig.launch = (Launch){.kernel = &rig.kernel,
                        .grid = {2, 3, 4},
                        .cluster = {1, 1, 1},
                        .block = {5, 6, 7},
                        .dynamic_shared_bytes = 11,
                        .grid_id = UINT64_C(0x123456789a)};
  rig.cta = (Cta){.launch = &rig.launch, .ctaid = {1, 2, 3}, .shared_bytes = 99};
  rig.warp.hardware_id = 21;
  rig.context = (ExecContext){.clock = UINT64_C(0x500000006),
                              .clock_mhz = 500,
                              .sm_id = 4,
                              .sm_count = 8,
                              .warps_per_sm = 64};
  static const struct {
    SpecialRegister special;
    uint64_t wanted;
  } cases[] = {
      {SPECIAL_NTID_X, 5},
      {SPECIAL_NTID_Z, 7},
      {SPECIAL_CTAID_Y, 2},
      {SPECIAL_NCTAID_X, 2},
      {SPECIAL_NCTAID_Z, 4},
      {SPECIAL_WARPID, 21},
      {SPECIAL_NWARPID, 64},
      {SPECIAL_SMID, 4},
      {SPECIAL_NSMID, 8},
      {SPECIAL_GRIDID, UINT64_C(0x123456789a)},
      {SPECIAL_CLOCK, 6},
      {SPECIAL_CLOCK_HI, 5},
      {SPECIAL_CLOCK64, UINT64_C(0x500000006)},
      {SPECIAL_GLOBALTIMER, UINT64_C(0xa0000000c)},
      {SPECIAL_GLOBALTIMER_LO, 12},
      {SPECIAL_GLOBALTIMER_HI, 10},
      {SPECIAL_TOTAL_SMEM, 99},
      {SPECIAL_DYNAMIC_SMEM, 11},
      {SPECIAL_ENVREG1, 0},
      {SPECIAL_CLUSTERID_Z, 3},
      {SPECIAL_NCLUSTERID_Y, 3},
      {SPECIAL_CLUSTER_CTARANK, 0},
      {SPECIAL_CLUSTER_NCTARANK, 1},
      {SPECIAL_WARP_SZ, 32},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    assert_int_equal(special_at(&rig, cases[k].special, 0), cases[k].wanted);
    assert_int_equal(special_at(&rig, cases[k].special, 31), cases[k].wanted);
  }
}

static void mov_of_a_special_register_honours_the_mask(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig);
  rig.in.dst[0] = rig_place(1);
  rig.in.special[0] = SPECIAL_LANEID;
  exec_mov_special(&rig.context, &rig.warp, &rig.in, 0xffff0000);
  assert_int_equal(rig_get(&rig, 1, 4, 15), 0);
  assert_int_equal(rig_get(&rig, 1, 4, 16), 16);
  rig.context.clock = UINT64_C(0x100000002);
  rig.in.special[0] = SPECIAL_CLOCK64;
  exec_mov_special(&rig.context, &rig.warp, &rig.in, FULL_MASK);
  assert_int_equal(rig_get(&rig, 1, 8, 31), UINT64_C(0x100000002));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moves_copy_the_lanes_of_the_mask),
      cmocka_unit_test(predicates_move_plain_and_negated),
      cmocka_unit_test(addresses_are_relative_to_frame_or_shared_memory),
      cmocka_unit_test(parts_are_packed_lowest_first),
      cmocka_unit_test(wholes_are_split_around_sinks),
      cmocka_unit_test(a_register_can_be_split_into_itself),
      cmocka_unit_test(threads_are_numbered_x_first),
      cmocka_unit_test(lane_masks_show_the_other_lanes),
      cmocka_unit_test(uniform_registers_show_launch_machine_and_clock),
      cmocka_unit_test(mov_of_a_special_register_honours_the_mask),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
