// SPDX-License-Identifier: MIT
// What fits an SM. How it runs what it holds is tested on whole machines, as
// sequences and gaps, in tests/timing.
#include "sm/sm.h"

#include "gpu/config/gpu_config.h"
#include "unit/cmocka_all.h"

static const SmConfig fermi = {
    .max_warps = 48,
    .max_ctas = 8,
    .registers = 32768,
    .register_granularity = 4,
    .thread_registers = 63,
    .shared_kb = 48,
    .shared_granularity_bytes = 1,
};

// CTAs of so many threads, registers a thread and bytes of shared memory.
static uint32_t fit(const SmConfig *config, uint32_t threads, uint32_t registers, uint32_t shared) {
  Function kernel = {.name = "k", .registers = registers, .static_shared_bytes = shared};
  Launch launch = {.kernel = &kernel, .grid = {100, 1, 1}, .block = {threads, 1, 1}};
  return sm_max_ctas(config, &launch);
}

static CtaLimits limits(uint32_t ctas, uint32_t threads, uint32_t registers, uint32_t shared) {
  Function kernel = {.name = "k", .registers = registers, .static_shared_bytes = shared};
  Launch launch = {.kernel = &kernel, .grid = {ctas, 1, 1}, .block = {threads, 1, 1}};
  return cta_limits(&fermi, &launch, 15);
}

static void the_limit_of_occupancy_is_named(void **state) {
  (void)state;
  assert_int_equal(limits(1000, 32, 1, 0).limit, LIMIT_CTAS);
  assert_int_equal(limits(1000, 256, 8, 0).limit, LIMIT_WARPS);
  assert_int_equal(limits(1000, 1024, 8, 0).limit, LIMIT_WARPS);
  CtaLimits by_registers = limits(1000, 256, 32, 0);
  assert_int_equal(by_registers.limit, LIMIT_REGISTERS);
  assert_int_equal(by_registers.relaxed,
                   32768 / 256 / 5 / fermi.register_granularity * fermi.register_granularity);
  assert_int_equal(by_registers.relaxed_ctas, 5);
  CtaLimits by_shared = limits(1000, 64, 1, 10000);
  assert_int_equal(by_shared.limit, LIMIT_SHARED);
  assert_int_equal(fit(&fermi, 64, 1, by_shared.relaxed), by_shared.relaxed_ctas);
  assert_int_equal(by_shared.relaxed_ctas, 5);
  assert_int_equal(fit(&fermi, 64, 1, by_shared.relaxed + 1), 4);
  assert_int_equal(fit(&fermi, 256, by_registers.relaxed, 0), 5);
  assert_int_equal(fit(&fermi, 256, by_registers.relaxed + 1, 0), 4);
}

// Warps are named where registers limit alike: fewer would not help.
static void of_equal_limits_the_one_that_cannot_be_relaxed_is_named(void **state) {
  (void)state;
  CtaLimits both = limits(1000, 256, 20, 0);
  assert_int_equal(both.ctas[LIMIT_REGISTERS], 6);
  assert_int_equal(both.limit, LIMIT_WARPS);
  assert_int_equal(both.relaxed, 0);
}

// Six CTAs per SM: the grid limits if SMs have five or fewer.
static void a_grid_is_small_if_no_sm_is_full(void **state) {
  (void)state;
  assert_false(limits(15 * 6, 256, 8, 0).grid_is_small);
  assert_false(limits(15 * 5 + 1, 256, 8, 0).grid_is_small);
  assert_true(limits(15 * 5, 256, 8, 0).grid_is_small);
  assert_true(limits(1, 256, 8, 0).grid_is_small);
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

static void a_thread_has_no_more_registers_than_it_can_name(void **state) {
  (void)state;
  SmConfig kepler = fermi;
  kepler.thread_registers = 255;
  assert_int_equal(fit(&fermi, 64, 63, 0), 8);   // 4096 each, as 64
  assert_int_equal(fit(&fermi, 64, 100, 0), 8);
  assert_int_equal(fit(&kepler, 64, 100, 0), 5);
  assert_int_equal(fit(&kepler, 64, 300, 0), 2);
  assert_int_equal(sm_thread_registers(&fermi, &(Function){.registers = 100}), 63);
  assert_int_equal(sm_thread_registers(&fermi, &(Function){.registers = 20}), 20);
}

// As the data sheets have it.
static void gpus_have_the_limits_of_their_families(void **state) {
  (void)state;
  static const struct {
    const char *gpu;
    uint32_t most;
  } gpus[] = {{"gtx480", 63}, {"gtx570", 63}, {"gtx480-3.2", 63}, {"clustered60", 63},
              {"apres15", 63}, {"k40", 255}, {"laser13", 255}, {"gtx980", 255}, {"v100", 255}};
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
    GpuConfig config;
    assert_int_equal(gpu_config_load(&config, gpus[i].gpu, NULL), OK);
    assert_int_equal(config.sm.thread_registers, gpus[i].most);
  }
}

static void shared_memory_counts_by_its_granularity(void **state) {
  (void)state;
  SmConfig config = fermi;
  config.shared_granularity_bytes = 1024;
  assert_int_equal(fit(&config, 32, 1, 6145), 6);  // as 7168
  assert_int_equal(fit(&fermi, 32, 1, 6145), 7);
}

// 48 KB are five CTAs of 8 KB and 1 KB each; a CTA that needs all of it still fits.
static void what_the_system_keeps_of_each_cta_counts(void **state) {
  (void)state;
  SmConfig config = fermi;
  config.shared_reserved_bytes = 1024;
  assert_int_equal(fit(&fermi, 32, 1, 8192), 6);
  assert_int_equal(fit(&config, 32, 1, 8192), 5);
  assert_int_equal(fit(&config, 32, 1, 48 * 1024), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_system_keeps_of_each_cta_counts),
      cmocka_unit_test(each_limit_counts),
      cmocka_unit_test(the_limit_of_occupancy_is_named),
      cmocka_unit_test(of_equal_limits_the_one_that_cannot_be_relaxed_is_named),
      cmocka_unit_test(a_grid_is_small_if_no_sm_is_full),
      cmocka_unit_test(threads_count_by_warps_and_registers_by_fours),
      cmocka_unit_test(a_thread_has_no_more_registers_than_it_can_name),
      cmocka_unit_test(gpus_have_the_limits_of_their_families),
      cmocka_unit_test(shared_memory_counts_by_its_granularity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
