// SPDX-License-Identifier: MIT
// Instructions without effect on values.
//
//   nanosleep        affects timing only
//   pmevent          increments counters that programs cannot read
//   griddepcontrol   a grid starts when its dependences have completed
//   createpolicy     L2 cache policies are ignored: the policy is zero
//
// two on addresses of clusters: mapa, getctarank; and setmaxnreg, by which warps pass on registers.
#include "exec/barrier.h"
#include "exec/cluster.h"
#include "exec/execute.h"
#include "exec/lanes.h"

static void exec_nothing(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  (void)warp;
  (void)in;
  (void)mask;
}

static bool ranks_exist(ExecContext *context, const Warp *warp, const Instruction *in,
                        uint32_t mask) {
  const Lane32 *rank = place_at(warp, in->src[1]);
  uint32_t size = warp->cta->cluster ? warp->cta->cluster->size : 1;
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    if (rank[lane] < size) continue;
    fault_raise(context, warp, FAULT_BAD_CLUSTER, lane);
    return false;
  }
  return true;
}

// Without a space the address is a generic one.
static uint64_t window_of(const Form *form) {
  return form->space == SPACE_SHARED ? 0 : SHARED_WINDOW;
}

EXEC(exec_mapa_32) {
  if (!ranks_exist(context, warp, in, mask)) return;
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *a = place_at(warp, in->src[0]), *rank = place_at(warp, in->src[1]);
  uint64_t window = window_of(&in->form);
  LANES(d, mask, (uint32_t)(window + cluster_map(warp->cta, a[lane] - window, rank[lane])));
}

EXEC(exec_mapa_64) {
  if (!ranks_exist(context, warp, in, mask)) return;
  Lane64 *d = place_at(warp, in->dst[0]);
  const Lane64 *a = place_at(warp, in->src[0]);
  const Lane32 *rank = place_at(warp, in->src[1]);
  uint64_t window = window_of(&in->form);
  LANES(d, mask, window + cluster_map(warp->cta, a[lane] - window, rank[lane]));
}

EXEC(exec_getctarank_32) {
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *a = place_at(warp, in->src[0]);
  uint64_t window = window_of(&in->form);
  LANES(d, mask, cluster_rank_of(warp->cta, (uint32_t)(a[lane] - window)));
}

EXEC(exec_getctarank_64) {
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane64 *a = place_at(warp, in->src[0]);
  uint64_t window = window_of(&in->form);
  LANES(d, mask, cluster_rank_of(warp->cta, a[lane] - window));
}

// The longest of the lanes' times; PTX limits it to a millisecond.
EXEC(exec_nanosleep) {
  enum { LONGEST = 1000000 };
  const Lane32 *a = place_at(warp, in->src[0]);
  uint32_t longest = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t time = (uint32_t)a[__builtin_ctz(left)];
    if (time > longest) longest = time;
  }
  context->sleep = longest < LONGEST ? longest : LONGEST;
}

EXEC(exec_setmaxnreg) {
  (void)context;
  uint32_t count = (uint32_t)in->offset;
  if (in->form.mode == MODE_DECREASE)
    registers_keep(warp, in, mask, count);
  else
    registers_ask(warp, in, mask, count);
}

ExecFn exec_find_system(const Form *form) {
  switch (form->op) {
    case OP_NANOSLEEP: return exec_nanosleep;
    case OP_PMEVENT:
    case OP_GRIDDEPCONTROL: return exec_nothing;
    case OP_SETMAXNREG: return exec_setmaxnreg;
    case OP_CREATEPOLICY: return form->type == TYPE_B64 ? exec_mov_64 : NULL;
    case OP_ALLOCA:
    case OP_STACKSAVE:
    case OP_STACKRESTORE: return exec_find_stack(form);
    case OP_MAPA:
      return form->type == TYPE_U32 ? exec_mapa_32 : form->type == TYPE_U64 ? exec_mapa_64 : NULL;
    case OP_GETCTARANK:
      return form->type == TYPE_U32   ? exec_getctarank_32
             : form->type == TYPE_U64 ? exec_getctarank_64
                                      : NULL;
    default: return NULL;
  }
}
