// SPDX-License-Identifier: MIT
// Fences on an idle GPU, as ptxas compiles them from Volta on (sm.fence_scopes): one that reaches
// beyond the CTA waits until the stores and atomics of its warp are acknowledged, and empties the
// L1D. A store is acknowledged as late as a load is answered by the L2 (memory_latency_test.c).
#include "timing/issue_log.h"

static IssueLog issues;

static void run(bool has_scopes, const char *text) {
  GpuConfig config = log_config(1);
  config.sm.fence_scopes = has_scopes;
  config.sm.fence_invalidates_l1 = true;
  config.sm.atomics_stall_warp = false;
  log_run(&issues, &config, 1, 32, text);
}

#define LINE "mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"
#define NEXT "add.u32 %r3, %r0, 1;  // next\n"
#define STORE "st.global.u32 [%rd1], %r0;  // access\n"

static int64_t after(bool has_scopes, const char *text) {
  run(has_scopes, text);
  return log_gap(&issues, "access", "next");
}

static void a_fence_beyond_the_cta_waits_for_stores(void **state) {
  (void)state;
  int64_t none = after(true, LINE STORE NEXT);
  int64_t old = after(false, LINE STORE "membar.gl;\n" NEXT);
  assert_true(old < none + 10);
  assert_true(after(true, LINE STORE "membar.cta;\n" NEXT) == old);
  int64_t gpu = after(true, LINE STORE "membar.gl;\n" NEXT);
  assert_in_range(gpu, 170, 190);
  assert_true(after(true, LINE STORE "membar.sys;\n" NEXT) == gpu);
  assert_true(after(true, LINE STORE "fence.acq_rel.gpu;\n" NEXT) == gpu);
}

static void a_fence_waits_for_atomics_without_result(void **state) {
  (void)state;
  const char *text = LINE "red.global.add.u32 [%rd1], %r0;  // access\nmembar.gl;\n" NEXT;
  assert_true(after(false, text) < 20);
  assert_in_range(after(true, text), 260, 300);  // from DRAM
}

static uint64_t misses_with(const char *between) {
  static const char first[] = LINE "ld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 0;\n";
  char text[512];
  snprintf(text, sizeof text, "%s%s\nld.global.u32 %%r2, [%%rd1];\n", first, between);
  run(true, text);
  return issues.stats.l1d.misses;
}

static void the_l1d_keeps_lines_at_a_fence_of_the_cta(void **state) {
  (void)state;
  assert_int_equal(misses_with(""), 1);
  assert_int_equal(misses_with("membar.cta;"), 1);
  assert_int_equal(misses_with("membar.gl;"), 2);
  assert_int_equal(misses_with("fence.acq_rel.cta;"), 1);
  assert_int_equal(misses_with("fence.acq_rel.gpu;"), 2);
}

// The acquiring load itself goes past the L1D.
static void an_acquiring_load_empties_the_l1d(void **state) {
  (void)state;
  assert_int_equal(misses_with("ld.relaxed.gpu.global.u32 %r4, [%rd0+4096];\n"
                               "add.u32 %r4, %r4, 0;"),
                   1);
  assert_int_equal(misses_with("ld.acquire.gpu.global.u32 %r4, [%rd0+4096];\n"
                               "add.u32 %r4, %r4, 0;"),
                   2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fence_beyond_the_cta_waits_for_stores),
      cmocka_unit_test(a_fence_waits_for_atomics_without_result),
      cmocka_unit_test(the_l1d_keeps_lines_at_a_fence_of_the_cta),
      cmocka_unit_test(an_acquiring_load_empties_the_l1d),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
