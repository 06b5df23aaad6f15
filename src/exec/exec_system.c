// SPDX-License-Identifier: MIT
// Instructions without effect on values.
//
//   nanosleep        affects timing only
//   pmevent          increments counters that programs cannot read
//   griddepcontrol   a grid starts when its dependences have completed
//   setmaxnreg       registers are unlimited in functional execution
//   createpolicy     L2 cache policies are ignored: the policy is zero
//   mapa getctarank  a cluster has one CTA, whose rank is 0
#include "exec/execute.h"
#include "exec/lanes.h"

static void exec_nothing(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  (void)warp;
  (void)in;
  (void)mask;
}

static bool ranks_are_zero(ExecContext *context, const Warp *warp, const Instruction *in,
                           uint32_t mask) {
  const Lane32 *rank = place_at(warp, in->src[1]);
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    if (rank[lane] == 0) continue;
    fault_raise(context, warp, FAULT_BAD_CLUSTER, lane);
    return false;
  }
  return true;
}

EXEC(exec_mapa_32) {
  if (ranks_are_zero(context, warp, in, mask)) exec_mov_32(context, warp, in, mask);
}

EXEC(exec_mapa_64) {
  if (ranks_are_zero(context, warp, in, mask)) exec_mov_64(context, warp, in, mask);
}

EXEC(exec_getctarank) {
  Lane32 *d = place_at(warp, in->dst[0]);
  LANES(d, mask, 0);
}

ExecFn exec_find_system(const Form *form) {
  switch (form->op) {
    case OP_NANOSLEEP:
    case OP_PMEVENT:
    case OP_GRIDDEPCONTROL:
    case OP_SETMAXNREG: return exec_nothing;
    case OP_CREATEPOLICY: return form->type == TYPE_B64 ? exec_mov_64 : NULL;
    case OP_ALLOCA:
    case OP_STACKSAVE:
    case OP_STACKRESTORE: return exec_find_stack(form);
    case OP_MAPA:
      return form->type == TYPE_U32 ? exec_mapa_32 : form->type == TYPE_U64 ? exec_mapa_64 : NULL;
    case OP_GETCTARANK:
      return form->type == TYPE_U32 || form->type == TYPE_U64 ? exec_getctarank : NULL;
    default: return NULL;
  }
}
