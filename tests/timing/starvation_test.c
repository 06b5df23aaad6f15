// SPDX-License-Identifier: MIT
// Nobody is left out: every CTA of grids that are much larger than the machine
// runs, and runs once, under each CTA dispatch policy, with each cluster unit, of
// one kernel and of two at once; and every SM of a cluster has its turn at the port.
#include <stdio.h>
#include <string.h>

#include "frontends/ptx/link/load.h"
#include "gpu/gpu.h"
#include "policies/cluster_unit/cluster_unit.h"
#include "policies/cta_dispatch/cta_dispatch.h"
#include "unit/cmocka_all.h"
#include "unit/launch_support.h"

// The first thread of each CTA adds 1 to the CTA's word; every third CTA takes
// longer. All read the first words, so that clusters have lines to share.
static const char text[] =
    ".version 6.0\n.target sm_35\n.address_size 64\n"
    ".visible .entry mark(.param .u64 counts) {\n"
    "  .reg .u32 %r<8>; .reg .u64 %rd<4>; .reg .pred %p, %q;\n"
    "  ld.param.u64 %rd0, [counts]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1; ld.global.u32 %r2, [%rd1];\n"
    "  rem.u32 %r3, %r0, 3; mad.lo.u32 %r3, %r3, 5, 1;\n"
    "again:\n"
    "  add.u32 %r2, %r2, %r3; sub.u32 %r3, %r3, 1; setp.ne.u32 %q, %r3, 0; @%q bra again;\n"
    "  mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1; setp.eq.u32 %p, %r1, 0;\n"
    "  @%p red.global.add.u32 [%rd1], 1;\n"
    "  ret;\n}\n"
    // Each thread writes to 16 lines of its own; the CTA's word gets its SM.
    ".visible .entry stream(.param .u64 data) {\n"
    "  .reg .u32 %r<8>; .reg .u64 %rd<4>; .reg .pred %p, %q;\n"
    "  ld.param.u64 %rd0, [data]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;\n"
    "  mad.lo.u32 %r2, %r0, 32, %r1; mul.wide.u32 %rd1, %r2, 2048; add.u64 %rd1, %rd0, %rd1;\n"
    "  mov.u32 %r3, 16;\n"
    "again:\n"
    "  st.global.u32 [%rd1+4096], %r3; add.u64 %rd1, %rd1, 128;\n"
    "  sub.u32 %r3, %r3, 1; setp.ne.u32 %q, %r3, 0; @%q bra again;\n"
    "  mov.u32 %r6, %smid;\n"
    "  mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1; setp.eq.u32 %p, %r1, 0;\n"
    "  @%p st.global.u32 [%rd1], %r6;\n"
    "  ret;\n}\n";

enum { SMS = 7, PER_CLUSTER = 3, WORDS = 1024 };  // the last cluster has one SM

typedef struct Grid {
  uint32_t ctas, threads;
} Grid;

static void check(Status status, const Error *err, const char *policy) {
  if (status != OK) fail_msg("%s: %s", policy, err->text);
}

static void assert_each_once(Gpu *gpu, uint64_t counts, uint32_t ctas, const char *policy) {
  uint32_t words[WORDS];
  Error err;
  check(device_memory_read(gpu_memory(gpu), counts, words, ctas * 4, &err), &err, policy);
  for (uint32_t i = 0; i < ctas; i++)
    if (words[i] != 1) fail_msg("%s: CTA %u of %u ran %u times", policy, i, ctas, words[i]);
}

static void submit(Gpu *gpu, Program *program, const char *name, uint64_t counts, const Grid *shape,
                   uint32_t stream, const char *policy) {
  const uint32_t grid[3] = {shape->ctas, 1, 1}, block[3] = {shape->threads, 1, 1};
  Launch launch;
  Error err;
  check(launch_init(&launch, program, program_find_kernel(program, name), grid, block,
                    (const uint8_t *)&counts, 0, 1024, &err),
        &err, policy);
  launch.origin.stream = stream;
  check(gpu_submit(gpu, launch_kept(&launch), &err), &err, policy);
}

static void try_grids(const char *dispatch, const char *unit, const Grid *grids, uint32_t count) {
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  uint64_t counts[2];
  Error err;
  PtxText source = {"starvation_test.ptx", text, sizeof text - 1};
  check(gpu_config_load(&config, "clustered60", &err), &err, dispatch);
  config.gpu.sm_count = SMS;
  config.gpu.sms_per_cluster = PER_CLUSTER;
  snprintf(config.policy.cta_dispatch, sizeof config.policy.cta_dispatch, "%s", dispatch);
  snprintf(config.policy.cluster_unit, sizeof config.policy.cluster_unit, "%s", unit);
  check(gpu_create(&gpu, &config, NULL, &err), &err, dispatch);
  check(ptx_load_texts(&program, &source, 1, PROGRAM_BASE, &err), &err, dispatch);
  for (uint32_t i = 0; i < count; i++) {
    check(device_memory_alloc(gpu_memory(gpu), WORDS * 4, ALLOCATION_HEAP, "counts", &counts[i],
                              &err),
          &err, dispatch);
    submit(gpu, program, "mark", counts[i], &grids[i], i + 1, dispatch);
  }
  check(gpu_run(gpu, &err), &err, dispatch);
  for (uint32_t i = 0; i < count; i++) assert_each_once(gpu, counts[i], grids[i].ctas, dispatch);
  gpu_destroy(gpu);
  program_destroy(program);
}

static void every_cta_runs_once(void **state) {
  (void)state;
  static const Grid odd = {301, 64}, wide = {31, 1024};
  for (const PolicyType *const *type = cta_dispatch_family.types; *type; type++) {
    try_grids((*type)->name, "none", &odd, 1);
    try_grids((*type)->name, "none", &wide, 1);
  }
}

static void every_cta_of_two_kernels_runs_once(void **state) {
  (void)state;
  static const Grid both[] = {{150, 96}, {97, 256}};
  for (const PolicyType *const *type = cta_dispatch_family.types; *type; type++)
    for (const PolicyType *const *unit = cluster_unit_family.types; *unit; unit++)
      try_grids((*type)->name, (*unit)->name, both, 2);
}

// How many CTAs each SM of a cluster of four ran, where all want to write at once.
enum { PORT_SMS = 4, PORT_CTAS = 160 };
static void share_a_port(const char *order, uint32_t ctas_of[PORT_SMS]) {
  static const Grid grid = {PORT_CTAS, 32};
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  uint64_t data;
  uint32_t sms[PORT_CTAS];
  Error err;
  PtxText source = {"starvation_test.ptx", text, sizeof text - 1};
  check(gpu_config_load(&config, "clustered60", &err), &err, order);
  check(gpu_config_assign(&config, order, &err), &err, order);
  config.gpu.sm_count = config.gpu.sms_per_cluster = PORT_SMS;
  check(gpu_create(&gpu, &config, NULL, &err), &err, order);
  check(ptx_load_texts(&program, &source, 1, PROGRAM_BASE, &err), &err, order);
  check(device_memory_alloc(gpu_memory(gpu), PORT_CTAS * 65536 + 4096, ALLOCATION_HEAP, "data",
                            &data, &err),
        &err, order);
  submit(gpu, program, "stream", data, &grid, 1, order);
  check(gpu_run(gpu, &err), &err, order);
  check(device_memory_read(gpu_memory(gpu), data, sms, sizeof sms, &err), &err, order);
  memset(ctas_of, 0, sizeof(uint32_t) * PORT_SMS);
  for (int i = 0; i < PORT_CTAS; i++) ctas_of[sms[i]]++;
  gpu_destroy(gpu);
  program_destroy(program);
}

static void sms_of_a_cluster_take_turns_at_its_port(void **state) {
  (void)state;
  uint32_t fixed[PORT_SMS], turns[PORT_SMS];
  share_a_port("gpu.cluster_order=fixed", fixed);
  share_a_port("gpu.cluster_order=turns", turns);
  assert_true(fixed[0] > 100);
  for (int s = 0; s < PORT_SMS; s++) assert_in_range(turns[s], 25, 55);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cta_runs_once),
      cmocka_unit_test(every_cta_of_two_kernels_runs_once),
      cmocka_unit_test(sms_of_a_cluster_take_turns_at_its_port),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
