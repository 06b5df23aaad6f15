// SPDX-License-Identifier: MIT
// Kernels that kernels launch: when they arrive, what policies and observers
// are told of them, and the pool of those that have not begun.
#include <string.h>

#include "frontends/ptx/link/load.h"
#include "gpu/gpu.h"
#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/kernel_scheduler/kernel_scheduler.h"
#include "policies/plugin.h"
#include "unit/cmocka_all.h"
#include "unit/launching_ptx.h"
#include "unit/launch_support.h"

// Lanes below `lanes` of every CTA launch a child of their own stream, which
// adds 1 to a word; what the launch returned is stored.
//
// In `waiter` the first lane of a CTA does, and waits for its child.
static const char text[] =
    PTX_HEAD PTX_RUNTIME
    ".visible .entry child(.param .u64 word) {\n"
    "  .reg .u64 %rd; .reg .u32 %r;\n"
    "  ld.param.u64 %rd, [word]; atom.global.add.u32 %r, [%rd], 1; ret;\n}\n"
    ".visible .entry parent(.param .u64 words, .param .u32 lanes, .param .u64 stream) {\n"
    "  .reg .u64 %rd<8>; .reg .u32 %r<8>; .reg .pred %p;\n"
    "  ld.param.u32 %r0, [lanes]; ld.param.u64 %rd0, [words]; ld.param.u64 %rd5, [stream];\n"
    "  mov.u32 %r1, %tid.x; setp.ge.u32 %p, %r1, %r0; @%p ret;\n" PTX_LAUNCH_CHILD
    "  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd0; st.global.u32 [%rd3+4], %r4;\n"
    "  ret;\n}\n"
    ".visible .entry waiter(.param .u64 words, .param .u32 lanes, .param .u64 stream) {\n"
    "  .reg .u64 %rd<8>; .reg .u32 %r<8>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [words]; ld.param.u64 %rd5, [stream];\n"
    "  mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0; @%p ret;\n" PTX_LAUNCH_CHILD
    "  { .param .b32 r; call.uni (r), cudaDeviceSynchronize; }\n"
    "  atom.global.add.u32 %r4, [%rd0], 1000;\n"
    "  ret;\n}\n";

enum { WORDS = 33, PRIORITY = -3 };

typedef struct Machine {
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  uint64_t words;
} Machine;

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

static void make(Machine *machine, const PolicySet *more, const char *assignment) {
  Error err;
  PtxText source = {"children_test.ptx", text, sizeof text - 1};
  check(gpu_config_load(&machine->config, "tiny", &err), &err);
  if (assignment) check(gpu_config_assign(&machine->config, assignment, &err), &err);
  if (more) {
    strcpy(machine->config.policy.kernel_scheduler, "watch");
    strcpy(machine->config.policy.cta_dispatch, "watch");
  }
  check(gpu_create(&machine->gpu, &machine->config, &(GpuOptions){.policies = more}, &err), &err);
  check(ptx_load_texts(&machine->program, &source, 1, PROGRAM_BASE, &err), &err);
  check(device_memory_alloc(gpu_memory(machine->gpu), WORDS * 4, ALLOCATION_HEAP, "words",
                            &machine->words, &err),
        &err);
}

static void unmake(Machine *machine) {
  gpu_destroy(machine->gpu);
  program_destroy(machine->program);
}

static void run_kernel(Machine *machine, const char *name, uint32_t ctas, uint32_t lanes,
                       uint64_t stream) {
  struct {
    uint64_t words;
    uint32_t lanes, padding;
    uint64_t stream;
  } params = {machine->words, lanes, 0, stream};
  const uint32_t grid[3] = {ctas, 1, 1}, block[3] = {32, 1, 1};
  Launch launch;
  Error err;
  check(launch_init(&launch, machine->program, program_find_kernel(machine->program, name),
                    grid, block, (const uint8_t *)&params, 0, 1024, &err),
        &err);
  launch.origin.priority = PRIORITY;
  check(gpu_submit(machine->gpu, launch_kept(&launch), &err), &err);
  check(gpu_run(machine->gpu, &err), &err);
}

static void run(Machine *machine, uint32_t ctas, uint32_t lanes, uint64_t stream) {
  run_kernel(machine, "parent", ctas, lanes, stream);
}

static void read_words(Machine *machine, uint32_t words[WORDS]) {
  Error err;
  check(device_memory_read(gpu_memory(machine->gpu), machine->words, words, WORDS * 4, &err), &err);
}

static void x_launches_of_a_warp_arrive_together(void **state) {
  (void)state;
  static const uint32_t counts[] = {1, 2, 31, 32};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    Machine machine;
    make(&machine, NULL, NULL);
    run(&machine, 1, counts[i], STREAM_FORGET);
    assert_int_equal(gpu_kernel_count(machine.gpu), 1 + counts[i]);
    for (uint32_t k = 1; k <= counts[i]; k++) {
      const Launch *child = gpu_kernel(machine.gpu, k);
      assert_int_equal(child->submitted - child->launched, 20210 + 1721 * counts[i]);
      assert_true(child->is_complete);
      assert_int_equal(child->origin.priority, PRIORITY);  // its parent's
    }
    unmake(&machine);
  }
}

static void a_parent_is_over_when_its_children_are(void **state) {
  (void)state;
  Machine machine;
  make(&machine, NULL, NULL);
  run(&machine, 2, 3, 0);
  const Launch *parent = gpu_kernel(machine.gpu, 0);
  Cycle last = 0;
  for (uint32_t k = 1; k <= 6; k++)
    if (gpu_kernel(machine.gpu, k)->over > last) last = gpu_kernel(machine.gpu, k)->over;
  assert_true(parent->ended < last);
  assert_int_equal(parent->over, last);
  // The three of a CTA are of one stream; the CTAs have one each.
  for (uint32_t k = 1; k <= 6; k++)
    for (uint32_t other = 1; other < k; other++) {
      const Launch *a = gpu_kernel(machine.gpu, other), *b = gpu_kernel(machine.gpu, k);
      bool same = a->origin.parent_cta == b->origin.parent_cta;
      assert_int_equal(a->origin.stream == b->origin.stream, same);
      if (same) assert_true(b->started >= a->over);
    }
  unmake(&machine);
}

static void the_pool_of_pending_kernels_is_limited(void **state) {
  (void)state;
  Machine machine;
  uint32_t words[WORDS];
  make(&machine, NULL, "gpu.pending_launches=5");
  run(&machine, 1, 8, STREAM_FORGET);
  read_words(&machine, words);
  assert_int_equal(words[0], 5);
  for (int lane = 0; lane < 8; lane++)
    assert_int_equal(words[1 + lane], lane < 5 ? 0 : 69);  // cudaErrorLaunchPendingCountExceeded
  unmake(&machine);
}

// ---- what policies are told

static LaunchOrigin scheduled[8], dispatched[8];
static uint32_t scheduled_count, dispatched_count;

static uint32_t watch_kernels(void *state, const KernelQueueView *view) {
  (void)state;
  if (scheduled_count < 8) scheduled[scheduled_count++] = view->pending[0].launch->origin;
  return 0;
}

static bool watch_ctas(void *state, const DispatchView *view, DispatchChoice *choice) {
  (void)state;
  const DispatchKernel *kernel = view->kernels;
  while (!kernel->has_room) kernel++;
  if (dispatched_count < 8) dispatched[dispatched_count++] = kernel->view.launch->origin;
  choice->kernel = (uint32_t)(kernel - view->kernels);
  choice->sm = dispatch_next_sm(view, kernel, 0);
  choice->cta = kernel->next_cta;
  return true;
}

static const KernelSchedulerType kernels = {.policy = {.name = "watch", .summary = "watches"},
                                            .pick = watch_kernels};
static const CtaDispatchType ctas = {.policy = {.name = "watch", .summary = "watches"},
                                     .pick = watch_ctas};

static void is_of_thread(const LaunchOrigin *origin, uint32_t thread) {
  assert_true(origin->has_parent);
  assert_int_equal(origin->parent, 0);
  assert_int_equal(origin->parent_cta, 0);
  assert_int_equal(origin->parent_thread, thread);
  assert_int_equal(origin->depth, 1);
}

static void policies_see_which_thread_launched_a_kernel(void **state) {
  (void)state;
  PolicySet set = {0};
  const PolicyPlugin plugins[] = {{POLICY_API_VERSION, "kernel_scheduler", &kernels.policy},
                                  {POLICY_API_VERSION, "cta_dispatch", &ctas.policy}};
  for (int i = 0; i < 2; i++) assert_int_equal(policy_set_add(&set, &plugins[i], "test", NULL), OK);
  scheduled_count = dispatched_count = 0;
  Machine machine;
  make(&machine, &set, NULL);
  run(&machine, 1, 2, 0);
  assert_int_equal(scheduled_count, 3);
  assert_int_equal(dispatched_count, 3);
  assert_false(scheduled[0].has_parent);
  assert_false(dispatched[0].has_parent);
  for (uint32_t i = 0; i < 2; i++) {
    is_of_thread(&scheduled[1 + i], i);
    is_of_thread(&dispatched[1 + i], i);
  }
  unmake(&machine);
  policy_set_clear(&set);
}

// ---- CTAs that wait off their SM, and come back

static struct {
  uint32_t starts, ends, suspensions, resumptions, choices;
  uint32_t held[8], most;  // CTAs by SM
} moves;

static void note_in(const CtaView *cta) {
  if (++moves.held[cta->sm] > moves.most) moves.most = moves.held[cta->sm];
}
static void on_start(void *state, const CtaView *cta) {
  (void)state;
  moves.starts++;
  note_in(cta);
}
static void on_resume(void *state, const CtaView *cta) {
  (void)state;
  moves.resumptions++;
  note_in(cta);
}
static void on_end(void *state, const CtaView *cta) {
  (void)state;
  moves.ends++;
  moves.held[cta->sm]--;
}
static void on_suspend(void *state, const CtaView *cta) {
  (void)state;
  moves.suspensions++;
  moves.held[cta->sm]--;
}

// Of several SMs with room the last.
static uint32_t last_with_room(void *state, const CtaView *cta, const uint64_t *room) {
  (void)state;
  assert_true(cta->kernel->launch->grid[0] == 12);
  moves.choices++;
  return 63 - (uint32_t)__builtin_clzll(room[0]);
}
static bool pick_first(void *state, const DispatchView *view, const DispatchKernel *kernel,
                       DispatchChoice *choice) {
  (void)state;
  choice->sm = dispatch_next_sm(view, kernel, view->sm_count - 1);
  choice->cta = kernel->next_cta;
  return true;
}
static bool mover_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_first);
}
static const CtaDispatchType mover = {.policy = {.name = "mover",
                                                 .summary = "moves",
                                                 .on_cta_start = on_start,
                                                 .on_cta_end = on_end,
                                                 .on_cta_suspend = on_suspend,
                                                 .on_cta_resume = on_resume},
                                      .pick = mover_pick,
                                      .resume = last_with_room};

static void a_cta_that_comes_back_obeys_limits_and_goes_where_the_policy_says(void **state) {
  (void)state;
  PolicySet set = {0};
  const PolicyPlugin plugin = {POLICY_API_VERSION, "cta_dispatch", &mover.policy};
  assert_int_equal(policy_set_add(&set, &plugin, "test", NULL), OK);
  Machine machine;
  Error err;
  memset(&moves, 0, sizeof moves);
  PtxText source = {"children_test.ptx", text, sizeof text - 1};
  check(gpu_config_load(&machine.config, "tiny", &err), &err);
  check(gpu_config_assign(&machine.config, "policy.cta_dispatch=mover", &err), &err);
  check(gpu_config_assign(&machine.config, "policy.throttle=fixed:ctas=1", &err), &err);
  check(gpu_create(&machine.gpu, &machine.config, &(GpuOptions){.policies = &set}, &err), &err);
  check(ptx_load_texts(&machine.program, &source, 1, PROGRAM_BASE, &err), &err);
  check(device_memory_alloc(gpu_memory(machine.gpu), WORDS * 4, ALLOCATION_HEAP, "words",
                            &machine.words, &err),
        &err);
  run_kernel(&machine, "waiter", 12, 0, STREAM_FORGET);
  uint32_t words[WORDS];
  read_words(&machine, words);
  assert_int_equal(words[0], 12 * 1001);
  assert_int_equal(moves.starts, 24);  // 12 waiters and their children
  assert_int_equal(moves.ends, 24);
  assert_true(moves.suspensions > 0);
  assert_int_equal(moves.resumptions, moves.suspensions);
  assert_int_equal(moves.choices, moves.resumptions);
  assert_int_equal(moves.most, 1);
  unmake(&machine);
  policy_set_clear(&set);
}

// Twelve waiters are enough to be sampled, but the sampled one leaves its SM;
// its children have a CTA each.
static void a_sampled_cta_that_waits_for_its_child_decides_nothing(void **state) {
  (void)state;
  Machine machine;
  make(&machine, NULL, "policy.throttle=sampled");
  run_kernel(&machine, "waiter", 12, 0, STREAM_FORGET);
  uint32_t words[WORDS];
  read_words(&machine, words);
  assert_int_equal(words[0], 12 * 1001);
  for (uint32_t k = 0; k < gpu_kernel_count(machine.gpu); k++) {
    ResultTables tables = gpu_take_tables(machine.gpu, k);
    const ResultTable *table = result_tables_find(&tables, "degree_decision");
    assert_non_null(table);
    const char *outcome = row_label_text(&table->type->labels[0], result_table_row(table, 0));
    assert_string_equal(outcome, k ? "too few CTAs to be sampled"
                                   : "the sampled CTA waited for kernels that it launched");
    result_tables_clear(&tables);
  }
  assert_int_equal(gpu_kernel_count(machine.gpu), 13);
  unmake(&machine);
}

// ---- what observers are told

static uint32_t parents_seen;

static void see_kernel(void *state, const KernelView *kernel) {
  (void)state;
  if (!kernel->launch->origin.has_parent) return;
  is_of_thread(&kernel->launch->origin, parents_seen++);
}

static void observers_see_it_too(void **state) {
  (void)state;
  static const ResultTableType *const none[] = {NULL};
  static const ObserverType observer = {.policy = {.name = "see", .summary = "sees"},
                                        .tables = none,
                                        .on_kernel_start = see_kernel};
  Machine machine;
  Error err;
  make(&machine, NULL, NULL);
  parents_seen = 0;
  check(gpu_observe(machine.gpu, &observer, "see", &err), &err);
  run(&machine, 1, 3, 0);
  assert_int_equal(parents_seen, 3);
  unmake(&machine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(x_launches_of_a_warp_arrive_together),
      cmocka_unit_test(a_parent_is_over_when_its_children_are),
      cmocka_unit_test(the_pool_of_pending_kernels_is_limited),
      cmocka_unit_test(policies_see_which_thread_launched_a_kernel),
      cmocka_unit_test(a_cta_that_comes_back_obeys_limits_and_goes_where_the_policy_says),
      cmocka_unit_test(a_sampled_cta_that_waits_for_its_child_decides_nothing),
      cmocka_unit_test(observers_see_it_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
