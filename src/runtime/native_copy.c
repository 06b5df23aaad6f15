// SPDX-License-Identifier: MIT
// Copies and fills requested by kernels. As on a GPU, the device runtime launches kernels
// for them (device/device_library.c) into the stream.
#include "exec/memory/memory_access.h"
#include "runtime/runtime_call.h"

enum { BLOCK_THREADS = 256, MOST_BLOCKS = 1024, WORD_BYTES = 4 };

// As the kernels take it. Sides are in units: words, or else bytes.
typedef struct Box {
  uint64_t to, to_pitch, to_slice;
  uint64_t from, from_pitch, from_slice;  // of a fill, from is the value
  uint64_t width, height, depth;
} Box;

static bool is_aligned(const Box *box, bool has_source) {
  uint64_t all = box->to | box->width | box->to_pitch | box->to_slice;
  if (has_source) all |= box->from | box->from_pitch | box->from_slice;
  return all % WORD_BYTES == 0;
}

static uint32_t launch_box(const Call *call, Box box, bool is_copy, uint64_t stream) {
  const Program *program = call->warp->cta->launch->program;
  bool has_words = is_aligned(&box, is_copy);
  if (!box.width || !box.height || !box.depth) return SUCCESS;
  if (has_words) box.width /= WORD_BYTES;
  if (has_words && !is_copy) box.from *= 0x01010101u;
  const Function *kernel =
      program_find_kernel(program, is_copy ? (has_words ? RUNTIME_COPY_WORDS : RUNTIME_COPY_BYTES)
                                           : (has_words ? RUNTIME_FILL_WORDS : RUNTIME_FILL_BYTES));
  if (!kernel) return NOT_SUPPORTED;
  uint64_t rows, units, blocks;
  if (__builtin_mul_overflow(box.height, box.depth, &rows) ||
      __builtin_mul_overflow(box.width, rows, &units) || units > UINT64_MAX / 2)
    return INVALID_VALUE;
  blocks = (units + BLOCK_THREADS - 1) / BLOCK_THREADS;
  return runtime_launch(call, kernel, blocks < MOST_BLOCKS ? (uint32_t)blocks : MOST_BLOCKS,
                        BLOCK_THREADS, &box, sizeof box, stream);
}

// ---- copies

// (to, from, bytes, kind, stream)
static uint32_t copy(const Call *call) {
  Box box = {.to = argument(call, 0),
             .from = argument(call, 1),
             .width = argument(call, 2),
             .height = 1,
             .depth = 1};
  return launch_box(call, box, true, argument(call, 4));
}

// (to, pitch, from, pitch, width, height, kind, stream)
static uint32_t copy_rows(const Call *call) {
  Box box = {.to = argument(call, 0),
             .to_pitch = argument(call, 1),
             .from = argument(call, 2),
             .from_pitch = argument(call, 3),
             .width = argument(call, 4),
             .height = argument(call, 5),
             .depth = 1};
  if (box.to_pitch < box.width || box.from_pitch < box.width) return INVALID_VALUE;
  return launch_box(call, box, true, argument(call, 7));
}

typedef struct PitchedMemory {
  uint64_t address, pitch, width, height;
} PitchedMemory;

// cudaMemcpy3DParms
typedef struct BoxCopy {
  uint64_t from_array, from_at[3];
  PitchedMemory from;
  uint64_t to_array, to_at[3];
  PitchedMemory to;
  uint64_t extent[3];
  int32_t kind;
} BoxCopy;

static uint64_t corner(const PitchedMemory *memory, const uint64_t at[3]) {
  return memory->address + at[0] + memory->pitch * (at[1] + memory->height * at[2]);
}

// (parameters, stream)
static uint32_t copy_box(const Call *call) {
  uint64_t left_bytes;
  BoxCopy wanted;
  const uint8_t *from =
      memory_generic_span(call->context, call->warp, call->lane, argument(call, 0), &left_bytes);
  if (!from || left_bytes < sizeof wanted) return INVALID_VALUE;
  memcpy(&wanted, from, sizeof wanted);
  if (wanted.from_array || wanted.to_array) return NOT_SUPPORTED;
  Box box = {.to = corner(&wanted.to, wanted.to_at),
             .to_pitch = wanted.to.pitch,
             .to_slice = wanted.to.pitch * wanted.to.height,
             .from = corner(&wanted.from, wanted.from_at),
             .from_pitch = wanted.from.pitch,
             .from_slice = wanted.from.pitch * wanted.from.height,
             .width = wanted.extent[0],
             .height = wanted.extent[1],
             .depth = wanted.extent[2]};
  return launch_box(call, box, true, argument(call, 1));
}

// ---- fills

// (to, value, bytes, stream)
static uint32_t fill(const Call *call) {
  Box box = {.to = argument(call, 0),
             .from = argument(call, 1) & 0xff,
             .width = argument(call, 2),
             .height = 1,
             .depth = 1};
  return launch_box(call, box, false, argument(call, 3));
}

// (to, pitch, value, width, height, stream)
static uint32_t fill_rows(const Call *call) {
  Box box = {.to = argument(call, 0),
             .to_pitch = argument(call, 1),
             .from = argument(call, 2) & 0xff,
             .width = argument(call, 3),
             .height = argument(call, 4),
             .depth = 1};
  return box.to_pitch < box.width ? INVALID_VALUE : launch_box(call, box, false, argument(call, 5));
}

// (memory, value, extent, stream), the first and third by value
static uint32_t fill_box(const Call *call) {
  PitchedMemory to;
  uint64_t extent[3];
  if (!native_argument_bytes(call->warp, call->site, 0, call->lane, &to, sizeof to) ||
      !native_argument_bytes(call->warp, call->site, 2, call->lane, extent, sizeof extent))
    return INVALID_VALUE;
  Box box = {.to = to.address,
             .to_pitch = to.pitch,
             .to_slice = to.pitch * to.height,
             .from = argument(call, 1) & 0xff,
             .width = extent[0],
             .height = extent[1],
             .depth = extent[2]};
  return launch_box(call, box, false, argument(call, 3));
}

#define LAUNCHING_NATIVE(function)                                                                \
  void native_##function(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask) { \
    runtime_launch_lanes(context, warp, site, mask, function);                                    \
  }
LAUNCHING_NATIVE(copy)
LAUNCHING_NATIVE(copy_rows)
LAUNCHING_NATIVE(copy_box)
LAUNCHING_NATIVE(fill)
LAUNCHING_NATIVE(fill_rows)
LAUNCHING_NATIVE(fill_box)
