// SPDX-License-Identifier: MIT
// The interval series: rows, their limit, and a kernel after another.
#include "gpu/interval.h"

#include "unit/cmocka_all.h"

static const IntervalRow *rows_of(const ResultTables *tables, uint32_t *count) {
  *count = tables->items[tables->count - 1].row_count;
  return tables->items[tables->count - 1].rows;
}

// A machine that issues two instructions a cycle and misses once in four.
static void pass(MachineStats *total, Cycle cycles) {
  total->cycles += cycles;
  total->sm.warp_instructions += 2 * cycles;
  total->l1d.misses = total->cycles / 4;
}

static void rows_cover_a_kernel_without_gaps(void **state) {
  (void)state;
  MachineStats total = {0};
  Intervals intervals = {.wanted = 10};
  ResultTables tables = {0};
  for (int kernel = 0; kernel < 2; kernel++) {
    intervals_start(&intervals, &total);
    assert_int_equal(intervals.next, total.cycles + 10);
    for (int i = 0; i < 3; i++) {
      pass(&total, 10);
      intervals_sample(&intervals, &total);
    }
    pass(&total, 5);
    intervals_end(&intervals, &total, &tables);
    assert_true(intervals.next == NEVER);
    uint32_t count;
    const IntervalRow *rows = rows_of(&tables, &count);
    assert_int_equal(count, 4);
    assert_int_equal(rows[0].start_cycle, kernel * 35);
    assert_int_equal(rows[1].start_cycle, kernel * 35 + 10);
    assert_int_equal(rows[1].warp_instructions, 20);
    assert_int_equal(rows[3].cycles, 5);
  }
  intervals_clear(&intervals);
  result_tables_clear(&tables);
}

static void a_long_kernel_gets_longer_rows(void **state) {
  (void)state;
  MachineStats total = {0};
  Intervals intervals = {.wanted = 1};
  ResultTables tables = {0};
  intervals_start(&intervals, &total);
  for (uint64_t cycle = 0; cycle < 3 * INTERVAL_MAX_ROWS; cycle++) {
    pass(&total, 1);
    if (total.cycles == intervals.next) intervals_sample(&intervals, &total);
  }
  intervals_end(&intervals, &total, &tables);
  uint32_t count;
  const IntervalRow *rows = rows_of(&tables, &count);
  // Halved at MAX and at 2 MAX cycles: rows of four cycles.
  assert_int_equal(count, 3 * INTERVAL_MAX_ROWS / 4);
  uint64_t next = 0, instructions = 0, misses = 0;
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal(rows[i].start_cycle, next);
    assert_int_equal(rows[i].cycles, 4);
    next += rows[i].cycles;
    instructions += rows[i].warp_instructions;
    misses += rows[i].l1d_misses;
  }
  assert_int_equal(next, total.cycles);
  assert_int_equal(instructions, total.sm.warp_instructions);
  assert_int_equal(misses, total.l1d.misses);
  intervals_clear(&intervals);
  result_tables_clear(&tables);
}

static void without_an_interval_there_is_no_table(void **state) {
  (void)state;
  MachineStats total = {0};
  Intervals intervals = {0};
  ResultTables tables = {0};
  intervals_start(&intervals, &total);
  assert_true(intervals.next == NEVER);
  intervals_end(&intervals, &total, &tables);
  assert_int_equal(tables.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_cover_a_kernel_without_gaps),
                                     cmocka_unit_test(a_long_kernel_gets_longer_rows),
                                     cmocka_unit_test(without_an_interval_there_is_no_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
