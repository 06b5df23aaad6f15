// SPDX-License-Identifier: MIT
// The record of a launch, from the call to the result, and launches that begin while others run.
#include <math.h>

#include "device/state.h"
#include "exec/program_image.h"
#include "frontends/ptx/link/load.h"
#include "unit/cmocka_all.h"

enum { WORDS = 64, BYTES = WORDS * 4, LONG = 4000, SHORT = 10, COPY_BYTES = 1 << 16 };

// Adds 1 to a word per thread, as many times as it is told.
static const char image[] =
    ".version 6.4\n.target sm_35\n.address_size 64\n"
    ".visible .entry work(.param .u64 data, .param .u32 rounds) {\n"
    "  .reg .u64 %d<3>; .reg .u32 %r<5>; .reg .pred %p;\n"
    "  ld.param.u64 %d0, [data]; ld.param.u32 %r0, [rounds];\n"
    "  mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d2, %d0, %d1;\n"
    "  ld.global.u32 %r2, [%d2];\n"
    "again:\n"
    "  add.u32 %r2, %r2, 1; sub.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, 0; @%p bra again;\n"
    "  st.global.u32 [%d2], %r2; ret; }\n";

// ---- on a GPU

typedef struct Work {
  uint64_t data;
  uint32_t rounds;
} Work;

typedef struct Machine {
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  Work work[3];
  Launch launches[3];
} Machine;

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

static void make(Machine *machine) {
  Error err;
  PtxText source = {"launch_record_test.ptx", image, sizeof image - 1};
  check(gpu_config_load(&machine->config, "tiny", &err), &err);
  check(gpu_create(&machine->gpu, &machine->config, NULL, &err), &err);
  check(ptx_load_texts(&machine->program, &source, 1, PROGRAM_BASE, &err), &err);
}

static void unmake(Machine *machine) {
  gpu_destroy(machine->gpu);
  program_destroy(machine->program);
}

static void submit(Machine *machine, uint32_t i, uint32_t rounds, uint64_t stream) {
  Error err;
  Launch *launch = &machine->launches[i];
  Work *work = &machine->work[i];
  work->rounds = rounds;
  check(device_memory_alloc(gpu_memory(machine->gpu), BYTES, ALLOCATION_HEAP, "data", &work->data,
                            &err),
        &err);
  check(launch_init(launch, machine->program, program_find_kernel(machine->program, "work"),
                    (uint32_t[]){1, 1, 1}, (uint32_t[]){WORDS, 1, 1}, (const uint8_t *)work, 0,
                    1024, &err),
        &err);
  launch->origin.stream = stream;
  launch->number = 40 + i;
  check(gpu_submit(machine->gpu, launch, &err), &err);
}

static void assert_in_order(const Launch *launch) {
  assert_true(launch->is_complete && launch->launched <= launch->submitted);
  assert_true(launch->submitted <= launch->started && launch->started < launch->ended);
  assert_true(launch->ended <= launch->over);
}

static void the_callers_record_gets_times_and_counts(void **state) {
  (void)state;
  Machine machine;
  Error err;
  make(&machine);
  gpu_number_kernels(machine.gpu, 7);
  submit(&machine, 0, SHORT, 1);
  check(gpu_run(machine.gpu, &err), &err);
  const Launch *launch = &machine.launches[0];
  assert_ptr_equal(gpu_kernel(machine.gpu, 0), launch);
  assert_in_order(launch);
  assert_int_equal(launch->grid_id, 7);
  assert_int_equal(launch->number, 40);
  assert_int_equal(launch->ctas, 1);
  assert_int_equal(launch->sms, 1);
  // Of two warps: the loop, and what is before and after it but for the parameters (preloaded).
  assert_int_equal(launch->warp_instructions, 2 * (4 * SHORT + 8));
  assert_int_equal(launch->stats->sm.warp_instructions, launch->warp_instructions);
  unmake(&machine);
}

static void a_gpu_takes_a_kernel_while_another_runs(void **state) {
  (void)state;
  enum { LATER = 2000 };
  Machine machine, alone;
  Error err;
  make(&machine);
  submit(&machine, 0, LONG, 1);
  check(gpu_run_until(machine.gpu, LATER, &err), &err);
  assert_int_equal(gpu_now(machine.gpu), LATER);
  assert_false(gpu_is_idle(machine.gpu));
  gpu_number_kernels(machine.gpu, 5);  // numbers are left out
  submit(&machine, 1, SHORT, 2);
  submit(&machine, 2, SHORT, 1);  // behind the long one
  check(gpu_run_until(machine.gpu, NEVER, &err), &err);
  const Launch *first = &machine.launches[0], *second = &machine.launches[1];
  assert_true(second->over && !first->over);  // it returned when the short one had completed
  assert_int_equal(gpu_now(machine.gpu), second->over);
  assert_int_equal(second->started, LATER);
  assert_int_equal(second->grid_id, 5);
  check(gpu_run(machine.gpu, &err), &err);
  assert_true(gpu_is_idle(machine.gpu) && second->over < first->ended);
  assert_int_equal(machine.launches[2].started, first->over);
  for (int i = 0; i < 3; i++) assert_in_order(&machine.launches[i]);

  make(&alone);
  submit(&alone, 0, LONG, 1);
  check(gpu_run(alone.gpu, &err), &err);
  assert_int_equal(alone.launches[0].warp_instructions, first->warp_instructions);
  unmake(&alone);
  unmake(&machine);
}

// Being handed back and continued changes nothing.
static void stopping_at_a_cycle_changes_no_count(void **state) {
  (void)state;
  Machine whole, pieces;
  Error err;
  make(&whole);
  make(&pieces);
  submit(&whole, 0, LONG, 1);
  submit(&pieces, 0, LONG, 1);
  check(gpu_run(whole.gpu, &err), &err);
  for (Cycle until = 37; !gpu_is_idle(pieces.gpu); until += 37)
    check(gpu_run_until(pieces.gpu, until, &err), &err);
  assert_memory_equal(gpu_total(whole.gpu), gpu_total(pieces.gpu), sizeof(MachineStats));
  unmake(&whole);
  unmake(&pieces);
}

// ---- on a device

typedef struct Rig {
  Device *device;
  DeviceModule *module;
  DeviceKernel *work;
  uint64_t data[3], buffer;
  uint8_t *host;
} Rig;

static void must(DeviceError error) {
  assert_int_equal(error, DEVICE_OK);
}

static void make_rig(Rig *rig) {
  DeviceRun run = {.spec = {.gpu = "tiny"}};
  rig->device = device_create(&run);
  must(device_module_load(rig->device, image, &rig->module, NULL));
  must(device_kernel_in_module(rig->device, rig->module, "work", &rig->work));
  for (int i = 0; i < 3; i++) must(device_alloc(rig->device, BYTES, &rig->data[i]));
  must(device_alloc(rig->device, COPY_BYTES, &rig->buffer));
  must(device_host_alloc(rig->device, COPY_BYTES, HOST_PINNED, (void **)&rig->host));
}

static DeviceStream *make_stream(const Rig *rig, bool is_blocking) {
  DeviceStream *stream;
  must(device_stream_create(rig->device, is_blocking, 0, &stream));
  return stream;
}

static void launch(const Rig *rig, int i, uint32_t rounds, DeviceStream *stream) {
  void *arguments[] = {(void *)(uintptr_t)&rig->data[i], &rounds};
  DeviceLaunch wanted = {.kernel = rig->work,
                         .grid = {1, 1, 1},
                         .block = {WORDS, 1, 1},
                         .arguments = arguments,
                         .stream = stream};
  must(device_launch(rig->device, &wanted));
}

static void copy(const Rig *rig, DeviceStream *stream) {
  DeviceCopy wanted = {.to = {SIDE_DEVICE, rig->buffer, COPY_BYTES, 0},
                       .from = {SIDE_HOST, (uint64_t)(uintptr_t)rig->host, COPY_BYTES, 0},
                       .width_bytes = COPY_BYTES,
                       .height = 1,
                       .depth = 1};
  must(device_copy(rig->device, &wanted, stream, true));
}

// The result of the host's i-th launch.
static const KernelResult *result_of(const Rig *rig, uint64_t i) {
  const RunResult *result = &rig->device->result;
  for (uint32_t k = 0; k < result->kernel_count; k++)
    if (result->kernels[k].launch == i) return &result->kernels[k];
  fail_msg("launch %llu has no result", (unsigned long long)i);
  return NULL;
}

static uint64_t cycles_of_copy(const Rig *rig) {
  double nanoseconds = copy_nanoseconds(rig->device, COPY_BYTES, true);
  return (uint64_t)ceil(nanoseconds * device_config(rig->device)->gpu.core_clock_mhz / 1e3);
}

static void a_kernel_behind_a_copy_joins_one_that_runs(void **state) {
  (void)state;
  Rig rig;
  make_rig(&rig);
  DeviceStream *first = make_stream(&rig, false), *second = make_stream(&rig, false);
  launch(&rig, 0, LONG, first);
  copy(&rig, second);
  launch(&rig, 1, SHORT, second);
  must(device_synchronize(rig.device));
  const KernelResult *running = result_of(&rig, 0), *joining = result_of(&rig, 1);
  assert_int_equal(joining->started - running->started, cycles_of_copy(&rig));
  assert_true(joining->over < running->ended);
  device_destroy(rig.device);
}

static void an_event_releases_a_kernel_while_another_runs(void **state) {
  (void)state;
  Rig rig;
  DeviceEvent *event, *ends[2];
  float ms;
  make_rig(&rig);
  DeviceStream *streams[3];
  for (int i = 0; i < 3; i++) streams[i] = make_stream(&rig, false);
  must(device_event_create(rig.device, false, &event));
  for (int i = 0; i < 2; i++) must(device_event_create(rig.device, true, &ends[i]));
  launch(&rig, 0, LONG, streams[0]);
  must(device_event_record(rig.device, ends[0], streams[0]));
  launch(&rig, 1, SHORT, streams[1]);
  must(device_event_record(rig.device, event, streams[1]));
  must(device_stream_wait(rig.device, streams[2], event));
  launch(&rig, 2, SHORT, streams[2]);
  must(device_event_record(rig.device, ends[1], streams[2]));
  must(device_synchronize(rig.device));
  const KernelResult *other = result_of(&rig, 0);
  const KernelResult *before = result_of(&rig, 1), *after = result_of(&rig, 2);
  assert_int_equal(after->started, before->over);
  assert_true(after->over < other->ended);
  must(device_event_elapsed(rig.device, ends[1], ends[0], &ms));
  double cycles = (double)ms * 1e3 * device_config(rig.device)->gpu.core_clock_mhz;
  assert_int_equal((uint64_t)(cycles + 0.5), other->over - after->over);
  device_destroy(rig.device);
}

// The legacy default stream orders blocking streams.
static void a_blocking_stream_waits_for_a_running_kernel_of_the_default_one(void **state) {
  (void)state;
  Rig rig;
  make_rig(&rig);
  DeviceStream *blocking = make_stream(&rig, true), *other = make_stream(&rig, false);
  launch(&rig, 0, LONG, NULL);
  launch(&rig, 1, SHORT, blocking);
  launch(&rig, 2, SHORT, other);
  must(device_synchronize(rig.device));
  assert_int_equal(result_of(&rig, 1)->started, result_of(&rig, 0)->over);
  assert_int_equal(result_of(&rig, 2)->started, result_of(&rig, 0)->started);
  device_destroy(rig.device);
}

// One stream: the GPU's clock stands still while nothing runs on it.
static void copies_between_kernels_take_no_cycles_of_the_gpu(void **state) {
  (void)state;
  Rig rig;
  make_rig(&rig);
  DeviceStream *stream = make_stream(&rig, false);
  launch(&rig, 0, SHORT, stream);
  copy(&rig, stream);
  launch(&rig, 0, SHORT, stream);
  must(device_synchronize(rig.device));
  assert_int_equal(result_of(&rig, 1)->started, result_of(&rig, 0)->over);
  device_destroy(rig.device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_callers_record_gets_times_and_counts),
      cmocka_unit_test(a_gpu_takes_a_kernel_while_another_runs),
      cmocka_unit_test(stopping_at_a_cycle_changes_no_count),
      cmocka_unit_test(a_kernel_behind_a_copy_joins_one_that_runs),
      cmocka_unit_test(an_event_releases_a_kernel_while_another_runs),
      cmocka_unit_test(a_blocking_stream_waits_for_a_running_kernel_of_the_default_one),
      cmocka_unit_test(copies_between_kernels_take_no_cycles_of_the_gpu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
