// SPDX-License-Identifier: MIT
// A warp with a hand-made frame, a CTA, a launch and device memory, on which
// single instructions are executed.
//
// Places are handed out by number: R(n) and D(n) are the n-th 32-bit and
// 64-bit registers, P(n) the n-th predicate.
#ifndef UNIT_MEMORY_SUPPORT_H
#define UNIT_MEMORY_SUPPORT_H

#include <string.h>

#include "base/memory.h"
#include "exec/execute.h"
#include "exec/memory/store_queue.h"
#include "unit/cmocka_all.h"

enum {
  RIG_REGISTERS = 16,
  RIG_SHARED_BYTES = 4096,
  RIG_LOCAL_BYTES = 512,
  RIG_PARAM_BYTES = 64,
  RIG_STATIC_SHARED = 1024,
  RIG_LOCAL_FRAME = 64,
  RIG_FRAME_BYTES = 64 + RIG_REGISTERS * (128 + 256),
};

#define P(n) ((Place)((n)*4))
#define R(n) ((Place)(64 + (n)*128))
#define D(n) ((Place)(64 + RIG_REGISTERS * 128 + (n)*256))

typedef struct Rig {
  ExecContext context;
  Warp warp;
  Cta cta;
  Launch launch;
  Program program;
  Function kernel;
  SimtEntry stack[1];
  Instruction code[2];
  SourceLine sources[2];
  uint8_t params[RIG_PARAM_BYTES];
  _Alignas(64) uint8_t frame[RIG_FRAME_BYTES];
  uint8_t *shared, *local;  // of their own, so that a sanitizer sees their ends
  Instruction in;           // the instruction to be executed; see rig_form
} Rig;

static inline Rig *rig_create(void) {
  Rig *rig = memory_alloc_aligned(sizeof *rig, 64);
  rig->shared = memory_alloc(RIG_SHARED_BYTES);
  rig->local = memory_alloc(RIG_LOCAL_BYTES * WARP_LANES);
  rig->kernel = (Function){.name = "rig",
                           .is_kernel = true,
                           .param_bytes = RIG_PARAM_BYTES,
                           .static_shared_bytes = RIG_STATIC_SHARED};
  rig->code[0].form.op = OP_LD;
  rig->code[0].text = "ld.global.u32";
  rig->code[0].line = 58;
  rig->code[0].source = 1;
  rig->sources[1] = (SourceLine){.file = "rig.cu", .line = 12};
  rig->program = (Program){.code = rig->code,
                           .code_count = 2,
                           .sources = rig->sources,
                           .source_count = 2,
                           .path = "rig.ptx"};
  rig->launch = (Launch){.program = &rig->program,
                         .kernel = &rig->kernel,
                         .grid = {8, 1, 1},
                         .block = {16, 4, 1},
                         .params = rig->params};
  rig->cta = (Cta){.launch = &rig->launch,
                   .ctaid = {3, 0, 0},
                   .linear = 3,
                   .shared = rig->shared,
                   .shared_bytes = RIG_SHARED_BYTES,
                   .warps = &rig->warp,
                   .warp_count = 1};
  rig->stack[0] = (SimtEntry){
      .pc = 1, .mask = FULL_MASK, .local_frame = RIG_LOCAL_FRAME, .function = &rig->kernel};
  rig->warp = (Warp){.base = {rig->frame, NULL},
                     .stack = rig->stack,
                     .stack_depth = 1,
                     .stack_capacity = 1,
                     .cta = &rig->cta,
                     .registers = rig->frame,
                     .registers_bytes = RIG_FRAME_BYTES,
                     .local = rig->local,
                     .local_bytes = RIG_LOCAL_BYTES,
                     .index = 1};
  rig->context.memory = device_memory_create(UINT64_C(1) << 30);
  return rig;
}

static inline void rig_destroy(Rig *rig) {
  device_memory_destroy(rig->context.memory);
  memory_free(rig->shared);
  memory_free(rig->local);
  memory_free(rig);
}

static inline uint32_t *rig_32(Rig *rig, Place place) {
  return place_at(&rig->warp, place);
}
static inline uint64_t *rig_64(Rig *rig, Place place) {
  return place_at(&rig->warp, place);
}

static inline uint64_t rig_alloc(Rig *rig, uint64_t size_bytes) {
  uint64_t address = 0;
  assert_int_equal(
      device_memory_alloc(rig->context.memory, size_bytes, ALLOCATION_HEAP, "X", &address, NULL),
      OK);
  return address;
}

static inline uint8_t *rig_host(Rig *rig, uint64_t address) {
  const Allocation *found = device_memory_find(rig->context.memory, address);
  return found->host + (address - found->address);
}

// Begins a new instruction without operands.
static inline Instruction *rig_form(Rig *rig, Form form) {
  rig->in = (Instruction){.form = form, .guard = NO_PLACE, .address_bytes = 8};
  for (int i = 0; i < MAX_DESTINATIONS; i++) rig->in.dst[i] = NO_PLACE;
  for (int i = 0; i < MAX_SOURCES; i++) rig->in.src[i] = NO_PLACE;
  return &rig->in;
}

// Executes the instruction; true if it did not fault.
static inline bool rig_run(Rig *rig, ExecFn (*find)(const Form *), uint32_t mask) {
  rig->in.exec = find(&rig->in.form);
  assert_non_null(rig->in.exec);
  rig->context.fault = (Fault){0};
  rig->context.access.mask = 0;
  rig->in.exec(&rig->context, &rig->warp, &rig->in, mask);
  return rig->context.fault.kind == FAULT_NONE;
}

// Lane i of a 64-bit register becomes base + i * step.
static inline void rig_ramp_64(Rig *rig, Place place, uint64_t base, uint64_t step) {
  for (uint64_t i = 0; i < WARP_LANES; i++) rig_64(rig, place)[i] = base + i * step;
}

static inline void rig_ramp_32(Rig *rig, Place place, uint32_t base, uint32_t step) {
  for (uint32_t i = 0; i < WARP_LANES; i++) rig_32(rig, place)[i] = base + i * step;
}

static inline uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

static inline float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static inline int rig_setup(void **state) {
  *state = rig_create();
  return 0;
}

static inline int rig_teardown(void **state) {
  rig_destroy(*state);
  return 0;
}

#define RIG_TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

#endif
