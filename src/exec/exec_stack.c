// SPDX-License-Identifier: MIT
// alloca, stacksave and stackrestore.
//
//   alloca        dst[0] address in local memory   src[0] bytes   src[1] alignment, or NO_PLACE
//   stacksave     dst[0]                           argument of stackrestore
//   stackrestore  src[0]
//
// Frames grow from the bottom of a thread's local memory, uniformly for all lanes; alloca
// allocates from its top, per lane. The memory is freed when the function returns.
#include "exec/execute.h"
#include "exec/lanes.h"
#include "exec/warp.h"

enum { DEFAULT_ALIGNMENT = 8 };

static uint64_t read_lane(const Warp *warp, const Instruction *in, Place place, int lane) {
  const void *lanes = place_at(warp, place);
  return in->form.type == TYPE_U64 ? ((const Lane64 *)lanes)[lane] : ((const Lane32 *)lanes)[lane];
}

static void write_lane(const Warp *warp, const Instruction *in, int lane, uint32_t value) {
  void *lanes = place_at(warp, in->dst[0]);
  if (in->form.type == TYPE_U64)
    ((Lane64 *)lanes)[lane] = value;
  else
    ((Lane32 *)lanes)[lane] = value;
}

EXEC(exec_alloca) {
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint64_t bytes = read_lane(warp, in, in->src[0], lane), alignment = DEFAULT_ALIGNMENT;
    if (in->src[1] != NO_PLACE) alignment = read_lane(warp, in, in->src[1], lane);
    uint32_t address;
    if (!warp_take(warp, lane, bytes, alignment, &address)) {
      fault_raise(context, warp, FAULT_STACK_OVERFLOW, lane);
      return;
    }
    write_lane(warp, in, lane, address);
  }
}

EXEC(exec_stacksave) {
  (void)context;
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    write_lane(warp, in, lane, warp_taken(warp, 1u << lane));
  }
}

EXEC(exec_stackrestore) {
  (void)context;
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    warp_give_back(warp, lane, read_lane(warp, in, in->src[0], lane));
  }
}

ExecFn exec_find_stack(const Form *form) {
  if (form->type != TYPE_U32 && form->type != TYPE_U64) return NULL;
  return form->op == OP_ALLOCA      ? exec_alloca
         : form->op == OP_STACKSAVE ? exec_stacksave
                                    : exec_stackrestore;
}
