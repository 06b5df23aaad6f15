// SPDX-License-Identifier: MIT
// run.seed: the same kernels under small differences of start and clock. Seed 0 draws nothing;
// that its cycles are those of a machine without this is what tests/reference and tests/timing
// assert.
#include <stdio.h>
#include <string.h>

#include "exec/memory/device_memory.h"
#include "exec/program_image.h"
#include "frontends/ptx/link/load.h"
#include "gpu/gpu.h"
#include "unit/cmocka_all.h"

// Each thread adds a word of another line to its own, so that the DRAM is busy.
static const char text[] =
    ".version 6.0\n.target sm_35\n.address_size 64\n"
    ".visible .entry add(.param .u64 buffer) {\n"
    "  .reg .u32 %r<8>; .reg .u64 %rd<6>;\n"
    "  ld.param.u64 %rd0, [buffer];\n"
    "  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
    "  mad.lo.u32 %r0, %r1, %r2, %r0;\n"
    "  mul.lo.u32 %r4, %r0, 7919; and.b32 %r4, %r4, 65535;\n"
    "  mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n"
    "  mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd0, %rd2;\n"
    "  ld.global.u32 %r3, [%rd2+262144]; ld.global.u32 %r5, [%rd1];\n"
    "  add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;\n"
    "  ret;\n}\n";

enum { CTAS = 100, THREADS = 128, KERNELS = 2, BYTES = 1 << 20 };

typedef struct Results {
  Cycle cycles[KERNELS];
  uint64_t first_sm[KERNELS];
  uint32_t words[CTAS * THREADS];
} Results;

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

static void run_kernel(Gpu *gpu, Program *program, uint64_t buffer) {
  Error err;
  Launch launch;
  const uint32_t grid[3] = {CTAS, 1, 1}, block[3] = {THREADS, 1, 1};
  check(launch_init(&launch, program, program_find_kernel(program, "add"), grid, block,
                    (const uint8_t *)&buffer, 0, 1024, &err),
        &err);
  check(gpu_submit(gpu, &launch, &err), &err);
  check(gpu_run(gpu, &err), &err);
}

static void run(Results *results, const char *seed, const GpuOptions *options) {
  Error err;
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  uint64_t buffer;
  PtxText source = {"perturbation_test.ptx", text, sizeof text - 1};
  memset(results, 0, sizeof *results);
  check(gpu_config_load(&config, "laser13", &err), &err);
  if (seed) check(gpu_config_assign(&config, seed, &err), &err);
  check(gpu_create(&gpu, &config, options, &err), &err);
  check(ptx_load_texts(&program, &source, 1, PROGRAM_BASE, &err), &err);
  check(program_place_variables(program, gpu_memory(gpu), &err), &err);
  check(device_memory_alloc(gpu_memory(gpu), BYTES, ALLOCATION_HEAP, "buffer", &buffer, &err),
        &err);
  for (uint32_t k = 0; k < KERNELS; k++) {
    run_kernel(gpu, program, buffer);
    results->cycles[k] = gpu_kernel(gpu, k)->stats->cycles;
    results->first_sm[k] = gpu_kernel(gpu, k)->first_sm;
  }
  check(device_memory_read(gpu_memory(gpu), buffer, results->words, sizeof results->words, &err),
        &err);
  gpu_destroy(gpu);
  program_destroy(program);
}

static Results base, other, again;

static bool same_cycles(const Results *a, const Results *b) {
  return memcmp(a->cycles, b->cycles, sizeof a->cycles) == 0;
}

static void seed_0_is_a_run_without_seed(void **state) {
  (void)state;
  run(&base, NULL, NULL);
  run(&other, "run.seed=0", NULL);
  assert_memory_equal(&base, &other, sizeof base);
}

// A seed changes when things happen, by little, and never what a program computes.
static void a_seed_changes_cycles_and_no_result(void **state) {
  (void)state;
  run(&base, NULL, NULL);
  uint32_t moved = 0;
  for (int seed = 1; seed <= 3; seed++) {
    char assignment[32];
    snprintf(assignment, sizeof assignment, "run.seed=%d", seed);
    run(&other, assignment, NULL);
    run(&again, assignment, NULL);
    assert_memory_equal(&other, &again, sizeof other);
    assert_memory_equal(base.words, other.words, sizeof base.words);
    assert_false(same_cycles(&base, &other));
    for (int k = 0; k < KERNELS; k++) {
      double ratio = (double)other.cycles[k] / (double)base.cycles[k];
      assert_true(ratio > 0.9 && ratio < 1.1);
      moved += other.first_sm[k] != base.first_sm[k];
    }
  }
  assert_true(moved > 0);  // the first wave goes to the SMs in another order
}

static void seeds_differ(void **state) {
  (void)state;
  run(&base, "run.seed=1", NULL);
  run(&other, "run.seed=2", NULL);
  assert_false(same_cycles(&base, &other));
}

static void skipping_and_threads_change_nothing(void **state) {
  (void)state;
  run(&base, "run.seed=3", NULL);
  run(&other, "run.seed=3", &(GpuOptions){.no_skip = true});
  assert_memory_equal(&base, &other, sizeof base);
  run(&other, "run.seed=3", &(GpuOptions){.threads = 2});
  assert_memory_equal(&base, &other, sizeof base);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seed_0_is_a_run_without_seed),
      cmocka_unit_test(a_seed_changes_cycles_and_no_result),
      cmocka_unit_test(seeds_differ),
      cmocka_unit_test(skipping_and_threads_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
