// SPDX-License-Identifier: MIT
// f32 and f64 arithmetic against the host's, called one value at a time in
// the rounding mode that the form asks for.
#include "exec_support.h"

static const uint64_t nan32 = 0x7fffffff;

static uint64_t flush32(uint64_t bits, bool ftz) {
  bool subnormal = (bits & 0x7f800000) == 0;
  return ftz && subnormal ? bits & 0x80000000 : bits;
}

// min and max by the order of sign and magnitude; NaNs have been dealt with.
static bool is_less(double a, double b) {
  return a < b || (a == b && signbit(a) && !signbit(b));
}

// With .xorsign.abs a NaN's sign counts too, though the number wins.
static double extreme(const Form *form, double a, double b) {
  double sign = signbit(a) != signbit(b) ? -1.0 : 1.0, chosen;
  if (form->xorsign) a = fabs(a), b = fabs(b);
  if (isnan(a) || isnan(b))
    chosen = form->nan || isnan(a) == isnan(b) ? NAN : isnan(a) ? b : a;
  else
    chosen = (form->op == OP_MIN) == is_less(a, b) ? a : b;
  return form->xorsign ? copysign(chosen, sign) : chosen;
}

static float compute32(const Form *form, volatile float a, volatile float b, volatile float c) {
  switch (form->op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return (float)((double)a * (double)b);  // exact before it is rounded
    case OP_FMA:
    case OP_MAD: return fmaf(a, b, c);
    case OP_DIV: return a / b;
    case OP_RCP: return 1.0f / a;
    case OP_SQRT: return sqrtf(a);
    case OP_NEG: return -a;
    case OP_ABS: return fabsf(a);
    default: return (float)extreme(form, a, b);
  }
}

static bool keeps_nan(const Form *form) {
  return form->op == OP_NEG || form->op == OP_ABS;
}

static uint64_t oracle32(const Form *form, const uint64_t *x) {
  uint64_t a = flush32(x[0], form->ftz), b = flush32(x[1], form->ftz), c = flush32(x[2], form->ftz);
  if (form->op == OP_NEG) return a ^ 0x80000000;
  if (form->op == OP_ABS) return a & 0x7fffffff;
  if (form->op == OP_COPYSIGN) return (x[0] & 0x80000000) | (x[1] & 0x7fffffff);
  float result = compute32(form, f32_of(a), f32_of(b), f32_of(c));
  if (isnan(result)) return form->sat ? 0 : nan32;
  uint64_t bits = flush32(bits_of_f32(result), form->ftz);
  if (!form->sat) return bits;
  return bits & 0x80000000 ? 0 : bits > 0x3f800000 ? 0x3f800000 : bits;
}

static double compute64(const Form *form, volatile double a, volatile double b, volatile double c) {
  switch (form->op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_FMA:
    case OP_MAD: return fma(a, b, c);
    case OP_DIV: return a / b;
    case OP_RCP: return 1.0 / a;
    case OP_SQRT: return sqrt(a);
    case OP_NEG: return -a;
    case OP_ABS: return fabs(a);
    case OP_COPYSIGN: return copysign(b, a);
    default: return extreme(form, a, b);
  }
}

static uint64_t oracle64(const Form *form, const uint64_t *x) {
  return bits_of_f64(compute64(form, f64_of(x[0]), f64_of(x[1]), f64_of(x[2])));
}

static void try_form(Form form, int sources, int values) {
  Trial trial = {.find = exec_find_arithmetic,
                 .form = form,
                 .dst = (DataType)form.type,
                 .oracle = form.type == TYPE_F32 ? oracle32 : oracle64,
                 .values = values,
                 .any_nan = form.type == TYPE_F64 || keeps_nan(&form)};
  for (int k = 0; k < sources; k++) trial.src[k] = (DataType)form.type;
  trial_run(&trial);
}

// All of ftz and sat that the opcode has; the rarer ones on fewer values.
static void try_f32(Opcode op, int sources, Rounding rounding, bool has_sat) {
  for (int ftz = 0; ftz < 2; ftz++)
    for (int sat = 0; sat <= has_sat; sat++)
      try_form((Form){.op = (uint8_t)op,
                      .type = TYPE_F32,
                      .rounding = (uint8_t)rounding,
                      .ftz = ftz,
                      .sat = sat},
               sources, sat ? 250000 : 0);
}

static const struct {
  Opcode op;
  int sources;
  bool has_sat;
} rounded[] = {{OP_ADD, 2, true},  {OP_SUB, 2, true},  {OP_MUL, 2, true},  {OP_FMA, 3, true},
               {OP_DIV, 2, false}, {OP_RCP, 1, false}, {OP_SQRT, 1, false}};
enum { ROUNDED = 7 };

static void f32_rounds_to_nearest(void **state) {
  (void)state;
  for (int k = 0; k < ROUNDED; k++)
    try_f32(rounded[k].op, rounded[k].sources, ROUND_NEAREST, rounded[k].has_sat);
}

static void f32_rounds_toward_zero(void **state) {
  (void)state;
  for (int k = 0; k < ROUNDED; k++)
    try_f32(rounded[k].op, rounded[k].sources, ROUND_ZERO, rounded[k].has_sat);
}

static void f32_rounds_down(void **state) {
  (void)state;
  for (int k = 0; k < ROUNDED; k++)
    try_f32(rounded[k].op, rounded[k].sources, ROUND_DOWN, rounded[k].has_sat);
}

static void f32_rounds_up(void **state) {
  (void)state;
  for (int k = 0; k < ROUNDED; k++)
    try_f32(rounded[k].op, rounded[k].sources, ROUND_UP, rounded[k].has_sat);
}

static void f64_rounds_in_every_mode(void **state) {
  (void)state;
  for (int mode = ROUND_NEAREST; mode <= ROUND_UP; mode++)
    for (int k = 0; k < ROUNDED; k++)
      try_form((Form){.op = (uint8_t)rounded[k].op, .type = TYPE_F64, .rounding = (uint8_t)mode},
               rounded[k].sources, 0);
}

static void sums_and_products_without_a_mode_round_to_nearest(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    try_form((Form){.op = (uint8_t)rounded[k].op, .type = TYPE_F32}, 2, 100000);
    try_form((Form){.op = (uint8_t)rounded[k].op, .type = TYPE_F64}, 2, 100000);
  }
  try_form((Form){.op = OP_MAD, .type = TYPE_F32, .rounding = ROUND_NEAREST}, 3, 100000);
  try_form((Form){.op = OP_MAD, .type = TYPE_F64, .rounding = ROUND_ZERO}, 3, 100000);
}

static void the_host_is_left_rounding_to_nearest(void **state) {
  (void)state;
  assert_int_equal(fegetround(), FE_TONEAREST);
}

static void extremes_order_zeros_and_pass_over_nans(void **state) {
  (void)state;
  for (int k = 0; k < 16; k++)
    try_form((Form){.op = k & 1 ? OP_MAX : OP_MIN,
                    .type = TYPE_F32,
                    .ftz = k & 2,
                    .nan = k & 4,
                    .xorsign = k & 8},
             2, k < 4 ? 0 : 250000);
  try_form((Form){.op = OP_MIN, .type = TYPE_F64}, 2, 0);
  try_form((Form){.op = OP_MAX, .type = TYPE_F64}, 2, 0);
}

static uint64_t oracle_of_three(const Form *form, const uint64_t *x) {
  uint64_t pair[2] = {oracle32(form, x), x[2]};
  return oracle32(form, (uint64_t[]){pair[0], pair[1], 0, 0});
}

static void extremes_of_three_are_those_of_two_and_one(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    Trial trial = {.find = exec_find_arithmetic,
                   .dst = TYPE_F32,
                   .oracle = oracle_of_three,
                   .form = {.op = k & 1 ? OP_MAX : OP_MIN, .type = TYPE_F32, .nan = k & 2},
                   .src = {TYPE_F32, TYPE_F32, TYPE_F32},
                   .values = 250000};
    trial_run(&trial);
  }
}

static void signs_change_and_nothing_else(void **state) {
  (void)state;
  for (int ftz = 0; ftz < 2; ftz++) {
    try_form((Form){.op = OP_NEG, .type = TYPE_F32, .ftz = ftz}, 1, 250000);
    try_form((Form){.op = OP_ABS, .type = TYPE_F32, .ftz = ftz}, 1, 250000);
  }
  try_form((Form){.op = OP_NEG, .type = TYPE_F64}, 1, 250000);
  try_form((Form){.op = OP_ABS, .type = TYPE_F64}, 1, 250000);
  try_form((Form){.op = OP_COPYSIGN, .type = TYPE_F32}, 2, 250000);
  try_form((Form){.op = OP_COPYSIGN, .type = TYPE_F64}, 2, 250000);
}

static void what_ptx_lacks_is_refused(void **state) {
  (void)state;
  static const Form lacking[] = {
      {.op = OP_ADD, .type = TYPE_F64, .ftz = true},
      {.op = OP_ADD, .type = TYPE_F64, .sat = true},
      {.op = OP_ADD, .type = TYPE_F32, .carry_out = true},
      {.op = OP_ADD, .type = TYPE_F32, .rounding = ROUND_AWAY},
      {.op = OP_ADD, .type = TYPE_F32, .rounding = ROUND_ZERO, .integer_round = true},
      {.op = OP_ADD, .type = TYPE_F64, .type2 = TYPE_F16},
      {.op = OP_MUL, .type = TYPE_F32, .width = WIDTH_LOW},
      {.op = OP_DIV, .type = TYPE_F32, .rounding = ROUND_NEAREST, .sat = true},
      {.op = OP_DIV, .type = TYPE_F64, .approx = true},
      {.op = OP_FMA, .type = TYPE_S32, .rounding = ROUND_NEAREST},
      {.op = OP_FMA, .type = TYPE_F32, .rounding = ROUND_NEAREST, .relu = true},
      {.op = OP_MIN, .type = TYPE_F64, .nan = true},
      {.op = OP_MIN, .type = TYPE_F32, .rounding = ROUND_ZERO},
      {.op = OP_SIN, .type = TYPE_F64, .approx = true},
      {.op = OP_SQRT, .type = TYPE_S32},
      {.op = OP_SAD, .type = TYPE_F32},
  };
  for (size_t k = 0; k < sizeof lacking / sizeof *lacking; k++)
    if (exec_find_arithmetic(&lacking[k])) fail_msg("form %zu is not refused", k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(f32_rounds_to_nearest),
      cmocka_unit_test(f32_rounds_toward_zero),
      cmocka_unit_test(f32_rounds_down),
      cmocka_unit_test(f32_rounds_up),
      cmocka_unit_test(f64_rounds_in_every_mode),
      cmocka_unit_test(sums_and_products_without_a_mode_round_to_nearest),
      cmocka_unit_test(the_host_is_left_rounding_to_nearest),
      cmocka_unit_test(extremes_order_zeros_and_pass_over_nans),
      cmocka_unit_test(extremes_of_three_are_those_of_two_and_one),
      cmocka_unit_test(signs_change_and_nothing_else),
      cmocka_unit_test(what_ptx_lacks_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
