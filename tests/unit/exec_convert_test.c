// SPDX-License-Identifier: MIT
// cvt between all types in all modes against the host's conversions and long
// double, which holds every 64-bit integer; cvta and isspacep.
#include "exec_support.h"

__extension__ typedef __int128 Int128;

static const DataType integers[] = {TYPE_U8,  TYPE_S8,  TYPE_U16, TYPE_S16,
                                    TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
static const DataType floats[] = {TYPE_F16, TYPE_BF16, TYPE_F32, TYPE_F64};
enum { INTEGERS = 8, FLOATS = 4 };

static uint64_t cut(uint64_t value, int bits) {
  return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static bool is_signed(DataType type) {
  return type_kind(type) == KIND_SIGNED;
}

static Int128 number(uint64_t bits, DataType type) {
  return is_signed(type) ? (Int128)signed_of(bits, type_bits(type)) : (Int128)bits;
}

static Int128 least(DataType type) {
  return is_signed(type) ? -((Int128)1 << (type_bits(type) - 1)) : 0;
}

static Int128 most(DataType type) {
  return ((Int128)1 << (type_bits(type) - is_signed(type))) - 1;
}

static long double float_value(uint64_t bits, DataType type, bool ftz) {
  if (type == TYPE_F64) return f64_of(bits);
  if (type != TYPE_F32) return half_value(bits, type);
  return f32_of(ftz && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

// -- to integers

static uint64_t int_to_int(const Form *form, const uint64_t *x) {
  DataType to = (DataType)form->type;
  Int128 value = number(x[0], (DataType)form->type2);
  if (form->sat) value = value < least(to) ? least(to) : value > most(to) ? most(to) : value;
  return cut((uint64_t)value, type_bits(to));
}

static uint64_t float_to_int(const Form *form, const uint64_t *x) {
  DataType to = (DataType)form->type, from = (DataType)form->type2;
  long double value = float_value(x[0], from, form->ftz);
  int bits = type_bits(to);
  if (isnan(value)) return from == TYPE_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
  value = rintl(value);  // in the host's mode, which the runner has set
  if (value <= (long double)least(to)) return cut((uint64_t)least(to), bits);
  if (value >= (long double)most(to)) return cut((uint64_t)most(to), bits);
  return cut((uint64_t)(Int128)value, bits);
}

static void try_cvt(Form form, Oracle oracle, int values) {
  form.op = OP_CVT;
  Trial trial = {.find = exec_find_convert,
                 .form = form,
                 .dst = (DataType)form.type,
                 .src = {(DataType)form.type2},
                 .oracle = oracle,
                 .values = values,
                 .any_nan = form.type == TYPE_F64};
  trial_run(&trial);
}

static void integers_are_cut_extended_or_clamped(void **state) {
  (void)state;
  for (int d = 0; d < INTEGERS; d++)
    for (int s = 0; s < INTEGERS; s++)
      for (int sat = 0; sat < 2; sat++)
        try_cvt((Form){.type = (uint8_t)integers[d], .type2 = (uint8_t)integers[s], .sat = sat},
                int_to_int, 20000);
}

static void floats_become_integers_in_every_mode(void **state) {
  (void)state;
  for (int s = 0; s < FLOATS; s++)
    for (int d = 0; d < INTEGERS; d++)
      for (int mode = ROUND_NEAREST; mode <= ROUND_UP; mode++) {
        bool common = s > 1 && type_bits(integers[d]) == 32;
        Form form = {.type = (uint8_t)integers[d],
                     .type2 = (uint8_t)floats[s],
                     .rounding = (uint8_t)mode,
                     .integer_round = true};
        try_cvt(form, float_to_int, common ? 250000 : 30000);
        form.ftz = true;
        if (floats[s] == TYPE_F32) try_cvt(form, float_to_int, 30000);
      }
}

// -- to floats

// The magnitudes of halves are ordered as their bits, so the neighbours of a
// value are found by halving.
static uint64_t to_half(long double value, DataType type, Rounding mode) {
  uint64_t sign = signbit(value) ? 0x8000 : 0, infinity = type == TYPE_F16 ? 0x7c00 : 0x7f80;
  long double magnitude = fabsl(value);
  if (isnan(value)) return 0x7fff;
  if (isinf(value)) return sign | infinity;
  uint64_t low = 0, high = infinity;
  while (high - low > 1) {
    uint64_t middle = (low + high) / 2;
    *(half_value(middle, type) <= magnitude ? &low : &high) = middle;
  }
  long double below = half_value(low, type), above = half_value(high, type);
  if (isinf(above)) above = 2 * below - half_value(low - 1, type);
  if (magnitude == below) return sign | low;
  bool away = mode == ROUND_UP ? !sign : mode == ROUND_DOWN ? sign != 0 : false;
  long double middle = (below + above) / 2;
  if (mode == ROUND_NEAREST) away = magnitude > middle || (magnitude == middle && low & 1);
  return sign | (away ? high : low);
}

// Rounded by the host's conversion in the host's mode.
static uint64_t to_float(const Form *form, volatile long double value) {
  DataType to = (DataType)form->type;
  uint64_t bits, sign = UINT64_C(1) << (type_bits(to) - 1), one = 0x3f800000;
  if (to == TYPE_F64)
    bits = bits_of_f64((double)value), one = bits_of_f64(1);
  else if (to == TYPE_F32)
    bits = isnan(value) ? 0x7fffffff : bits_of_f32((float)value);
  else
    bits = to_half(value, to, (Rounding)form->rounding), one = to == TYPE_F16 ? 0x3c00 : 0x3f80;
  if (form->ftz && to == TYPE_F32 && (bits & 0x7f800000) == 0) bits &= sign;
  if (form->sat) return isnan(value) || bits & sign ? 0 : bits > one ? one : bits;
  if (form->relu && bits & sign && !isnan(value)) return 0;
  return bits;
}

static uint64_t int_to_float(const Form *form, const uint64_t *x) {
  return to_float(form, (long double)number(x[0], (DataType)form->type2));
}

static uint64_t float_to_float(const Form *form, const uint64_t *x) {
  long double value = float_value(x[0], (DataType)form->type2, form->ftz);
  return to_float(form, form->integer_round ? rintl(value) : value);
}

static void integers_become_floats_in_every_mode(void **state) {
  (void)state;
  for (int d = 0; d < FLOATS; d++)
    for (int s = 0; s < INTEGERS; s++)
      for (int mode = ROUND_NEAREST; mode <= ROUND_UP; mode++) {
        bool common = d > 1 && type_bits(integers[s]) == 32;
        try_cvt((Form){.type = (uint8_t)floats[d],
                       .type2 = (uint8_t)integers[s],
                       .rounding = (uint8_t)mode},
                int_to_float, common ? 250000 : 20000);
      }
}

static bool widens(DataType to, DataType from) {
  return to == from || to == TYPE_F64 || (to == TYPE_F32 && from != TYPE_F64);
}

static void floats_become_floats_in_every_mode(void **state) {
  (void)state;
  for (int d = 0; d < FLOATS; d++)
    for (int s = 0; s < FLOATS; s++) {
      bool exact = widens(floats[d], floats[s]),
           has_ftz = floats[d] == TYPE_F32 || floats[s] == TYPE_F32;
      for (int mode = exact ? ROUND_NONE : ROUND_NEAREST; mode <= (exact ? ROUND_NONE : ROUND_UP);
           mode++)
        for (int ftz = 0; ftz <= has_ftz; ftz++)
          for (int sat = 0; sat < 2; sat++)
            try_cvt((Form){.type = (uint8_t)floats[d],
                           .type2 = (uint8_t)floats[s],
                           .rounding = (uint8_t)mode,
                           .ftz = ftz,
                           .sat = sat},
                    float_to_float, d > 1 && s > 1 ? 250000 : 30000);
    }
}

static void floats_become_integral_in_every_mode(void **state) {
  (void)state;
  for (int t = 0; t < FLOATS; t++)
    for (int mode = ROUND_NEAREST; mode <= ROUND_UP; mode++)
      for (int k = 0; k < 4; k++) {
        Form form = {.type = (uint8_t)floats[t],
                     .type2 = (uint8_t)floats[t],
                     .ftz = k & 1,
                     .rounding = (uint8_t)mode,
                     .integer_round = true,
                     .sat = k & 2};
        if (!form.ftz || floats[t] == TYPE_F32)
          try_cvt(form, float_to_float, t > 1 ? 250000 : 30000);
      }
}

// -- pairs and packs

static uint64_t pair_oracle(const Form *form, const uint64_t *x) {
  Form half = *form;
  half.type = form->type == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
  return to_float(&half, f32_of(x[0])) << 16 | to_float(&half, f32_of(x[1]));
}

static void two_floats_become_a_pair(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    DataType to = k & 1 ? TYPE_F16X2 : TYPE_BF16X2;
    Trial trial = {.find = exec_find_convert,
                   .dst = to,
                   .src = {TYPE_F32, TYPE_F32},
                   .form = {.op = OP_CVT,
                            .type = (uint8_t)to,
                            .type2 = TYPE_F32,
                            .relu = k & 4,
                            .rounding = k & 2 ? ROUND_NEAREST : ROUND_ZERO},
                   .oracle = pair_oracle,
                   .values = 30000};
    trial_run(&trial);
  }
}

static void a_float_becomes_a_rectified_half(void **state) {
  (void)state;
  for (int d = 0; d < 2; d++)
    try_cvt(
        (Form){
            .type = (uint8_t)floats[d], .type2 = TYPE_F32, .rounding = ROUND_NEAREST, .relu = true},
        float_to_float, 30000);
}

static uint64_t pack_oracle(const Form *form, const uint64_t *x) {
  Form part = {.type = form->type, .type2 = TYPE_S32, .sat = true};
  int bits = type_bits((DataType)form->type);
  uint64_t packed = int_to_int(&part, x) << bits | int_to_int(&part, x + 1);
  return cut(bits == 16 ? packed : x[2] << 16 | packed, 32);
}

static void two_integers_are_clamped_and_packed(void **state) {
  (void)state;
  for (int d = 0; d < 4; d++) {
    DataType third = d < 2 ? TYPE_B32 : TYPE_NONE;
    Trial trial = {.find = exec_find_convert,
                   .dst = TYPE_B32,
                   .src = {TYPE_S32, TYPE_S32, third},
                   .form = {.op = OP_CVT,
                            .mode = MODE_PACK,
                            .type = (uint8_t)integers[d],
                            .sat = true,
                            .type2 = TYPE_S32,
                            .type3 = (uint8_t)third},
                   .oracle = pack_oracle,
                   .values = 100000};
    trial_run(&trial);
  }
}

// -- registers wider than their types

static Oracle narrow_oracle(const Form *form) {
  bool to = type_kind((DataType)form->type) == KIND_FLOAT;
  bool from = type_kind((DataType)form->type2) == KIND_FLOAT;
  return to ? (from ? float_to_float : int_to_float) : from ? float_to_int : int_to_int;
}

static int wanted_register_bytes;  // what wide_oracle extends to

static uint64_t wide_oracle(const Form *form, const uint64_t *x) {
  uint64_t value = narrow_oracle(form)(form, x);
  if (is_signed((DataType)form->type))
    value = (uint64_t)signed_of(value, type_bits((DataType)form->type));
  return cut(value, 8 * wanted_register_bytes);
}

static void try_wide(DataType to, DataType from) {
  bool to_float = type_kind(to) == KIND_FLOAT, from_float = type_kind(from) == KIND_FLOAT;
  Form form = {.op = OP_CVT, .type = (uint8_t)to, .type2 = (uint8_t)from};
  if (to_float ? !widens(to, from) || !from_float : from_float) form.rounding = ROUND_NEAREST;
  form.integer_round = !to_float && from_float;
  for (int d = type_bytes(to); d <= 8; d *= 2)
    for (int s = type_bytes(from); s <= 8; s *= 2) {
      wanted_register_bytes = d;
      Trial trial = {.find = exec_find_convert,
                     .form = form,
                     .dst = to,
                     .src = {from},
                     .oracle = wide_oracle,
                     .values = 1000,
                     .any_nan = to == TYPE_F64,
                     .dst_bytes = (uint8_t)d,
                     .src_bytes = (uint8_t)s};
      trial_run(&trial);
    }
}

static void wide_registers_are_read_below_and_filled_above(void **state) {
  (void)state;
  DataType all[INTEGERS + FLOATS];
  memcpy(all, integers, sizeof integers);
  memcpy(all + INTEGERS, floats, sizeof floats);
  for (int d = 0; d < INTEGERS + FLOATS; d++)
    for (int s = 0; s < INTEGERS + FLOATS; s++) try_wide(all[d], all[s]);
}

// -- address spaces

static uint64_t convert_address(Form form, uint64_t address) {
  Rig rig;
  rig_init(&rig);
  rig.in.form = form;
  rig.in.dst[0] = rig_place(1);
  rig.in.src[0] = rig_place(0);
  int bytes = lane_bytes((DataType)form.type);
  for (int lane = 0; lane < WARP_LANES; lane++) rig_set(&rig, 0, bytes, lane, address);
  ExecFn exec = exec_find_convert(&form);
  assert_non_null(exec);
  exec(&rig.context, &rig.warp, &rig.in, FULL_MASK);
  return rig_get(&rig, 1, bytes, 31);
}

static void addresses_move_by_their_window(void **state) {
  (void)state;
  static const struct {
    Space space;
    uint64_t window;
  } windows[] = {{SPACE_GLOBAL, 0},
                 {SPACE_CONST, 0},
                 {SPACE_SHARED, SHARED_WINDOW},
                 {SPACE_LOCAL, LOCAL_WINDOW},
                 {SPACE_PARAM, PARAM_WINDOW}};
  for (int k = 0; k < 10; k++) {
    uint8_t type = k & 1 ? TYPE_U64 : TYPE_U32;
    Form there = {.op = OP_CVTA, .type = type, .space = (uint8_t)windows[k / 2].space};
    Form back = there;
    back.mode = MODE_TO;
    assert_int_equal(convert_address(there, 0x1234), windows[k / 2].window + 0x1234);
    assert_int_equal(convert_address(back, windows[k / 2].window + 0x1234), 0x1234);
  }
  assert_null(exec_find_convert(&(Form){.op = OP_CVTA, .type = TYPE_U64}));
}

static void addresses_tell_their_space(void **state) {
  (void)state;
  static const Space spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM};
  static const uint64_t addresses[] = {HEAP_BASE, SHARED_WINDOW, LOCAL_WINDOW + WINDOW_BYTES - 1,
                                       PARAM_WINDOW + 8};
  for (int bytes = 4; bytes <= 8; bytes += 4)
    for (int s = 0; s < 4; s++) {
      Rig rig;
      rig_init(&rig);
      rig.in.form = (Form){.op = OP_ISSPACEP, .space = (uint8_t)spaces[s]};
      rig.in.address_bytes = (uint8_t)bytes;
      rig.in.src[0] = rig_place(0);
      rig.in.dst[0] = rig_place(1);
      for (int lane = 0; lane < WARP_LANES; lane++)
        rig_set(&rig, 0, bytes, lane, addresses[lane % 4]);
      rig_set_predicate(&rig, 1, 0xa5a50000);
      exec_find_convert (&rig.in.form)(&rig.context, &rig.warp, &rig.in, 0x0000ffff);
      assert_int_equal(rig_predicate(&rig, 1), 0xa5a50000 | 0x1111u << s);
    }
}

static void what_ptx_lacks_is_refused(void **state) {
  (void)state;
  static const Form lacking[] = {
      {.type = TYPE_F32, .type2 = TYPE_S32},
      {.type = TYPE_F32, .type2 = TYPE_F64},
      {.type = TYPE_S32, .type2 = TYPE_F32},
      {.type = TYPE_S32, .type2 = TYPE_F32, .rounding = ROUND_NEAREST},
      {.type = TYPE_F32, .type2 = TYPE_S32, .rounding = ROUND_NEAREST, .integer_round = true},
      {.type = TYPE_S32, .type2 = TYPE_S64, .rounding = ROUND_NEAREST},
      {.type = TYPE_F32, .type2 = TYPE_F64, .rounding = ROUND_ZERO, .integer_round = true},
      {.type = TYPE_S32, .type2 = TYPE_S64, .ftz = true},
      {.type = TYPE_B32, .type2 = TYPE_F32, .rounding = ROUND_AWAY},
      {.type = TYPE_F16X2, .type2 = TYPE_F32, .rounding = ROUND_UP},
      {.type = TYPE_S32, .type2 = TYPE_PRED},
      {.type = TYPE_F32},
      {.type = TYPE_U16, .type2 = TYPE_S32, .mode = MODE_PACK},
  };
  for (size_t k = 0; k < sizeof lacking / sizeof *lacking; k++) {
    Form form = lacking[k];
    form.op = OP_CVT;
    if (exec_find_convert(&form)) fail_msg("form %zu is not refused", k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_are_cut_extended_or_clamped),
      cmocka_unit_test(floats_become_integers_in_every_mode),
      cmocka_unit_test(integers_become_floats_in_every_mode),
      cmocka_unit_test(floats_become_floats_in_every_mode),
      cmocka_unit_test(floats_become_integral_in_every_mode),
      cmocka_unit_test(two_floats_become_a_pair),
      cmocka_unit_test(a_float_becomes_a_rectified_half),
      cmocka_unit_test(two_integers_are_clamped_and_packed),
      cmocka_unit_test(wide_registers_are_read_below_and_filled_above),
      cmocka_unit_test(addresses_move_by_their_window),
      cmocka_unit_test(addresses_tell_their_space),
      cmocka_unit_test(what_ptx_lacks_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
