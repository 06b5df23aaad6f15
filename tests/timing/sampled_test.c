// SPDX-License-Identifier: MIT
// The sampling controller of the throttle `sampled` on machines of one and two
// SMs: who is sampled, when limits change, and which kernels are left alone.
#include <stdio.h>
#include <string.h>

#include "frontends/ptx/link/load.h"
#include "gpu/gpu.h"
#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/plugin.h"
#include "unit/cmocka_all.h"
#include "unit/launching_ptx.h"
#include "unit/launch_support.h"

// `work`: each warp loads a line of its own per round. `save`: each warp loads a line twice, and
// stores to that and to another. `add`: each warp adds to one. `meet`: one
// thread per CTA adds 1 to a word and waits until all CTAs have. `parent`: as `work`, but before
// that one thread per CTA launches `child` with so many CTAs, which loads a line per warp and round
// as well; `waits` does so and waits for its children.
#define PARENT                                                                 \
  "(.param .u64 data, .param .u32 ctas) {\n"                                   \
  "  .reg .u64 %rd<8>; .reg .u32 %r<8>; .reg .pred %p;\n"                      \
  "  ld.param.u64 %rd0, [data]; ld.param.u32 %r6, [ctas]; mov.u64 %rd5, 0;\n"  \
  "  mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0; @%p bra load; mov.u32 %r7, " \
  "64;\n" PTX_LAUNCH_GRID("%r6", "%r7")
#define ROUNDS_OF_LOADS                                      \
  "  mov.u32 %r0, 6;\n"                                      \
  "again:\n"                                                 \
  "  ld.global.u32 %r4, [%rd0]; add.u64 %rd0, %rd0, 8192;\n" \
  "  sub.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, 0; @%p bra again;\n  ret;\n}\n"
static const char text[] = PTX_HEAD PTX_RUNTIME
    ".visible .entry child(.param .u64 data) {\n"
    "  .reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
    "  mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "  mul.wide.u32 %rd1, %r1, 4; add.u64 %rd0, %rd0, %rd1;\n" ROUNDS_OF_LOADS
    ".visible .entry parent" PARENT "load:\n" ROUNDS_OF_LOADS ".visible .entry waits" PARENT
    "  { .param .b32 r; call.uni (r), cudaDeviceSynchronize; }\n"
    "load:\n" ROUNDS_OF_LOADS
    ".visible .entry work(.param .u64 data, .param .u32 rounds) {\n"
    "  .reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [data]; ld.param.u32 %r0, [rounds];\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "  mul.wide.u32 %rd1, %r1, 4; add.u64 %rd0, %rd0, %rd1;\n"
    "again:\n"
    "  ld.global.u32 %r4, [%rd0]; add.u64 %rd0, %rd0, 8192;\n"
    "  sub.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, 0; @%p bra again;\n"
    "  ret;\n}\n"
    ".visible .entry save(.param .u64 data, .param .u32 rounds) {\n"
    "  .reg .u64 %rd<2>; .reg .u32 %r<4>;\n"
    "  ld.param.u64 %rd0, [data]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4;\n"
    "  add.u64 %rd0, %rd0, %rd1; ld.global.u32 %r1, [%rd0]; add.u32 %r1, %r1, 1;\n"
    "  ld.global.u32 %r2, [%rd0]; st.global.u32 [%rd0], %r2;\n"
    "  st.global.u32 [%rd0 + 8192], %r1; ret;\n}\n"
    ".visible .entry add(.param .u64 data, .param .u32 rounds) {\n"
    "  .reg .u64 %rd<2>; .reg .u32 %r<2>;\n"
    "  ld.param.u64 %rd0, [data]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4;\n"
    "  add.u64 %rd0, %rd0, %rd1; atom.global.add.u32 %r1, [%rd0], 1; ret;\n}\n"
    ".visible .entry meet(.param .u64 data, .param .u32 ctas) {\n"
    "  .reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [data]; ld.param.u32 %r0, [ctas];\n"
    "  mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0; @%p ret;\n"
    "  atom.global.add.u32 %r2, [%rd0], 1;\n"
    "wait:\n"
    "  ld.volatile.global.u32 %r2, [%rd0]; setp.lt.u32 %p, %r2, %r0; @%p bra wait;\n"
    "  ret;\n}\n";

enum { ROUNDS = 6, DATA_BYTES = 8192 * (ROUNDS + 2), THREADS = 64, FIT = 4, CTAS = 16 };
#define FEW "sampled:memory_bound=0,latency_small=50,latency_medium=50"
#define MANY "sampled:memory_bound=100"

// ---- what happened

typedef struct Start {
  Cycle now;
  uint32_t kernel, sm;
  uint64_t cta;
  uint32_t limits[2];
} Start;

static struct {
  Start starts[256];
  uint32_t count, ends, residents[2], most[2];
  Cycle first_end;  // of the first CTA that SM 0 held
  bool has_first_end;
} seen;
static uint32_t seen_limits[2];

// The first SM with room, the first CTA; writes down the limits it is shown.
static bool spy_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  (void)state;
  for (uint32_t k = 0; k < view->kernel_count; k++)
    for (uint32_t s = 0; s < view->sm_count; s++) {
      if (!dispatch_has_room(&view->kernels[k], s)) continue;
      for (uint32_t i = 0; i < view->sm_count && i < 2; i++) seen_limits[i] = view->limits[i];
      choice->kernel = k;
      choice->sm = s;
      choice->cta = view->kernels[k].next_cta;
      return true;
    }
  return false;
}

static void spy_start(void *state, const CtaView *cta) {
  (void)state;
  assert_true(seen.count < 256);
  Start *start = &seen.starts[seen.count++];
  *start = (Start){.now = cta->now, .kernel = cta->kernel->id, .sm = cta->sm, .cta = cta->cta};
  memcpy(start->limits, seen_limits, sizeof seen_limits);
  if (++seen.residents[cta->sm] > seen.most[cta->sm]) seen.most[cta->sm] = seen.residents[cta->sm];
}

static void spy_end(void *state, const CtaView *cta) {
  (void)state;
  seen.ends++;
  seen.residents[cta->sm]--;
  if (cta->sm == 0 && !seen.has_first_end) {
    seen.has_first_end = true;
    seen.first_end = cta->now;
  }
}

static const CtaDispatchType spy = {.policy = {.name = "spy",
                                               .summary = "watches",
                                               .on_cta_start = spy_start,
                                               .on_cta_end = spy_end},
                                    .pick = spy_pick};

// ---- machines

typedef struct Machine {
  PolicySet set;
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  uint64_t data;
} Machine;

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

// Of machines that are made.
static uint32_t unified_kb;
static bool stores_allocate;

static void make_machine(Machine *machine, const char *throttle, uint32_t sms, bool has_l2) {
  Error err;
  PtxText source = {"sampled_test.ptx", text, sizeof text - 1};
  const PolicyPlugin plugin = {POLICY_API_VERSION, "cta_dispatch", &spy.policy};
  memset(&seen, 0, sizeof seen);
  *machine = (Machine){0};
  check(policy_set_add(&machine->set, &plugin, "test", &err), &err);
  check(gpu_config_load(&machine->config, "tiny", &err), &err);
  machine->config.gpu.sm_count = sms;
  machine->config.l2.enabled = has_l2;
  machine->config.sm.unified_kb = unified_kb;
  if (stores_allocate) {
    machine->config.l1d.write_policy = WRITE_THROUGH;
    machine->config.l1d.write_allocate = WRITE_ALLOCATE_LAZY;
  }
  if (unified_kb) strcpy(machine->config.sm.shared_options_kb, "0,16,48");
  machine->config.run.max_cycles = 200000;  // a grid that waits for ever
  snprintf(machine->config.policy.throttle, sizeof machine->config.policy.throttle, "%s", throttle);
  strcpy(machine->config.policy.cta_dispatch, "spy");
  check(gpu_create(&machine->gpu, &machine->config, &(GpuOptions){.policies = &machine->set}, &err),
        &err);
  check(ptx_load_texts(&machine->program, &source, 1, PROGRAM_BASE, &err), &err);
  check(device_memory_alloc(gpu_memory(machine->gpu), DATA_BYTES, ALLOCATION_HEAP, "data",
                            &machine->data, &err),
        &err);
}

static void make(Machine *machine, const char *throttle, uint32_t sms) {
  make_machine(machine, throttle, sms, true);
}

static void unmake(Machine *machine) {
  gpu_destroy(machine->gpu);
  program_destroy(machine->program);
  policy_set_clear(&machine->set);
}

static void submit(Machine *machine, const char *name, uint32_t ctas, uint32_t number,
                   uint64_t stream, bool is_cooperative) {
  struct {
    uint64_t data;
    uint32_t number;
  } params = {machine->data, number};
  const uint32_t grid[3] = {ctas, 1, 1}, block[3] = {THREADS, 1, 1};
  Launch launch;
  Error err;
  check(launch_init(&launch, machine->program, program_find_kernel(machine->program, name), grid,
                    block, (const uint8_t *)&params, 0, 1024, &err),
        &err);
  launch.origin.stream = stream;
  if (is_cooperative) launch.workspace = machine->data;
  check(gpu_submit(machine->gpu, launch_kept(&launch), &err), &err);
}

static void run(Machine *machine) {
  Error err;
  check(gpu_run(machine->gpu, &err), &err);
}

// A column of the kernel's degree_decision.
static uint64_t decided(Machine *machine, uint32_t kernel, const char *column, char outcome[80]) {
  ResultTables tables = gpu_take_tables(machine->gpu, kernel);
  json_t *json = json_object();
  result_tables_json(json, &tables);
  const json_t *row = json_array_get(json_object_get(json, "degree_decision"), 0);
  assert_non_null(row);
  uint64_t value = (uint64_t)json_integer_value(json_object_get(row, column));
  if (outcome) snprintf(outcome, 80, "%s", json_string_value(json_object_get(row, "outcome")));
  json_decref(json);
  result_tables_clear(&tables);
  return value;
}

static void assert_outcome(Machine *machine, uint32_t kernel, const char *wanted) {
  char outcome[80];
  assert_int_equal(decided(machine, kernel, "degree", outcome), 0);
  assert_string_equal(outcome, wanted);
}

// ---- one kernel

// Until the sampled CTA ends SM 0 may hold one and SM 1 all that fit; from that
// cycle on both may hold what was chosen.
static void assert_two_phases(uint32_t degree) {
  uint32_t on_first = 0;
  for (uint32_t i = 0; i < seen.count; i++) {
    const Start *start = &seen.starts[i];
    bool is_before = start->now < seen.first_end;
    assert_int_equal(start->limits[0], is_before ? 1 : degree);
    assert_int_equal(start->limits[1], is_before ? UINT32_MAX : degree);
    on_first += is_before && start->sm == 0;
  }
  assert_int_equal(on_first, 1);
  assert_int_equal(seen.count, CTAS);
  assert_int_equal(seen.ends, CTAS);
}

static void limits_change_exactly_when_the_sampled_cta_ends(void **state) {
  (void)state;
  static const struct {
    const char *throttle;
    uint32_t degree;
  } cases[] = {{FEW, 1}, {MANY, FIT}};
  for (int i = 0; i < 2; i++) {
    Machine machine;
    make(&machine, cases[i].throttle, 2);
    submit(&machine, "work", CTAS, ROUNDS, 0, false);
    run(&machine);
    // The second SM was filled at once, and drains when the limit falls.
    assert_int_equal(seen.most[1], FIT);
    assert_int_equal(seen.most[0], cases[i].degree);
    assert_two_phases(cases[i].degree);
    char outcome[80];
    assert_int_equal(decided(&machine, 0, "degree", outcome), cases[i].degree);
    assert_string_equal(outcome, "sampled");
    unmake(&machine);
  }
}

// A CTA adds to 256 bytes, 8 transactions of 32. Without an L2 they read DRAM, which makes
// the kernel memory bound; with one, all launches but the first find them there.
static void atomics_count_where_dram_answers_them(void **state) {
  (void)state;
  for (int has_l2 = 0; has_l2 < 2; has_l2++) {
    Machine machine;
    make_machine(&machine, "sampled", 2, has_l2);
    for (int i = 0; i < 4; i++) submit(&machine, "add", CTAS, 1, 0, false);
    run(&machine);
    assert_int_equal(decided(&machine, 1, "dram_reads", NULL), 0);
    assert_int_equal(decided(&machine, 2, "dram_atomics", NULL), has_l2 ? 0 : 8);
    assert_int_equal(decided(&machine, 3, "is_memory_bound", NULL), !has_l2);
    unmake(&machine);
  }
}

// With others=2 the second SM has two CTAs until then.
static void the_other_sms_can_be_held_back_while_one_is_sampled(void **state) {
  (void)state;
  Machine machine;
  make(&machine, MANY ",others=2", 2);
  submit(&machine, "work", CTAS, ROUNDS, 0, false);
  run(&machine);
  for (uint32_t i = 0; i < seen.count; i++) {
    bool is_before = seen.starts[i].now < seen.first_end;
    assert_int_equal(seen.starts[i].limits[1], is_before ? 2 : FIT);
  }
  assert_int_equal(seen.ends, CTAS);
  assert_int_equal(decided(&machine, 0, "degree", NULL), FIT);
  unmake(&machine);
}

// With ctas=N the sample is taken and predicted from, and the limit is N.
static void the_limit_can_be_given_to_judge_the_prediction(void **state) {
  (void)state;
  static const uint32_t given[] = {1, 2, FIT, FIT + 3};
  for (int i = 0; i < 4; i++) {
    Machine machine;
    char throttle[80], outcome[80];
    uint32_t held = given[i] < FIT ? given[i] : FIT;
    snprintf(throttle, sizeof throttle, MANY ",ctas=%u", given[i]);
    make(&machine, throttle, 2);
    submit(&machine, "work", CTAS, ROUNDS, 0, false);
    run(&machine);
    assert_two_phases(held);
    assert_int_equal(decided(&machine, 0, "degree", outcome), held);
    assert_string_equal(outcome, "sampled, with ctas given");
    unmake(&machine);
  }
}

static Cycle cycles_of(const char *throttle, uint32_t ctas) {
  Machine machine;
  make(&machine, throttle, 2);
  submit(&machine, "work", ctas, ROUNDS, 0, false);
  run(&machine);
  const Launch *kernel = gpu_kernel(machine.gpu, 0);
  Cycle cycles = kernel->ended - kernel->started;
  unmake(&machine);
  return cycles;
}

// While one CTA is sampled its SM does without the others that fit: the launch takes as
// long as one with so many CTAs more (docs/studies/threads.md, Rodinia), give or take 3 %.
static void sampling_costs_the_ctas_that_it_keeps_out(void **state) {
  (void)state;
  static const uint32_t grids[] = {CTAS, CTAS + 3, 4 * CTAS, 4 * CTAS + 3};
  for (int i = 0; i < 4; i++) {
    double sampled = (double)cycles_of(MANY, grids[i]);
    double longer = (double)cycles_of("all", grids[i] + FIT - 1);
    if (sampled > 1.03 * longer)
      fail_msg("%u CTAs: %g cycles, %u more without sampling: %g", grids[i], sampled, FIT - 1,
               longer);
  }
}

static uint64_t sampled_column_of(const char *kernel, const char *column) {
  Machine machine;
  make(&machine, FEW, 2);
  submit(&machine, kernel, CTAS, ROUNDS, 0, false);
  run(&machine);
  uint64_t value = decided(&machine, 0, column, NULL);
  if (strcmp(column, "decided_cycle") == 0) assert_int_equal(value, seen.first_end);
  unmake(&machine);
  return value;
}

static uint64_t sampled_column(const char *column) {
  return sampled_column_of("work", column);
}

// Two warps, a line per round each, every line once.
static void the_sample_is_what_one_cta_did(void **state) {
  (void)state;
  assert_int_equal(sampled_column("accesses"), 2 * ROUNDS);
  assert_int_equal(sampled_column("lines"), 2 * ROUNDS);
  assert_int_equal(sampled_column("line_uses"), 2 * ROUNDS);
  assert_int_equal(sampled_column("warp_instructions"), 2 * (9 + 5 * ROUNDS));
  assert_int_equal(sampled_column("dram_reads"), 2 * ROUNDS);
  assert_int_equal(sampled_column("most"), FIT);
  assert_true(sampled_column("decided_cycle") > sampled_column("cta_cycles"));
}

// A CTA of two warps loads two lines twice, and stores to these and to two others. The L1D holds
// the latter only if stores allocate.
static void stores_without_a_line_are_not_in_the_working_set(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    stores_allocate = i;
    assert_int_equal(sampled_column_of("save", "accesses"), 8);
    assert_int_equal(sampled_column_of("save", "lines"), i ? 4 : 2);
    assert_int_equal(sampled_column_of("save", "line_uses"), i ? 8 : 4);
  }
  stores_allocate = false;
}

// Where L1D and shared memory divide one array, a kernel without shared memory has all of it.
static void the_capacity_is_that_of_the_l1d_as_it_is_divided(void **state) {
  (void)state;
  assert_int_equal(sampled_column("capacity_lines"), 128);
  unified_kb = 64;
  uint64_t divided = sampled_column("capacity_lines");
  unified_kb = 0;
  assert_int_equal(divided, 64 * 1024 / 128);
}

static void every_launch_is_sampled_anew_unless_it_may_reuse(void **state) {
  (void)state;
  for (int reuse = 0; reuse < 2; reuse++) {
    Machine machine;
    char outcome[80];
    make(&machine, reuse ? FEW ",reuse=true" : FEW, 2);
    submit(&machine, "work", CTAS, ROUNDS, 0, false);
    submit(&machine, "work", CTAS, ROUNDS, 0, false);
    run(&machine);
    uint64_t degree = decided(&machine, 1, "degree", outcome);
    // The second launch finds its lines in the L1D: no DRAM reads, compute bound.
    assert_int_equal(degree, reuse ? 1 : FIT);
    assert_string_equal(outcome, reuse ? "as sampled in an earlier launch" : "sampled");
    unmake(&machine);
  }
}

// ---- several kernels

static void two_kernels_at_once_are_sampled_one_after_the_other(void **state) {
  (void)state;
  Machine machine;
  make(&machine, FEW, 2);
  submit(&machine, "work", CTAS, ROUNDS, 1, false);
  submit(&machine, "work", 2 * CTAS, ROUNDS, 2, false);
  run(&machine);
  assert_int_equal(seen.ends, 3 * CTAS);
  assert_true(gpu_kernel(machine.gpu, 0)->is_complete && gpu_kernel(machine.gpu, 1)->is_complete);
  assert_int_equal(gpu_kernel(machine.gpu, 1)->started, gpu_kernel(machine.gpu, 0)->started);
  uint64_t first = decided(&machine, 0, "decided_cycle", NULL);
  uint64_t second = decided(&machine, 1, "decided_cycle", NULL);
  assert_int_equal(first, seen.first_end);
  assert_true(second > first);
  unmake(&machine);
}

// The long kernel's limit of one goes when its last CTA is out: the short one,
// which has none, then fills both SMs.
static void a_limit_ends_with_the_last_cta_of_its_kernel(void **state) {
  (void)state;
  Machine machine;
  make(&machine, FEW, 2);
  submit(&machine, "work", CTAS, ROUNDS, 1, false);
  submit(&machine, "work", FIT, 8 * ROUNDS / 8, 2, false);
  run(&machine);
  assert_outcome(&machine, 1, "too few CTAs to be sampled");
  const Start *last = &seen.starts[seen.count - 1];
  assert_int_equal(last->kernel, 1);
  assert_int_equal(last->limits[0], UINT32_MAX);
  assert_int_equal(last->limits[1], UINT32_MAX);
  unmake(&machine);
}

// Children run beside their parents: every kernel ends, and the ones with CTAs enough
// are sampled like those of the host.
static void child_kernels_are_sampled_like_others(void **state) {
  (void)state;
  static const uint32_t ctas[] = {1, 2 * FIT + 1, CTAS};
  for (int i = 0; i < 3; i++) {
    Machine machine;
    char outcome[80];
    make(&machine, FEW, 2);
    submit(&machine, "parent", 2 * FIT + 1, ctas[i], 0, false);
    run(&machine);
    uint32_t kernels = gpu_kernel_count(machine.gpu);
    assert_int_equal(kernels, 2 * FIT + 2);
    assert_int_equal(seen.ends, (2 * FIT + 1) * (1 + ctas[i]));
    assert_int_equal(decided(&machine, 0, "degree", NULL), 1);
    for (uint32_t k = 1; k < kernels; k++) {
      assert_true(gpu_kernel(machine.gpu, k)->is_complete);
      uint64_t degree = decided(&machine, k, "degree", outcome);
      bool is_sampled = strcmp(outcome, "sampled") == 0;
      assert_true(is_sampled ? degree >= 1 && degree <= FIT : degree == 0);
      if (!i) assert_string_equal(outcome, "too few CTAs to be sampled");
    }
    if (i) assert_string_equal(outcome, "sampled");  // the last one had the GPU for itself
    unmake(&machine);
  }
}

// A CTA that waits for its children leaves its SM: what the SM then counts is not its.
static void a_sampled_cta_that_waits_for_children_is_no_sample(void **state) {
  (void)state;
  Machine machine;
  make(&machine, FEW, 2);
  submit(&machine, "waits", 2 * FIT + 1, 1, 0, false);
  run(&machine);
  assert_outcome(&machine, 0, "the sampled CTA waited for kernels that it launched");
  assert_int_equal(seen.ends, 2 * (2 * FIT + 1));
  unmake(&machine);
}

// ---- kernels and machines that are left alone

static void short_kernels_keep_the_default(void **state) {
  (void)state;
  static const uint32_t grids[] = {1, FIT + 2, 2 * FIT};
  for (int i = 0; i < 3; i++) {
    Machine machine;
    make(&machine, FEW, 2);
    submit(&machine, "work", grids[i], ROUNDS, 0, false);
    run(&machine);
    assert_outcome(&machine, 0, "too few CTAs to be sampled");
    for (uint32_t k = 0; k < seen.count; k++)
      assert_int_equal(seen.starts[k].limits[0], UINT32_MAX);
    unmake(&machine);
  }
  Machine machine;
  make(&machine, FEW, 2);
  submit(&machine, "work", 2 * FIT + 1, ROUNDS, 0, false);
  run(&machine);
  assert_int_equal(decided(&machine, 0, "degree", NULL), 1);
  unmake(&machine);
}

static void a_gpu_of_one_sm_is_sampled_too(void **state) {
  (void)state;
  Machine machine;
  make(&machine, MANY, 1);
  submit(&machine, "work", CTAS, ROUNDS, 0, false);
  run(&machine);
  assert_int_equal(seen.ends, CTAS);
  assert_int_equal(decided(&machine, 0, "degree", NULL), FIT);
  assert_int_equal(seen.starts[1].now >= seen.first_end, 1);
  unmake(&machine);
}

static void a_cooperative_launch_is_not_limited(void **state) {
  (void)state;
  static const char *const throttles[] = {"fixed:ctas=1", FEW};
  for (int i = 0; i < 2; i++) {
    Machine machine;
    make(&machine, throttles[i], 2);
    submit(&machine, "meet", 2 * FIT, 2 * FIT, 0, true);
    run(&machine);
    assert_int_equal(seen.ends, 2 * FIT);
    if (i) assert_outcome(&machine, 0, "cooperative: all CTAs must be resident");
    unmake(&machine);
  }
  // The same grid launched like any other waits for CTAs that do not come.
  Machine machine;
  Error err;
  make(&machine, "fixed:ctas=1", 2);
  submit(&machine, "meet", 2 * FIT, 2 * FIT, 0, false);
  assert_int_not_equal(gpu_run(machine.gpu, &err), OK);
  unmake(&machine);
}

static void assert_refused(const char *throttle, const char *message) {
  GpuConfig config;
  Gpu *gpu;
  Error err = {0};
  check(gpu_config_load(&config, "tiny", &err), &err);
  snprintf(config.policy.throttle, sizeof config.policy.throttle, "%s", throttle);
  assert_int_equal(gpu_create(&gpu, &config, &(GpuOptions){0}, &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, message));
}

static void parameters_that_cannot_work_are_refused(void **state) {
  (void)state;
  assert_refused("sampled:sm=2", "sm = 2: the GPU has SMs 0 to 1");
  assert_refused("sampled:knot_2=0.1", "knot_2 = 0.1: must be at least knot_1");
  assert_refused("dyncta:t_mem_low=400", "t_mem_low = 400: must be at most t_mem_high = 384");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_change_exactly_when_the_sampled_cta_ends),
      cmocka_unit_test(atomics_count_where_dram_answers_them),
      cmocka_unit_test(the_other_sms_can_be_held_back_while_one_is_sampled),
      cmocka_unit_test(the_limit_can_be_given_to_judge_the_prediction),
      cmocka_unit_test(sampling_costs_the_ctas_that_it_keeps_out),
      cmocka_unit_test(the_sample_is_what_one_cta_did),
      cmocka_unit_test(stores_without_a_line_are_not_in_the_working_set),
      cmocka_unit_test(the_capacity_is_that_of_the_l1d_as_it_is_divided),
      cmocka_unit_test(every_launch_is_sampled_anew_unless_it_may_reuse),
      cmocka_unit_test(two_kernels_at_once_are_sampled_one_after_the_other),
      cmocka_unit_test(a_limit_ends_with_the_last_cta_of_its_kernel),
      cmocka_unit_test(child_kernels_are_sampled_like_others),
      cmocka_unit_test(a_sampled_cta_that_waits_for_children_is_no_sample),
      cmocka_unit_test(short_kernels_keep_the_default),
      cmocka_unit_test(a_gpu_of_one_sm_is_sampled_too),
      cmocka_unit_test(a_cooperative_launch_is_not_limited),
      cmocka_unit_test(parameters_that_cannot_work_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
