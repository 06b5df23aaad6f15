// SPDX-License-Identifier: MIT
// Two values in one register, u16x2 s16x2 and f32x2; and sums of an f16 or
// bf16 with an f32. Lane by lane, in the host's rounding mode (see
// exec_float_rounding.c): none of them is in programs' inner loops yet.
#include <fenv.h>

#include "exec/arithmetic/exec_arithmetic.h"
#include "exec/arithmetic/exec_float.h"
#include "exec/arithmetic/half.h"

static int host_mode(const Instruction *in) {
  switch (in->form.rounding) {
    case ROUND_ZERO: return FE_TOWARDZERO;
    case ROUND_DOWN: return FE_DOWNWARD;
    case ROUND_UP: return FE_UPWARD;
    default: return FE_TONEAREST;
  }
}

// ---- pairs of integers

static uint16_t integer_part(const Form *form, uint16_t a, uint16_t b) {
  bool less = form->type == TYPE_S16X2 ? (int16_t)a < (int16_t)b : a < b;
  switch (form->op) {
    case OP_ADD: return (uint16_t)(a + b);
    case OP_MIN: a = less ? a : b; break;
    default: a = less ? b : a; break;
  }
  return form->relu && a & 0x8000 ? 0 : a;
}

EXEC(exec_integer_pair) {
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *x = place_at(warp, in->src[0]), *y = place_at(warp, in->src[1]);
  const Form *form = &in->form;
  LANES_SCALAR(
      d, mask,
      integer_part(form, (uint16_t)x[lane], (uint16_t)y[lane]) |
          (uint32_t)integer_part(form, (uint16_t)(x[lane] >> 16), (uint16_t)(y[lane] >> 16)) << 16);
}

ExecFn exec_find_integer_pair(const Form *form) {
  if (form->sat || form->rounding || form->ftz || form->nan || form->xorsign || form->carry_out)
    return NULL;
  if (form->op == OP_ADD) return exec_integer_pair;
  bool is_extreme = form->op == OP_MIN || form->op == OP_MAX;
  return is_extreme && !(form->relu && form->type == TYPE_U16X2) ? exec_integer_pair : NULL;
}

// ---- floats

static inline float value_of(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } x = {.bits = bits};
  return x.value;
}

static inline uint32_t bits_of(float value) {
  union {
    float value;
    uint32_t bits;
  } x = {.value = value};
  return x.bits;
}

static uint32_t float_part(const Form *form, uint32_t a, uint32_t b, uint32_t c) {
  float x = float_input(value_of(a), form->ftz), y = float_input(value_of(b), form->ftz);
  float z = float_input(value_of(c), form->ftz), result;
  switch (form->op) {
    case OP_ADD: result = x + y; break;
    case OP_SUB: result = x - y; break;
    case OP_MUL: result = x * y; break;
    default: result = fmaf(x, y, z); break;
  }
  return bits_of(float_result(result, form->ftz, form->sat));
}

EXEC(exec_float_pair) {
  const Form *form = &in->form;
  Lane64 *d = place_at(warp, in->dst[0]);
  const Lane64 *x = place_at(warp, in->src[0]), *y = place_at(warp, in->src[1]);
  const Lane64 *z = in->src[2] == NO_PLACE ? x : place_at(warp, in->src[2]);
  fesetround(host_mode(in));
  LANES_SCALAR(d, mask,
               float_part(form, (uint32_t)x[lane], (uint32_t)y[lane], (uint32_t)z[lane]) |
                   (uint64_t)float_part(form, (uint32_t)(x[lane] >> 32), (uint32_t)(y[lane] >> 32),
                                        (uint32_t)(z[lane] >> 32))
                       << 32);
  fesetround(FE_TONEAREST);
}

ExecFn exec_find_float_pair(const Form *form) {
  if (form->sat || form->relu || form->approx || form->full || form->width || form->carry_out)
    return NULL;
  switch (form->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL: return exec_float_pair;
    case OP_FMA: return form->rounding ? exec_float_pair : NULL;
    default: return NULL;
  }
}

// The f32 that equals an f16 or bf16.
static uint32_t widened(uint32_t bits, DataType type) {
  return type == TYPE_BF16 ? bits << 16 : f32_bits_from_f16(bits & 0xffff);
}

EXEC(exec_float_mixed) {
  const Form *form = &in->form;
  bool is_fma = form->op == OP_FMA;
  DataType narrow = (DataType)form->type2;
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *x = place_at(warp, in->src[0]), *y = place_at(warp, in->src[1]);
  const Lane32 *z = is_fma ? place_at(warp, in->src[2]) : x;
  fesetround(host_mode(in));
  LANES_SCALAR(d, mask,
               float_part(form, widened(x[lane], narrow),
                          is_fma ? widened(y[lane], narrow) : y[lane], z[lane]));
  fesetround(FE_TONEAREST);
}

ExecFn exec_find_float_mixed(const Form *form) {
  bool is_narrow = form->type2 == TYPE_F16 || form->type2 == TYPE_BF16;
  if (form->type != TYPE_F32 || !is_narrow || form->ftz || form->relu || form->carry_out)
    return NULL;
  if (form->op == OP_FMA) return form->rounding ? exec_float_mixed : NULL;
  return form->op == OP_ADD || form->op == OP_SUB ? exec_float_mixed : NULL;
}
