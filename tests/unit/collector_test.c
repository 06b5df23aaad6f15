// SPDX-License-Identifier: MIT
// Operand collection, step by step: banks, ports, back-pressure.
#include "sm/collector.h"

#include "unit/cmocka_all.h"

static const SmConfig config = {
    .register_banks = 16,
    .register_ports = 1,
    .sp_collectors = 2,
    .sp_ports = 2,
    .dp_collectors = 1,
    .dp_ports = 1,
    .int_collectors = 1,
    .int_ports = 1,
    .sfu_collectors = 1,
    .sfu_ports = 1,
    .mem_collectors = 1,
    .mem_ports = 1,
};

// Two instructions of a unit, one after the other, that read the same banks.
typedef struct Rig {
  Collectors *collectors;
  uint64_t conflicts;
  uint32_t busy;
  CollectedSets collected;
  IssueInfo info;
  Inflight first, second;
} Rig;

static Arena arena;  // of the present rig

static void rig_init(Rig *rig, UnitKind unit, int count, const uint8_t *banks) {
  *rig = (Rig){0};
  CollectorsShared shared = {&rig->conflicts, &rig->busy, &rig->collected};
  arena_clear(&arena);
  rig->collectors = collectors_create(&arena, &config, 1, 0, &shared);
  rig->info = (IssueInfo){.unit = (uint8_t)unit};
  for (int i = 0; i < count; i++) issue_info_add_source(&rig->info, banks[i], 16);
  rig->first = (Inflight){.info = &rig->info, .order = 1};
  rig->second = (Inflight){.info = &rig->info, .order = 2};
}

// Steps until the instruction stands before its unit.
static int steps_until(Rig *rig, Inflight *inflight) {
  for (int step = 1; step < 100; step++) {
    collectors_step(rig->collectors);
    if (collectors_oldest(rig->collectors, rig->info.unit) == inflight) {
      collectors_take_oldest(rig->collectors, rig->info.unit);
      return step;
    }
  }
  return -1;
}

static int steps_alone(int count, const uint8_t *banks) {
  Rig rig;
  rig_init(&rig, UNIT_SP, count, banks);
  collectors_issue(rig.collectors, &rig.first);
  int steps = steps_until(&rig, &rig.first);
  assert_false(collectors_step(rig.collectors));
  assert_int_equal(rig.busy | rig.collected, 0);
  return steps;
}

// Allocate, read, dispatch; without operands there is nothing to read.
static void operands_take_three_steps_none_take_two(void **state) {
  (void)state;
  const uint8_t banks[] = {1, 2, 3};
  assert_int_equal(steps_alone(0, banks), 2);
  assert_int_equal(steps_alone(1, banks), 3);
  assert_int_equal(steps_alone(3, banks), 3);
}

static void operands_of_one_bank_are_read_in_turn(void **state) {
  (void)state;
  const uint8_t two[] = {5, 5}, three[] = {5, 5, 5};
  assert_int_equal(steps_alone(2, two), 4);
  assert_int_equal(steps_alone(3, three), 5);
}

// The warp is added to the bank: names that differ by 16 share one.
static void warps_have_their_registers_in_different_banks(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig, UNIT_SP, 1, (const uint8_t[]){5});
  rig.second.warp = 1;
  collectors_issue(rig.collectors, &rig.first);
  collectors_issue(rig.collectors, &rig.second);
  assert_int_equal(steps_until(&rig, &rig.first), 3);
  assert_ptr_equal(collectors_oldest(rig.collectors, UNIT_SP), &rig.second);
  assert_int_equal(rig.conflicts, 0);
}

static void a_set_of_banks_turns_with_the_warp(void **state) {
  (void)state;
  const uint32_t counts[] = {1, 2, 3, 12, 16, 48, 63, 64};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    SmConfig other = config;
    other.register_banks = counts[i];
    CollectorsShared shared = {0};
    const Collectors *collectors = collectors_create(&arena, &other, 1, 0, &shared);
    for (uint32_t bank = 0; bank < counts[i]; bank++)
      for (uint32_t warp = 0; warp < 64; warp++)
        assert_int_equal(collectors_turn(collectors, bank_set(bank, counts[i]), warp),
                         UINT64_C(1) << (bank + warp) % counts[i]);
  }
}

static void one_warps_instructions_queue_for_a_bank(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig, UNIT_SP, 1, (const uint8_t[]){5});
  collectors_issue(rig.collectors, &rig.first);
  collectors_issue(rig.collectors, &rig.second);
  assert_int_equal(steps_until(&rig, &rig.first), 3);
  assert_int_equal(steps_until(&rig, &rig.second), 1);
  assert_int_equal(rig.conflicts, 1);
}

static void a_bank_that_is_written_is_not_read(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig, UNIT_SP, 1, (const uint8_t[]){5});
  collectors_issue(rig.collectors, &rig.first);
  collectors_step(rig.collectors);
  rig.collectors->written |= UINT64_C(1) << 5;
  collectors_step(rig.collectors);
  assert_int_equal(steps_until(&rig, &rig.first), 2);
}

// With one collector the second instruction waits in the latch, and the latch
// takes no third.
static void a_full_collector_keeps_the_latch_full(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig, UNIT_SFU, 1, (const uint8_t[]){1});
  const UnitPath *path = collectors_path(rig.collectors, UNIT_SFU);
  collectors_issue(rig.collectors, &rig.first);
  assert_false(collectors_issue_has_room(path));
  collectors_step(rig.collectors);
  assert_true(collectors_issue_has_room(path));
  collectors_issue(rig.collectors, &rig.second);
  collectors_step(rig.collectors);
  assert_false(collectors_issue_has_room(path));
  // Dispatch frees the collector before allocation takes it, in the same step.
  assert_int_equal(steps_until(&rig, &rig.first), 1);
  assert_true(collectors_issue_has_room(path));
  assert_int_equal(steps_until(&rig, &rig.second), 2);
}

static void what_the_unit_does_not_take_stays(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig, UNIT_MEM, 0, NULL);
  collectors_issue(rig.collectors, &rig.first);
  assert_true(collectors_step(rig.collectors));
  assert_true(collectors_step(rig.collectors));
  for (int i = 0; i < 3; i++) {
    assert_false(collectors_step(rig.collectors));
    assert_ptr_equal(collectors_oldest(rig.collectors, UNIT_MEM), &rig.first);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operands_take_three_steps_none_take_two),
      cmocka_unit_test(operands_of_one_bank_are_read_in_turn),
      cmocka_unit_test(warps_have_their_registers_in_different_banks),
      cmocka_unit_test(a_set_of_banks_turns_with_the_warp),
      cmocka_unit_test(one_warps_instructions_queue_for_a_bank),
      cmocka_unit_test(a_bank_that_is_written_is_not_read),
      cmocka_unit_test(a_full_collector_keeps_the_latch_full),
      cmocka_unit_test(what_the_unit_does_not_take_stays),
  };
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  arena_clear(&arena);
  return failures;
}
