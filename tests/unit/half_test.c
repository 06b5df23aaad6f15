// SPDX-License-Identifier: MIT
// The software formats against the host's conversions, against a sorted list
// of every half, and against fixed-point numbers of 640 bits.
#include "exec_support.h"
#include "exec/arithmetic/half.h"

// -- formats

// Every non-negative finite half by its meaning, written without half.c.
static double meaning(unsigned bits, const FloatFormat *format) {
  int bias = (1 << (format->exponent_bits - 1)) - 1;
  unsigned exponent = bits >> format->fraction_bits;
  unsigned fraction = bits & ((1u << format->fraction_bits) - 1);
  if (exponent == 0) return ldexp(fraction, 1 - bias - format->fraction_bits);
  return ldexp(fraction + (1u << format->fraction_bits),
               (int)exponent - bias - format->fraction_bits);
}

static unsigned infinity_of(const FloatFormat *format) {
  return ((1u << format->exponent_bits) - 1) << format->fraction_bits;
}

static void every_half_means_what_its_fields_say(void **state) {
  (void)state;
  const FloatFormat *formats[] = {&format_f16, &format_bf16};
  for (int f = 0; f < 2; f++) {
    unsigned infinity = infinity_of(formats[f]);
    for (unsigned bits = 0; bits < 0x8000; bits++) {
      double value = half_to_double((uint16_t)bits, formats[f]);
      double negative = half_to_double((uint16_t)(bits | 0x8000), formats[f]);
      if (bits > infinity) {
        assert_true(isnan(value) && isnan(negative));
        continue;
      }
      double wanted = bits == infinity ? HUGE_VAL : meaning(bits, formats[f]);
      assert_true(value == wanted && negative == -wanted && signbit(negative));
      assert_int_equal(half_from_double(value, formats[f]), bits);
      assert_int_equal(half_from_double(negative, formats[f]), bits | 0x8000);
    }
  }
}

// Between two neighbours: the nearer, and the even one from the middle.
static void doubles_round_to_the_nearest_half(void **state) {
  (void)state;
  const FloatFormat *formats[] = {&format_f16, &format_bf16};
  for (int f = 0; f < 2; f++) {
    unsigned last = infinity_of(formats[f]) - 1;
    for (unsigned bits = 0; bits <= last; bits++) {
      double low = meaning(bits, formats[f]), high = bits < last
                                                         ? meaning(bits + 1, formats[f])
                                                         : 2 * low - meaning(bits - 1, formats[f]);
      double middle = low + (high - low) / 2;
      assert_int_equal(half_from_double(middle, formats[f]), bits + (bits & 1));
      assert_int_equal(half_from_double(nextafter(middle, 0), formats[f]), bits);
      assert_int_equal(half_from_double(nextafter(middle, HUGE_VAL), formats[f]), bits + 1);
    }
  }
}

static void doubles_become_floats_as_on_the_host(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig);
  for (int k = 0; k < TRIAL_VALUES; k++) {
    uint64_t bits = random_value(&rig, TYPE_F64);
    if (k & 1) bits = bits_of_f64(f64_of(bits) * 0x1p-100);
    for (int mode = ROUND_NEAREST; mode <= ROUND_UP; mode++) {
      volatile double value = f64_of(bits);
      fesetround(host_rounding((Rounding)mode));
      volatile float wanted = (float)value;
      fesetround(FE_TONEAREST);
      Exact exact = exact_from_float(bits, &format_f64);
      uint64_t got = exact_to_float(exact, &format_f32, (Rounding)mode);
      if (isnan(wanted) ? got != 0x7fffffff : got != bits_of_f32(wanted))
        fail_msg("%a mode %d: wanted %a got %a", value, mode, (double)wanted, (double)f32_of(got));
    }
  }
}

static void integers_clamp_and_nans_are_the_callers(void **state) {
  (void)state;
  Exact huge = exact_from_float(bits_of_f64(-1e300), &format_f64);
  Exact half = exact_from_float(bits_of_f64(2.5), &format_f64);
  Exact nan = {.kind = EXACT_NAN};
  assert_int_equal((int64_t)exact_to_integer(huge, 8, true, ROUND_ZERO, 0), -128);
  assert_int_equal((int64_t)exact_to_integer(huge, 64, true, ROUND_ZERO, 0), INT64_MIN);
  assert_int_equal(exact_to_integer(huge, 32, false, ROUND_ZERO, 0), 0);
  assert_int_equal(exact_to_integer(half, 32, true, ROUND_NEAREST, 0), 2);
  assert_int_equal(exact_to_integer(half, 32, true, ROUND_UP, 0), 3);
  assert_int_equal(exact_to_integer(half, 32, true, ROUND_AWAY, 0), 3);
  assert_int_equal(exact_to_integer(nan, 32, true, ROUND_ZERO, 77), 77);
  assert_int_equal(exact_to_integer(exact_from_unsigned(UINT64_MAX), 64, false, ROUND_NONE, 0),
                   UINT64_MAX);
}

// -- arithmetic: magnitudes in units of 2^-320, words from the lowest up

enum { WORDS = 10, UNIT = -320 };

typedef struct Fixed {
  uint64_t word[WORDS];
} Fixed;

static Fixed fixed_from(uint64_t significand, int exponent) {
  Fixed f = {{0}};
  int at = exponent - UNIT;
  f.word[at / 64] = significand << at % 64;
  if (at % 64) f.word[at / 64 + 1] = significand >> (64 - at % 64);
  return f;
}

static int fixed_order(const Fixed *a, const Fixed *b) {
  for (int k = WORDS - 1; k >= 0; k--)
    if (a->word[k] != b->word[k]) return a->word[k] < b->word[k] ? -1 : 1;
  return 0;
}

static Fixed fixed_sum(const Fixed *a, const Fixed *b, bool subtract) {
  Fixed sum;
  uint64_t carry = subtract;
  for (int k = 0; k < WORDS; k++) {
    uint64_t y = subtract ? ~b->word[k] : b->word[k], s = a->word[k] + y;
    uint64_t first = s < y;
    sum.word[k] = s + carry;
    carry = first | (sum.word[k] < s);
  }
  return sum;
}

// The largest half that is not above f, found bit by bit, then the choice between
// it and the next by comparing f with the middle of both.
static unsigned fixed_round(const Fixed *f, const FloatFormat *format) {
  unsigned low = 0, infinity = infinity_of(format);
  for (unsigned step = 0x4000; step; step >>= 1) {
    if (low + step > infinity) continue;
    double value = low + step == infinity ? ldexp(1, 1 << (format->exponent_bits - 1))
                                          : meaning(low + step, format);
    int exponent;
    uint64_t significand = (uint64_t)ldexp(frexp(value, &exponent), 53);
    Fixed candidate = fixed_from(significand, exponent - 53);
    if (fixed_order(&candidate, f) <= 0) low += step;
  }
  if (low == infinity) return infinity;
  double next =
      low + 1 == infinity ? ldexp(1, 1 << (format->exponent_bits - 1)) : meaning(low + 1, format);
  int exponent;
  uint64_t significand = (uint64_t)ldexp(frexp((meaning(low, format) + next) / 2, &exponent), 53);
  Fixed middle = fixed_from(significand, exponent - 53);
  int order = fixed_order(f, &middle);
  return order > 0 || (order == 0 && low & 1) ? low + 1 : low;
}

static uint16_t fixed_fma(uint16_t a, uint16_t b, uint16_t c, const FloatFormat *format) {
  double x = half_to_double(a, format), y = half_to_double(b, format),
         z = half_to_double(c, format);
  double guess = fma(x, y, z);
  if (isnan(guess)) return 0x7fff;
  if (isinf(x) || isinf(y) || isinf(z) || guess == 0) return half_from_double(guess, format);
  int ex, ey, ez;
  uint64_t mx = (uint64_t)ldexp(fabs(frexp(x, &ex)), 11),
           my = (uint64_t)ldexp(fabs(frexp(y, &ey)), 11);
  uint64_t mz = (uint64_t)ldexp(fabs(frexp(z, &ez)), 11);
  Fixed product = fixed_from(mx * my, ex + ey - 22), addend = fixed_from(mz, ez - 11);
  bool product_negative = signbit(x) != signbit(y),
       subtract = product_negative != (signbit(z) != 0);
  bool swap = subtract && fixed_order(&product, &addend) < 0;
  Fixed sum = swap ? fixed_sum(&addend, &product, true) : fixed_sum(&product, &addend, subtract);
  bool negative = swap ? signbit(z) : product_negative;
  return (uint16_t)(fixed_round(&sum, format) | (negative ? 0x8000u : 0));
}

static uint16_t flush(uint16_t bits, const FloatFormat *format, bool ftz) {
  return ftz && (bits & 0x7fff) >> format->fraction_bits == 0 ? bits & 0x8000 : bits;
}

static uint16_t extreme(const Form *form, uint16_t a, uint16_t b, const FloatFormat *format) {
  double x = half_to_double(a, format), y = half_to_double(b, format);
  uint16_t sign = form->xorsign ? (a ^ b) & 0x8000 : 0;
  if (form->xorsign) a &= 0x7fff, b &= 0x7fff, x = fabs(x), y = fabs(y);
  if ((isnan(x) && isnan(y)) || (form->nan && (isnan(x) || isnan(y)))) return 0x7fff;
  if (isnan(x) || isnan(y)) return (isnan(x) ? b : a) ^ sign;
  bool less = x < y || (x == y && a & 0x8000);
  return ((form->op == OP_MIN) == less ? a : b) ^ sign;
}

static uint16_t half_oracle(const Form *form, const FloatFormat *format, uint16_t a, uint16_t b,
                            uint16_t c) {
  const uint16_t one = (uint16_t)(infinity_of(format) / 2 & infinity_of(format)), zero = 0x8000;
  a = flush(a, format, form->ftz), b = flush(b, format, form->ftz), c = flush(c, format, form->ftz);
  uint16_t result;
  switch (form->op) {
    case OP_ADD: result = fixed_fma(a, one, b, format); break;
    case OP_SUB: result = fixed_fma(a, one, b ^ 0x8000, format); break;
    case OP_MUL: result = fixed_fma(a, b, (a ^ b) & zero, format); break;
    case OP_FMA: result = fixed_fma(a, b, c, format); break;
    case OP_NEG: return a ^ 0x8000;
    case OP_ABS: return a & 0x7fff;
    default: return extreme(form, a, b, format);
  }
  result = flush(result, format, form->ftz);
  bool nan = (result & 0x7fff) > infinity_of(format), negative = result & 0x8000;
  if (form->sat) return nan || negative ? 0 : result > one ? one : result;
  return form->relu && negative ? 0 : result;
}

static uint64_t oracle(const Form *form, const uint64_t *x) {
  const FloatFormat *format = format_of((DataType)form->type);
  uint64_t result = 0;
  for (int h = 0; h < type_bits((DataType)form->type); h += 16)
    result |= (uint64_t)half_oracle(form, format, (uint16_t)(x[0] >> h), (uint16_t)(x[1] >> h),
                                    (uint16_t)(x[2] >> h))
              << h;
  return result;
}

static void try_form(Form form, int sources, int values) {
  Trial trial = {.find = exec_find_arithmetic,
                 .form = form,
                 .dst = (DataType)form.type,
                 .oracle = oracle,
                 .values = values};
  for (int k = 0; k < sources; k++) trial.src[k] = (DataType)form.type;
  trial_run(&trial);
}

static const uint8_t halves[] = {TYPE_F16, TYPE_BF16, TYPE_F16X2, TYPE_BF16X2};

static void sums_and_products_round_once(void **state) {
  (void)state;
  static const uint8_t ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_FMA};
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < 4; k++)
      try_form((Form){.op = ops[k], .type = halves[t], .rounding = ROUND_NEAREST}, k == 3 ? 3 : 2,
               t < 2 ? 200000 : 20000);
}

static void suffixes_flush_saturate_and_rectify(void **state) {
  (void)state;
  for (int k = 1; k < 4; k++) {
    Form form = {
        .op = OP_ADD, .type = TYPE_F16, .rounding = ROUND_NEAREST, .ftz = k & 1, .sat = k & 2};
    try_form(form, 2, 50000);
    form.op = OP_FMA;
    form.type = TYPE_F16X2;
    try_form(form, 3, 50000);
  }
  try_form((Form){.op = OP_FMA, .type = TYPE_F16, .rounding = ROUND_NEAREST, .relu = true}, 3,
           50000);
  try_form((Form){.op = OP_FMA, .type = TYPE_BF16X2, .rounding = ROUND_NEAREST, .relu = true}, 3,
           50000);
}

static void signs_and_extremes_are_exact(void **state) {
  (void)state;
  for (int t = 0; t < 4; t++) {
    try_form((Form){.op = OP_NEG, .type = halves[t]}, 1, 20000);
    try_form((Form){.op = OP_ABS, .type = halves[t]}, 1, 20000);
    for (int k = 0; k < 8; k++)
      try_form(
          (Form){.op = k & 1 ? OP_MAX : OP_MIN, .type = halves[t], .nan = k & 2, .xorsign = k & 4},
          2, 50000);
  }
}

static uint64_t function_oracle(const Form *form, const uint64_t *x) {
  const FloatFormat *format = format_of((DataType)form->type);
  double value = half_to_double(flush((uint16_t)x[0], format, form->ftz), format);
  long double result = form->op == OP_EX2 ? exp2l(value) : tanhl(value);
  return flush(half_from_double((double)result, format), format, form->ftz);
}

static void exponential_and_tangent_are_close(void **state) {
  (void)state;
  for (int t = 0; t < 2; t++)
    for (int k = 0; k < 2; k++) {
      Trial trial = {.find = exec_find_arithmetic,
                     .dst = halves[t],
                     .src = {halves[t]},
                     .form = {.op = k ? OP_TANH : OP_EX2,
                              .type = halves[t],
                              .approx = true,
                              .ftz = !k && halves[t] == TYPE_BF16},
                     .oracle = function_oracle,
                     .values = 50000};
      trial_run(&trial);
    }
}

static void what_ptx_lacks_is_refused(void **state) {
  (void)state;
  static const Form lacking[] = {
      {.op = OP_ADD, .type = TYPE_F16, .rounding = ROUND_ZERO},
      {.op = OP_ADD, .type = TYPE_BF16, .ftz = true},
      {.op = OP_ADD, .type = TYPE_BF16X2, .sat = true},
      {.op = OP_ADD, .type = TYPE_F16, .relu = true},
      {.op = OP_FMA, .type = TYPE_F16, .rounding = ROUND_NEAREST, .relu = true, .sat = true},
      {.op = OP_DIV, .type = TYPE_F16, .approx = true},
      {.op = OP_SIN, .type = TYPE_F16, .approx = true},
      {.op = OP_EX2, .type = TYPE_BF16, .approx = true},
      {.op = OP_MIN, .type = TYPE_F16, .sat = true},
  };
  for (size_t k = 0; k < sizeof lacking / sizeof *lacking; k++)
    if (exec_find_arithmetic(&lacking[k])) fail_msg("form %zu is not refused", k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_half_means_what_its_fields_say),
      cmocka_unit_test(doubles_round_to_the_nearest_half),
      cmocka_unit_test(doubles_become_floats_as_on_the_host),
      cmocka_unit_test(integers_clamp_and_nans_are_the_callers),
      cmocka_unit_test(sums_and_products_round_once),
      cmocka_unit_test(suffixes_flush_saturate_and_rectify),
      cmocka_unit_test(signs_and_extremes_are_exact),
      cmocka_unit_test(exponential_and_tangent_are_close),
      cmocka_unit_test(what_ptx_lacks_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
