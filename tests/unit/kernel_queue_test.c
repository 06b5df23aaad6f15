// SPDX-License-Identifier: MIT
// Kernels of several streams: which run at once, in which order, and what a
// kernel scheduler sees of them.
#include <stdio.h>
#include <string.h>

#include "frontends/ptx/link/load.h"
#include "gpu/gpu.h"
#include "policies/kernel_scheduler/kernel_scheduler.h"
#include "policies/plugin.h"
#include "unit/cmocka_all.h"
#include "unit/launch_support.h"

// Each thread adds 1 to its word `rounds` times.
static const char text[] =
    ".version 6.0\n.target sm_35\n.address_size 64\n"
    ".visible .entry add(.param .u64 buffer, .param .u32 rounds) {\n"
    "  .reg .u32 %r<8>; .reg .u64 %rd<4>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [buffer]; ld.param.u32 %r4, [rounds];\n"
    "  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
    "  mad.lo.u32 %r0, %r1, %r2, %r0;\n"
    "  mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n"
    "again:\n"
    "  ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;\n"
    "  sub.u32 %r4, %r4, 1; setp.ne.u32 %p, %r4, 0; @%p bra again;\n"
    "  ret;\n}\n";

enum { BUFFERS = 4, THREADS = 64, CTAS = 4, WORDS = CTAS * THREADS };

typedef struct Machine {
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  uint64_t buffers[BUFFERS];
} Machine;

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

static void make(Machine *machine, const char *scheduler, const PolicySet *more, uint32_t queues) {
  Error err;
  PtxText source = {"kernel_queue_test.ptx", text, sizeof text - 1};
  check(gpu_config_load(&machine->config, "tiny", &err), &err);
  machine->config.gpu.hardware_queues = queues;
  strcpy(machine->config.policy.kernel_scheduler, scheduler);
  check(gpu_create(&machine->gpu, &machine->config, &(GpuOptions){.policies = more}, &err), &err);
  check(ptx_load_texts(&machine->program, &source, 1, PROGRAM_BASE, &err), &err);
  for (int i = 0; i < BUFFERS; i++)
    check(device_memory_alloc(gpu_memory(machine->gpu), WORDS * 4, ALLOCATION_HEAP, "buffer",
                              &machine->buffers[i], &err),
          &err);
}

static void unmake(Machine *machine) {
  gpu_destroy(machine->gpu);
  program_destroy(machine->program);
}

static void submit(Machine *machine, int buffer, uint32_t ctas, uint32_t rounds,
                   LaunchOrigin origin) {
  struct {
    uint64_t buffer;
    uint32_t rounds;
  } params = {machine->buffers[buffer], rounds};
  const uint32_t grid[3] = {ctas, 1, 1}, block[3] = {THREADS, 1, 1};
  Launch launch;
  Error err;
  const Function *kernel = program_find_kernel(machine->program, "add");
  check(launch_init(&launch, machine->program, kernel, grid, block, (const uint8_t *)&params, 0,
                    1024, &err),
        &err);
  launch.origin = origin;
  check(gpu_submit(machine->gpu, launch_kept(&launch), &err), &err);
}

static void run(Machine *machine) {
  Error err;
  check(gpu_run(machine->gpu, &err), &err);
}

static void assert_words(Machine *machine, int buffer, uint32_t value) {
  uint32_t words[WORDS];
  Error err;
  check(device_memory_read(gpu_memory(machine->gpu), machine->buffers[buffer], words, sizeof words,
                           &err),
        &err);
  for (int i = 0; i < WORDS; i++) assert_int_equal(words[i], value);
}

static Cycle started(const Machine *machine, uint32_t kernel) {
  return gpu_kernel(machine->gpu, kernel)->started;
}
static Cycle ended(const Machine *machine, uint32_t kernel) {
  assert_true(gpu_kernel(machine->gpu, kernel)->is_complete);
  return gpu_kernel(machine->gpu, kernel)->ended;
}

static void kernels_of_one_stream_follow_one_another(void **state) {
  (void)state;
  Machine machine;
  make(&machine, "fcfs", NULL, 16);
  for (int i = 0; i < 3; i++) submit(&machine, 0, CTAS, 5, (LaunchOrigin){.stream = 7});
  run(&machine);
  assert_true(started(&machine, 1) >= ended(&machine, 0));
  assert_true(started(&machine, 2) >= ended(&machine, 1));
  assert_words(&machine, 0, 15);
  unmake(&machine);
}

static void kernels_of_several_streams_run_at_once(void **state) {
  (void)state;
  Machine machine;
  make(&machine, "fcfs", NULL, 16);
  submit(&machine, 0, 1, 400, (LaunchOrigin){.stream = 1});
  submit(&machine, 1, CTAS, 5, (LaunchOrigin){.stream = 2});
  submit(&machine, 2, CTAS, 5, (LaunchOrigin){.stream = 2});
  run(&machine);
  assert_int_equal(started(&machine, 1), started(&machine, 0));
  assert_true(started(&machine, 2) >= ended(&machine, 1));
  assert_true(ended(&machine, 2) < ended(&machine, 0));  // both fit beside the long one
  assert_words(&machine, 1, 5);
  assert_words(&machine, 2, 5);
  unmake(&machine);
}

static void no_more_run_than_there_are_queues(void **state) {
  (void)state;
  Machine machine;
  make(&machine, "fcfs", NULL, 2);
  for (int i = 0; i < 4; i++)
    submit(&machine, i, 1, 20 * (uint32_t)(i + 1), (LaunchOrigin){.stream = (uint64_t)i});
  run(&machine);
  assert_int_equal(started(&machine, 1), started(&machine, 0));
  assert_true(started(&machine, 2) >= ended(&machine, 0));
  assert_true(started(&machine, 3) >= ended(&machine, 1));
  unmake(&machine);
}

static void a_machine_can_be_given_more_after_a_run(void **state) {
  (void)state;
  Machine machine;
  make(&machine, "fcfs", NULL, 4);
  submit(&machine, 0, CTAS, 3, (LaunchOrigin){0});
  run(&machine);
  submit(&machine, 0, CTAS, 4, (LaunchOrigin){0});
  submit(&machine, 1, CTAS, 4, (LaunchOrigin){.stream = 1});
  run(&machine);
  assert_words(&machine, 0, 7);
  assert_words(&machine, 1, 4);
  assert_int_equal(gpu_kernel_count(machine.gpu), 3);
  assert_int_equal(started(&machine, 1), ended(&machine, 0));
  unmake(&machine);
}

// ---- what a scheduler sees

static char log_text[512];

// The youngest first; writes down what it sees.
static uint32_t newest_pick(void *state, const KernelQueueView *view) {
  (void)state;
  size_t used = strlen(log_text);
  used += (size_t)snprintf(log_text + used, sizeof log_text - used, "%u running, pending",
                           view->running_count);
  for (uint32_t i = 0; i < view->pending_count; i++) {
    const KernelView *kernel = &view->pending[i];
    used += (size_t)snprintf(log_text + used, sizeof log_text - used, " %u@%u", kernel->id,
                             (uint32_t)kernel->launch->origin.stream);
    if (kernel->launch->origin.has_parent)
      used += (size_t)snprintf(log_text + used, sizeof log_text - used, "<%u.%u", kernel->launch->origin.parent,
                               (uint32_t)kernel->launch->origin.parent_cta);
    assert_int_equal(kernel->cta_count, CTAS);
    assert_int_equal(kernel->warps_per_cta, 2);
    assert_int_equal(kernel->max_ctas_per_sm, 4);
  }
  snprintf(log_text + used, sizeof log_text - used, "\n");
  return view->pending_count - 1;
}

static const KernelSchedulerType newest = {
    .policy = {.name = "newest", .summary = "the youngest first"}, .pick = newest_pick};

static void a_scheduler_sees_heads_of_streams_parents_and_running_kernels(void **state) {
  (void)state;
  PolicySet set = {0};
  const PolicyPlugin plugin = {POLICY_API_VERSION, "kernel_scheduler", &newest.policy};
  assert_int_equal(policy_set_add(&set, &plugin, "test", NULL), OK);
  Machine machine;
  make(&machine, "newest", &set, 2);
  log_text[0] = '\0';
  submit(&machine, 0, CTAS, 2, (LaunchOrigin){.stream = 1});
  submit(&machine, 1, CTAS, 2, (LaunchOrigin){.stream = 1});
  submit(&machine, 2, CTAS, 2, (LaunchOrigin){.stream = 2});
  submit(&machine, 3, CTAS, 2,
         (LaunchOrigin){.stream = 3, .has_parent = true, .parent = 0, .parent_cta = 2});
  run(&machine);
  // Of stream 1 only its first is pending, and none while one of it runs.
  assert_string_equal(log_text,
                      "0 running, pending 0@1 2@2 3@3<0.2\n"
                      "1 running, pending 0@1 2@2\n"
                      "1 running, pending 0@1\n"
                      "0 running, pending 1@1\n");
  for (int i = 0; i < 4; i++) assert_words(&machine, i, 2);
  unmake(&machine);
  policy_set_clear(&set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_of_one_stream_follow_one_another),
      cmocka_unit_test(kernels_of_several_streams_run_at_once),
      cmocka_unit_test(no_more_run_than_there_are_queues),
      cmocka_unit_test(a_machine_can_be_given_more_after_a_run),
      cmocka_unit_test(a_scheduler_sees_heads_of_streams_parents_and_running_kernels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
