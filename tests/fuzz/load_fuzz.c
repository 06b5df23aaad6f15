// SPDX-License-Identifier: MIT
// Whatever the parser takes either links or gives a clear error, and what links
// runs: to its end, to a fault or to the limit of instructions.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/link/load.h"
#include "exec/program_image.h"
#include "functional/functional.h"
#include "exec/memory/device_memory.h"
#include "ptx_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFER_BYTES = 4096, LIMIT = 3000 };

static void drop(void *sink, const char *text, size_t length) {
  (void)sink, (void)text, (void)length;
}

static void run_kernel(const Program *program, const Function *kernel, DeviceMemory *memory) {
  uint64_t buffer;
  if (device_memory_alloc(memory, BUFFER_BYTES, ALLOCATION_HEAP, "b", &buffer, NULL) != OK) return;
  uint8_t *params = memory_alloc(kernel->param_bytes + 8u);
  for (uint32_t i = 0; i < kernel->param_count; i++)
    memcpy(params + kernel->params[i].offset, &buffer,
           kernel->params[i].size_bytes < 8 ? kernel->params[i].size_bytes : 8);
  Launch launch;
  Error err;
  FunctionalOptions options = {.sm_count = 1, .ctas_per_sm = 1, .max_instructions = LIMIT};
  ExecContext context = {.memory = memory, .print = drop};
  if (launch_init(&launch, program, kernel, (uint32_t[]){1, 1, 1}, (uint32_t[]){40, 1, 1}, params,
                  64, 1024, &err) == OK)
    functional_run(&context, &launch, &options, &err);
  memory_free(params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Program *program;
  Error err;
  PtxText text = {"fuzz.ptx", (const char *)data, size};
  err.text[0] = 0;
  if (ptx_load_texts(&program, &text, 1, PROGRAM_BASE, &err) != OK) {
    if (program || !err.text[0]) abort();
    return 0;
  }
  DeviceMemory *memory = device_memory_create(1 << 24);
  if (program_place_variables(program, memory, &err) == OK)
    for (uint32_t i = 0; i < program->function_count && i < 40; i++)
      if (program->functions[i].is_kernel) run_kernel(program, &program->functions[i], memory);
  device_memory_destroy(memory);
  program_destroy(program);
  return 0;
}
