// SPDX-License-Identifier: MIT
// Loads and stores: lanes, masks, extension, vectors, faults.
#include "exec/memory/memory_access.h"
#include "unit/memory_support.h"

static Form load_form(Space space, DataType type, int vector) {
  return (Form){
      .op = OP_LD, .space = (uint8_t)space, .type = (uint8_t)type, .vector = (uint8_t)vector};
}

static Form store_form(Space space, DataType type, int vector) {
  Form form = load_form(space, type, vector);
  form.op = OP_ST;
  return form;
}

static bool load(Rig *rig, Space space, DataType type, Place to, Place base, uint32_t mask) {
  Instruction *in = rig_form(rig, load_form(space, type, 1));
  in->dst[0] = to;
  in->src[0] = base;
  return rig_run(rig, exec_find_memory, mask);
}

static bool store(Rig *rig, Space space, DataType type, Place base, Place from, uint32_t mask) {
  Instruction *in = rig_form(rig, store_form(space, type, 1));
  in->src[0] = base;
  in->src[1] = from;
  return rig_run(rig, exec_find_memory, mask);
}

// Device memory that holds byte k at k, and its address.
static uint64_t counted_bytes(Rig *rig, uint64_t size_bytes) {
  uint64_t address = rig_alloc(rig, size_bytes);
  for (uint64_t k = 0; k < size_bytes; k++) rig_host(rig, address)[k] = (uint8_t)(k * 7 + 129);
  return address;
}

static void neighbouring_lanes_load_neighbouring_words(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 4096);
  for (uint32_t k = 0; k < 1024; k++) ((uint32_t *)rig_host(rig, address))[k] = k * 3 + 1;
  rig_ramp_64(rig, D(0), address + 256, 4);
  assert_true(load(rig, SPACE_GLOBAL, TYPE_F32, R(0), D(0), FULL_MASK));
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(rig_32(rig, R(0))[i], (64 + i) * 3 + 1);

  const MemoryAccess *access = &rig->context.access;
  assert_int_equal(access->mask, FULL_MASK);
  assert_int_equal(access->space, SPACE_GLOBAL);
  assert_int_equal(access->bytes, 4);
  assert_false(access->write);
  assert_false(access->atomic);
  for (uint64_t i = 0; i < 32; i++) assert_int_equal(access->address[i], address + 256 + 4 * i);
}

static void scattered_lanes_and_partial_masks_load_only_what_they_should(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 4096);
  for (uint32_t k = 0; k < 1024; k++) ((uint32_t *)rig_host(rig, address))[k] = k;
  for (uint32_t i = 0; i < 32; i++) rig_64(rig, D(0))[i] = address + (i * 37 % 64) * 16;
  assert_true(load(rig, SPACE_GLOBAL, TYPE_U32, R(0), D(0), FULL_MASK));
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(rig_32(rig, R(0))[i], (i * 37 % 64) * 4);

  // Lanes outside the mask may have any address; their registers stay.
  rig_ramp_32(rig, R(1), 1000, 1);
  for (uint32_t i = 0; i < 32; i++)
    if (!(0xf0f0a5a5u >> i & 1)) rig_64(rig, D(0))[i] = 3;
  assert_true(load(rig, SPACE_GLOBAL, TYPE_U32, R(1), D(0), 0xf0f0a5a5u));
  for (uint32_t i = 0; i < 32; i++)
    assert_int_equal(rig_32(rig, R(1))[i], 0xf0f0a5a5u >> i & 1 ? (i * 37 % 64) * 4 : 1000 + i);
  assert_int_equal(rig->context.access.mask, 0xf0f0a5a5u);
}

static void narrow_elements_are_extended_as_their_type_says(void **state) {
  Rig *rig = *state;
  uint64_t address = counted_bytes(rig, 1024);
  const uint8_t *bytes = rig_host(rig, address);
  rig_ramp_64(rig, D(0), address, 2);
  assert_true(load(rig, SPACE_GLOBAL, TYPE_U8, R(0), D(0), FULL_MASK));
  assert_true(load(rig, SPACE_GLOBAL, TYPE_S8, R(1), D(0), FULL_MASK));
  assert_true(load(rig, SPACE_GLOBAL, TYPE_U16, R(2), D(0), FULL_MASK));
  assert_true(load(rig, SPACE_GLOBAL, TYPE_S16, R(3), D(0), FULL_MASK));
  for (int i = 0; i < 32; i++) {
    uint16_t half;
    memcpy(&half, bytes + 2 * i, 2);
    assert_int_equal(rig_32(rig, R(0))[i], bytes[2 * i]);
    assert_int_equal(rig_32(rig, R(1))[i], (uint32_t)(int32_t)(int8_t)bytes[2 * i]);
    assert_int_equal(rig_32(rig, R(2))[i], half);
    assert_int_equal(rig_32(rig, R(3))[i], (uint32_t)(int32_t)(int16_t)half);
  }
}

static bool load_wide(Rig *rig, DataType type, uint8_t dst_bytes, Place to) {
  Instruction *in = rig_form(rig, load_form(SPACE_GLOBAL, type, 1));
  in->dst[0] = to;
  in->src[0] = D(0);
  in->dst_bytes = dst_bytes;
  return rig_run(rig, exec_find_memory, FULL_MASK);
}

static void wider_registers_take_narrow_elements(void **state) {
  Rig *rig = *state;
  uint64_t address = counted_bytes(rig, 1024);
  const uint8_t *bytes = rig_host(rig, address);
  rig_ramp_64(rig, D(0), address, 4);
  assert_true(load_wide(rig, TYPE_S8, 8, D(1)));
  assert_true(load_wide(rig, TYPE_U8, 8, D(2)));
  assert_true(load_wide(rig, TYPE_S32, 8, D(3)));
  assert_true(load_wide(rig, TYPE_U32, 8, D(4)));
  assert_true(load_wide(rig, TYPE_S8, 2, R(0)));
  for (int i = 0; i < 32; i++) {
    int32_t word;
    memcpy(&word, bytes + 4 * i, 4);
    assert_true(rig_64(rig, D(1))[i] == (uint64_t)(int64_t)(int8_t)bytes[4 * i]);
    assert_true(rig_64(rig, D(2))[i] == bytes[4 * i]);
    assert_true(rig_64(rig, D(3))[i] == (uint64_t)(int64_t)word);
    assert_true(rig_64(rig, D(4))[i] == (uint32_t)word);
    assert_int_equal(rig_32(rig, R(0))[i], (uint16_t)(int8_t)bytes[4 * i]);
  }
}

static void sixty_four_bit_elements_and_vectors_are_loaded_and_stored(void **state) {
  Rig *rig = *state;
  uint64_t address = counted_bytes(rig, 1024), other = rig_alloc(rig, 1024);
  const uint8_t *bytes = rig_host(rig, address);
  rig_ramp_64(rig, D(0), address, 16);
  assert_true(load(rig, SPACE_GLOBAL, TYPE_F64, D(1), D(0), FULL_MASK));
  for (int i = 0; i < 32; i++) assert_memory_equal(&rig_64(rig, D(1))[i], bytes + 16 * i, 8);

  Instruction *in = rig_form(rig, load_form(SPACE_GLOBAL, TYPE_U32, 4));
  in->src[0] = D(0);
  in->dst[0] = R(0);
  in->dst[1] = NO_PLACE;
  in->dst[2] = R(2);
  in->dst[3] = R(3);
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  assert_int_equal(rig->context.access.bytes, 16);
  for (int i = 0; i < 32; i++) {
    assert_memory_equal(&rig_32(rig, R(0))[i], bytes + 16 * i, 4);
    assert_memory_equal(&rig_32(rig, R(2))[i], bytes + 16 * i + 8, 4);
    assert_memory_equal(&rig_32(rig, R(3))[i], bytes + 16 * i + 12, 4);
  }

  rig_ramp_64(rig, D(2), other, 16);
  in = rig_form(rig, store_form(SPACE_GLOBAL, TYPE_B64, 2));
  in->src[0] = D(2);
  in->src[1] = D(1);
  in->src[2] = D(0);
  assert_true(rig_run(rig, exec_find_memory, 0x7fffffff));
  for (int i = 0; i < 31; i++) {
    assert_memory_equal(rig_host(rig, other) + 16 * i, bytes + 16 * i, 8);
    assert_memory_equal(rig_host(rig, other) + 16 * i + 8, &rig_64(rig, D(0))[i], 8);
  }
  assert_memory_equal(rig_host(rig, other) + 16 * 31, "\0\0\0\0\0\0\0\0", 8);
}

static void stores_of_each_width_change_their_bytes_and_no_others(void **state) {
  Rig *rig = *state;
  static const DataType types[] = {TYPE_U8, TYPE_B16, TYPE_F32};
  for (int t = 0; t < 3; t++) {
    size_t size = (size_t)1 << t;
    uint64_t address = rig_alloc(rig, 32 * 8);
    memset(rig_host(rig, address), 0xee, 32 * 8);
    rig_ramp_64(rig, D(0), address, 8);
    rig_ramp_32(rig, R(0), 0x11223344, 0x01010101);
    assert_true(store(rig, SPACE_GLOBAL, types[t], D(0), R(0), 0xfffffff7));
    for (size_t i = 0; i < 32; i++) {
      uint8_t expected[8];
      memset(expected, 0xee, 8);
      if (i != 3) memcpy(expected, &rig_32(rig, R(0))[i], size);
      assert_memory_equal(rig_host(rig, address) + 8 * i, expected, 8);
    }
  }
  assert_true(rig->context.access.write);
}

static void a_store_from_a_wider_register_takes_its_low_part(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 128);
  rig_ramp_64(rig, D(0), address, 4);
  rig_ramp_64(rig, D(1), UINT64_C(0xaabbccdd00000005), 1);
  Instruction *in = rig_form(rig, store_form(SPACE_GLOBAL, TYPE_U32, 1));
  in->src[0] = D(0);
  in->src[1] = D(1);
  in->src_bytes = 8;
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  for (uint32_t i = 0; i < 32; i++)
    assert_int_equal(((uint32_t *)rig_host(rig, address))[i], 5 + i);
}

static void of_several_stores_to_one_address_the_highest_lane_wins(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 4);
  rig_ramp_64(rig, D(0), address, 0);
  rig_ramp_32(rig, R(0), 100, 1);
  assert_true(store(rig, SPACE_GLOBAL, TYPE_U32, D(0), R(0), FULL_MASK));
  assert_int_equal(*(uint32_t *)rig_host(rig, address), 131);
  assert_true(store(rig, SPACE_GLOBAL, TYPE_U32, D(0), R(0), 0x000000ff));
  assert_int_equal(*(uint32_t *)rig_host(rig, address), 107);
}

static void lanes_may_be_in_different_allocations(void **state) {
  Rig *rig = *state;
  uint64_t address[4];
  for (int k = 0; k < 4; k++) address[k] = rig_alloc(rig, 100);
  for (int i = 0; i < 32; i++) rig_64(rig, D(0))[i] = address[i % 4] + (uint64_t)(i / 4) * 4;
  rig_ramp_32(rig, R(0), 7, 5);
  assert_true(store(rig, SPACE_GLOBAL, TYPE_U32, D(0), R(0), FULL_MASK));
  assert_true(load(rig, SPACE_GLOBAL, TYPE_U32, R(1), D(0), FULL_MASK));
  assert_memory_equal(rig_32(rig, R(1)), rig_32(rig, R(0)), 128);
  assert_int_equal(*(uint32_t *)rig_host(rig, address[2] + 4), 7 + 6 * 5);
}

static void shared_memory_is_the_ctas_and_dynamic_lies_behind_static(void **state) {
  Rig *rig = *state;
  rig_ramp_32(rig, R(0), 0, 8);
  rig_ramp_32(rig, R(1), 50, 1);
  Instruction *in = rig_form(rig, store_form(SPACE_SHARED, TYPE_U32, 1));
  in->src[0] = R(0);
  in->src[1] = R(1);
  in->address_bytes = 4;
  in->offset = 16;
  in->address_base = BASE_DYNAMIC_SHARED;
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  for (uint32_t i = 0; i < 32; i++) {
    uint64_t at = RIG_STATIC_SHARED + 16 + i * 8;
    assert_int_equal(*(uint32_t *)(rig->shared + at), 50 + i);
    assert_int_equal(rig->context.access.address[i], at);
  }
  // A negative offset on a 32-bit register wraps to 32 bits.
  rig_ramp_32(rig, R(0), RIG_STATIC_SHARED + 32, 8);
  in = rig_form(rig, load_form(SPACE_SHARED, TYPE_U32, 1));
  in->dst[0] = R(2);
  in->src[0] = R(0);
  in->address_bytes = 4;
  in->offset = -16;
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  assert_memory_equal(rig_32(rig, R(2)), rig_32(rig, R(1)), 128);
  assert_int_equal(rig->context.access.space, SPACE_SHARED);
}

static void local_memory_is_each_threads_own(void **state) {
  Rig *rig = *state;
  rig_ramp_32(rig, R(0), 900, 1);
  Instruction *in = rig_form(rig, store_form(SPACE_LOCAL, TYPE_U32, 1));
  in->src[1] = R(0);
  in->offset = 8;
  in->address_base = BASE_FRAME;
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  for (uint32_t i = 0; i < 32; i++)
    assert_int_equal(*(uint32_t *)(rig->local + i * RIG_LOCAL_BYTES + RIG_LOCAL_FRAME + 8),
                     900 + i);
  in = rig_form(rig, load_form(SPACE_FRAME, TYPE_U32, 1));
  in->dst[0] = R(1);
  in->offset = 8;
  in->address_base = BASE_FRAME;
  assert_true(rig_run(rig, exec_find_memory, 0xffff0000));
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(rig_32(rig, R(1))[i], i < 16 ? 0 : 900 + i);
  assert_int_equal(rig->context.access.address[20], RIG_LOCAL_FRAME + 8);
}

static void parameters_are_the_same_for_all_lanes(void **state) {
  Rig *rig = *state;
  uint64_t pointer = UINT64_C(0x123456789abcdef0);
  memcpy(rig->params + 8, &pointer, 8);
  Instruction *in = rig_form(rig, load_form(SPACE_PARAM, TYPE_U64, 1));
  in->dst[0] = D(0);
  in->offset = 8;
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  for (int i = 0; i < 32; i++) assert_true(rig_64(rig, D(0))[i] == pointer);
  assert_int_equal(rig->context.access.space, SPACE_PARAM);
  assert_int_equal(rig->context.access.address[31], 8);

  rig_ramp_32(rig, R(0), 1, 0);
  in = rig_form(rig, load_form(SPACE_PARAM, TYPE_S16, 1));
  in->dst[0] = R(0);
  in->offset = 10;
  assert_true(rig_run(rig, exec_find_memory, 0xf));
  for (int i = 0; i < 32; i++) assert_int_equal(rig_32(rig, R(0))[i], i < 4 ? 0xffff9abc : 1);

  // An array in the parameter block, indexed by a register; and a vector.
  for (uint32_t k = 0; k < 16; k++) memcpy(rig->params + 4 * k, &k, 4);
  rig_ramp_64(rig, D(1), 0, 0);
  for (uint64_t i = 0; i < 32; i++) rig_64(rig, D(1))[i] = i % 4 * 16;
  in = rig_form(rig, load_form(SPACE_PARAM, TYPE_B32, 2));
  in->dst[0] = R(1);
  in->dst[1] = R(2);
  in->src[0] = D(1);
  in->offset = 8;
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  for (uint32_t i = 0; i < 32; i++) {
    assert_int_equal(rig_32(rig, R(1))[i], i % 4 * 4 + 2);
    assert_int_equal(rig_32(rig, R(2))[i], i % 4 * 4 + 3);
  }
}

static void a_generic_address_finds_the_space_that_it_means(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 64);
  for (int i = 0; i < 32; i++) {
    const uint64_t places[4] = {address + 4, SHARED_WINDOW + 8, LOCAL_WINDOW + 12,
                                PARAM_WINDOW + 16};
    rig_64(rig, D(0))[i] = places[i % 4];
    *(uint32_t *)(rig->local + i * RIG_LOCAL_BYTES + 12) = (uint32_t)(300 + i);
  }
  *(uint32_t *)rig_host(rig, address + 4) = 100;
  *(uint32_t *)(rig->shared + 8) = 200;
  *(uint32_t *)(rig->params + 16) = 400;
  assert_true(load(rig, SPACE_GENERIC, TYPE_U32, R(0), D(0), FULL_MASK));
  for (uint32_t i = 0; i < 32; i++) {
    const uint32_t values[4] = {100, 200, 300 + i, 400};
    assert_int_equal(rig_32(rig, R(0))[i], values[i % 4]);
  }
  const MemoryAccess *access = &rig->context.access;
  assert_int_equal(access->space, SPACE_GENERIC);
  assert_int_equal(access->generic_shared, 0x22222222);
  assert_int_equal(access->generic_local, 0x44444444);
  assert_int_equal(access->address[0], address + 4);
  assert_int_equal(access->address[1], 8);
  assert_int_equal(access->address[2], 12);

  rig_ramp_32(rig, R(1), 5, 1);
  assert_true(store(rig, SPACE_GENERIC, TYPE_U32, D(0), R(1), 0x77777777));
  assert_int_equal(*(uint32_t *)rig_host(rig, address + 4), 33);
  assert_int_equal(*(uint32_t *)(rig->shared + 8), 34);
  assert_int_equal(*(uint32_t *)(rig->local + 30 * RIG_LOCAL_BYTES + 12), 35);
}

static void assert_fault(const Rig *rig, FaultKind kind, int lane, Space space, uint64_t address) {
  const Fault *fault = &rig->context.fault;
  assert_string_equal(fault_name(fault->kind), fault_name(kind));
  assert_int_equal(fault->lane, lane);
  assert_int_equal(fault->space, space);
  assert_int_equal(fault->address, address);
  assert_int_equal(fault->pc, 0);
  assert_int_equal(rig->context.access.mask, 0);
}

static void a_bad_address_is_the_fault_of_the_lowest_lane_and_nothing_happens(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 124);
  rig_ramp_64(rig, D(0), address, 4);  // lane 31 is behind the end
  rig_ramp_32(rig, R(0), 1, 1);
  assert_false(store(rig, SPACE_GLOBAL, TYPE_U32, D(0), R(0), FULL_MASK));
  assert_fault(rig, FAULT_OUT_OF_BOUNDS, 31, SPACE_GLOBAL, address + 124);
  assert_true(rig->context.fault.write);
  assert_int_equal(*(uint32_t *)rig_host(rig, address), 0);
  assert_true(store(rig, SPACE_GLOBAL, TYPE_U32, D(0), R(0), 0x7fffffff));

  rig_64(rig, D(0))[9] = 0x10;
  rig_64(rig, D(0))[7] = address + 2;
  assert_false(load(rig, SPACE_GLOBAL, TYPE_U32, R(0), D(0), 0x7fffffff));
  assert_fault(rig, FAULT_MISALIGNED, 7, SPACE_GLOBAL, address + 2);
  assert_false(rig->context.fault.write);
  assert_int_equal(rig_32(rig, R(0))[0], 1);
  assert_false(load(rig, SPACE_GLOBAL, TYPE_U32, R(0), D(0), 0x7fffff7f));
  assert_fault(rig, FAULT_NULL_POINTER, 9, SPACE_GLOBAL, 0x10);
}

static void addresses_at_the_ends_of_everything_are_out_of_bounds(void **state) {
  Rig *rig = *state;
  rig_alloc(rig, 128);
  static const uint64_t far[] = {
      0xbffffffc, 0xc0000080, UINT64_MAX - 3, UINT64_C(1) << 63, (UINT64_C(1) << 63) - 4,
      0x04000000};
  for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
    rig_ramp_64(rig, D(0), 0xc0000000, 4);
    assert_true(load(rig, SPACE_GLOBAL, TYPE_U32, R(0), D(0), FULL_MASK));
    rig_64(rig, D(0))[5] = far[k];
    assert_false(load(rig, SPACE_GLOBAL, TYPE_U32, R(0), D(0), FULL_MASK));
    assert_fault(rig, FAULT_OUT_OF_BOUNDS, 5, SPACE_GLOBAL, far[k]);
    assert_false(load(rig, SPACE_GENERIC, TYPE_U32, R(0), D(0), FULL_MASK));
    assert_fault(rig, FAULT_OUT_OF_BOUNDS, 5, SPACE_GLOBAL, far[k]);
  }
  // An access that begins inside and ends outside.
  uint64_t odd = rig_alloc(rig, 6);
  rig_ramp_64(rig, D(0), odd + 4, 0);
  assert_false(load(rig, SPACE_GLOBAL, TYPE_U32, R(0), D(0), FULL_MASK));
  assert_fault(rig, FAULT_OUT_OF_BOUNDS, 0, SPACE_GLOBAL, odd + 4);
}

static void shared_local_and_parameter_memory_end_somewhere(void **state) {
  Rig *rig = *state;
  rig_ramp_64(rig, D(0), RIG_SHARED_BYTES - 124, 4);
  assert_false(load(rig, SPACE_SHARED, TYPE_U32, R(0), D(0), FULL_MASK));
  assert_fault(rig, FAULT_OUT_OF_BOUNDS, 31, SPACE_SHARED, RIG_SHARED_BYTES);
  rig_ramp_64(rig, D(0), RIG_LOCAL_BYTES - 4, 0);
  assert_true(load(rig, SPACE_LOCAL, TYPE_U32, R(0), D(0), FULL_MASK));
  assert_false(load(rig, SPACE_LOCAL, TYPE_U64, D(1), D(0), FULL_MASK));
  assert_fault(rig, FAULT_MISALIGNED, 0, SPACE_LOCAL, RIG_LOCAL_BYTES - 4);
  rig_ramp_64(rig, D(0), UINT64_C(0) - 8, 0);
  assert_false(store(rig, SPACE_LOCAL, TYPE_U64, D(0), D(1), 0x10));
  // Such an address has 32 bits, whatever register it stands in.
  assert_fault(rig, FAULT_OUT_OF_BOUNDS, 4, SPACE_LOCAL, UINT32_MAX - 7);
  Instruction *in = rig_form(rig, load_form(SPACE_PARAM, TYPE_U64, 1));
  in->dst[0] = D(0);
  in->offset = RIG_PARAM_BYTES;
  assert_false(rig_run(rig, exec_find_memory, FULL_MASK));
  assert_fault(rig, FAULT_OUT_OF_BOUNDS, 0, SPACE_PARAM, RIG_PARAM_BYTES);
  // The windows of generic addresses end where their memory does.
  rig_ramp_64(rig, D(0), SHARED_WINDOW + RIG_SHARED_BYTES, 0);
  assert_false(load(rig, SPACE_GENERIC, TYPE_U32, R(0), D(0), FULL_MASK));
  assert_fault(rig, FAULT_OUT_OF_BOUNDS, 0, SPACE_SHARED, RIG_SHARED_BYTES);
  rig_ramp_64(rig, D(0), PARAM_WINDOW, 0);
  assert_false(store(rig, SPACE_GENERIC, TYPE_U32, D(0), R(0), FULL_MASK));
  assert_fault(rig, FAULT_READ_ONLY, 0, SPACE_PARAM, 0);
}

static void freed_and_constant_memory_have_faults_of_their_own(void **state) {
  Rig *rig = *state;
  uint64_t address = rig_alloc(rig, 128);
  rig_ramp_64(rig, D(0), address, 4);
  assert_true(load(rig, SPACE_GLOBAL, TYPE_U32, R(0), D(0), FULL_MASK));
  assert_int_equal(device_memory_free(rig->context.memory, address, NULL), OK);
  exec_forget_allocations(&rig->context);
  assert_false(load(rig, SPACE_GLOBAL, TYPE_U32, R(0), D(0), FULL_MASK));
  assert_fault(rig, FAULT_USE_AFTER_FREE, 0, SPACE_GLOBAL, address);

  assert_int_equal(device_memory_alloc_at(rig->context.memory, PROGRAM_BASE, 128,
                                          ALLOCATION_CONSTANT, "table", NULL, NULL),
                   OK);
  rig_host(rig, PROGRAM_BASE)[8] = 77;
  rig_ramp_64(rig, D(0), PROGRAM_BASE, 4);
  assert_true(load(rig, SPACE_CONST, TYPE_U32, R(0), D(0), FULL_MASK));
  assert_int_equal(rig_32(rig, R(0))[2], 77);
  assert_int_equal(rig->context.access.space, SPACE_CONST);
  assert_false(store(rig, SPACE_GLOBAL, TYPE_U32, D(0), R(0), FULL_MASK));
  assert_fault(rig, FAULT_READ_ONLY, 0, SPACE_GLOBAL, PROGRAM_BASE);
}

static void a_copy_to_shared_memory_is_done_at_once_and_filled_with_zeros(void **state) {
  Rig *rig = *state;
  uint64_t address = counted_bytes(rig, 1024);
  memset(rig->shared, 0xee, RIG_SHARED_BYTES);
  rig_ramp_32(rig, R(0), 64, 16);
  rig_ramp_64(rig, D(0), address, 16);
  rig_ramp_32(rig, R(1), 16, 0);
  rig_32(rig, R(1))[3] = 5;
  rig_32(rig, R(1))[4] = 0;
  rig_64(rig, D(0))[4] = 0;  // reads nothing, so no fault
  Instruction *in = rig_form(rig, (Form){.op = OP_CP, .mode = MODE_ASYNC, .space = SPACE_SHARED});
  in->src[0] = R(0);
  in->src[1] = D(0);
  in->src[2] = R(1);
  in->address_bytes = 4;
  in->offset = 16;
  in->target = 32;
  in->dst_bytes = 16;
  assert_true(rig_run(rig, exec_find_memory, 0x1f));
  const uint8_t *bytes = rig_host(rig, address) + 32;
  for (int i = 0; i < 5; i++) {
    uint8_t expected[16] = {0};
    memcpy(expected, bytes + 16 * i, i == 3 ? 5 : i == 4 ? 0 : 16);
    assert_memory_equal(rig->shared + 80 + 16 * i, expected, 16);
  }
  assert_int_equal(rig->shared[80 + 16 * 5], 0xee);
  assert_int_equal(rig->context.access.mask, 0xf);
  assert_int_equal(rig->context.access.space, SPACE_GLOBAL);
  assert_int_equal(rig->context.access.bytes, 16);
  rig_64(rig, D(0))[1] = 0;
  assert_false(rig_run(rig, exec_find_memory, 0x1f));
  assert_fault(rig, FAULT_NULL_POINTER, 1, SPACE_GLOBAL, 32);
  rig_form(rig, (Form){.op = OP_CP, .mode = MODE_WAIT});
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  assert_int_equal(rig->context.access.mask, 0);
}

static void a_prefetch_of_nothing_is_no_fault(void **state) {
  Rig *rig = *state;
  rig_ramp_64(rig, D(0), 3, 1);
  Instruction *in = rig_form(rig, (Form){.op = OP_PREFETCH, .space = SPACE_GLOBAL});
  in->src[0] = D(0);
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  assert_int_equal(rig->context.access.mask, FULL_MASK);
  assert_int_equal(rig->context.access.address[4], 7);
}

static void a_threads_generic_bytes_can_be_read_for_it(void **state) {
  Rig *rig = *state;
  uint32_t word = 0;
  *(uint32_t *)(rig->local + 5 * RIG_LOCAL_BYTES + 12) = 55;
  assert_true(exec_read_generic(&rig->context, &rig->warp, 5, LOCAL_WINDOW + 12, &word, 4));
  assert_int_equal(word, 55);
  assert_false(exec_read_generic(&rig->context, &rig->warp, 5, LOCAL_WINDOW + RIG_LOCAL_BYTES - 2,
                                 &word, 4));
  assert_false(exec_read_generic(&rig->context, &rig->warp, 5, 0, &word, 4));
}

static void what_is_not_supported_is_refused(void **state) {
  (void)state;
  Form form = load_form(SPACE_GLOBAL, TYPE_B128, 1);
  assert_null(exec_find_memory(&form));
  form = load_form(SPACE_SHARED, TYPE_B64, 4);
  assert_null(exec_find_memory(&form));
  form = load_form(SPACE_GLOBAL, TYPE_PRED, 1);
  assert_null(exec_find_memory(&form));
  form = store_form(SPACE_CONST, TYPE_B32, 1);
  assert_null(exec_find_memory(&form));
  form = store_form(SPACE_PARAM, TYPE_B32, 1);
  assert_null(exec_find_memory(&form));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(neighbouring_lanes_load_neighbouring_words),
      RIG_TEST(scattered_lanes_and_partial_masks_load_only_what_they_should),
      RIG_TEST(narrow_elements_are_extended_as_their_type_says),
      RIG_TEST(wider_registers_take_narrow_elements),
      RIG_TEST(sixty_four_bit_elements_and_vectors_are_loaded_and_stored),
      RIG_TEST(stores_of_each_width_change_their_bytes_and_no_others),
      RIG_TEST(a_store_from_a_wider_register_takes_its_low_part),
      RIG_TEST(of_several_stores_to_one_address_the_highest_lane_wins),
      RIG_TEST(lanes_may_be_in_different_allocations),
      RIG_TEST(shared_memory_is_the_ctas_and_dynamic_lies_behind_static),
      RIG_TEST(local_memory_is_each_threads_own),
      RIG_TEST(parameters_are_the_same_for_all_lanes),
      RIG_TEST(a_generic_address_finds_the_space_that_it_means),
      RIG_TEST(a_bad_address_is_the_fault_of_the_lowest_lane_and_nothing_happens),
      RIG_TEST(addresses_at_the_ends_of_everything_are_out_of_bounds),
      RIG_TEST(shared_local_and_parameter_memory_end_somewhere),
      RIG_TEST(freed_and_constant_memory_have_faults_of_their_own),
      RIG_TEST(a_copy_to_shared_memory_is_done_at_once_and_filled_with_zeros),
      RIG_TEST(a_prefetch_of_nothing_is_no_fault),
      RIG_TEST(a_threads_generic_bytes_can_be_read_for_it),
      RIG_TEST(what_is_not_supported_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
