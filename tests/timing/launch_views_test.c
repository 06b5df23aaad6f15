// SPDX-License-Identifier: MIT
// What policies see of a launch: its name, dimensions, stream, priority and
// origin, when it is launched and as long as its CTAs wait; and that a dispatch
// policy can choose between kernels by that.
#include <string.h>

#include "device/state.h"
#include "frontends/ptx/link/load.h"
#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/plugin.h"
#include "unit/cmocka_all.h"
#include "unit/launch_support.h"

static const char text[] =
    ".version 6.0\n.target sm_35\n.address_size 64\n"
    ".visible .entry first(.param .u64 word) {\n"
    "  .reg .u64 %rd; .reg .u32 %r;\n"
    "  ld.param.u64 %rd, [word]; atom.global.add.u32 %r, [%rd], 1; ret;\n}\n"
    ".visible .entry second(.param .u64 word) {\n"
    "  .reg .u64 %rd; .reg .u32 %r;\n"
    "  ld.param.u64 %rd, [word]; atom.global.add.u32 %r, [%rd], 2; ret;\n}\n";

// ---- a policy that writes down what it sees, and takes the most urgent kernel first

enum { MOST = 256 };
static struct {
  KernelView launched[2];
  Launch launches[2];  // copies: the originals go with their kernels
  uint32_t launch_count;
  bool saw_both;                  // kernels waited at once
  uint32_t dispatched[MOST];      // kernels of CTAs, from then on
  uint32_t dispatched_count;
} seen;

static void urgent_on_launch(void *state, const KernelView *kernel) {
  (void)state;
  assert_in_range(seen.launch_count, 0, 1);
  seen.launches[seen.launch_count] = *kernel->launch;
  seen.launched[seen.launch_count++] = *kernel;
}

// What is seen of a waiting kernel is what was seen when it was launched.
static void check_view(const KernelView *view) {
  assert_in_range(view->id, 0, 1);
  const Launch *launch = &seen.launches[view->id];
  assert_ptr_equal(view->launch->kernel, launch->kernel);
  assert_memory_equal(view->launch->grid, launch->grid, sizeof launch->grid);
  assert_memory_equal(view->launch->block, launch->block, sizeof launch->block);
  assert_int_equal(view->launch->origin.stream, launch->origin.stream);
  assert_int_equal(view->launch->origin.priority, launch->origin.priority);
  assert_true(view->ctas_waiting > 0);
}

static bool urgent_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  (void)state;
  const DispatchKernel *best = NULL;
  for (uint32_t k = 0; k < view->kernel_count; k++) {
    const DispatchKernel *kernel = &view->kernels[k];
    check_view(&kernel->view);
    if (!kernel->has_room) continue;
    if (best && kernel->view.launch->origin.priority >= best->view.launch->origin.priority)
      continue;
    best = kernel;
    choice->kernel = k;
  }
  seen.saw_both |= view->kernel_count == 2;
  if (seen.saw_both && seen.dispatched_count < MOST)
    seen.dispatched[seen.dispatched_count++] = best->view.id;
  choice->sm = dispatch_next_sm(view, best, view->sm_count - 1);
  choice->cta = best->next_cta;
  return true;
}

static const CtaDispatchType urgent = {
    .policy = {.name = "urgent", .summary = "by priority", .on_launch = urgent_on_launch},
    .pick = urgent_pick};

static void add_urgent(PolicySet *set) {
  Error err;
  const PolicyPlugin plugin = {POLICY_API_VERSION, "cta_dispatch", &urgent.policy};
  memset(&seen, 0, sizeof seen);
  if (policy_set_add(set, &plugin, "test", &err) != OK) fail_msg("%s", err.text);
}

// ---- launches by hand

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

static void submit(Gpu *gpu, const Program *program, const char *name, uint64_t word,
                   const uint32_t grid[3], const uint32_t block[3], LaunchOrigin origin) {
  Launch launch;
  Error err;
  check(launch_init(&launch, program, program_find_kernel(program, name), grid, block,
                    (const uint8_t *)&word, 0, 1024, &err),
        &err);
  launch.origin = origin;
  check(gpu_submit(gpu, launch_kept(&launch), &err), &err);
}

// The first kernel in stream 7 with priority 0, the second in stream 9 with -2.
static void run_two(const char *dispatch) {
  static const uint32_t grids[2][3] = {{8, 3, 2}, {5, 4, 2}}, blocks[2][3] = {{16, 2, 1}, {8, 4, 2}};
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  PolicySet set = {0};
  PtxText source = {"launch_views_test.ptx", text, sizeof text - 1};
  uint64_t word;
  uint32_t sum;
  Error err;
  add_urgent(&set);
  check(gpu_config_load(&config, "tiny", &err), &err);
  strcpy(config.policy.cta_dispatch, dispatch);
  check(gpu_create(&gpu, &config, &(GpuOptions){.policies = &set}, &err), &err);
  check(ptx_load_texts(&program, &source, 1, PROGRAM_BASE, &err), &err);
  check(device_memory_alloc(gpu_memory(gpu), 4, ALLOCATION_HEAP, "word", &word, &err), &err);
  submit(gpu, program, "first", word, grids[0], blocks[0], (LaunchOrigin){.stream = 7});
  submit(gpu, program, "second", word, grids[1], blocks[1],
         (LaunchOrigin){.stream = 9, .priority = -2});
  check(gpu_run(gpu, &err), &err);
  check(device_memory_read(gpu_memory(gpu), word, &sum, 4, &err), &err);
  assert_int_equal(sum, 48 * 32 + 2 * 40 * 64);
  assert_int_equal(gpu_kernel(gpu, 1)->origin.priority, -2);
  gpu_destroy(gpu);
  program_destroy(program);
  policy_set_clear(&set);
}

static void a_launch_is_seen_with_its_shape_and_origin(void **state) {
  (void)state;
  run_two("urgent");
  assert_int_equal(seen.launch_count, 2);
  static const uint32_t grid[3] = {5, 4, 2}, block[3] = {8, 4, 2};
  const KernelView *view = &seen.launched[1];
  const Launch *launch = &seen.launches[1];
  assert_memory_equal(launch->grid, grid, sizeof grid);
  assert_memory_equal(launch->block, block, sizeof block);
  assert_int_equal(launch->origin.stream, 9);
  assert_int_equal(launch->origin.priority, -2);
  assert_false(launch->origin.has_parent);
  assert_int_equal(launch->origin.depth, 0);
  assert_int_equal(view->id, 1);
  assert_int_equal(view->cta_count, 40);
  assert_int_equal(view->ctas_waiting, 40);
  assert_int_equal(view->ctas_done, 0);
  assert_int_equal(view->warps_per_cta, 2);
  assert_int_equal(seen.launches[0].origin.stream, 7);
  assert_int_equal(seen.launches[0].origin.priority, 0);
  assert_int_equal(seen.launched[0].cta_count, 48);
  assert_int_equal(seen.launched[0].warps_per_cta, 1);
}

// Once both kernels wait, all 40 CTAs of the urgent one leave first.
static void dispatch_may_choose_by_priority(void **state) {
  (void)state;
  run_two("urgent");
  assert_true(seen.saw_both);
  assert_in_range(seen.dispatched_count, 41, 88);
  for (uint32_t i = 0; i < 40; i++) assert_int_equal(seen.dispatched[i], 1);
  for (uint32_t i = 40; i < seen.dispatched_count; i++) assert_int_equal(seen.dispatched[i], 0);
}

// ---- launches through a device

static DeviceStream *stream_of(Device *device, int priority) {
  DeviceStream *stream;
  assert_int_equal(device_stream_create(device, false, priority, &stream), DEVICE_OK);
  return stream;
}

static void a_streams_priority_reaches_the_policies(void **state) {
  (void)state;
  DeviceRun options = {.spec = {.gpu = "tiny", .scheme = "urgent"}};
  Device *device = device_create(&options);
  DeviceModule *module;
  DeviceKernel *kernel;
  uint64_t word;
  add_urgent(&device->machine.plugins);
  assert_int_equal(device_module_load(device, text, &module, NULL), DEVICE_OK);
  assert_int_equal(device_kernel_in_module(device, module, "first", &kernel), DEVICE_OK);
  assert_int_equal(device_alloc(device, 4, &word), DEVICE_OK);
  void *arguments[] = {&word};
  for (int i = 0; i < 2; i++) {
    DeviceStream *stream = stream_of(device, i ? STREAM_PRIORITY_HIGHEST : STREAM_PRIORITY_LOWEST);
    DeviceLaunch launch = {.kernel = kernel,
                           .grid = {4, 1, 1},
                           .block = {32, 1, 1},
                           .arguments = arguments,
                           .stream = stream};
    assert_int_equal(device_launch(device, &launch), DEVICE_OK);
    assert_int_equal(device_stream_synchronize(device, stream), DEVICE_OK);
    assert_int_equal(seen.launch_count, i + 1);
    assert_int_equal(seen.launches[i].origin.priority, device_stream_priority(stream));
    assert_int_equal(seen.launches[i].origin.stream, device_stream_id(stream));
    assert_string_equal(seen.launches[i].kernel->name, "first");
  }
  assert_true(seen.launches[1].origin.priority < seen.launches[0].origin.priority);
  device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_launch_is_seen_with_its_shape_and_origin),
      cmocka_unit_test(dispatch_may_choose_by_priority),
      cmocka_unit_test(a_streams_priority_reaches_the_policies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
