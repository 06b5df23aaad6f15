// SPDX-License-Identifier: MIT
#include "sm/collector.h"

#include "unit/cmocka_all.h"

static const SmConfig config = {
    .register_banks = 16,
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

// An instruction of a unit that reads registers of these banks.
static IssueInfo info_of(UnitKind unit, int count, const uint8_t *banks) {
  IssueInfo info = {.unit = (uint8_t)unit, .source_count = (uint8_t)count};
  for (int i = 0; i < count; i++) info.source_banks[i] = banks[i];
  return info;
}

static Inflight inflight_of(const IssueInfo *info, uint64_t order) {
  return (Inflight){.info = info, .order = order};
}

// Steps until the instruction stands before its unit.
static int steps_until(Collectors *collectors, const Inflight *inflight) {
  for (int step = 1; step < 100; step++) {
    collectors_step(collectors);
    if (collectors_oldest(collectors, inflight->info->unit) == inflight) {
      collectors_take(collectors, inflight->info->unit, (Inflight *)(uintptr_t)inflight);
      return step;
    }
  }
  return -1;
}

static int steps_alone(int count, const uint8_t *banks) {
  Collectors collectors;
  collectors_init(&collectors, &config);
  IssueInfo info = info_of(UNIT_SP, count, banks);
  Inflight inflight = inflight_of(&info, 1);
  collectors_issue(&collectors, &inflight);
  int steps = steps_until(&collectors, &inflight);
  assert_int_equal(collectors.held_count, 0);
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
  Collectors collectors;
  collectors_init(&collectors, &config);
  const uint8_t bank[] = {5};
  IssueInfo info = info_of(UNIT_SP, 1, bank);
  Inflight first = inflight_of(&info, 1), second = inflight_of(&info, 2);
  second.warp = 1;
  collectors_issue(&collectors, &first);
  collectors_issue(&collectors, &second);
  assert_int_equal(steps_until(&collectors, &first), 3);
  assert_ptr_equal(collectors_oldest(&collectors, UNIT_SP), &second);
  assert_int_equal(collectors.conflicts, 0);
}

static void one_warps_instructions_queue_for_a_bank(void **state) {
  (void)state;
  Collectors collectors;
  collectors_init(&collectors, &config);
  const uint8_t bank[] = {5};
  IssueInfo info = info_of(UNIT_SP, 1, bank);
  Inflight first = inflight_of(&info, 1), second = inflight_of(&info, 2);
  collectors_issue(&collectors, &first);
  collectors_issue(&collectors, &second);
  assert_int_equal(steps_until(&collectors, &first), 3);
  assert_int_equal(steps_until(&collectors, &second), 1);
  assert_int_equal(collectors.conflicts, 1);
}

static void a_bank_that_is_written_is_not_read(void **state) {
  (void)state;
  Collectors collectors;
  collectors_init(&collectors, &config);
  const uint8_t bank[] = {5};
  IssueInfo info = info_of(UNIT_SP, 1, bank);
  Inflight inflight = inflight_of(&info, 1);
  collectors_issue(&collectors, &inflight);
  collectors_step(&collectors);
  collectors_write(&collectors, 5);
  collectors_step(&collectors);
  assert_int_equal(steps_until(&collectors, &inflight), 2);
}

// With one collector the second instruction waits in the latch, and the latch
// takes no third.
static void a_full_collector_keeps_the_latch_full(void **state) {
  (void)state;
  Collectors collectors;
  collectors_init(&collectors, &config);
  const uint8_t bank[] = {1};
  IssueInfo info = info_of(UNIT_SFU, 1, bank);
  Inflight first = inflight_of(&info, 1), second = inflight_of(&info, 2);
  collectors_issue(&collectors, &first);
  assert_false(latch_has_room(&collectors.issue[UNIT_SFU]));
  collectors_step(&collectors);
  assert_true(latch_has_room(&collectors.issue[UNIT_SFU]));
  collectors_issue(&collectors, &second);
  collectors_step(&collectors);
  assert_false(latch_has_room(&collectors.issue[UNIT_SFU]));
  // Dispatch frees the collector before allocation takes it, in the same step.
  assert_int_equal(steps_until(&collectors, &first), 1);
  assert_true(latch_has_room(&collectors.issue[UNIT_SFU]));
  assert_int_equal(steps_until(&collectors, &second), 2);
}

static void what_the_unit_does_not_take_stays(void **state) {
  (void)state;
  Collectors collectors;
  collectors_init(&collectors, &config);
  IssueInfo info = info_of(UNIT_MEM, 0, NULL);
  Inflight first = inflight_of(&info, 1);
  collectors_issue(&collectors, &first);
  assert_true(collectors_step(&collectors));
  assert_true(collectors_step(&collectors));
  for (int i = 0; i < 3; i++) {
    assert_false(collectors_step(&collectors));
    assert_ptr_equal(collectors_oldest(&collectors, UNIT_MEM), &first);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operands_take_three_steps_none_take_two),
      cmocka_unit_test(operands_of_one_bank_are_read_in_turn),
      cmocka_unit_test(warps_have_their_registers_in_different_banks),
      cmocka_unit_test(one_warps_instructions_queue_for_a_bank),
      cmocka_unit_test(a_bank_that_is_written_is_not_read),
      cmocka_unit_test(a_full_collector_keeps_the_latch_full),
      cmocka_unit_test(what_the_unit_does_not_take_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
