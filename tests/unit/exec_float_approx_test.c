// SPDX-License-Identifier: MIT
// The approximate functions: within the manual's error of the long double
// function, and exact on the manual's special cases.
#include "exec_support.h"

static uint64_t flush32(uint64_t bits, bool ftz) {
  return ftz && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static long double reference(const Form *form, long double a, long double b) {
  switch (form->op) {
    case OP_DIV: return a / b;
    case OP_RCP: return 1 / a;
    case OP_SQRT: return sqrtl(a);
    case OP_RSQRT: return 1 / sqrtl(a);
    case OP_SIN: return sinl(a);
    case OP_COS: return cosl(a);
    case OP_LG2: return log2l(a);
    case OP_EX2: return exp2l(a);
    default: return tanhl(a);
  }
}

// What the manual calls the range where div.approx gives zero.
static bool is_huge(float b) {
  return fabsf(b) > 0x1p126f && !isinf(b) && !isnan(b);
}

static uint64_t oracle(const Form *form, const uint64_t *x) {
  float a = f32_of(flush32(x[0], form->ftz)), b = f32_of(flush32(x[1], form->ftz));
  long double result = reference(form, a, b);
  if (form->op == OP_DIV && !form->full && is_huge(b))
    result = isinf(a) || isnan(a) ? (long double)NAN : (long double)(a * copysignf(0, b));
  if (isnan(result)) return 0x7fffffff;
  return flush32(bits_of_f32((float)result), form->ftz);
}

static void try_form(Opcode op, bool full, int sources, double tolerance) {
  for (int ftz = 0; ftz < (op == OP_TANH ? 1 : 2); ftz++) {
    Trial trial = {
        .find = exec_find_arithmetic,
        .dst = TYPE_F32,
        .src = {TYPE_F32},
        .form = {.op = (uint8_t)op, .type = TYPE_F32, .ftz = ftz, .approx = !full, .full = full},
        .oracle = oracle,
        .tolerance = tolerance};
    if (sources == 2) trial.src[1] = TYPE_F32;
    trial_run(&trial);
  }
}

static void quotients_and_roots_are_within_an_ulp(void **state) {
  (void)state;
  try_form(OP_DIV, false, 2, 0x1p-23);
  try_form(OP_DIV, true, 2, 0x1p-23);
  try_form(OP_RCP, false, 1, 0x1p-23);
  try_form(OP_SQRT, false, 1, 0x1p-23);
  try_form(OP_RSQRT, false, 1, 0x1p-23);
}

static void transcendental_functions_are_within_the_manuals_error(void **state) {
  (void)state;
  try_form(OP_SIN, false, 1, 0x1p-22);
  try_form(OP_COS, false, 1, 0x1p-22);
  try_form(OP_LG2, false, 1, 0x1p-22);
  try_form(OP_EX2, false, 1, 0x1p-23);
  try_form(OP_TANH, false, 1, 0x1p-11);
}

static uint64_t run_once(Form form, DataType type, uint64_t a, uint64_t b) {
  Rig rig;
  rig_init(&rig);
  rig.in.form = form;
  rig.in.dst[0] = rig_place(2);
  rig.in.src[0] = rig_place(0);
  rig.in.src[1] = rig_place(1);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    rig_set(&rig, 0, lane_bytes(type), lane, a);
    rig_set(&rig, 1, lane_bytes(type), lane, b);
  }
  ExecFn exec = exec_find_arithmetic(&form);
  assert_non_null(exec);
  exec(&rig.context, &rig.warp, &rig.in, FULL_MASK);
  return rig_get(&rig, 2, lane_bytes(type), 17);
}

static uint64_t approx32(Opcode op, bool ftz, uint64_t a, uint64_t b) {
  return run_once((Form){.op = (uint8_t)op, .type = TYPE_F32, .approx = true, .ftz = ftz}, TYPE_F32,
                  a, b);
}

#define ZERO 0u
#define MINUS_ZERO 0x80000000u
#define ONE 0x3f800000u
#define MINUS_ONE 0xbf800000u
#define INFINITE 0x7f800000u
#define MINUS_INFINITE 0xff800000u
#define NOT_A_NUMBER 0x7fffffffu
#define SUBNORMAL 0x00400000u
#define MINUS_SUBNORMAL 0x80400000u

static void special_cases_are_the_manuals(void **state) {
  (void)state;
  static const struct {
    Opcode op;
    bool ftz;
    uint32_t a, result;
  } cases[] = {
      {OP_RCP, false, MINUS_INFINITE, MINUS_ZERO},
      {OP_RCP, false, MINUS_ZERO, MINUS_INFINITE},
      {OP_RCP, false, ZERO, INFINITE},
      {OP_RCP, true, SUBNORMAL, INFINITE},
      {OP_RCP, true, MINUS_SUBNORMAL, MINUS_INFINITE},
      {OP_RCP, false, 0xffc12345, NOT_A_NUMBER},
      {OP_RCP, true, 0x7f000000, ZERO},
      {OP_SQRT, false, MINUS_INFINITE, NOT_A_NUMBER},
      {OP_SQRT, false, MINUS_ZERO, MINUS_ZERO},
      {OP_SQRT, false, MINUS_ONE, NOT_A_NUMBER},
      {OP_SQRT, false, INFINITE, INFINITE},
      {OP_SQRT, true, MINUS_SUBNORMAL, MINUS_ZERO},
      {OP_RSQRT, false, MINUS_ZERO, MINUS_INFINITE},
      {OP_RSQRT, false, INFINITE, ZERO},
      {OP_RSQRT, true, SUBNORMAL, INFINITE},
      {OP_RSQRT, false, MINUS_ONE, NOT_A_NUMBER},
      {OP_SIN, false, INFINITE, NOT_A_NUMBER},
      {OP_SIN, false, MINUS_ZERO, MINUS_ZERO},
      {OP_COS, false, MINUS_INFINITE, NOT_A_NUMBER},
      {OP_COS, false, MINUS_ZERO, ONE},
      {OP_LG2, false, MINUS_ZERO, MINUS_INFINITE},
      {OP_LG2, false, MINUS_ONE, NOT_A_NUMBER},
      {OP_LG2, true, SUBNORMAL, MINUS_INFINITE},
      {OP_LG2, false, INFINITE, INFINITE},
      {OP_EX2, false, MINUS_INFINITE, ZERO},
      {OP_EX2, false, MINUS_ZERO, ONE},
      {OP_EX2, false, INFINITE, INFINITE},
      {OP_EX2, true, MINUS_SUBNORMAL, ONE},
      {OP_TANH, false, MINUS_INFINITE, MINUS_ONE},
      {OP_TANH, false, MINUS_ZERO, MINUS_ZERO},
      {OP_TANH, false, SUBNORMAL, SUBNORMAL},
      {OP_TANH, false, 0x7f812345, NOT_A_NUMBER},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    if (approx32(cases[k].op, cases[k].ftz, cases[k].a, 0) != cases[k].result)
      fail_msg("case %zu: %s of %08x", k, opcode_info[cases[k].op].name, cases[k].a);
}

static void huge_divisors_give_zero_when_approximate(void **state) {
  (void)state;
  uint64_t above = bits_of_f32(0x1.8p126f), limit = bits_of_f32(0x1p126f);
  assert_int_equal(approx32(OP_DIV, false, bits_of_f32(0x1p127f), above), ZERO);
  assert_int_equal(approx32(OP_DIV, false, bits_of_f32(-0x1p127f), above), MINUS_ZERO);
  assert_int_equal(approx32(OP_DIV, false, INFINITE, above), NOT_A_NUMBER);
  assert_int_equal(approx32(OP_DIV, false, bits_of_f32(0x1p127f), limit), bits_of_f32(2));
  Form full = {.op = OP_DIV, .type = TYPE_F32, .full = true};
  assert_int_equal(run_once(full, TYPE_F32, above, above), ONE);
}

static void f64_reciprocals_use_the_upper_half_only(void **state) {
  (void)state;
  Form rcp = {.op = OP_RCP, .type = TYPE_F64, .approx = true, .ftz = true};
  Form rsqrt = {.op = OP_RSQRT, .type = TYPE_F64, .approx = true, .ftz = true};
  Rig rig;
  rig_init(&rig);
  for (int k = 0; k < 20000; k++) {
    uint64_t a = random_value(&rig, TYPE_F64);
    double upper = f64_of(a & UINT64_C(0xffffffff00000000));
    uint64_t got = run_once(rcp, TYPE_F64, a, 0), root = run_once(rsqrt, TYPE_F64, a, 0);
    assert_int_equal(got & 0xffffffff, 0);
    assert_int_equal(root & 0xffffffff, 0);
    if (isnormal(upper) && isnormal(1 / upper)) {
      assert_true(fabs(f64_of(got) * upper - 1) < 0x1p-19);
      if (upper > 0) assert_true(fabs(f64_of(root) * sqrt(upper) - 1) < 0x1p-19);
    }
  }
  uint64_t infinite = bits_of_f64(HUGE_VAL), minus = bits_of_f64(-0.0);
  assert_int_equal(run_once(rcp, TYPE_F64, 1, 0), infinite);
  assert_int_equal(run_once(rcp, TYPE_F64, minus | 1, 0), infinite | minus);
  assert_int_equal(run_once(rcp, TYPE_F64, bits_of_f64(NAN), 0), UINT64_C(0x7fffffff00000000));
  assert_int_equal(run_once(rcp, TYPE_F64, bits_of_f64(-0x1p1023), 0), minus);
  assert_int_equal(run_once(rsqrt, TYPE_F64, minus, 0), infinite | minus);
  assert_int_equal(run_once(rsqrt, TYPE_F64, bits_of_f64(-2), 0), UINT64_C(0x7fffffff00000000));
}

static uint64_t rsqrt64(const Form *form, const uint64_t *x) {
  (void)form;
  return bits_of_f64((double)(1 / sqrtl((long double)f64_of(x[0]))));
}

static void f64_reciprocal_roots_are_close(void **state) {
  (void)state;
  Trial trial = {.find = exec_find_arithmetic,
                 .dst = TYPE_F64,
                 .src = {TYPE_F64},
                 .form = {.op = OP_RSQRT, .type = TYPE_F64, .approx = true},
                 .oracle = rsqrt64,
                 .tolerance = 0x1p-51,
                 .any_nan = true,
                 .values = 200000};
  trial_run(&trial);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quotients_and_roots_are_within_an_ulp),
      cmocka_unit_test(transcendental_functions_are_within_the_manuals_error),
      cmocka_unit_test(special_cases_are_the_manuals),
      cmocka_unit_test(huge_divisors_give_zero_when_approximate),
      cmocka_unit_test(f64_reciprocals_use_the_upper_half_only),
      cmocka_unit_test(f64_reciprocal_roots_are_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
