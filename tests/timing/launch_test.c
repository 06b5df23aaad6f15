// SPDX-License-Identifier: MIT
// When a kernel that a kernel launched may start, on laser13 (Tang et al., SIGMETRICS
// 2018, table 1 and section 3.2):
//
//   launched     the call in the parent's warp
//   submitted    A x + b cycles later, for each of the x launches that the warp makes with
//                one instruction; A = 1721, b = 20210. The warp waits for as long
//   started      at once, if its hardware queue holds no other kernel; else when those
//                before it have ended
#include <string.h>

#include "frontends/ptx/link/load.h"
#include "gpu/gpu.h"
#include "unit/cmocka_all.h"
#include "unit/launching_ptx.h"
#include "unit/launch_support.h"

// Each lane below `lanes` launches `twice` + 1 children, one after another; then the
// parent counts for `rounds`. Children do so for the parameter that they get.
static const char text[] = PTX_HEAD PTX_RUNTIME
    ".visible .entry child(.param .u64 rounds) {\n"
    "  .reg .u64 %rd; .reg .pred %p;\n"
    "  ld.param.u64 %rd, [rounds];\n"
    "again: sub.u64 %rd, %rd, 1; setp.gt.s64 %p, %rd, 0; @%p bra again;\n  ret;\n}\n"
    ".visible .entry parent(.param .u32 lanes, .param .u32 twice, .param .u64 stream,\n"
    "  .param .u64 child_rounds, .param .u64 rounds) {\n"
    "  .reg .u64 %rd<8>; .reg .u32 %r<8>; .reg .pred %p;\n"
    "  ld.param.u32 %r0, [lanes]; ld.param.u64 %rd0, [child_rounds];\n"
    "  ld.param.u64 %rd5, [stream]; ld.param.u64 %rd6, [rounds];\n"
    "  mov.u32 %r1, %tid.x; setp.ge.u32 %p, %r1, %r0; @%p bra wait;\n" PTX_LAUNCH_CHILD
    "  ld.param.u32 %r5, [twice]; setp.eq.u32 %p, %r5, 0; @%p bra wait;\n" PTX_LAUNCH_CHILD
    "wait: sub.u64 %rd6, %rd6, 1; setp.gt.s64 %p, %rd6, 0; @%p bra wait;\n  ret;\n}\n";

enum { A = 1721, B = 20210 };

typedef struct Parent {
  uint32_t lanes, twice;
  uint64_t stream, child_rounds, rounds;
} Parent;

typedef struct Machine {
  GpuConfig config;
  Gpu *gpu;
  Program *program;
} Machine;

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

// The assignments end with NULL.
static void make(Machine *machine, const char *const *assignments) {
  Error err;
  PtxText source = {"launch_test.ptx", text, sizeof text - 1};
  check(gpu_config_load(&machine->config, "laser13", &err), &err);
  for (; *assignments; assignments++)
    check(gpu_config_assign(&machine->config, *assignments, &err), &err);
  check(gpu_create(&machine->gpu, &machine->config, &(GpuOptions){0}, &err), &err);
  check(ptx_load_texts(&machine->program, &source, 1, PROGRAM_BASE, &err), &err);
}
#define MAKE(machine, ...) make(machine, (const char *const[]){__VA_ARGS__, NULL})

static void unmake(Machine *machine) {
  gpu_destroy(machine->gpu);
  program_destroy(machine->program);
}

static void run(Machine *machine, Parent parent) {
  const uint32_t grid[3] = {1, 1, 1}, block[3] = {32, 1, 1};
  Launch launch;
  Error err;
  check(launch_init(&launch, machine->program, program_find_kernel(machine->program, "parent"),
                    grid, block, (const uint8_t *)&parent, 0, 1024, &err),
        &err);
  check(gpu_submit(machine->gpu, launch_kept(&launch), &err), &err);
  check(gpu_run(machine->gpu, &err), &err);
}

static const Launch *kernel(const Machine *machine, uint32_t index) {
  const Launch *record = gpu_kernel(machine->gpu, index);
  assert_true(record->is_complete);
  return record;
}

static void a_child_starts_a_x_plus_b_cycles_after_its_launch(void **state) {
  (void)state;
  static const uint32_t counts[] = {1, 2, 5, 31};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    Machine machine;
    MAKE(&machine, "gpu.queue_mapping=any");
    run(&machine, (Parent){.lanes = counts[i], .stream = STREAM_FORGET});
    assert_int_equal(gpu_kernel_count(machine.gpu), 1 + counts[i]);
    for (uint32_t k = 1; k <= counts[i]; k++) {
      assert_int_equal(kernel(&machine, k)->submitted - kernel(&machine, k)->launched,
                       A * counts[i] + B);
      assert_int_equal(kernel(&machine, k)->started, kernel(&machine, k)->submitted);
      assert_int_equal(kernel(&machine, k)->launched, kernel(&machine, 1)->launched);
      assert_int_equal(kernel(&machine, k)->sms, 1);
    }
    unmake(&machine);
  }
}

// x counts what one instruction launches: what a loop launches is alone each time. The warp
// spends the latency in the call, so that the second call comes behind the first.
static void a_warp_waits_for_its_launches(void **state) {
  (void)state;
  Machine machine;
  MAKE(&machine, "gpu.queue_mapping=any");
  run(&machine, (Parent){.lanes = 3, .twice = 1, .stream = STREAM_FORGET});
  assert_int_equal(gpu_kernel_count(machine.gpu), 7);
  for (uint32_t k = 1; k <= 6; k++)
    assert_int_equal(kernel(&machine, k)->submitted - kernel(&machine, k)->launched, A * 3 + B);
  Cycle between = kernel(&machine, 4)->launched - kernel(&machine, 1)->launched;
  assert_in_range(between, A * 3 + B, A * 3 + B + 1000);
  // When the last children start, the parent is still there, and not for long.
  Cycle after = kernel(&machine, 0)->ended - kernel(&machine, 6)->started;
  assert_in_range(after, 1, 1000);
  unmake(&machine);
}

static void a_launch_may_leave_its_warp_alone(void **state) {
  (void)state;
  Machine machine;
  MAKE(&machine, "gpu.queue_mapping=any", "gpu.launch_holds_warp=false");
  run(&machine, (Parent){.lanes = 3, .twice = 1, .stream = STREAM_FORGET});
  assert_true(kernel(&machine, 4)->launched > kernel(&machine, 1)->launched);
  assert_true(kernel(&machine, 4)->launched - kernel(&machine, 1)->launched < 1000);
  assert_true(kernel(&machine, 0)->ended < kernel(&machine, 1)->started);
  unmake(&machine);
}

static void without_latency_a_child_starts_in_the_next_cycle(void **state) {
  (void)state;
  Machine machine;
  MAKE(&machine, "gpu.launch_base_cycles=0", "gpu.launch_cycles_each=0", "gpu.queue_mapping=any");
  run(&machine, (Parent){.lanes = 2, .stream = STREAM_FORGET, .rounds = 2000});
  for (uint32_t k = 1; k <= 2; k++) {
    assert_int_equal(kernel(&machine, k)->started - kernel(&machine, k)->launched, 1);
    assert_true(kernel(&machine, k)->started < kernel(&machine, 0)->ended);
  }
  unmake(&machine);
}

// Streams that the device makes have consecutive numbers, so with two queues every other
// child is in one with the host's stream 0.
static void kernels_of_a_hardware_queue_run_one_after_another(void **state) {
  (void)state;
  Machine machine;
  MAKE(&machine, "gpu.hardware_queues=2", "gpu.queue_mapping=stream",
       "gpu.launch_holds_warp=false");
  run(&machine, (Parent){.lanes = 4, .stream = STREAM_FORGET, .child_rounds = 3000});
  const Launch *children[4];
  for (uint32_t k = 0; k < 4; k++) children[k] = kernel(&machine, 1 + k);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(children[k]->started, children[k]->submitted);
    assert_int_equal(children[k + 2]->started, children[k]->ended);
  }
  unmake(&machine);
}

static void a_parent_holds_its_queue_until_its_ctas_have_ended(void **state) {
  (void)state;
  Machine machine;
  MAKE(&machine, "gpu.hardware_queues=1", "gpu.queue_mapping=stream");
  run(&machine, (Parent){.lanes = 1, .stream = STREAM_FORGET, .rounds = 20000});
  assert_true(kernel(&machine, 0)->ended > kernel(&machine, 1)->submitted);
  assert_int_equal(kernel(&machine, 1)->started, kernel(&machine, 0)->ended);
  unmake(&machine);
}

// An empty queue takes a kernel, whichever stream it is of.
static void with_any_mapping_no_queue_stays_empty(void **state) {
  (void)state;
  Machine machine;
  MAKE(&machine, "gpu.hardware_queues=2", "gpu.queue_mapping=any");
  run(&machine,
      (Parent){.lanes = 4, .stream = STREAM_FORGET, .child_rounds = 3000, .rounds = 200000});
  // The parent has one queue for itself: the children take turns in the other.
  assert_int_equal(kernel(&machine, 1)->started, kernel(&machine, 1)->submitted);
  for (uint32_t k = 2; k <= 4; k++)
    assert_int_equal(kernel(&machine, k)->started, kernel(&machine, k - 1)->ended);
  assert_true(kernel(&machine, 4)->ended < kernel(&machine, 0)->ended);
  unmake(&machine);
}

// What waits in a queue behind another stays there, even if a queue gets empty.
static void a_kernel_stays_in_the_queue_that_it_entered(void **state) {
  (void)state;
  Machine machine;
  MAKE(&machine, "gpu.hardware_queues=2", "gpu.queue_mapping=any", "gpu.queue_slots=4",
       "gpu.launch_holds_warp=false");
  run(&machine, (Parent){.lanes = 3, .stream = STREAM_FORGET, .child_rounds = 3000});
  // The parent has ended: the third child is behind the first.
  assert_int_equal(kernel(&machine, 2)->started, kernel(&machine, 1)->started);
  assert_int_equal(kernel(&machine, 3)->started, kernel(&machine, 1)->ended);
  unmake(&machine);
}

static void children_in_the_stream_of_their_cta_run_in_order(void **state) {
  (void)state;
  Machine machine;
  MAKE(&machine, "gpu.queue_mapping=stream", "gpu.launch_holds_warp=false");
  run(&machine, (Parent){.lanes = 3, .stream = STREAM_OF_CTA, .child_rounds = 500});
  assert_int_equal(kernel(&machine, 1)->started, kernel(&machine, 1)->submitted);
  for (uint32_t k = 2; k <= 3; k++)
    assert_int_equal(kernel(&machine, k)->started, kernel(&machine, k - 1)->ended);
  unmake(&machine);
}

// Tail launches wait for their parent and for its other children, and queues do not make
// them wait for each other in a circle.
static void tail_launches_start_when_the_parent_has_completed(void **state) {
  (void)state;
  static const char *const mappings[] = {"gpu.queue_mapping=any", "gpu.queue_mapping=stream"};
  for (int i = 0; i < 2; i++) {
    Machine machine;
    MAKE(&machine, mappings[i], "gpu.hardware_queues=1", "gpu.queue_slots=8");
    run(&machine, (Parent){.lanes = 2, .stream = STREAM_TAIL, .rounds = 30000});
    assert_true(kernel(&machine, 1)->submitted < kernel(&machine, 0)->ended);
    assert_int_equal(kernel(&machine, 1)->started, kernel(&machine, 0)->ended);
    assert_int_equal(kernel(&machine, 2)->started, kernel(&machine, 1)->ended);
    assert_int_equal(kernel(&machine, 0)->over, kernel(&machine, 2)->over);
    unmake(&machine);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_child_starts_a_x_plus_b_cycles_after_its_launch),
      cmocka_unit_test(a_warp_waits_for_its_launches),
      cmocka_unit_test(a_launch_may_leave_its_warp_alone),
      cmocka_unit_test(without_latency_a_child_starts_in_the_next_cycle),
      cmocka_unit_test(kernels_of_a_hardware_queue_run_one_after_another),
      cmocka_unit_test(a_parent_holds_its_queue_until_its_ctas_have_ended),
      cmocka_unit_test(with_any_mapping_no_queue_stays_empty),
      cmocka_unit_test(a_kernel_stays_in_the_queue_that_it_entered),
      cmocka_unit_test(children_in_the_stream_of_their_cta_run_in_order),
      cmocka_unit_test(tail_launches_start_when_the_parent_has_completed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
