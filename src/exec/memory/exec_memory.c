// SPDX-License-Identifier: MIT
// Selects the function that executes a memory instruction; and implements rare ones.
//
// cp.async copies immediately, so commit and wait have nothing to do; they matter only to
// the timing model. Fields of the instruction:
//
//   src[0] offset address_bytes address_base   the address in shared memory
//   src[1] (int32_t)target src_bytes           the address in global memory; 8-byte base unless 4
//   dst_bytes                                  cp-size: 4, 8 or 16
//   src[2]                                     src-size, 32-bit lanes, or NO_PLACE: all of it
//   src[3]                                     ignore-src, a predicate, or NO_PLACE
//
// The recorded access is the read of global memory, cp-size bytes per lane.
#include "exec/memory/exec_memory.h"
#include "exec/memory/memory_access.h"
#include "exec/watch.h"

// A hint cannot fail: addresses are noted and not looked at.
static void exec_prefetch(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in),
                context->access.address);
  access_note(context, mask, in->form.space, 1, false, false);
}

static void exec_nothing(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  (void)warp;
  (void)in;
  (void)mask;
}

// How many bytes of each lane come from global memory; the rest are zeros.
static void copy_sizes(const Warp *warp, const Instruction *in, uint32_t size[WARP_LANES]) {
  const uint32_t *wanted = in->src[2] == NO_PLACE ? NULL : place_at(warp, in->src[2]);
  uint32_t ignored = in->src[3] == NO_PLACE ? 0 : *predicate_at(warp, in->src[3]);
  if (in->negated >> 3 & 1) ignored = ~ignored;
  for (int i = 0; i < WARP_LANES; i++) {
    uint32_t bytes = wanted && wanted[i] < in->dst_bytes ? wanted[i] : in->dst_bytes;
    size[i] = in->src[3] != NO_PLACE && ignored >> i & 1 ? 0 : bytes;
  }
}

static void exec_copy_async(ExecContext *context, Warp *warp, const Instruction *in,
                            uint32_t mask) {
  MemoryAccess *access = &context->access;
  uint64_t to[WARP_LANES], from[WARP_LANES];
  uint32_t size[WARP_LANES];
  copy_sizes(warp, in, size);

  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in), access->address);
  access_note(context, mask, SPACE_SHARED, in->dst_bytes, true, false);
  if (!memory_resolve(context, warp, to)) return;
  if (context->watch) context->watch->accessed(context->watch->self, context, warp, in);

  // A lane that reads nothing may have any global address.
  uint32_t reading = 0;
  for (int i = 0; i < WARP_LANES; i++) reading |= (uint32_t)(size[i] > 0) << i;
  address_lanes(warp, in->src[1], in->src_bytes == 4 ? 4 : 8, (uint64_t)(int32_t)in->target,
                access->address);
  access_note(context, mask & reading, SPACE_GLOBAL, in->dst_bytes, false, false);
  if ((mask & reading) && !memory_resolve(context, warp, from)) return;

  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint8_t *shared = (uint8_t *)(uintptr_t)to[lane];
    if (size[lane]) memcpy(shared, (const uint8_t *)(uintptr_t)from[lane], size[lane]);
    memset(shared + size[lane], 0, in->dst_bytes - size[lane]);
  }
}

static ExecFn find_copy(const Form *form) {
  switch (form->mode) {
    case MODE_ASYNC: return exec_copy_async;
    case MODE_COMMIT:
    case MODE_WAIT:
    case MODE_WAIT_ALL: return exec_nothing;
    case MODE_BULK_PREFETCH: return exec_bulk_prefetch;
    case MODE_COPY_ARRIVE: return exec_find_copy_arrive(form);
    case MODE_BULK: return exec_find_copy_bulk(form);
    case MODE_BULK_TENSOR: return exec_find_copy_tensor(form);
    default: return NULL;
  }
}

ExecFn exec_find_memory(const Form *form) {
  if (form->op == OP_PREFETCH || form->op == OP_PREFETCHU) return exec_prefetch;
  if (form->op == OP_CP) return find_copy(form);
  if (form->op == OP_TENSORMAP) return exec_find_tensor_map(form);
  if (form->op == OP_APPLYPRIORITY || form->op == OP_DISCARD) return exec_nothing;
  uint32_t count = form_elements(form), bytes = element_bytes(form->type) * count;
  bool is_wide = bytes == 32 && form->space == SPACE_GLOBAL && form->op != OP_LDU;
  if (!bytes || (bytes > 16 && !is_wide) || (count > 4 && !is_wide) || (count & (count - 1))) return NULL;
  switch (form->op) {
    case OP_LD:
    case OP_LDU: return exec_find_load(form);
    case OP_ST:
      return form->mode == MODE_ASYNC ? exec_find_store_async(form) : exec_find_store(form);
    default: return NULL;
  }
}
