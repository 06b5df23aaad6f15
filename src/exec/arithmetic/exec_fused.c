// SPDX-License-Identifier: MIT
// Operations that are one instruction in hardware and two in PTX. They have no PTX form: the
// optimising pass substitutes them for additions.
#include "exec/execute.h"
#include "exec/lanes.h"

// Bit k of the offset: source k is subtracted.
void exec_add_three(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *a = place_at(warp, in->src[0]), *b = place_at(warp, in->src[1]);
  const Lane32 *c = place_at(warp, in->src[2]);
  uint32_t s = in->offset & 1 ? UINT32_MAX : 1, t = in->offset & 2 ? UINT32_MAX : 1;
  uint32_t u = in->offset & 4 ? UINT32_MAX : 1;
  LANES(d, mask, s * a[lane] + t * b[lane] + u * c[lane]);
}

// The offset is by how much the first is shifted to the right.
void exec_shift_add(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *a = place_at(warp, in->src[0]), *b = place_at(warp, in->src[1]);
  uint32_t shift = (uint32_t)in->offset;
  LANES(d, mask, (a[lane] >> shift) + b[lane]);
}

// The offset is by how much the pair of the second and the first is shifted to the left, 1 to 31;
// its upper half is added to the third.
void exec_funnel_add(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *a = place_at(warp, in->src[0]), *b = place_at(warp, in->src[1]);
  const Lane32 *c = place_at(warp, in->src[2]);
  uint32_t shift = (uint32_t)in->offset;
  LANES(d, mask, (b[lane] << shift | a[lane] >> (32 - shift)) + c[lane]);
}

// The offset is the truth table, as lop3's: bit 4a + 2b + c is the result for bits a, b and c.
void exec_logic_three_64(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  Lane64 *d = place_at(warp, in->dst[0]);
  const Lane64 *a = place_at(warp, in->src[0]), *b = place_at(warp, in->src[1]);
  const Lane64 *c = place_at(warp, in->src[2]);
  uint64_t t[8];
  for (int k = 0; k < 8; k++) t[k] = in->offset >> k & 1 ? UINT64_MAX : 0;
  LANES(d, mask,
        (a[lane] & b[lane] & ((c[lane] & t[7]) | (~c[lane] & t[6]))) |
            (a[lane] & ~b[lane] & ((c[lane] & t[5]) | (~c[lane] & t[4]))) |
            (~a[lane] & b[lane] & ((c[lane] & t[3]) | (~c[lane] & t[2]))) |
            (~a[lane] & ~b[lane] & ((c[lane] & t[1]) | (~c[lane] & t[0]))));
}
