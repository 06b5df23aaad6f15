// SPDX-License-Identifier: MIT
// An SM that divides one memory between L1D and shared memory. A CTA of these
// kernels has 16 KB of shared memory; the first loads 800 lines of 128 bytes,
// twice, and stores elsewhere.
#include "timing/issue_log.h"
#include "unit/launch_support.h"

static IssueLog issues;

enum { LINES = 800, LOADS = LINES / 32 };

static const char *loads_twice(void) {
  static char text[8192];
  int used = snprintf(text, sizeof text,
                      "st.shared.u32 [shared], %%r0;\nmov.u32 %%r1, %%ctaid.x;\nsetp.ne.u32 %%p1, %%r1, 0;\n@%%p1 exit;\n"
                      "mul.wide.u32 %%rd1, %%r0, 128;\nadd.s64 %%rd2, %%rd1, %%rd0;\n"
                      "mov.u32 %%r3, 0;\n");
  for (int i = 0; i < 2 * LOADS; i++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "ld.global.u32 %%r2, [%%rd2+%d];\nadd.u32 %%r3, %%r3, %%r2;\n",
                     i % LOADS * 32 * 128);
  snprintf(text + used, sizeof text - (size_t)used, "st.global.u32 [%%rd2+2097152], %%r3;\n");
  return text;
}

// 128 KB in 16 sets of 64 ways; as many CTAs as max_ctas.
static GpuConfig unified(uint32_t max_ctas) {
  GpuConfig config = log_config(1);
  config.sm.unified_kb = 128;
  config.sm.max_ctas = max_ctas;
  config.sm.shared_kb = 96;
  config.l1d.ways = 64;
  config.l1d.index_hash = INDEX_LINEAR;
  return config;
}

static uint64_t hits_with(const GpuConfig *config, uint32_t ctas) {
  log_run(&issues, config, ctas, 32, loads_twice());
  assert_int_equal(issues.stats.l1d.reads, 2 * LINES);
  return issues.stats.l1d.hits;
}

static void the_l1d_gets_what_shared_memory_leaves(void **state) {
  (void)state;
  GpuConfig config = unified(1);
  assert_int_equal(hits_with(&config, 1), LINES);  // 112 KB are 896 lines
  config = unified(4);
  assert_int_equal(hits_with(&config, 4), 0);  // 64 KB are 512, used round and round
  assert_int_equal(hits_with(&config, 1), LINES);  // four would fit, but there is one
}

// Without it, the size is the configuration's, and the options mean nothing.
static void apart_they_keep_their_sizes(void **state) {
  (void)state;
  GpuConfig config = unified(1);
  config.sm.unified_kb = 0;
  config.l1d.sets = 4;  // 32 KB
  assert_int_equal(hits_with(&config, 1), 0);
  config.l1d.sets = 16;
  assert_int_equal(hits_with(&config, 4), LINES);
}

// 100 of 128 KB leave 28, 14 of 64 ways: 224 lines.
static void options_need_no_round_numbers(void **state) {
  (void)state;
  GpuConfig config = unified(6);
  strcpy(config.sm.shared_options_kb, "0,100");
  assert_int_equal(hits_with(&config, 6), 0);
  CarveOut carve_out;
  Error err;
  assert_int_equal(carve_out_init(&carve_out, &config.sm, &err), OK);
  assert_true(carve_out_choose(&carve_out, 0));
  assert_int_equal(carve_out_ways(&carve_out, 64), 64);
  assert_true(carve_out_choose(&carve_out, 1));
  assert_false(carve_out_choose(&carve_out, 96 * 1024));
  assert_int_equal(carve_out_ways(&carve_out, 64), 14);
}

// Cycles of two kernels in two streams, of one CTA each: 16 KB of shared memory,
// and 60 KB more.
static Cycle cycles_of_two(const char *options) {
  GpuConfig config = unified(8);
  Error err;
  Gpu *gpu;
  Program *program;
  strcpy(config.sm.shared_options_kb, options);
  log_wrap(&issues, loads_twice());
  PtxText text = {"test.ptx", issues.text, strlen(issues.text)};
  log_check(ptx_load_texts(&program, &text, 1, PROGRAM_BASE, &err), &err);
  log_check(gpu_create(&gpu, &config, NULL, &err), &err);
  log_check(program_place_variables(program, gpu_memory(gpu), &err), &err);
  uint64_t buffer;
  log_check(device_memory_alloc(gpu_memory(gpu), LOG_BUFFER_BYTES, ALLOCATION_HEAP, "buffer",
                                &buffer, &err),
            &err);
  for (uint32_t i = 0; i < 2; i++) {
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {32, 1, 1};
    Launch launch;
    log_check(launch_init(&launch, program, program_find_kernel(program, "k"), grid, block,
                          (const uint8_t *)&buffer, i * 60 * 1024, 1024, &err),
              &err);
    launch.origin.stream = i + 1;
    log_check(gpu_submit(gpu, launch_kept(&launch), &err), &err);
  }
  log_check(gpu_run(gpu, &err), &err);
  Cycle cycles = gpu_total(gpu)->cycles;
  gpu_destroy(gpu);
  program_destroy(program);
  return cycles;
}

// Divided for the first kernel, the SM has no room for the second until the
// first has gone; divided for both by chance, they run at once.
static void a_division_stays_while_ctas_are_there(void **state) {
  (void)state;
  Cycle one_by_one = cycles_of_two("0,16,96"), at_once = cycles_of_two("96");
  assert_true(one_by_one > at_once * 3 / 2);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *options, *part;
  } wrong[] = {
      {"0,128", "128 KB leave no room for the L1D in sm.unified_kb = 128"},
      {"", "expected up to 16 ascending numbers"},
      {"0,8,8", "at '8'"},
      {"8,0", "at '0'"},
      {"0,8k", "at '8k'"},
      {"0,-1", "at '-1'"},
      {"0,8,", "at ''"},
      {"0,64", "sm.shared_kb = 96 exceeds the largest of sm.shared_options_kb = 0,64"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    GpuConfig config = unified(1);
    Error err = {0};
    Gpu *gpu;
    strcpy(config.sm.shared_options_kb, wrong[i].options);
    Status status = gpu_create(&gpu, &config, NULL, &err);
    if (status == OK) gpu_destroy(gpu);
    if (status != ERR_CONFIG || !strstr(err.text, wrong[i].part))
      fail_msg("'%s': %s", wrong[i].options, err.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_l1d_gets_what_shared_memory_leaves),
      cmocka_unit_test(apart_they_keep_their_sizes),
      cmocka_unit_test(options_need_no_round_numbers),
      cmocka_unit_test(a_division_stays_while_ctas_are_there),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
