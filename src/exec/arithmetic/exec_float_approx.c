// SPDX-License-Identifier: MIT
// The approximate functions: div.approx, div.full, rcp, sqrt, rsqrt, sin, cos,
// lg2, ex2, tanh.
//
// PTX bounds their error and lists their special cases; within that we give
// the host's results, which are (nearly) the correctly rounded ones. Real
// cards differ in the last bits. Functions that the host has only as calls are
// computed in float where its libm stays within the bound.
#include "exec/arithmetic/exec_arithmetic.h"
#include "exec/arithmetic/exec_float.h"

#define NOTHING (void)0
#define APPROX_1(loop, name, expression) F32_1(loop, name, expression, NOTHING, NOTHING)

// Divisors above 2^126 have a reciprocal that the card flushes to zero.
static inline float quotient(float a, float b) {
  bool huge = fabsf(b) > 0x1p126f && fabsf(b) <= FLT_MAX;
  return huge ? a * copysignf(0.0f, b) : a / b;
}

F32_2_AS(LANES, div_f32, quotient(a, b), NOTHING, NOTHING, 0, 0)
F32_2_AS(LANES, div_f32, quotient(a, b), NOTHING, NOTHING, 1, 0)
F32_2_AS(LANES, div_full_f32, a / b, NOTHING, NOTHING, 0, 0)
F32_2_AS(LANES, div_full_f32, a / b, NOTHING, NOTHING, 1, 0)

APPROX_1(LANES, rcp_f32, 1.0f / a)
APPROX_1(LANES, sqrt_f32, sqrtf(a))
APPROX_1(LANES, rsqrt_f32, (float)(1.0 / sqrt((double)a)))
APPROX_1(LANES_SCALAR, sin_f32, sinf(a))
APPROX_1(LANES_SCALAR, cos_f32, cosf(a))
APPROX_1(LANES_SCALAR, lg2_f32, log2f(a))
APPROX_1(LANES_SCALAR, ex2_f32, exp2f(a))
F32_1_AS(LANES_SCALAR, tanh_f32, tanhf(a), NOTHING, NOTHING, 0, 0)

EXEC1(rsqrt_f64, f64, f64, 1.0 / sqrt(a))

// .approx.ftz.f64 sees and gives only the upper half of a double: 1.11.20.
#define UPPER_HALF UINT64_C(0xffffffff00000000)
#define SIGN_F64 (UINT64_C(1) << 63)
#define EXPONENT_F64 UINT64_C(0x7ff0000000000000)

typedef union Double {
  double value;
  uint64_t bits;
} Double;

static inline Double upper_input(uint64_t bits) {
  bits &= UPPER_HALF;
  return (Double){.bits = bits & EXPONENT_F64 ? bits : bits & SIGN_F64};
}

static inline uint64_t upper_result(double value) {
  Double result = {.value = value};
  if (value != value) return UINT64_C(0x7fffffff00000000);
  return result.bits & EXPONENT_F64 ? result.bits & UPPER_HALF : result.bits & SIGN_F64;
}

static inline uint64_t upper_rcp(uint64_t bits) {
  return upper_result(1.0 / upper_input(bits).value);
}

static inline uint64_t upper_rsqrt(uint64_t bits) {
  return upper_result(1.0 / sqrt(upper_input(bits).value));
}

EXEC1_SCALAR(rcp_upper_f64, u64, u64, upper_rcp(a))
EXEC1_SCALAR(rsqrt_upper_f64, u64, u64, upper_rsqrt(a))

static ExecFn find_f64(const Form *form) {
  if (form->op == OP_RSQRT) return form->ftz ? rsqrt_upper_f64 : rsqrt_f64;
  return form->op == OP_RCP && form->ftz ? rcp_upper_f64 : NULL;
}

ExecFn exec_find_float_approx(const Form *form) {
  bool ftz = form->ftz;
  if (form->rounding || form->sat) return NULL;
  if (form->type == TYPE_F64) return find_f64(form);
  if (form->type != TYPE_F32) return NULL;
  if (form->full) return form->op != OP_DIV ? NULL : ftz ? div_full_f32_10 : div_full_f32_00;
  switch (form->op) {
    case OP_DIV: return ftz ? div_f32_10 : div_f32_00;
    case OP_RCP: return ftz ? rcp_f32_10 : rcp_f32_00;
    case OP_SQRT: return ftz ? sqrt_f32_10 : sqrt_f32_00;
    case OP_RSQRT: return ftz ? rsqrt_f32_10 : rsqrt_f32_00;
    case OP_SIN: return ftz ? sin_f32_10 : sin_f32_00;
    case OP_COS: return ftz ? cos_f32_10 : cos_f32_00;
    case OP_LG2: return ftz ? lg2_f32_10 : lg2_f32_00;
    case OP_EX2: return ftz ? ex2_f32_10 : ex2_f32_00;
    case OP_TANH: return ftz ? NULL : tanh_f32_00;
    default: return NULL;
  }
}
