// SPDX-License-Identifier: MIT
// Random trees of launches under schedulers of kernels, CTAs and warps that care for them: every
// CTA of every kernel runs, and runs once, and results are the same on any number of threads.
//
//   launch_trees_test      each combination of three schedulers runs its share of the trees
//   launch_trees_test all  each runs all of them: 25,600 trees, a minute
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frontends/ptx/link/load.h"
#include "gpu/gpu.h"
#include "policies/reuse_profile.h"
#include "unit/cmocka_all.h"
#include "unit/launching_ptx.h"
#include "unit/launch_support.h"

// A node has 32 bytes: its children (address, count), its CTAs, the CTA that launches, and the
// words of its CTAs. The first thread of each CTA counts it and reads its node and its parent's.
static const char text[] = PTX_HEAD PTX_RUNTIME
    ".visible .entry visit(.param .u64 node) {\n"
    "  .reg .u64 %rd<8>; .reg .u32 %r<10>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [node]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;\n"
    "  ld.global.u64 %rd3, [%rd0]; ld.global.u32 %r5, [%rd0+8]; ld.global.u32 %r6, [%rd0+16];\n"
    "  ld.global.u64 %rd4, [%rd0+24]; mul.wide.u32 %rd6, %r0, 4; add.u64 %rd4, %rd4, %rd6;\n"
    "  setp.ne.u32 %p, %r1, 0; @%p bra done;\n"
    "  red.global.add.u32 [%rd4], 1;\n"
    "  setp.ne.u32 %p, %r0, %r6; @%p bra done;\n"
    "again: setp.eq.u32 %p, %r5, 0; @%p bra done;\n"
    "  ld.global.u32 %r7, [%rd3+12]; mov.u64 %rd5, 18446744073709551615;\n"
    "  { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;\n"
    "    .param .b64 r; mov.u64 %rd1, visit; mov.u32 %r2, 1; mov.u32 %r3, 0; mov.u32 %r8, 64;\n"
    "    st.param.b64 [f], %rd1; st.param.b32 [g], %r7; st.param.b32 [g+4], %r2;\n"
    "    st.param.b32 [g+8], %r2; st.param.b32 [b], %r8; st.param.b32 [b+4], %r2;\n"
    "    st.param.b32 [b+8], %r2; st.param.b32 [s], %r3;\n"
    "    call.uni (r), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd2, [r]; }\n"
    "  st.u64 [%rd2], %rd3; mov.u64 %rd5, 0;\n"
    "  { .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd2;\n"
    "    st.param.b64 [s], %rd5; call.uni (r), cudaLaunchDeviceV2, (p, s);\n"
    "    ld.param.b32 %r4, [r]; }\n"
    "  add.u64 %rd3, %rd3, 32; sub.u32 %r5, %r5, 1; bra again;\n"
    "done: ret;\n}\n";

enum { MOST_NODES = 16, MOST_CTAS = 10, TREES = 200, SMS = 3 };

typedef struct Node {
  uint64_t children;
  uint32_t child_count, ctas, launcher, unused;
  uint64_t words;
} Node;

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state >> 11;
}

static void check(Status status, const Error *err, const char *what) {
  if (status != OK) fail_msg("%s: %s", what, err->text);
}

typedef struct Rig {
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  uint64_t nodes, words;
  const char *name;
} Rig;

static void rig_init(Rig *rig, const char *kernels, const char *ctas, const char *warps,
                     const char *shared, uint32_t threads) {
  static char name[256];
  Error err;
  PtxText source = {"launch_trees_test.ptx", text, sizeof text - 1};
  snprintf(name, sizeof name, "%s + %s + %s", kernels, ctas, warps);
  rig->name = name;
  check(gpu_config_load(&rig->config, "laser13", &err), &err, name);
  rig->config.gpu.sm_count = SMS;
  rig->config.gpu.launch_base_cycles = 300;  // so that parents and children overlap
  rig->config.gpu.launch_cycles_each = 20;
  rig->config.gpu.hardware_queues = 4;
  rig->config.sm.max_ctas = 3;
  snprintf(rig->config.policy.kernel_scheduler, POLICY_SPEC_BYTES, "%s", kernels);
  snprintf(rig->config.policy.cta_dispatch, POLICY_SPEC_BYTES, "%s", ctas);
  snprintf(rig->config.policy.warp_scheduler, POLICY_SPEC_BYTES, "%s", warps);
  snprintf(rig->config.policy.shared, POLICY_SPEC_BYTES, "%s", shared);
  check(gpu_create(&rig->gpu, &rig->config, &(GpuOptions){.threads = threads}, &err), &err, name);
  check(ptx_load_texts(&rig->program, &source, 1, PROGRAM_BASE, &err), &err, name);
  DeviceMemory *memory = gpu_memory(rig->gpu);
  check(device_memory_alloc(memory, sizeof(Node) * MOST_NODES, ALLOCATION_HEAP, "nodes",
                            &rig->nodes, &err),
        &err, name);
  check(device_memory_alloc(memory, 4 * MOST_NODES * MOST_CTAS, ALLOCATION_HEAP, "words",
                            &rig->words, &err),
        &err, name);
}

static void rig_clear(Rig *rig) {
  gpu_destroy(rig->gpu);
  program_destroy(rig->program);
}

// Children of a node stand together, behind it. Returns the number of nodes.
static uint32_t draw_tree(const Rig *rig, uint64_t seed, Node nodes[MOST_NODES]) {
  uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
  uint32_t count = 1, wanted = 1 + (uint32_t)(next_random(&random) % MOST_NODES);
  for (uint32_t i = 0; i < count; i++) {
    Node *node = &nodes[i];
    *node = (Node){.ctas = 1 + (uint32_t)(next_random(&random) % MOST_CTAS),
                   .words = rig->words + 4 * MOST_CTAS * i,
                   .children = rig->nodes + sizeof(Node) * count};
    node->launcher = (uint32_t)(next_random(&random) % node->ctas);
    uint32_t children = 1 + (uint32_t)(next_random(&random) % 6);
    node->child_count = children < wanted - count ? children : wanted - count;
    count += node->child_count;
  }
  return count;
}

static void submit_root(Rig *rig, uint32_t ctas) {
  const uint32_t grid[3] = {ctas, 1, 1}, block[3] = {64, 1, 1};
  Launch launch;
  Error err;
  check(launch_init(&launch, rig->program, program_find_kernel(rig->program, "visit"), grid, block,
                    (const uint8_t *)&rig->nodes, 0, 1024, &err),
        &err, rig->name);
  check(gpu_submit(rig->gpu, launch_kept(&launch), &err), &err, rig->name);
}

static void run_tree(Rig *rig, uint64_t seed) {
  static const uint32_t zeros[MOST_NODES * MOST_CTAS];
  uint32_t words[MOST_NODES * MOST_CTAS];
  Node nodes[MOST_NODES];
  Error err;
  DeviceMemory *memory = gpu_memory(rig->gpu);
  uint32_t count = draw_tree(rig, seed, nodes);
  check(device_memory_write(memory, rig->nodes, nodes, sizeof *nodes * count, &err), &err,
        rig->name);
  check(device_memory_write(memory, rig->words, zeros, sizeof zeros, &err), &err, rig->name);
  submit_root(rig, nodes[0].ctas);
  check(gpu_run(rig->gpu, &err), &err, rig->name);
  check(device_memory_read(memory, rig->words, words, sizeof words, &err), &err, rig->name);
  for (uint32_t n = 0; n < count; n++)
    for (uint32_t c = 0; c < MOST_CTAS; c++)
      if (words[n * MOST_CTAS + c] != (c < nodes[n].ctas))
        fail_msg("%s, tree %llu: CTA %u of node %u ran %u times", rig->name,
                 (unsigned long long)seed, c, n, words[n * MOST_CTAS + c]);
}

static const char *const kernel_names[] = {"fcfs", "laser_kernels", "laperm_kernels",
                                           "reuse_first"};
static const char *const cta_names[] = {"round_robin",
                                        "laser_ctas",
                                        "laser_ctas:steal=full,orphans=stay",
                                        "laser_ctas:steal=never,queue_cycles=77",
                                        "laperm_ctas",
                                        "laperm_ctas:binding=sm",
                                        "laperm_ctas:binding=none",
                                        "reuse_chains"};
static const char *const warp_names[] = {"gto", "laser_warps", "reuse_groups", "owl"};
enum { KERNEL_NAMES = 4, CTA_NAMES = 8, WARP_NAMES = 4 };

static bool runs_all;

// ---- the limit study's prior knowledge

extern const ObserverType reuse_profile_observer;

static char profile_path[64];

// Trees first, first + step, ... as the baseline runs them. Siblings are neighbours in memory,
// so that there are chains.
static void record_trees(uint64_t first, uint64_t end, uint64_t step) {
  Rig rig;
  Error err;
  char spec[128];
  ReuseProfile profile;
  ResultTables tables = {0};
  snprintf(profile_path, sizeof profile_path, "/tmp/heddle_trees_%d", (int)getpid());
  snprintf(spec, sizeof spec, "reuse_profile:file=%s", profile_path);
  rig_init(&rig, "fcfs", "round_robin", "gto", "", 1);
  check(gpu_observe(rig.gpu, &reuse_profile_observer, spec, &err), &err, spec);
  for (uint64_t seed = first; seed < end; seed += step) run_tree(&rig, seed);
  gpu_report(rig.gpu, &tables);
  result_tables_clear(&tables);
  rig_clear(&rig);
  check(reuse_profile_open(&profile, profile_path, &err), &err, spec);
  assert_true(profile.chain_count > 0 && profile.pair_count > 0);
  reuse_profile_close(&profile);
}

// What schedulers share: those with prior knowledge refuse kernels that were not recorded.
static const char *knowledge(const char *kernels, const char *ctas, const char *warps) {
  static char spec[128];
  snprintf(spec, sizeof spec, "reuse_profile:file=%s", profile_path);
  bool knows = strstr(kernels, "reuse_") || strstr(ctas, "reuse_") || strstr(warps, "reuse_");
  return knows ? spec : "";
}

static uint64_t run_trees(uint32_t k, uint32_t c, uint32_t w, uint64_t first, uint64_t step) {
  Rig rig;
  uint64_t trees = 0;
  const char *shared = knowledge(kernel_names[k], cta_names[c], warp_names[w]);
  rig_init(&rig, kernel_names[k], cta_names[c], warp_names[w], shared, 1);
  for (uint64_t seed = first; seed < TREES; seed += step, trees++) run_tree(&rig, seed);
  rig_clear(&rig);
  return trees;
}

// Every tree under every CTA scheduler, which are what could lose one; kernel and warp
// schedulers take turns, so that each combination of three runs its share.
static void every_cta_of_200_trees_runs_once_under_every_combination(void **state) {
  (void)state;
  uint64_t trees = 0;
  uint32_t turns = runs_all ? 1 : KERNEL_NAMES * WARP_NAMES;
  for (uint32_t k = 0; k < KERNEL_NAMES; k++)
    for (uint32_t w = 0; w < WARP_NAMES; w++) {
      uint64_t first = (k * WARP_NAMES + w) % turns;
      record_trees(first, TREES, turns);
      for (uint32_t c = 0; c < CTA_NAMES; c++) trees += run_trees(k, c, w, first, turns);
      unlink(profile_path);
    }
  assert_int_equal(trees, TREES * CTA_NAMES * (KERNEL_NAMES * WARP_NAMES / turns));
}

// ---- threads

static Cycle cycles_of(const char *k, const char *c, const char *w, uint32_t threads,
                       MachineStats *stats) {
  Rig rig;
  rig_init(&rig, k, c, w, knowledge(k, c, w), threads);
  for (uint64_t seed = 1; seed < 12; seed++) run_tree(&rig, seed);
  *stats = *gpu_total(rig.gpu);
  Cycle now = gpu_now(rig.gpu);
  rig_clear(&rig);
  return now;
}

static void results_are_the_same_on_any_number_of_threads(void **state) {
  (void)state;
  record_trees(1, 12, 1);
  for (uint32_t c = 0; c < CTA_NAMES; c++) {
    MachineStats one, more;
    const char *k = kernel_names[(c + 3) % KERNEL_NAMES], *w = warp_names[(c + 1) % WARP_NAMES];
    Cycle cycles = cycles_of(k, cta_names[c], w, 1, &one);
    for (uint32_t threads = 2; threads <= SMS; threads++) {
      assert_int_equal(cycles_of(k, cta_names[c], w, threads, &more), cycles);
      assert_memory_equal(&one, &more, sizeof one);
    }
  }
  unlink(profile_path);
}

int main(int count, char **words) {
  runs_all = count > 1 && strcmp(words[1], "all") == 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cta_of_200_trees_runs_once_under_every_combination),
      cmocka_unit_test(results_are_the_same_on_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
