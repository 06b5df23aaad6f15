// SPDX-License-Identifier: MIT
// A kernel written as text by a test, executed functionally on buffers that the host fills; pieces
// of such texts, and random contents.
#ifndef UNIT_TEXT_KERNEL_H
#define UNIT_TEXT_KERNEL_H

#include <stdint.h>
#include <string.h>

#include "exec/memory/device_memory.h"
#include "exec/program_image.h"
#include "frontends/ptx/link/load.h"
#include "functional/functional.h"
#include "unit/cmocka_all.h"

enum { TEXT_BUFFERS = 4 };

// Buffers are what the kernel gets, as addresses, before the words.
typedef struct TextKernel {
  const char *text;  // of a module with the entry k
  struct {
    void *bytes;  // copied to the device and back
    uint64_t count;
  } buffers[TEXT_BUFFERS];
  uint64_t words[4];
  uint32_t threads;
  uint32_t ctas;  // of a cluster; 0: one CTA, and no cluster
} TextKernel;

static inline void text_kernel_run(const TextKernel *wanted) {
  Error err = {0};
  Program *program = NULL;
  DeviceMemory *memory = device_memory_create(UINT64_C(1) << 28);
  ExecContext context = {.memory = memory};
  CompilerConfig compiler = {.optimise = true, .architecture = 90};
  PtxText text = {"t.ptx", wanted->text, strlen(wanted->text)};
  uint32_t ctas = wanted->ctas ? wanted->ctas : 1;
  FunctionalOptions options = {.sm_count = 1, .ctas_per_sm = ctas, .max_instructions = 1000000};
  uint64_t params[TEXT_BUFFERS + 4] = {0};
  uint32_t count = 0, grid[3] = {ctas, 1, 1}, block[3] = {wanted->threads, 1, 1};
  Launch launch;
  Status status = ptx_compile_texts(&program, &text, 1, PROGRAM_BASE, &compiler, &err);
  for (; status == OK && count < TEXT_BUFFERS && wanted->buffers[count].bytes; count++) {
    status = device_memory_alloc(memory, wanted->buffers[count].count, ALLOCATION_HEAP, "b",
                                 &params[count], &err);
    if (status == OK)
      device_memory_write(memory, params[count], wanted->buffers[count].bytes,
                          wanted->buffers[count].count, NULL);
  }
  memcpy(params + count, wanted->words, sizeof wanted->words);
  const Function *kernel = status == OK ? program_find_kernel(program, "k") : NULL;
  if (status == OK)
    status = launch_init(&launch, program, kernel, grid, block, (uint8_t *)params, 0, 1024, &err);
  if (status == OK) status = launch_set_cluster(&launch, grid, &err);
  if (status == OK) status = functional_run(&context, &launch, &options, &err);
  if (status != OK) fail_msg("%s\n%s", err.text, wanted->text);
  for (uint32_t i = 0; i < count; i++)
    device_memory_read(memory, params[i], wanted->buffers[i].bytes, wanted->buffers[i].count, NULL);
  program_destroy(program);
  device_memory_destroy(memory);
}

// ---- text

// Of the text; lanes; bytes of the shared memory s.
enum { TEXT = 8192, LANES = 32, BOX = 4096 };

#define HEAD(parameters)                                                          \
  ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(" parameters \
  ") {\n"                                                                         \
  ".shared .align 1024 .b8 s[4096];\n.shared .align 8 .b64 bar;\n"                \
  ".reg .b32 %%r<32>;\n.reg .b64 %%rd<16>;\n.reg .pred %%p<4>;\nmov.u32 %%r0, %%tid.x;\n"
#define P(i) ".param .u64 p" #i
#define GET(i) "ld.param.u64 %%rd" #i ", [p" #i "];\n"

// Between the buffer at `register` and shared memory, all of it, by all 32 lanes.
#define BETWEEN(label, register, move) \
  "mov.u32 %%r1, 0;\n" label ":\nmad.lo.u32 %%r2, %%r0, 4, %%r1;\n"                 \
  "cvt.u64.u32 %%rd14, %%r2;\nadd.u64 %%rd14, %%rd14, " register                    \
  ";\nmov.u32 %%r3, s;\nadd.u32 %%r3, %%r3, %%r2;\n" move                           \
  "add.u32 %%r1, %%r1, 128;\nsetp.lt.u32 %%p0, %%r1, 4096;\n@%%p0 bra " label       \
  ";\nbar.sync 0;\n"
#define FILL(register) \
  BETWEEN("FILL", register, "ld.global.u32 %%r4, [%%rd14];\nst.shared.u32 [%%r3], %%r4;\n")
#define SHOW(register) \
  BETWEEN("SHOW", register, "ld.shared.u32 %%r4, [%%r3];\nst.global.u32 [%%rd14], %%r4;\n")
#define TAIL "ret;\n}\n"

static inline uint64_t next_random(void) {
  static uint64_t state_of_random = 88172645463325252u;
  state_of_random ^= state_of_random << 13;
  state_of_random ^= state_of_random >> 7;
  return state_of_random ^= state_of_random << 17;
}

static inline uint32_t below(uint32_t limit) {
  return (uint32_t)(next_random() >> 33) % limit;
}

static inline void draw_bytes(void *bytes, size_t count) {
  uint8_t *at = bytes;
  for (size_t i = 0; i < count; i++) at[i] = (uint8_t)(next_random() >> 40);
}

#endif
