// SPDX-License-Identifier: MIT
// Host side of a case file: a program, buffers, and launches that run one after the other on an
// engine.
#include "runner/case/case_engine.h"

#include "base/text/closest.h"
#include "base/memory.h"
#include "runner/case/case_arguments.h"
#include "frontends/ptx/link/load.h"
#include "exec/program_image.h"
#include "exec/memory/device_memory.h"
#include "isa/launch.h"

void case_engine_clear(CaseEngine *engine) {
  if (engine->program) program_destroy(engine->program);
}

static Status record_module(CaseEngine *engine, const char *const *paths, size_t count,
                            const CompilerConfig *compiler, Error *err) {
  PtxText *texts;
  TRY(ptx_texts_read(&texts, paths, count, err));
  recorder_module(engine->engine->options.recorder, engine->program, texts, count, PROGRAM_BASE,
                  compiler);
  ptx_texts_free(texts, count);
  return OK;
}

static Status engine_load(void *self, const char *const *paths, size_t count, Error *err) {
  CaseEngine *engine = self;
  if (!count) return OK;
  CompilerConfig compiler = gpu_compiler(engine->engine->config);
  TRY(ptx_compile_files(&engine->program, paths, count, PROGRAM_BASE, &compiler, err));
  if (engine->engine->options.recorder) TRY(record_module(engine, paths, count, &compiler, err));
  return program_place_variables(engine->program, engine->engine->memory, err);
}

static Status find_kernel(const CaseEngine *engine, const char *name, const Function **kernel,
                          Error *err) {
  Closest closest = closest_start(name);
  if (!engine->program)
    return error_set(err, ERR_LINK, "unknown kernel %s: the case loads no PTX", name);
  *kernel = program_find_kernel(engine->program, name);
  if (*kernel) return OK;
  for (uint32_t i = 0; i < engine->program->function_count; i++)
    if (engine->program->functions[i].is_kernel)
      closest_offer(&closest, engine->program->functions[i].name);
  return error_set(err, ERR_LINK, "unknown kernel '%.80s'%s%s%s", name, CLOSEST_HINT(closest));
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
  TRY(device_memory_alloc(engine->engine->memory, size_bytes, ALLOCATION_HEAP, name, address, err));
  engine_forget_allocations(engine->engine);
  return OK;
}

static Status engine_write(void *self, uint64_t address, const void *bytes, uint64_t size_bytes,
                           Error *err) {
  return device_memory_write(((CaseEngine *)self)->engine->memory, address, bytes, size_bytes, err);
}

static Status engine_read(void *self, uint64_t address, void *bytes, uint64_t size_bytes,
                          Error *err) {
  return device_memory_read(((CaseEngine *)self)->engine->memory, address, bytes, size_bytes, err);
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
                         engine->engine->config->run.stack_bytes_per_thread, err);
  launch.number = engine->launches++;
  if (status == OK) status = engine_run(engine->engine, &launch, err);
  memory_free(params);
  return status;
}

static Status engine_sum(void *self, const char *name, CaseElement element, double value,
                         Error *err) {
  (void)err;
  run_result_add_sum(((CaseEngine *)self)->engine->result, name, element == CASE_I32, value);
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
