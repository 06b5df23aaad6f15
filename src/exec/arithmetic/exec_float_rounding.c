// SPDX-License-Identifier: MIT
// f32 and f64 arithmetic rounded toward zero, down or up.
//
// The host's own arithmetic, with its rounding mode changed around the lane
// loop. The file is compiled with -frounding-math; beyond that the loads and
// stores of the lanes keep the arithmetic between the two, since the
// compiler must take it that a call, or assembly, may touch any memory.
#include <fenv.h>

#include "exec/arithmetic/exec_arithmetic.h"
#include "exec/arithmetic/exec_float.h"

#if defined(__x86_64__)
// The mode of vector instructions alone: fesetround changes that of the x87, too, which takes
// longer than the lanes.
static inline void set_mode(Rounding rounding) {
  static const uint32_t modes[] = {
      [ROUND_ZERO] = 0x6000, [ROUND_DOWN] = 0x2000, [ROUND_UP] = 0x4000};
  uint32_t control;
  __asm__ volatile("stmxcsr %0" : "=m"(control) : : "memory");
  control |= modes[rounding];
  __asm__ volatile("ldmxcsr %0" : : "m"(control) : "memory");
}
static inline void reset_mode(void) {
  uint32_t control;
  __asm__ volatile("stmxcsr %0" : "=m"(control) : : "memory");
  control &= ~UINT32_C(0x6000);
  __asm__ volatile("ldmxcsr %0" : : "m"(control) : "memory");
}
#else
static inline void set_mode(Rounding rounding) {
  fesetround(rounding == ROUND_ZERO   ? FE_TOWARDZERO
             : rounding == ROUND_DOWN ? FE_DOWNWARD
                                      : FE_UPWARD);
}
static inline void reset_mode(void) {
  fesetround(FE_TONEAREST);
}
#endif

#define BEFORE set_mode((Rounding)in->form.rounding)
#define AFTER reset_mode()

F32_2(LANES_SCALAR, add_f32, a + b, BEFORE, AFTER)
F32_2(LANES_SCALAR, sub_f32, a - b, BEFORE, AFTER)
F32_2(LANES_SCALAR, mul_f32, (a * b), BEFORE, AFTER)
F32_3(LANES_SCALAR, fma_f32, fmaf(a, b, c), BEFORE, AFTER)
F32_2_AS(LANES_SCALAR, div_f32, a / b, BEFORE, AFTER, 0, 0)
F32_2_AS(LANES_SCALAR, div_f32, a / b, BEFORE, AFTER, 1, 0)
F32_1(LANES_SCALAR, rcp_f32, 1.0f / a, BEFORE, AFTER)
F32_1(LANES_SCALAR, sqrt_f32, sqrtf(a), BEFORE, AFTER)

#define ROUNDED(loop, dst, mask, value) \
  do {                                  \
    BEFORE;                             \
    loop(dst, mask, value);             \
    AFTER;                              \
  } while (0)
#define LANES_ROUNDED(dst, mask, value) ROUNDED(LANES_SCALAR, dst, mask, value)

EXEC2_WITH(LANES_ROUNDED, add_f64, f64, f64, f64, a + b)
EXEC2_WITH(LANES_ROUNDED, sub_f64, f64, f64, f64, a - b)
EXEC2_WITH(LANES_ROUNDED, mul_f64, f64, f64, f64, (a * b))
EXEC3_WITH(LANES_ROUNDED, fma_f64, f64, f64, f64, f64, fma(a, b, c))
EXEC2_WITH(LANES_ROUNDED, div_f64, f64, f64, f64, a / b)
EXEC1_WITH(LANES_ROUNDED, rcp_f64, f64, f64, 1.0 / a)
EXEC1_WITH(LANES_ROUNDED, sqrt_f64, f64, f64, sqrt(a))

static ExecFn find_f32(const Form *form) {
  static const ExecFn add[2][2] = F32_TABLE(add_f32), sub[2][2] = F32_TABLE(sub_f32);
  static const ExecFn mul[2][2] = F32_TABLE(mul_f32), fma_[2][2] = F32_TABLE(fma_f32);
  bool ftz = form->ftz, sat = form->sat;
  switch (form->op) {
    case OP_ADD: return add[ftz][sat];
    case OP_SUB: return sub[ftz][sat];
    case OP_MUL: return mul[ftz][sat];
    case OP_FMA:
    case OP_MAD: return fma_[ftz][sat];
    default: break;
  }
  if (sat) return NULL;
  switch (form->op) {
    case OP_DIV: return ftz ? div_f32_10 : div_f32_00;
    case OP_RCP: return ftz ? rcp_f32_10 : rcp_f32_00;
    case OP_SQRT: return ftz ? sqrt_f32_10 : sqrt_f32_00;
    default: return NULL;
  }
}

static ExecFn find_f64(const Form *form) {
  if (form->ftz || form->sat) return NULL;
  switch (form->op) {
    case OP_ADD: return add_f64;
    case OP_SUB: return sub_f64;
    case OP_MUL: return mul_f64;
    case OP_FMA:
    case OP_MAD: return fma_f64;
    case OP_DIV: return div_f64;
    case OP_RCP: return rcp_f64;
    case OP_SQRT: return sqrt_f64;
    default: return NULL;
  }
}

ExecFn exec_find_float_rounding(const Form *form) {
  if (form->width || form->relu || form->approx || form->full || form->integer_round) return NULL;
  if (form->rounding < ROUND_ZERO || form->rounding > ROUND_UP) return NULL;
  return form->type == TYPE_F32 ? find_f32(form) : form->type == TYPE_F64 ? find_f64(form) : NULL;
}
