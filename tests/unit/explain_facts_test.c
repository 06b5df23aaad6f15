// SPDX-License-Identifier: MIT
// How much time an even spread over L2 slices and channels would leave.
#include <jansson.h>

#include "explain/facts.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_even_spread_shortens_what_one_slice_takes),
      cmocka_unit_test(a_channel_is_saturated_by_its_dram),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
