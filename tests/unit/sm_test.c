// SPDX-License-Identifier: MIT
// What fits an SM. How it runs what it holds is tested on whole machines, as
// sequences and gaps, in tests/timing.
#include "sm/sm.h"

#include "unit/cmocka_all.h"

static const SmConfig fermi = {
    .max_warps = 48,
    .max_ctas = 8,
    .registers = 32768,
    .register_granularity = 4,
    .shared_kb = 48,
    .shared_granularity_bytes = 1,
};

// CTAs of so many threads, registers a thread and bytes of shared memory.
static uint32_t fit(const SmConfig *config, uint32_t threads, uint32_t registers, uint32_t shared) {
  Function kernel = {.name = "k", .registers = registers, .static_shared_bytes = shared};
  Launch launch = {.kernel = &kernel, .grid = {100, 1, 1}, .block = {threads, 1, 1}};
  return sm_max_ctas(config, &launch);
}

static void each_limit_counts(void **state) {
  (void)state;
  assert_int_equal(fit(&fermi, 32, 1, 0), 8);      // slots of CTAs
  assert_int_equal(fit(&fermi, 256, 8, 0), 6);     // 48 warps
  assert_int_equal(fit(&fermi, 1024, 8, 0), 1);    // 32 of 48 warps
  assert_int_equal(fit(&fermi, 256, 32, 0), 4);    // 8192 of 32768 registers
  assert_int_equal(fit(&fermi, 64, 1, 10000), 4);  // of 49152 bytes
  assert_int_equal(fit(&fermi, 64, 1, 49152), 1);
  assert_int_equal(fit(&fermi, 64, 1, 49153), 0);
}

static void threads_count_by_warps_and_registers_by_fours(void **state) {
  (void)state;
  assert_int_equal(fit(&fermi, 33, 60, 0), fit(&fermi, 64, 60, 0));
  assert_int_equal(fit(&fermi, 256, 21, 0), 5);  // as 24: 6144 each
  assert_int_equal(fit(&fermi, 256, 20, 0), 6);
}

static void shared_memory_counts_by_its_granularity(void **state) {
  (void)state;
  SmConfig config = fermi;
  config.shared_granularity_bytes = 1024;
  assert_int_equal(fit(&config, 32, 1, 6145), 6);  // as 7168
  assert_int_equal(fit(&fermi, 32, 1, 6145), 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_limit_counts),
      cmocka_unit_test(threads_count_by_warps_and_registers_by_fours),
      cmocka_unit_test(shared_memory_counts_by_its_granularity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
