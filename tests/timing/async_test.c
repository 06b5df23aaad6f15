// SPDX-License-Identifier: MIT
// Asynchronous copies take their time: groups, arrivals at mbarriers and bulk copies end when the
// data have arrived, and double buffering hides that time behind work.
#include "timing/issue_log.h"

static IssueLog issues;

static GpuConfig config_of(const char *gpu) {
  GpuConfig config;
  Error err;
  log_check(gpu_config_load(&config, gpu, &err), &err);
  config.gpu.sm_count = 1;
  config.gpu.host_launch_cycles = 0;
  config.l1i.enabled = config.l1c.enabled = false;
  return config;
}

// The same lines for a load past the L1: what the copy should take at least.
static int64_t load_gap(const GpuConfig *config) {
  log_run(&issues, config, 1, 32,
          "shl.b32 %r1, %r0, 4;\ncvt.u64.u32 %rd1, %r1;\nadd.u64 %rd1, %rd0, %rd1;\n"
          "ld.global.cg.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1];  // A\n"
          "add.u32 %r8, %r4, %r5;  // B\nst.global.u32 [%rd0], %r8;\n");
  return log_gap(&issues, "A", "B");
}

#define COPY "cp.async.cg.shared.global [%r2], [%rd1], 16;"
#define ADDRESSES                                                             \
  "shl.b32 %r1, %r0, 4;\ncvt.u64.u32 %rd1, %r1;\nadd.u64 %rd1, %rd0, %rd1;\n" \
  "mov.u32 %r2, shared;\nadd.u32 %r2, %r2, %r1;\n"

static void a_wait_for_groups_lasts_until_their_data_are_there(void **state) {
  (void)state;
  GpuConfig config = config_of("a100");
  int64_t load = load_gap(&config);
  assert_true(load > 200);
  log_run(&issues, &config, 1, 32,
          ADDRESSES COPY
          "  // A\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
          "ld.shared.u32 %r3, [%r2];  // B\nst.global.u32 [%rd0], %r3;\n");
  int64_t copy = log_gap(&issues, "A", "B");
  assert_true(copy > load - 40 && copy < load + 60);
  // One group may be left: the wait is over when the first has arrived, and without a wait there is
  // none.
  log_run(&issues, &config, 1, 32,
          ADDRESSES COPY
          "  // A\ncp.async.commit_group;\ncp.async.wait_group 1;\n"
          "ld.shared.u32 %r3, [%r2];  // B\nst.global.u32 [%rd0], %r3;\n");
  assert_true(log_gap(&issues, "A", "B") < 40);
  // An open group is waited for by wait_all only.
  log_run(&issues, &config, 1, 32,
          ADDRESSES COPY
          "  // A\ncp.async.wait_group 0;\nadd.u32 %r3, %r0, 1;  // B\n"
          "cp.async.wait_all;\nadd.u32 %r4, %r0, 2;  // C\nst.global.u32 [%rd0], %r4;\n");
  assert_true(log_gap(&issues, "A", "B") < 60);
  assert_true(log_gap(&issues, "A", "C") > load - 40);
}

#define BARRIER "mov.u32 %r9, shared;\nadd.u32 %r9, %r9, 8192;\n"
#define INIT(count) \
  "setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [%r9], " count ";\nbar.sync 0;\n"
#define UNTIL_OVER                                                                 \
  "again:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;\n@!%p2 bra again;\n" \
  "ld.shared.u32 %r3, [%r2];  // B\nst.global.u32 [%rd0], %r3;\n"

static void arrivals_follow_the_copies_before_them(void **state) {
  (void)state;
  GpuConfig config = config_of("a100");
  int64_t load = load_gap(&config);
  log_run(&issues, &config, 1, 32,
          ADDRESSES BARRIER INIT("32") COPY
          "  // A\ncp.async.mbarrier.arrive.noinc.shared.b64 [%r9];\n" UNTIL_OVER);
  int64_t copy = log_gap(&issues, "A", "B");
  assert_true(copy > load - 40 && copy < load + 120);
  // The warp is suspended: it does not poll.
  uint32_t polls = 0;
  for (uint32_t i = 0; i < issues.count; i++) polls += issues.entries[i].kind == EVENT_ISSUE;
  assert_true(polls < 30);
}

static void bulk_copies_complete_bytes_when_they_have_arrived(void **state) {
  (void)state;
  GpuConfig config = config_of("h100");
  int64_t load = load_gap(&config), few, many;
  const char *text =
      ADDRESSES BARRIER INIT("1")
      "@!%%p1 bra again;\nmbarrier.arrive.expect_tx.shared.b64 _, [%%r9], %u;  // A\n"
      "mov.u32 %%r5, shared;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r5], [%%rd0], %u, [%%r9];\n"
      "again:\nmbarrier.try_wait.parity.shared.b64 %%p2, [%%r9], 0;\n@!%%p2 bra again;\n"
      "ld.shared.u32 %%r3, [%%r2];  // B\nst.global.u32 [%%rd0], %%r3;\n";
  static char body[4096];
  const char *rest = strstr(text, "@!%%p1");
  assert_non_null(rest);
  for (int k = 0; k < 2; k++) {
    uint32_t bytes = k ? 8192 : 512;
    int used = snprintf(body, sizeof body, "%.*s", (int)(rest - text), text);
    snprintf(body + used, sizeof body - (size_t)used, rest, bytes, bytes);
    log_run(&issues, &config, 1, 32, body);
    *(k ? &many : &few) = log_gap(&issues, "A", "B");
  }
  assert_true(few > load && few < load + 250);
  // 64 bytes per cycle; some of the many may be in the far half of the L2.
  int64_t far = config.partition.far_cycles;
  assert_true(many - few > (8192 - 512) / 64 - 20 && many - few < (8192 - 512) / 64 + 150 + far);
}

// Sixteen tiles of 4 KB, each read and worked on; with two buffers the next is on its way
// meanwhile.
static Cycle pipeline(const GpuConfig *config, bool is_double) {
  static char body[8192];
  const char *work = "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r6];\n";
  size_t used = 0;
#define PUT(...) used += (size_t)snprintf(body + used, sizeof body - used, __VA_ARGS__)
  PUT("%s", ADDRESSES "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\n");
  if (is_double) PUT("%s", COPY "\ncp.async.commit_group;\n");
  PUT("loop:\n%s", is_double ? "" : COPY "\ncp.async.commit_group;\ncp.async.wait_group 0;\n");
  if (is_double)
    PUT("add.u64 %%rd1, %%rd1, 4096;\nxor.b32 %%r11, %%r11, 4096;\nadd.u32 %%r7, %%r2, %%r11;\n"
        "cp.async.cg.shared.global [%%r7], [%%rd1], 16;\ncp.async.commit_group;\n"
        "cp.async.wait_group 1;\n");
  else
    PUT("add.u64 %%rd1, %%rd1, 4096;\n");
  PUT("bar.sync 0;\nxor.b32 %%r8, %%r11, 4096;\nadd.u32 %%r6, %%r2, %%r8;\n%s", work);
  for (int i = 0; i < 60; i++) PUT("fma.rn.f32 %%f5, %%f5, %%f1, %%f2;\n");
  PUT("bar.sync 0;\nadd.u32 %%r10, %%r10, 1;\nsetp.lt.u32 %%p1, %%r10, 16;\n@%%p1 bra loop;\n"
      "st.global.f32 [%%rd0], %%f5;\n");
#undef PUT
  log_run(&issues, config, 1, 256, body);
  return issues.cycles;
}

static void double_buffering_gains(void **state) {
  (void)state;
  GpuConfig config = config_of("a100");
  Cycle single = pipeline(&config, false), twice = pipeline(&config, true);
  assert_true(twice * 10 < single * 8);  // at least a fifth
  // The result does not depend on skipped cycles.
  assert_int_equal(pipeline(&config, true), twice);
}

// Two CTAs store to one another, and wait for what they get.
static void stores_to_another_cta_take_the_latency_of_the_way_there(void **state) {
  (void)state;
  GpuConfig config = config_of("h100");
  config.gpu.sm_count = 2;
  log_directives = ".reqnctapercluster 2, 1, 1";
  const char *body = BARRIER INIT("1")
      "mov.u32 %r2, shared;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 128;\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
      "mov.u32 %r4, %cluster_ctarank;\nxor.b32 %r4, %r4, 1;\n"
      "mapa.shared::cluster.u32 %r5, %r2, %r4;\nmapa.shared::cluster.u32 %r6, %r9, %r4;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %r0, [%r6];  // A\n"
      UNTIL_OVER "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  log_run(&issues, &config, 2, 32, body);
  int64_t near = log_gap(&issues, "A", "B");
  config.sm.remote_latency_cycles += 500;
  log_run(&issues, &config, 2, 32, body);
  log_directives = "";
  assert_true(near > config.sm.remote_latency_cycles - 500);
  assert_int_equal(log_gap(&issues, "A", "B"), near + 500);
}

// Warp 0 wants the registers that warp 1 gives back when its load has returned.
static void registers_are_waited_for(void **state) {
  (void)state;
  GpuConfig config = config_of("h100");
  const char *body =
      "setp.lt.u32 %p1, %r0, 32;  // A\n@%p1 bra more;\n"
      "ld.global.cg.u32 %r1, [%rd0];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd0], %r2;\n"
      "setmaxnreg.dec.sync.aligned.u32 24;\nbra done;\n"
      "more:\nsetmaxnreg.inc.sync.aligned.u32 40;\nadd.u32 %r3, %r0, 1;  // B\n"
      "st.global.u32 [%rd0+8], %r3;\ndone:\n";
  log_directives = ".maxnreg 32";
  log_run(&issues, &config, 1, 64, body);
  int64_t held = log_gap(&issues, "A", "B");
  log_directives = "";  // registers at the start are not known: no effect
  log_run(&issues, &config, 1, 64, body);
  assert_true(held > 200 && log_gap(&issues, "A", "B") < 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wait_for_groups_lasts_until_their_data_are_there),
      cmocka_unit_test(arrivals_follow_the_copies_before_them),
      cmocka_unit_test(bulk_copies_complete_bytes_when_they_have_arrived),
      cmocka_unit_test(double_buffering_gains),
      cmocka_unit_test(stores_to_another_cta_take_the_latency_of_the_way_there),
      cmocka_unit_test(registers_are_waited_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
