// SPDX-License-Identifier: MIT
// Reshapes the grid of a launch to the block of run.block, where the kernel allows it.
#include "device/launches/launch_shape.h"

#include <stdlib.h>

static bool read_shape(const char *text, uint32_t shape[3]) {
  uint64_t threads = 1;
  for (int i = 0; i < 3; i++) {
    char *end = NULL;
    shape[i] = 1;
    if (!*text) continue;
    unsigned long value = strtoul(text, &end, 10);
    if (end == text || value < 1 || value > launch_max_block[i]) return false;
    if (*end && *end != 'x') return false;
    shape[i] = (uint32_t)value;
    threads *= value;
    text = *end ? end + 1 : end;
  }
  return !*text && threads <= MAX_CTA_THREADS;
}

static bool depends_on_block(const Program *program, const Function *kernel) {
  if (kernel->static_shared_bytes || kernel->required_threads[0]) return true;
  for (uint32_t pc = kernel->entry; pc < kernel->entry + kernel->code_count; pc++) {
    Opcode op = program->code[pc].form.op;
    bool is_barrier = op == OP_BAR || op == OP_BARRIER || op == OP_MBARRIER;
    if (is_barrier && program->code[pc].form.mode != MODE_WARP) return true;
  }
  return false;
}

void launch_reshape(const Program *program, const Function *kernel, uint32_t dynamic_shared_bytes,
                    const char *shape, uint32_t grid[3], uint32_t block[3]) {
  uint32_t wanted[3];
  if (!*shape || !read_shape(shape, wanted)) return;
  if (dynamic_shared_bytes || depends_on_block(program, kernel)) return;
  for (int i = 0; i < 3; i++) {
    uint64_t threads = (uint64_t)grid[i] * block[i];
    if (threads % wanted[i] || threads / wanted[i] > launch_max_grid[i]) return;
  }
  for (int i = 0; i < 3; i++) {
    grid[i] = (uint32_t)((uint64_t)grid[i] * block[i] / wanted[i]);
    block[i] = wanted[i];
  }
}
