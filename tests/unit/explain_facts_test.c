// SPDX-License-Identifier: MIT
// How much time an even spread over L2 slices and channels would leave; which idealised lines share
// a run.
#include <jansson.h>

#include "explain/what_if.h"
#include "unit/cmocka_all.h"

// Four slices of two channels; a kernel of one interval of 500 cycles in which one slice has
// `busiest` of 400 lookups, and the schedulers that have warps only wait for memory. DRAM moves 32
// bytes per cycle at most.
static double even_share(int busiest, int dram_reads, int empty, double *camped) {
  Arena arena = {0};
  RunFacts facts;
  json_t *row = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "cycles", 500, "busiest_slice_accesses",
                          busiest, "l2_accesses", 400, "dram_reads", dram_reads, "slot_memory",
                          1000, "slot_small_grid", empty);
  json_t *kernel =
      json_pack("{s:s, s:i, s:f, s:f, s:[o]}", "readable_name", "k", "cycles", 500,
                "dram.peak_bytes", 16000.0, "lsu.memory_latency", 1e6, "intervals", row);
  json_t *result = json_pack("{s:{s:{s:i, s:i}}, s:[o]}", "config", "gpu", "channels", 2,
                             "slices_per_channel", 2, "kernels", kernel);
  assert_non_null(result);
  run_facts_of(&facts, result, &arena);
  double share = facts.kernels[0].even_share;
  *camped = facts.kernels[0].camped_share;
  run_facts_clear(&facts);
  arena_clear(&arena);
  return share;
}

static void an_even_spread_shortens_what_one_slice_takes(void **state) {
  (void)state;
  double camped;
  // The slice is saturated: the mean slice has a quarter of its lookups.
  assert_float_equal(even_share(400, 0, 0, &camped), 0.25, 1e-6);
  assert_float_equal(camped, 1, 1e-6);
  // Schedulers without warps last as long as the others.
  assert_float_equal(even_share(400, 0, 3000, &camped), 0.25, 1e-6);
  // Evenly spread, or with little to do: nothing to gain.
  assert_float_equal(even_share(150, 0, 0, &camped), 1, 1e-6);
  assert_float_equal(even_share(300, 10, 0, &camped), 1, 1e-6);
  assert_float_equal(camped, 0, 1e-6);
}

static void a_channel_is_saturated_by_its_dram(void **state) {
  (void)state;
  double camped;
  // 300 of 400 lookups are for one slice, and so are 3/4 of 200 sectors: 60 % of its channel's
  // 8000 bytes. The mean channel has 200 lookups.
  assert_float_equal(even_share(300, 200, 0, &camped), 2.0 / 3, 1e-6);
  assert_float_equal(camped, 1, 1e-6);
}

static json_t *kernel_with_loads(const char *name, int line, int other) {
  json_t *rows = json_array();
  for (int i = 0; i < 2; i++)
    json_array_append_new(rows, json_pack("{s:s, s:s, s:i}", "kind", "load", "space", "global",
                                          "line", i ? other : line));
  return json_pack("{s:s, s:i, s:o}", "readable_name", name, "cycles", 500, "accesses", rows);
}

// Kernels a (lines 10 and 20) and b (lines 30 and `other`): runs of load:10 and load:20 of a,
// load:30 of b, and of l1. Returns the number of runs.
static size_t runs_of(int other, int total, size_t *of_b) {
  Arena arena = {0};
  RunFacts facts;
  WhatIfs list = {0};
  json_t *result = json_pack("{s:[o,o], s:{s:i}}", "kernels", kernel_with_loads("a", 10, 20),
                             kernel_with_loads("b", 30, other), "total", "cycles", total);
  assert_non_null(result);
  run_facts_of(&facts, result, &arena);
  what_if_add(&list, 0, "", "load:10", NULL);
  what_if_add(&list, 0, "", "load:20", NULL);
  what_if_add(&list, 1, "", "load:30", NULL);
  what_if_add(&list, 1, "", "l1", NULL);
  size_t count = what_ifs_share_runs(&list, 0, &facts);
  *of_b = list.items[2].run;
  run_facts_clear(&facts);
  arena_clear(&arena);
  return count;
}

static void lines_of_different_kernels_share_a_run(void **state) {
  (void)state;
  size_t of_b;
  assert_int_equal(runs_of(40, 1000, &of_b), 3);
  assert_int_equal(of_b, 0);
  // Line 10 is of both kernels: b's loads go with those of line 20.
  assert_int_equal(runs_of(10, 1000, &of_b), 3);
  assert_int_equal(of_b, 1);
  // Kernels that run at the same time.
  assert_int_equal(runs_of(40, 600, &of_b), 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_even_spread_shortens_what_one_slice_takes),
      cmocka_unit_test(a_channel_is_saturated_by_its_dram),
      cmocka_unit_test(lines_of_different_kernels_share_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
