// SPDX-License-Identifier: MIT
// Stores and atomics that wait for the end of the cycle.
#include "exec/memory/store_queue.h"

#include "unit/memory_support.h"

static void setup_atomic(Rig *rig, Operation operation, DataType type, Place to, Place from) {
  Instruction *in = rig_form(rig, (Form){.op = OP_ATOM,
                                         .space = SPACE_GLOBAL,
                                         .operation = (uint8_t)operation,
                                         .type = (uint8_t)type});
  in->dst[0] = to;
  in->src[0] = D(0);
  in->src[1] = from;
}

static void setup_store(Rig *rig, Space space, DataType type, int vector) {
  Instruction *in = rig_form(
      rig,
      (Form){
          .op = OP_ST, .space = (uint8_t)space, .type = (uint8_t)type, .vector = (uint8_t)vector});
  in->src[0] = D(0);
  for (int k = 0; k < vector; k++) in->src[1 + k] = R(k);
}

static void a_store_waits_and_a_load_of_the_same_cycle_does_not_see_it(void **state) {
  Rig *rig = *state;
  StoreQueue queue = {0};
  uint64_t address = rig_alloc(rig, 512);
  uint32_t *words = (uint32_t *)rig_host(rig, address);
  rig_ramp_64(rig, D(0), address, 16);
  for (int k = 0; k < 4; k++) rig_ramp_32(rig, R(k), 10 + (uint32_t)k * 100, 1);
  rig->context.stores = &queue;
  setup_store(rig, SPACE_GLOBAL, TYPE_U32, 4);
  assert_true(rig_run(rig, exec_find_memory, 0x7fffffff));
  Instruction stored = rig->in;
  queue.stores[0].in = &stored;
  assert_int_equal(queue.count, 1);
  rig_ramp_32(rig, R(0), 0, 0);  // the data was taken when it was queued

  Instruction *in = rig_form(rig, (Form){.op = OP_LD, .space = SPACE_GLOBAL, .type = TYPE_U32});
  in->dst[0] = R(5);
  in->src[0] = D(0);
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  assert_int_equal(rig_32(rig, R(5))[3], 0);

  store_queue_apply(&queue);
  assert_int_equal(queue.count, 0);
  for (uint32_t i = 0; i < 32; i++)
    for (uint32_t k = 0; k < 4; k++)
      assert_int_equal(words[i * 4 + k], i < 31 ? 10 + k * 100 + i : 0);
  store_queue_clear(&queue);
}

static void what_cannot_be_stored_faults_when_it_is_queued(void **state) {
  Rig *rig = *state;
  StoreQueue queue = {0};
  rig->context.stores = &queue;
  rig_ramp_64(rig, D(0), 0, 4);
  setup_store(rig, SPACE_GLOBAL, TYPE_U32, 1);
  assert_false(rig_run(rig, exec_find_memory, FULL_MASK));
  assert_int_equal(rig->context.fault.kind, FAULT_NULL_POINTER);
  assert_int_equal(queue.count, 0);
  store_queue_clear(&queue);
}

static void atomics_of_two_sms_follow_each_other_in_queue_order(void **state) {
  Rig *rig = *state;
  StoreQueue queues[2] = {{0}};
  Instruction kept[2];
  uint64_t address = rig_alloc(rig, 4);
  rig_ramp_64(rig, D(0), address, 0);
  rig_ramp_32(rig, R(0), 1, 0);
  for (int sm = 1; sm >= 0; sm--) {  // stepped in the other order
    rig->context.stores = &queues[sm];
    setup_atomic(rig, OPERATION_ADD, TYPE_U32, R(1 + sm), R(0));
    assert_true(rig_run(rig, exec_find_atomic, FULL_MASK));
    kept[sm] = rig->in;
    queues[sm].stores[0].in = &kept[sm];
  }
  assert_int_equal(*(uint32_t *)rig_host(rig, address), 0);
  store_queue_apply(&queues[0]);
  store_queue_apply(&queues[1]);
  assert_int_equal(*(uint32_t *)rig_host(rig, address), 64);
  for (uint32_t i = 0; i < 32; i++) {
    assert_int_equal(rig_32(rig, R(1))[i], i);
    assert_int_equal(rig_32(rig, R(2))[i], 32 + i);
  }
  store_queue_clear(&queues[0]);
  store_queue_clear(&queues[1]);
}

static void a_queued_compare_and_swap_keeps_both_operands(void **state) {
  Rig *rig = *state;
  StoreQueue queue = {0};
  uint64_t address = rig_alloc(rig, 8), before = 40, after = UINT64_C(1) << 40;
  memcpy(rig_host(rig, address), &before, 8);
  rig_ramp_64(rig, D(0), address, 0);
  rig_ramp_64(rig, D(1), 40, 0);
  rig_ramp_64(rig, D(2), after, 1);
  rig->context.stores = &queue;
  setup_atomic(rig, OPERATION_CAS, TYPE_B64, D(3), D(1));
  rig->in.src[2] = D(2);
  assert_true(rig_run(rig, exec_find_atomic, 0xc));
  store_queue_apply(&queue);
  assert_memory_equal(rig_host(rig, address), &rig_64(rig, D(2))[2], 8);
  assert_true(rig_64(rig, D(3))[2] == 40);
  assert_true(rig_64(rig, D(3))[3] == after + 2);
  store_queue_clear(&queue);
}

static void a_queued_vector_atomic_returns_all_elements(void **state) {
  Rig *rig = *state;
  StoreQueue queue = {0};
  uint64_t address = rig_alloc(rig, 512);
  float *words = (float *)(void *)rig_host(rig, address);
  for (int k = 0; k < 128; k++) words[k] = (float)k;
  rig_ramp_64(rig, D(0), address, 8);
  for (int i = 0; i < 32; i++) {
    rig_32(rig, R(0))[i] = bits_of_float(0.5f);
    rig_32(rig, R(1))[i] = bits_of_float(0.25f);
  }
  rig->context.stores = &queue;
  setup_atomic(rig, OPERATION_ADD, TYPE_F32, NO_PLACE, R(0));
  rig->in.form.vector = 2;
  rig->in.src[2] = R(1);
  rig->in.dst[1] = R(3);
  assert_true(rig_run(rig, exec_find_atomic, FULL_MASK));
  store_queue_apply(&queue);
  for (int i = 0; i < 32; i++) {
    assert_true(words[2 * i] == (float)(2 * i) + 0.5f);
    assert_true(words[2 * i + 1] == (float)(2 * i + 1) + 0.25f);
    assert_true(float_of_bits(rig_32(rig, R(3))[i]) == (float)(2 * i + 1));
  }
  store_queue_clear(&queue);
}

static void shared_lanes_of_a_generic_store_do_not_wait(void **state) {
  Rig *rig = *state;
  StoreQueue queue = {0};
  uint64_t address = rig_alloc(rig, 128);
  rig->context.stores = &queue;
  for (uint64_t i = 0; i < 32; i++)
    rig_64(rig, D(0))[i] = i % 2 ? SHARED_WINDOW + i * 4 : address + i * 4;
  rig_ramp_32(rig, R(0), 70, 1);
  setup_store(rig, SPACE_GENERIC, TYPE_U32, 1);
  assert_true(rig_run(rig, exec_find_memory, FULL_MASK));
  assert_int_equal(((uint32_t *)rig->shared)[5], 75);
  assert_int_equal(((uint32_t *)rig->shared)[4], 0);
  assert_int_equal(((uint32_t *)rig_host(rig, address))[4], 0);
  store_queue_apply(&queue);
  assert_int_equal(((uint32_t *)rig_host(rig, address))[4], 74);
  assert_int_equal(((uint32_t *)rig_host(rig, address))[5], 0);
  store_queue_clear(&queue);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(a_store_waits_and_a_load_of_the_same_cycle_does_not_see_it),
      RIG_TEST(what_cannot_be_stored_faults_when_it_is_queued),
      RIG_TEST(atomics_of_two_sms_follow_each_other_in_queue_order),
      RIG_TEST(a_queued_compare_and_swap_keeps_both_operands),
      RIG_TEST(a_queued_vector_atomic_returns_all_elements),
      RIG_TEST(shared_lanes_of_a_generic_store_do_not_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
