// SPDX-License-Identifier: MIT
#include "cli/case_engine.h"

#include <string.h>

#include "base/closest.h"
#include "base/memory.h"
#include "cli/case_arguments.h"
#include "device/kernel_results.h"
#include "frontends/ptx/load.h"
#include "isa/device_memory.h"
#include "isa/launch.h"

static void print_to_file(void *self, const char *text, size_t length) {
  const CaseEngine *engine = self;
  progress_hide(engine->progress);
  fwrite(text, 1, length, engine->print);
}

static Status make_gpu(CaseEngine *engine, const CaseEngineOptions *options, Error *err) {
  GpuOptions gpu = options->gpu;
  if (engine->progress->file) {
    gpu.progress = progress_update;
    gpu.progress_self = engine->progress;
  }
  TRY(gpu_create(&engine->gpu, engine->config, &gpu, err));
  gpu_set_print(engine->gpu, print_to_file, engine);
  engine->memory = gpu_memory(engine->gpu);
  engine->result->parts = machine_stats_parts;
  engine->result->stats_bytes = sizeof(MachineStats);
  return OK;
}

Status case_engine_init(CaseEngine *engine, const GpuConfig *config, RunResult *result,
                        const CaseEngineOptions *options, Error *err) {
  *engine = (CaseEngine){.config = config, .result = result, .stop = options->gpu.stop,
                         .print = options->print, .progress = options->progress};
  if (!options->functional) return make_gpu(engine, options, err);
  engine->memory = device_memory_create((uint64_t)config->gpu.memory_mb << 20);
  engine->context.memory = engine->memory;
  engine->context.print = print_to_file;
  engine->context.print_sink = engine;
  engine->context.sm_count = config->gpu.sm_count;
  engine->context.warps_per_sm = config->sm.max_warps;
  return OK;
}

void case_engine_finish(CaseEngine *engine) {
  if (!engine->gpu) return;
  RunResult *result = engine->result;
  void *copy = arena_alloc(&result->arena, sizeof(MachineStats));
  result->total_stats = memcpy(copy, gpu_total(engine->gpu), sizeof(MachineStats));
  result->total_cycles = gpu_total(engine->gpu)->cycles;
  gpu_report(engine->gpu, &result->tables);
  gpu_report_policies(engine->gpu, &result->policies);
}

void case_engine_clear(CaseEngine *engine) {
  if (engine->program) program_destroy(engine->program);
  if (engine->gpu)
    gpu_destroy(engine->gpu);
  else
    device_memory_destroy(engine->memory);
  *engine = (CaseEngine){0};
}

static Status engine_load(void *self, const char *const *paths, size_t count, Error *err) {
  CaseEngine *engine = self;
  if (!count) return OK;
  TRY(ptx_load_files(&engine->program, paths, count, PROGRAM_BASE, err));
  return program_place_variables(engine->program, engine->memory, err);
}

static Status find_kernel(const CaseEngine *engine, const char *name, const Function **kernel,
                          Error *err) {
  Closest closest = closest_start(name);
  if (!engine->program)
    return error_set(err, ERR_LINK, "there is no kernel %s: the case loads no ptx", name);
  *kernel = program_find_kernel(engine->program, name);
  if (*kernel) return OK;
  for (uint32_t i = 0; i < engine->program->function_count; i++)
    if (engine->program->functions[i].is_kernel)
      closest_offer(&closest, engine->program->functions[i].name);
  return error_set(err, ERR_LINK, "there is no kernel '%.80s'%s%s%s", name,
                   CLOSEST_HINT(closest));
}

static Status engine_set_registers(void *self, const char *name, uint32_t registers, Error *err) {
  CaseEngine *engine = self;
  const Function *kernel;
  TRY(find_kernel(engine, name, &kernel, err));
  engine->program->functions[kernel->index].registers = registers;
  return OK;
}

static Status engine_alloc(void *self, const char *name, uint64_t size_bytes, uint64_t *address,
                           Error *err) {
  CaseEngine *engine = self;
  TRY(device_memory_alloc(engine->memory, size_bytes, ALLOCATION_HEAP, name, address, err));
  if (engine->gpu)
    gpu_forget_allocations(engine->gpu);
  else
    exec_forget_allocations(&engine->context);
  return OK;
}

static Status engine_write(void *self, uint64_t address, const void *bytes, uint64_t size_bytes,
                           Error *err) {
  return device_memory_write(((CaseEngine *)self)->memory, address, bytes, size_bytes, err);
}

static Status engine_read(void *self, uint64_t address, void *bytes, uint64_t size_bytes,
                          Error *err) {
  return device_memory_read(((CaseEngine *)self)->memory, address, bytes, size_bytes, err);
}

// What of run.max_instructions is left; 0 = no limit.
static Status instructions_left(const CaseEngine *engine, uint64_t *left, Error *err) {
  uint64_t limit = engine->config->run.max_instructions;
  uint64_t done = engine->result->total.warp_instructions;
  *left = limit ? limit - done : 0;
  if (limit && done >= limit)
    return error_set(err, ERR_LIMIT, "%llu warp instructions have run (run.max_instructions)",
                     (unsigned long long)done);
  return OK;
}

static void child_over(void *self, const Launch *launch, const FunctionalStats *stats) {
  CaseEngine *engine = self;
  kernel_results_add_functional(engine->result, engine->config, launch, stats, true, (Seconds){0});
}

static void show_progress(void *self, const Launch *launch, uint64_t ctas_done) {
  CaseEngine *engine = self;
  GpuProgress now = {.kernel = function_title(launch->kernel),
                     .kernel_index = (uint32_t)launch->grid_id,
                     .warp_instructions = engine->context.clock,
                     .ctas_done = ctas_done,
                     .cta_count = launch_cta_count(launch)};
  progress_update(engine->progress, &now);
}

static Status run_without_time(CaseEngine *engine, Launch *launch, Error *err) {
  // Without time nothing has to fit; what does not runs one CTA after the other.
  uint32_t ctas_per_sm = sm_max_ctas(&engine->config->sm, launch);
  FunctionalOptions options = {.sm_count = engine->config->gpu.sm_count,
                               .ctas_per_sm = ctas_per_sm ? ctas_per_sm : 1,
                               .stop = engine->stop,
                               .limits = gpu_runtime_limits(engine->config),
                               .child_over = child_over,
                               .progress = engine->progress->file ? show_progress : NULL,
                               .self = engine};
  TRY(instructions_left(engine, &options.max_instructions, err));
  FunctionalStats stats = {0};
  Seconds start = seconds_now();
  launch->grid_id = engine->result->total.launches;
  Status status = functional_run(&engine->context, launch, &options, &stats, err);
  kernel_results_add_functional(engine->result, engine->config, launch, &stats, status == OK,
                                seconds_since(start));
  return status;
}

static Status run_on_gpu(CaseEngine *engine, const Launch *launch, Error *err) {
  uint32_t first = gpu_kernel_count(engine->gpu);
  Seconds start = seconds_now();
  TRY(gpu_submit(engine->gpu, launch, err));
  Status status = gpu_run(engine->gpu, err);
  kernel_results_add(engine->result, engine->gpu, engine->config, first, seconds_since(start));
  return status;
}

static Status engine_launch(void *self, const CaseLaunch *wanted, Error *err) {
  CaseEngine *engine = self;
  const Function *kernel;
  TRY(find_kernel(engine, wanted->kernel, &kernel, err));
  uint8_t *params = memory_alloc(kernel->param_bytes + 1u);
  Launch launch;
  Status status = case_arguments_pack(kernel, wanted, params, err);
  if (status == OK)
    status = launch_init(&launch, engine->program, kernel, wanted->grid, wanted->block, params, 0,
                         engine->config->run.stack_bytes_per_thread, err);
  if (status == OK)
    status = engine->gpu ? run_on_gpu(engine, &launch, err)
                         : run_without_time(engine, &launch, err);
  memory_free(params);
  return status;
}

static Status engine_sum(void *self, const char *name, CaseElement element, double value,
                         Error *err) {
  (void)err;
  run_result_add_sum(((CaseEngine *)self)->result, name, element == CASE_I32, value);
  return OK;
}

CaseHost case_engine_host(CaseEngine *engine) {
  return (CaseHost){.self = engine,
                    .load = engine_load,
                    .set_registers = engine_set_registers,
                    .alloc = engine_alloc,
                    .write = engine_write,
                    .read = engine_read,
                    .launch = engine_launch,
                    .sum = engine_sum};
}
