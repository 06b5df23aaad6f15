// SPDX-License-Identifier: MIT
// A GPU from outside: what it refuses, what it runs, what it says of it.
#include "gpu/gpu.h"
#include "exec/program_image.h"

#include <stdio.h>
#include <string.h>

#include "frontends/ptx/link/load.h"
#include "exec/memory/device_memory.h"
#include "unit/cmocka_all.h"
#include "unit/launch_support.h"

static const char text[] =
    ".version 6.0\n.target sm_35\n.address_size 64\n"
    ".visible .entry add(.param .u64 buffer) {\n"
    "  .reg .u32 %r<8>; .reg .u64 %rd<4>;\n"
    "  ld.param.u64 %rd0, [buffer];\n"
    "  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
    "  mad.lo.u32 %r0, %r1, %r2, %r0;\n"
    "  mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n"
    "  ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;\n"
    "  ret;\n}\n"
    ".visible .entry hang(.param .u64 buffer) {\n"
    "  .reg .u32 %r<8>; .reg .u64 %rd<4>; .reg .pred %p;\n"
    "  ld.param.u64 %rd0, [buffer];\n"
    "again:\n"
    "  ld.global.cv.u32 %r1, [%rd0]; setp.eq.u32 %p, %r1, 12345; @!%p bra again;\n"
    "  ret;\n}\n"
    ".visible .entry big(.param .u64 buffer) {\n"
    "  .shared .b8 room[65536]; .reg .u32 %r<4>;\n"
    "  mov.u32 %r0, room; st.shared.u32 [%r0], %r0; ret;\n}\n";

typedef struct Machine {
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  uint64_t buffer;
} Machine;

enum { BUFFER_BYTES = 65536 };

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

static void make_with(Machine *machine, const char *gpu, const char *assignment,
                      const GpuOptions *options) {
  Error err;
  PtxText source = {"gpu_test.ptx", text, sizeof text - 1};
  check(gpu_config_load(&machine->config, gpu, &err), &err);
  if (assignment) check(gpu_config_assign(&machine->config, assignment, &err), &err);
  check(gpu_create(&machine->gpu, &machine->config, options, &err), &err);
  check(ptx_load_texts(&machine->program, &source, 1, PROGRAM_BASE, &err), &err);
  check(program_place_variables(machine->program, gpu_memory(machine->gpu), &err), &err);
  check(device_memory_alloc(gpu_memory(machine->gpu), BUFFER_BYTES, ALLOCATION_HEAP, "buffer",
                            &machine->buffer, &err),
        &err);
}

static void make(Machine *machine, const char *gpu) {
  make_with(machine, gpu, NULL, NULL);
}

static void unmake(Machine *machine) {
  gpu_destroy(machine->gpu);
  program_destroy(machine->program);
}

static Status submit(Machine *machine, const char *kernel, uint32_t ctas, uint32_t threads,
                     Error *err) {
  Launch launch;
  const uint32_t grid[3] = {ctas, 1, 1}, block[3] = {threads, 1, 1};
  TRY(launch_init(&launch, machine->program, program_find_kernel(machine->program, kernel), grid,
                  block, (const uint8_t *)&machine->buffer, 0, 1024, err));
  return gpu_submit(machine->gpu, launch_kept(&launch), err);
}

static uint32_t word(const Machine *machine, uint32_t index) {
  uint32_t value;
  Error err;
  check(device_memory_read(gpu_memory(machine->gpu), machine->buffer + 4ull * index, &value,
                           sizeof value, &err),
        &err);
  return value;
}

static void a_kernel_runs_and_leaves_a_record(void **state) {
  (void)state;
  Machine machine;
  Error err;
  make(&machine, "gtx480");
  check(submit(&machine, "add", 40, 96, &err), &err);
  check(gpu_run(machine.gpu, &err), &err);
  for (uint32_t i = 0; i < 40 * 96; i += 97) assert_int_equal(word(&machine, i), 1);
  assert_int_equal(word(&machine, 40 * 96), 0);
  assert_int_equal(gpu_kernel_count(machine.gpu), 1);
  const Launch *record = gpu_kernel(machine.gpu, 0);
  assert_string_equal(record->kernel->name, "add");
  assert_true(record->is_complete);
  assert_int_equal(record->grid[0], 40);
  assert_int_equal(record->block[0], 96);
  assert_int_equal(record->stats->sm.ctas, 40);
  assert_int_equal(record->stats->sm.warp_instructions, 40 * 3 * 11);
  assert_int_equal(record->stats->cycles, record->ended - record->started);
  unmake(&machine);
}

// Each kernel has its own counters; together they are the total.
static void kernels_counters_add_up_to_the_total(void **state) {
  (void)state;
  Machine machine;
  Error err;
  make(&machine, "gtx480");
  for (uint32_t i = 1; i <= 3; i++) {
    check(submit(&machine, "add", 10 * i, 64, &err), &err);
    check(gpu_run(machine.gpu, &err), &err);
  }
  MachineStats sum = {0};
  for (uint32_t i = 0; i < 3; i++) stats_sum(&sum, gpu_kernel(machine.gpu, i)->stats, sizeof sum);
  assert_int_equal(sum.sm.warp_instructions, (10 + 20 + 30) * 2 * 11);
  assert_memory_equal(&sum, gpu_total(machine.gpu), sizeof sum);
  assert_int_equal(word(&machine, 0), 3);
  unmake(&machine);
}

// The second launch finds code and parameters in the caches.
static void a_second_launch_is_faster(void **state) {
  (void)state;
  Machine machine;
  Error err;
  make(&machine, "gtx480");
  for (int i = 0; i < 2; i++) {
    check(submit(&machine, "add", 15, 32, &err), &err);
    check(gpu_run(machine.gpu, &err), &err);
  }
  const MachineStats *first = gpu_kernel(machine.gpu, 0)->stats;
  const MachineStats *second = gpu_kernel(machine.gpu, 1)->stats;
  assert_true(second->cycles + 400 < first->cycles);
  assert_int_equal(second->l1i.misses, 0);
  assert_int_equal(second->l1c.misses, 0);
  unmake(&machine);
}

static void what_does_not_fit_an_sm_is_refused(void **state) {
  (void)state;
  Machine machine;
  Error err;
  make(&machine, "gtx480");
  assert_int_equal(submit(&machine, "big", 1, 32, &err), ERR_PROGRAM);
  assert_non_null(strstr(err.text, "65536 bytes of shared memory"));
  assert_non_null(strstr(err.text, "does not fit"));
  unmake(&machine);
}

static void max_cycles_stops_a_kernel_that_never_ends(void **state) {
  (void)state;
  Machine machine;
  Error err;
  make(&machine, "gtx480");
  gpu_destroy(machine.gpu);
  machine.config.run.max_cycles = 20000;
  check(gpu_create(&machine.gpu, &machine.config, NULL, &err), &err);
  check(device_memory_alloc(gpu_memory(machine.gpu), BUFFER_BYTES, ALLOCATION_HEAP, "buffer",
                            &machine.buffer, &err),
        &err);
  check(submit(&machine, "hang", 1, 32, &err), &err);
  assert_int_equal(gpu_run(machine.gpu, &err), ERR_LIMIT);
  assert_int_equal(gpu_total(machine.gpu)->cycles, 20000);
  assert_false(gpu_kernel(machine.gpu, 0)->is_complete);
  unmake(&machine);
}

static void max_ctas_stops_a_kernel_with_what_it_has(void **state) {
  (void)state;
  Machine machine;
  Error err;
  make_with(&machine, "tiny", "run.max_ctas=20", NULL);
  check(submit(&machine, "add", 10, 64, &err), &err);
  check(gpu_run(machine.gpu, &err), &err);
  check(submit(&machine, "add", 40, 64, &err), &err);
  assert_int_equal(gpu_run(machine.gpu, &err), ERR_LIMIT);
  assert_non_null(strstr(err.text, " CTAs"));
  uint64_t ended = gpu_total(machine.gpu)->sm.ctas;
  assert_true(ended >= 20 && ended <= 22);  // two SMs
  assert_int_equal(gpu_kernel(machine.gpu, 1)->ctas, ended - 10);
  unmake(&machine);
}

typedef struct Told {
  uint32_t ids[8], count;
  uint64_t cycles;
  bool is_complete;
} Told;

static void note(void *self, Launch *record) {
  Told *told = self;
  told->ids[told->count++] = (uint32_t)record->grid_id;
  told->cycles += record->stats->cycles;
  told->is_complete = record->is_complete;
}

// Whoever wants to be told of kernels gets each once, and the GPU keeps none.
static void kernels_that_are_told_of_are_forgotten(void **state) {
  (void)state;
  Machine machine;
  Error err;
  Told told = {0};
  GpuOptions options = {.kernel_completed = note, .kernel_completed_self = &told};
  make_with(&machine, "gtx480", NULL, &options);
  gpu_number_kernels(machine.gpu, 100);
  for (uint32_t i = 0; i < 3; i++) {
    check(submit(&machine, "add", 4, 64, &err), &err);
    check(submit(&machine, "add", 4, 64, &err), &err);
    check(gpu_run(machine.gpu, &err), &err);
    assert_int_equal(gpu_kernel_count(machine.gpu), 0);
  }
  assert_int_equal(told.count, 6);
  for (uint32_t i = 0; i < 6; i++) assert_int_equal(told.ids[i], 100 + i);
  assert_int_equal(told.cycles, gpu_total(machine.gpu)->cycles);
  assert_int_equal(word(&machine, 0), 6);
  unmake(&machine);
}

static void a_kernel_that_is_stopped_is_told_of_too(void **state) {
  (void)state;
  Machine machine;
  Error err;
  Told told = {0};
  GpuOptions options = {.kernel_completed = note, .kernel_completed_self = &told};
  make_with(&machine, "gtx480", "run.max_cycles=3000", &options);
  check(submit(&machine, "hang", 1, 32, &err), &err);
  check(submit(&machine, "add", 1, 32, &err), &err);  // never begins
  assert_int_equal(gpu_run(machine.gpu, &err), ERR_LIMIT);
  assert_int_equal(told.count, 1);
  assert_false(told.is_complete);
  unmake(&machine);
}

static void impossible_machines_are_refused_with_the_reason(void **state) {
  (void)state;
  static const struct {
    const char *assignments[3], *reason;
  } wrong[] = {
      {{"l1d.miss_queue=1", "l1d.miss_queue_reserve=1"}, "no read would ever be accepted"},
      {{"l1d.line_bytes=96"}, "power of two"},
      {{"l1d.write_policy=back", "l1d.allocate=on_fill"}, "on_miss"},
      {{"noc.flit_bytes=4"}, "flits"},
      {{"partition.dram_shared_credits=0", "partition.dram_private_credits=0"}, "credits"},
      {{"policy.warp_scheduler=fastest"}, "fastest"},
      {{"policy.cta_dispatch=nowhere"}, "nowhere"},
      {{"gpu.address_map=somewhere"}, "somewhere"},
      {{"l1d.replacement=never"}, "never"},
      {{"dram.scheduler=none"}, "none"},
      {{"l2.write_policy=read_only"}, "l2.write_policy = read_only: stores end"},
      {{"l1d.write_policy=read_only"}, "l1d.write_policy = read_only: kernels store"},
      {{"partition.split_sectors=false"}, "split_sectors"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    GpuConfig config;
    Error err;
    Gpu *gpu = (Gpu *)&config;
    check(gpu_config_load(&config, "gtx480", &err), &err);
    for (int a = 0; a < 3 && wrong[i].assignments[a]; a++)
      check(gpu_config_assign(&config, wrong[i].assignments[a], &err), &err);
    assert_int_equal(gpu_create(&gpu, &config, NULL, &err), ERR_CONFIG);
    assert_null(gpu);
    if (!strstr(err.text, wrong[i].reason))
      fail_msg("'%s' does not mention '%s'", err.text, wrong[i].reason);
  }
}

static void many_gpus_live_side_by_side(void **state) {
  (void)state;
  Machine a, b;
  Error err;
  make(&a, "gtx480");
  make(&b, "tiny");
  check(submit(&a, "add", 8, 64, &err), &err);
  check(submit(&b, "add", 8, 64, &err), &err);
  check(gpu_run(b.gpu, &err), &err);
  assert_int_equal(word(&a, 0), 0);
  check(gpu_run(a.gpu, &err), &err);
  assert_int_equal(word(&a, 0), 1);
  assert_int_equal(word(&b, 8 * 64 - 1), 1);
  unmake(&a);
  unmake(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_kernel_runs_and_leaves_a_record),
      cmocka_unit_test(kernels_counters_add_up_to_the_total),
      cmocka_unit_test(a_second_launch_is_faster),
      cmocka_unit_test(what_does_not_fit_an_sm_is_refused),
      cmocka_unit_test(max_cycles_stops_a_kernel_that_never_ends),
      cmocka_unit_test(max_ctas_stops_a_kernel_with_what_it_has),
      cmocka_unit_test(kernels_that_are_told_of_are_forgotten),
      cmocka_unit_test(a_kernel_that_is_stopped_is_told_of_too),
      cmocka_unit_test(impossible_machines_are_refused_with_the_reason),
      cmocka_unit_test(many_gpus_live_side_by_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
