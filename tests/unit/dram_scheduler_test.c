// SPDX-License-Identifier: MIT
// DRAM schedulers: legal choices, open rows first, no starvation.
#include "policies/dram_scheduler/dram_scheduler.h"

#include <string.h>

#include "base/memory.h"
#include "unit/cmocka_all.h"

static uint32_t pick(const char *name, DramBankView view) {
  const PolicyType *type;
  assert_int_equal(policy_find(&dram_scheduler_family, NULL, name, &type, NULL), OK);
  const DramSchedulerType *scheduler = (const DramSchedulerType *)(const void *)type;
  assert_int_equal(type->state_size, 0);
  return scheduler->pick(NULL, &view);
}

static void frfcfs_prefers_the_open_row_then_age(void **state) {
  (void)state;
  uint32_t rows[] = {4, 7, 9, 7};
  uint64_t ages[] = {10, 11, 15, 16};
  DramBankView view = {.open_row = 7,
                       .serving_row = 7,
                       .request_count = 4,
                       .rows = rows,
                       .ages = ages,
                       .oldest_in_channel = 3};
  assert_int_equal(pick("frfcfs", view), 1);
  view.open_row = view.serving_row = 9;
  assert_int_equal(pick("frfcfs", view), 2);
  view.open_row = view.serving_row = 5;
  assert_int_equal(pick("frfcfs", view), 0);
  view.open_row = view.serving_row = DRAM_NO_ROW;
  assert_int_equal(pick("frfcfs", view), 0);
}

static void fifo_gives_only_the_oldest_of_the_channel(void **state) {
  (void)state;
  uint32_t rows[] = {4, 7};
  uint64_t ages[] = {10, 11};
  DramBankView view = {.open_row = 7,
                       .serving_row = 7,
                       .request_count = 2,
                       .rows = rows,
                       .ages = ages,
                       .oldest_in_channel = 10};
  assert_int_equal(pick("fifo", view), 0);
  view.oldest_in_channel = 9;
  assert_int_equal(pick("fifo", view), DRAM_NO_REQUEST);
}

// For every scheduler of the list: answers are legal and the same twice, and
// the oldest request of the channel is given if nobody shares its bank.
static void every_scheduler_answers_legally_and_starves_nobody_alone(void **state) {
  (void)state;
  for (const PolicyType *const *each = dram_scheduler_family.types; *each; each++) {
    const DramSchedulerType *type = (const DramSchedulerType *)(const void *)*each;
    void *states[2];
    for (int i = 0; i < 2; i++) {
      states[i] = memory_alloc((*each)->state_size + 1);
      assert_int_equal(policy_set_params(*each, (*each)->name, states[i], NULL), OK);
    }
    for (uint32_t i = 0; i < 500; i++) {
      uint32_t count = 1 + i % 7, rows[7];
      uint64_t ages[7];
      for (uint32_t j = 0; j < count; j++) rows[j] = i * 7 / (j + 1) % 4, ages[j] = i + j;
      DramBankView view = {.bank = i % 16,
                           .open_row = i % 5 ? i % 4 : DRAM_NO_ROW,
                           .request_count = count,
                           .rows = rows,
                           .ages = ages,
                           .oldest_in_channel = i - i % 2};
      view.serving_row = view.open_row;
      uint32_t answer = type->pick(states[0], &view);
      assert_true(answer < count || answer == DRAM_NO_REQUEST);
      assert_int_equal(type->pick(states[1], &view), answer);
      if (count == 1 && view.oldest_in_channel == ages[0]) assert_int_equal(answer, 0);
    }
    memory_free(states[0]);
    memory_free(states[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frfcfs_prefers_the_open_row_then_age),
      cmocka_unit_test(fifo_gives_only_the_oldest_of_the_channel),
      cmocka_unit_test(every_scheduler_answers_legally_and_starves_nobody_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
