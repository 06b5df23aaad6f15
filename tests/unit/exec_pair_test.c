// SPDX-License-Identifier: MIT
// Two values in a register, floats of mixed widths, and conversions to and
// from narrow floats, each against the plain definition of one value.
#include "exec_support.h"

static uint64_t integer_part(const Form *form, uint64_t a, uint64_t b) {
  int64_t x = (int64_t)a, y = (int64_t)b;
  if (form->type == TYPE_S16X2) x = signed_of(a, 16), y = signed_of(b, 16);
  int64_t result = form->op == OP_ADD   ? x + y
                   : form->op == OP_MIN ? (x < y ? x : y)
                                        : (x > y ? x : y);
  if (form->relu && result < 0) result = 0;
  return (uint64_t)result & 0xffff;
}

static uint64_t integers_oracle(const Form *form, const uint64_t *x) {
  return integer_part(form, x[0] & 0xffff, x[1] & 0xffff) |
         integer_part(form, x[0] >> 16, x[1] >> 16) << 16;
}

static void pairs_of_integers_do_not_mix(void **state) {
  (void)state;
  static const Opcode ops[] = {OP_ADD, OP_MIN, OP_MAX};
  for (int i = 0; i < 3; i++)
    for (int is_signed = 0; is_signed < 2; is_signed++)
      for (int relu = 0; relu <= (is_signed && ops[i] != OP_ADD); relu++) {
        DataType type = is_signed ? TYPE_S16X2 : TYPE_U16X2;
        Form form = {.op = (uint8_t)ops[i], .type = (uint8_t)type, .relu = relu};
        trial_run(&(Trial){
            exec_find_arithmetic, form, type, {type, type}, integers_oracle, .values = 50000});
      }
}

static uint64_t flush(uint64_t bits, bool ftz) {
  return ftz && !(bits & 0x7f800000) ? bits & 0x80000000 : bits;
}

static uint64_t float_part(const Form *form, uint64_t a, uint64_t b, uint64_t c) {
  volatile float x = f32_of(flush(a, form->ftz)), y = f32_of(flush(b, form->ftz)),
                 z = f32_of(flush(c, form->ftz));
  float r = form->op == OP_ADD   ? x + y
            : form->op == OP_SUB ? x - y
            : form->op == OP_MUL ? x * y
                                 : fmaf(x, y, z);
  if (isnan(r)) return form->sat ? 0 : 0x7fffffff;
  if (form->sat) r = r < 0 ? 0 : r > 1 ? 1 : r;
  uint64_t bits = flush(bits_of_f32(r), form->ftz);
  return form->sat && bits == 0x80000000 ? 0 : bits;
}

static uint64_t floats_oracle(const Form *form, const uint64_t *x) {
  uint64_t low = float_part(form, x[0] & UINT32_MAX, x[1] & UINT32_MAX, x[2] & UINT32_MAX);
  return low | float_part(form, x[0] >> 32, x[1] >> 32, x[2] >> 32) << 32;
}

static void pairs_of_floats_are_two_floats(void **state) {
  (void)state;
  static const Opcode ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_FMA};
  for (int i = 0; i < 4; i++)
    for (int rounding = ROUND_NEAREST; rounding <= ROUND_UP; rounding++)
      for (int ftz = 0; ftz < 2; ftz++) {
        Form form = {
            .op = (uint8_t)ops[i], .type = TYPE_F32X2, .rounding = (uint8_t)rounding, .ftz = ftz};
        DataType t = TYPE_F32X2, third = ops[i] == OP_FMA ? t : TYPE_NONE;
        trial_run(&(Trial){
            exec_find_arithmetic, form, t, {t, t, third}, floats_oracle, .values = 50000});
      }
}

static uint64_t mixed_oracle(const Form *form, const uint64_t *x) {
  uint64_t a = bits_of_f32((float)half_value(x[0], (DataType)form->type2)), b = x[1];
  if (form->op == OP_FMA) b = bits_of_f32((float)half_value(x[1], (DataType)form->type2));
  return float_part(form, a, b, x[2]);
}

static void halves_are_added_to_floats(void **state) {
  (void)state;
  static const Opcode ops[] = {OP_ADD, OP_SUB, OP_FMA};
  for (int i = 0; i < 3; i++)
    for (int rounding = ROUND_NEAREST; rounding <= ROUND_UP; rounding++)
      for (int k = 0; k < 4; k++) {
        DataType half = k & 1 ? TYPE_BF16 : TYPE_F16;
        Form form = {.op = (uint8_t)ops[i],
                     .type = TYPE_F32,
                     .type2 = (uint8_t)half,
                     .rounding = (uint8_t)rounding,
                     .sat = k >> 1};
        bool fma = ops[i] == OP_FMA;
        trial_run(&(Trial){exec_find_arithmetic,
                           form,
                           TYPE_F32,
                           {half, fma ? half : TYPE_F32, fma ? TYPE_F32 : TYPE_NONE},
                           mixed_oracle,
                           .values = 50000});
      }
}

// ---- conversions

static double float8(int bits, DataType type) {
  if (type == TYPE_E5M2) return half_value((uint64_t)bits << 8, TYPE_F16);
  int exponent = bits >> 3 & 15, fraction = bits & 7;
  double size = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
  if ((bits & 0x7f) == 0x7f) size = NAN;
  return bits & 0x80 ? -size : size;
}

// The nearest of all values there are; of two the even one.
static uint64_t nearest8(double value, DataType type, bool relu) {
  if (isnan(value)) return 0x7f;
  if (relu && value < 0) value = 0;
  int best = 0;
  double least = INFINITY;
  for (int bits = 0; bits < 0x80; bits++) {
    double candidate = float8(bits, type);
    if (isnan(candidate) || isinf(candidate)) continue;
    double distance = fabs(value) > 1e6 ? -candidate : fabs(fabs(value) - candidate);
    if (distance < least || (distance == least && !(bits & 1))) best = bits, least = distance;
  }
  return (uint64_t)best | (signbit(value) ? 0x80 : 0);
}

static uint64_t to_float8_oracle(const Form *form, const uint64_t *x) {
  DataType type = form->type == TYPE_E4M3X2 ? TYPE_E4M3 : TYPE_E5M2;
  double low, high;
  if (form->type2 == TYPE_F32)
    high = (double)f32_of(x[0]), low = (double)f32_of(x[1]);
  else
    high = half_value(x[0] >> 16, (DataType)form->type2),
    low = half_value(x[0] & 0xffff, (DataType)form->type2);
  return nearest8(high, type, form->relu) << 8 | nearest8(low, type, form->relu);
}

static uint64_t from_float8_oracle(const Form *form, const uint64_t *x) {
  uint64_t result = 0;
  for (int h = 0; h < 2; h++) {
    double value =
        float8((int)(x[0] >> 8 * h & 0xff), form->type2 == TYPE_E4M3X2 ? TYPE_E4M3 : TYPE_E5M2);
    uint64_t bits = isnan(value) ? 0x7fff : 0;
    if (form->relu && value < 0) value = 0;
    // Every 8-bit float is an f16: find which.
    for (uint64_t c = 0; c < 0x10000 && !isnan(value); c += 0x10)
      if (half_value(c, TYPE_F16) == value && signbit(half_value(c, TYPE_F16)) == signbit(value))
        bits = c;
    result |= bits << 16 * h;
  }
  return result;
}

static void eight_bit_floats_are_the_nearest(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    DataType pair = k & 1 ? TYPE_E5M2X2 : TYPE_E4M3X2;
    Form to = {.op = OP_CVT,
               .type = (uint8_t)pair,
               .type2 = TYPE_F32,
               .rounding = ROUND_NEAREST,
               .satfinite = true,
               .relu = k >> 1 & 1};
    trial_run(&(Trial){
        exec_find_convert, to, pair, {TYPE_F32, TYPE_F32}, to_float8_oracle, .values = 5000});
    to.type2 = k & 4 ? TYPE_F16X2 : TYPE_BF16X2;
    trial_run(&(Trial){
        exec_find_convert, to, pair, {(DataType)to.type2}, to_float8_oracle, .values = 5000});
    Form from = {.op = OP_CVT,
                 .type = TYPE_F16X2,
                 .type2 = (uint8_t)pair,
                 .rounding = ROUND_NEAREST,
                 .relu = k >> 1 & 1};
    trial_run(
        &(Trial){exec_find_convert, from, TYPE_F16X2, {pair}, from_float8_oracle, .values = 1000});
  }
}

static uint64_t scale_of(const Form *form, double value) {
  if (isnan(value)) return 0xff;
  value = fabs(value);
  for (int e = 0; e < 0xff; e++) {  // the largest power below, or the smallest above
    double power = ldexp(1, e - 127);
    if (form->rounding == ROUND_UP && power >= value) return (uint64_t)e;
    if (form->rounding == ROUND_ZERO && 2 * power > value) return (uint64_t)e;
  }
  bool is_finite_and_down = form->rounding == ROUND_ZERO && !isinf(value);
  return form->satfinite || is_finite_and_down ? 0xfe : 0xff;
}

static uint64_t scales_oracle(const Form *form, const uint64_t *x) {
  return scale_of(form, (double)f32_of(x[0])) << 8 | scale_of(form, (double)f32_of(x[1]));
}

static uint64_t from_scales_oracle(const Form *form, const uint64_t *x) {
  (void)form;
  uint64_t low = x[0] & 0xff, high = x[0] >> 8 & 0xff;
  low = low == 0xff ? 0x7fff : low ? low << 7 : 0x40;
  high = high == 0xff ? 0x7fff : high ? high << 7 : 0x40;
  return low | high << 16;
}

static void scale_factors_are_powers_of_two(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    Form to = {.op = OP_CVT,
               .type = TYPE_UE8M0X2,
               .type2 = TYPE_F32,
               .satfinite = k & 1,
               .rounding = k & 2 ? ROUND_UP : ROUND_ZERO};
    trial_run(&(Trial){
        exec_find_convert, to, TYPE_UE8M0X2, {TYPE_F32, TYPE_F32}, scales_oracle, .values = 30000});
  }
  Form from = {.op = OP_CVT, .type = TYPE_BF16X2, .type2 = TYPE_UE8M0X2, .rounding = ROUND_NEAREST};
  trial_run(&(Trial){
      exec_find_convert, from, TYPE_BF16X2, {TYPE_UE8M0X2}, from_scales_oracle, .values = 30000});
}

// Rounds the size, counted in units of its last kept place.
static uint64_t tf32_oracle(const Form *form, const uint64_t *x) {
  uint64_t sign = x[0] & 0x80000000, size = x[0] & 0x7fffffff;
  if (size > 0x7f800000) return 0x7fffffff;
  if (form->relu && sign) return 0;
  uint64_t kept = size >> 13, rest = size & 0x1fff;
  if (size < 0x7f800000) {
    if (form->rounding == ROUND_AWAY) kept += rest >= 0x1000;
    if (form->rounding == ROUND_NEAREST) kept += rest > 0x1000 || (rest == 0x1000 && kept & 1);
  }
  if (form->satfinite && kept == 0x7f800000 >> 13) kept--;
  return sign | kept << 13;
}

static void tf32_keeps_ten_bits(void **state) {
  (void)state;
  static const uint8_t roundings[] = {ROUND_AWAY, ROUND_NEAREST, ROUND_ZERO};
  for (int k = 0; k < 3; k++)
    for (int options = 0; options < 4; options++) {
      Form form = {.op = OP_CVT,
                   .type = TYPE_TF32,
                   .type2 = TYPE_F32,
                   .rounding = roundings[k],
                   .satfinite = options & 1,
                   .relu = options >> 1 && k};
      trial_run(
          &(Trial){exec_find_convert, form, TYPE_F32, {TYPE_F32}, tf32_oracle, .values = 50000});
    }
}

static uint64_t finite_oracle(const Form *form, const uint64_t *x) {
  (void)form;
  float a = f32_of(x[0]);
  if (isnan(a)) return 0x7fff;
  uint64_t sign = signbit(a) ? 0x8000 : 0;
  if (fabsf(a) >= 65520.0f) return sign | 0x7bff;
  for (uint64_t low = 0, high = 0x7bff;;) {  // the nearest f16
    if (high - low <= 1) {
      double below = fabs((double)a) - half_value(low, TYPE_F16),
             above = half_value(high, TYPE_F16) - fabs((double)a);
      return sign | (below < above || (below == above && !(low & 1)) ? low : high);
    }
    uint64_t middle = (low + high) / 2;
    *(half_value(middle, TYPE_F16) <= fabs((double)a) ? &low : &high) = middle;
  }
}

static void halves_can_be_kept_finite(void **state) {
  (void)state;
  Form form = {.op = OP_CVT,
               .type = TYPE_F16,
               .type2 = TYPE_F32,
               .rounding = ROUND_NEAREST,
               .satfinite = true};
  trial_run(
      &(Trial){exec_find_convert, form, TYPE_F16, {TYPE_F32}, finite_oracle, .values = 50000});
}

static void what_ptx_lacks_is_refused(void **state) {
  (void)state;
  static const Form forms[] = {
      {.op = OP_SUB, .type = TYPE_U16X2},
      {.op = OP_ADD, .type = TYPE_S16X2, .sat = true},
      {.op = OP_MAX, .type = TYPE_U16X2, .relu = true},
      {.op = OP_DIV, .type = TYPE_F32X2, .rounding = ROUND_NEAREST},
      {.op = OP_FMA, .type = TYPE_F32X2},
      {.op = OP_ADD, .type = TYPE_F32X2, .sat = true},
      {.op = OP_ADD, .type = TYPE_F32, .type2 = TYPE_F64},
      {.op = OP_ADD, .type = TYPE_F16, .type2 = TYPE_F16},
      {.op = OP_MUL, .type = TYPE_F32, .type2 = TYPE_F16},
      {.op = OP_CVT, .type = TYPE_E4M3X2, .type2 = TYPE_F32, .rounding = ROUND_NEAREST},
      {.op = OP_CVT,
       .type = TYPE_E4M3X2,
       .type2 = TYPE_F32,
       .rounding = ROUND_ZERO,
       .satfinite = true},
      {.op = OP_CVT,
       .type = TYPE_E4M3X2,
       .type2 = TYPE_E5M2X2,
       .rounding = ROUND_NEAREST,
       .satfinite = true},
      {.op = OP_CVT, .type = TYPE_TF32, .type2 = TYPE_F64, .rounding = ROUND_NEAREST},
      {.op = OP_CVT, .type = TYPE_TF32, .type2 = TYPE_F32, .rounding = ROUND_UP},
      {.op = OP_CVT, .type = TYPE_UE8M0X2, .type2 = TYPE_F32, .rounding = ROUND_NEAREST},
      {.op = OP_CVT,
       .type = TYPE_S32,
       .type2 = TYPE_F32,
       .rounding = ROUND_ZERO,
       .integer_round = true,
       .satfinite = true},
  };
  for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
    if (exec_find(&forms[i])) fail_msg("form %u was taken", i);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_of_integers_do_not_mix),
      cmocka_unit_test(pairs_of_floats_are_two_floats),
      cmocka_unit_test(halves_are_added_to_floats),
      cmocka_unit_test(eight_bit_floats_are_the_nearest),
      cmocka_unit_test(scale_factors_are_powers_of_two),
      cmocka_unit_test(tf32_keeps_ten_bits),
      cmocka_unit_test(halves_can_be_kept_finite),
      cmocka_unit_test(what_ptx_lacks_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
