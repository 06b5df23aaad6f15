// SPDX-License-Identifier: MIT
// Integer arithmetic against the same in 128 bits; carry chains against sums
// of 128 bits cut into words.
#include "exec_support.h"

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

static const uint8_t integers[] = {TYPE_U16, TYPE_S16, TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
enum { INTEGERS = 6 };

static DataType twice(DataType type) {
  switch (type) {
    case TYPE_U16: return TYPE_U32;
    case TYPE_S16: return TYPE_S32;
    case TYPE_U32: return TYPE_U64;
    default: return TYPE_S64;
  }
}

// Any operand as a number.
static Int128 number(uint64_t bits, DataType type) {
  return type_kind(type) == KIND_SIGNED ? (Int128)signed_of(bits, type_bits(type)) : (Int128)bits;
}

static uint64_t cut(Int128 value, int bits) {
  return (uint64_t)value & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
}

static Int128 clamp_s32(Int128 value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
}

static Int128 magnitude(Int128 value) {
  return value < 0 ? -value : value;
}

static Int128 part_of_product(const Form *form, Int128 a, Int128 b) {
  int bits = type_bits((DataType)form->type);
  if (form->width != WIDTH_HIGH) return (Int128)((UInt128)a * (UInt128)b);
  // u64 times u64 may need the 128th bit
  if (form->type == TYPE_U64) return (Int128)((UInt128)a * (UInt128)b >> 64);
  return a * b >> bits;
}

static Int128 of24(Int128 value, DataType type) {
  uint64_t low = (uint64_t)value & 0xffffff;
  return type == TYPE_S32 ? (Int128)signed_of(low, 24) : (Int128)low;
}

static Int128 product24(const Form *form, Int128 a, Int128 b) {
  Int128 product = of24(a, (DataType)form->type) * of24(b, (DataType)form->type);
  return form->width == WIDTH_HIGH ? product >> 16 : product;
}

static Int128 divide(Int128 a, Int128 b) {
  return b == 0 ? -1 : a / b;
}

static Int128 compute(const Form *form, Int128 a, Int128 b, Int128 c) {
  switch (form->op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return part_of_product(form, a, b);
    case OP_MAD: return (Int128)((UInt128)part_of_product(form, a, b) + (UInt128)c);
    case OP_MUL24: return product24(form, a, b);
    case OP_MAD24: return product24(form, a, b) + c;
    case OP_SAD: return c + magnitude(a - b);
    case OP_DIV: return divide(a, b);
    case OP_REM: return b == 0 ? a : a - divide(a, b) * b;
    case OP_ABS: return magnitude(a);
    case OP_NEG: return -a;
    case OP_MIN: return a < b ? a : b;
    default: return a > b ? a : b;
  }
}

static uint64_t oracle(const Form *form, const uint64_t *x) {
  DataType type = (DataType)form->type;
  bool wide = form->width == WIDTH_WIDE;
  Int128 c = number(x[2], wide ? twice(type) : type);
  Int128 result = compute(form, number(x[0], type), number(x[1], type), c);
  if (form->sat) result = clamp_s32(result);
  if (form->relu && result < 0) result = 0;
  return cut(result, type_bits(type) * (wide ? 2 : 1));
}

static void try_form(Form form, int sources) {
  DataType type = (DataType)form.type, to = form.width == WIDTH_WIDE ? twice(type) : type;
  Trial trial = {.find = exec_find_arithmetic, .form = form, .dst = to, .oracle = oracle};
  for (int k = 0; k < sources; k++) trial.src[k] = k == 2 ? to : type;
  trial_run(&trial);
}

static void try_all_types(Opcode op, int sources) {
  for (int k = 0; k < INTEGERS; k++)
    try_form((Form){.op = (uint8_t)op, .type = integers[k]}, sources);
}

static void sums_differences_and_quotients_wrap_around(void **state) {
  (void)state;
  try_all_types(OP_ADD, 2);
  try_all_types(OP_SUB, 2);
  try_all_types(OP_DIV, 2);
  try_all_types(OP_REM, 2);
}

static void extremes_signs_and_distances_hold_for_all_types(void **state) {
  (void)state;
  try_all_types(OP_MIN, 2);
  try_all_types(OP_MAX, 2);
  try_all_types(OP_SAD, 3);
  for (int k = 1; k < INTEGERS; k += 2) {
    try_form((Form){.op = OP_ABS, .type = integers[k]}, 1);
    try_form((Form){.op = OP_NEG, .type = integers[k]}, 1);
  }
  try_form((Form){.op = OP_MIN, .type = TYPE_S32, .relu = true}, 2);
  try_form((Form){.op = OP_MAX, .type = TYPE_S32, .relu = true}, 2);
}

static void products_give_their_low_high_or_whole(void **state) {
  (void)state;
  for (int k = 0; k < INTEGERS; k++)
    for (int width = WIDTH_LOW; width <= (k < 4 ? WIDTH_WIDE : WIDTH_HIGH); width++) {
      try_form((Form){.op = OP_MUL, .type = integers[k], .width = (uint8_t)width}, 2);
      try_form((Form){.op = OP_MAD, .type = integers[k], .width = (uint8_t)width}, 3);
    }
}

static void products_of_24_bits_keep_48(void **state) {
  (void)state;
  for (int width = WIDTH_LOW; width <= WIDTH_HIGH; width++)
    for (int k = 2; k < 4; k++) {
      try_form((Form){.op = OP_MUL24, .type = integers[k], .width = (uint8_t)width}, 2);
      try_form((Form){.op = OP_MAD24, .type = integers[k], .width = (uint8_t)width}, 3);
    }
  try_form((Form){.op = OP_MAD24, .type = TYPE_S32, .width = WIDTH_HIGH, .sat = true}, 3);
}

static void saturated_sums_stay_in_range(void **state) {
  (void)state;
  try_form((Form){.op = OP_ADD, .type = TYPE_S32, .sat = true}, 2);
  try_form((Form){.op = OP_SUB, .type = TYPE_S32, .sat = true}, 2);
  try_form((Form){.op = OP_MAD, .type = TYPE_S32, .width = WIDTH_HIGH, .sat = true}, 3);
}

// -- carry chains

typedef struct Step {
  Opcode op;
  Width width;
  bool carry_out;
} Step;

// Runs steps on the words of registers: d[k] = a[k] op b[k] (op c[k]).
static void run_chain(Rig *rig, const Step *steps, int count, DataType type, uint32_t mask,
                      const int (*places)[4]) {
  for (int k = 0; k < count; k++) {
    rig->in.form = (Form){.op = (uint8_t)steps[k].op,
                          .type = (uint8_t)type,
                          .width = (uint8_t)steps[k].width,
                          .carry_out = steps[k].carry_out};
    rig->in.dst[0] = rig_place(places[k][0]);
    for (int s = 0; s < 3; s++)
      rig->in.src[s] = places[k][1 + s] < 0 ? NO_PLACE : rig_place(places[k][1 + s]);
    ExecFn exec = exec_find_arithmetic(&rig->in.form);
    assert_non_null(exec);
    exec(&rig->context, &rig->warp, &rig->in, mask);
  }
}

static UInt128 joined(const Rig *rig, int low, int bytes, int lane) {
  return (UInt128)rig_get(rig, low + 1, bytes, lane) << 8 * bytes | rig_get(rig, low, bytes, lane);
}

static void fill(Rig *rig, int registers, DataType type) {
  for (int k = 0; k < registers; k++)
    for (int lane = 0; lane < WARP_LANES; lane++)
      rig_set(rig, k, lane_bytes(type), lane, random_value(rig, type));
}

static void assert_words(UInt128 wanted, UInt128 got, int bits, uint32_t carry, bool has_carry) {
  UInt128 mask = bits == 128 ? ~(UInt128)0 : ((UInt128)1 << bits) - 1;
  assert_true((wanted & mask) == (got & mask));
  if (has_carry && bits < 128) assert_int_equal((uint32_t)(wanted >> bits & 1), carry);
}

// Sums and differences of two words, the carry out of the second kept.
static void try_two_words(DataType type, bool subtract) {
  Step steps[] = {{subtract ? OP_SUB : OP_ADD, WIDTH_NONE, true},
                  {subtract ? OP_SUBC : OP_ADDC, WIDTH_NONE, true}};
  static const int places[][4] = {{4, 0, 2, -1}, {5, 1, 3, -1}};
  int bytes = lane_bytes(type);
  Rig rig;
  rig_init(&rig);
  for (int round = 0; round * WARP_LANES < TRIAL_VALUES; round++) {
    fill(&rig, 6, type);
    uint32_t mask = round & 1 ? (uint32_t)rig_random(&rig) : FULL_MASK;
    uint32_t carry = rig.warp.carry = (uint32_t)rig_random(&rig);
    uint8_t before[2 * RIG_REGISTER_BYTES];
    memcpy(before, rig.frame[4], sizeof before);
    run_chain(&rig, steps, 2, type, mask, places);
    for (int lane = 0; lane < WARP_LANES; lane++) {
      if (!(mask >> lane & 1)) {
        assert_memory_equal(before + bytes * lane, rig.frame[4] + bytes * lane, (size_t)bytes);
        assert_int_equal(carry >> lane & 1, rig.warp.carry >> lane & 1);
        continue;
      }
      UInt128 a = joined(&rig, 0, bytes, lane), b = joined(&rig, 2, bytes, lane);
      assert_words(subtract ? a - b : a + b, joined(&rig, 4, bytes, lane), 16 * bytes,
                   rig.warp.carry >> lane & 1, true);
      bool carried = subtract ? a < b : (UInt128)(a + b) < a;
      if (bytes == 8) assert_int_equal(carried, rig.warp.carry >> lane & 1);
    }
  }
}

static void carries_and_borrows_pass_from_word_to_word(void **state) {
  (void)state;
  static const uint8_t types[] = {TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
  for (int k = 0; k < 4; k++) {
    try_two_words(types[k], false);
    try_two_words(types[k], true);
  }
}

// {7,6} = {1,0} * 2 + {4,3}, with the partial products of PTX's own idiom.
static void try_multiply_chain(DataType type) {
  static const Step steps[] = {
      {OP_MAD, WIDTH_LOW, true}, {OP_MADC, WIDTH_HIGH, false}, {OP_MAD, WIDTH_LOW, false}};
  static const int places[][4] = {{6, 0, 2, 3}, {7, 0, 2, 4}, {7, 1, 2, 7}};
  int bytes = lane_bytes(type);
  Rig rig;
  rig_init(&rig);
  for (int round = 0; round * WARP_LANES < TRIAL_VALUES; round++) {
    fill(&rig, 8, type);
    run_chain(&rig, steps, 3, type, FULL_MASK, places);
    for (int lane = 0; lane < WARP_LANES; lane++) {
      UInt128 a = joined(&rig, 0, bytes, lane), c = joined(&rig, 3, bytes, lane);
      UInt128 wanted = a * rig_get(&rig, 2, bytes, lane) + c;
      assert_words(wanted, joined(&rig, 6, bytes, lane), 16 * bytes, 0, false);
    }
  }
}

static void products_carry_into_the_next_word(void **state) {
  (void)state;
  try_multiply_chain(TYPE_U32);
  try_multiply_chain(TYPE_U64);
}

// The high word of a signed product, a third word and the carry.
static void signed_products_carry_as_unsigned_sums(void **state) {
  (void)state;
  static const Step steps[] = {{OP_MADC, WIDTH_HIGH, true}};
  static const int places[][4] = {{3, 0, 1, 2}};
  static const uint8_t types[] = {TYPE_S32, TYPE_S64};
  for (int t = 0; t < 2; t++) {
    int bits = type_bits(types[t]), bytes = bits / 8;
    Rig rig;
    rig_init(&rig);
    for (int round = 0; round * WARP_LANES < TRIAL_VALUES; round++) {
      fill(&rig, 4, types[t]);
      uint32_t carry = rig.warp.carry = (uint32_t)rig_random(&rig);
      run_chain(&rig, steps, 1, types[t], FULL_MASK, places);
      for (int lane = 0; lane < WARP_LANES; lane++) {
        Int128 a = signed_of(rig_get(&rig, 0, bytes, lane), bits);
        Int128 b = signed_of(rig_get(&rig, 1, bytes, lane), bits);
        UInt128 sum =
            (UInt128)cut(a * b >> bits, bits) + rig_get(&rig, 2, bytes, lane) + (carry >> lane & 1);
        assert_true(rig_get(&rig, 3, bytes, lane) == cut((Int128)sum, bits));
        assert_int_equal((uint32_t)(sum >> bits & 1), rig.warp.carry >> lane & 1);
      }
    }
  }
}

static void what_ptx_lacks_is_refused(void **state) {
  (void)state;
  static const Form lacking[] = {
      {.op = OP_ADD, .type = TYPE_S32, .rounding = ROUND_DOWN},
      {.op = OP_ADD, .type = TYPE_U32, .sat = true},
      {.op = OP_ADD, .type = TYPE_S32, .ftz = true},
      {.op = OP_ADD, .type = TYPE_B32},
      {.op = OP_ADD, .type = TYPE_U8},
      {.op = OP_ADD, .type = TYPE_U16, .carry_out = true},
      {.op = OP_ADD, .type = TYPE_S32, .sat = true, .carry_out = true},
      {.op = OP_MUL, .type = TYPE_S32},
      {.op = OP_MUL, .type = TYPE_S64, .width = WIDTH_WIDE},
      {.op = OP_MUL, .type = TYPE_F32, .width = WIDTH_WIDE},
      {.op = OP_MAD, .type = TYPE_S32, .width = WIDTH_LOW, .sat = true},
      {.op = OP_MADC, .type = TYPE_S32, .width = WIDTH_WIDE},
      {.op = OP_MUL24, .type = TYPE_S16, .width = WIDTH_LOW},
      {.op = OP_ABS, .type = TYPE_U32},
      {.op = OP_MIN, .type = TYPE_S32, .nan = true},
      {.op = OP_MIN, .type = TYPE_U32, .relu = true},
      {.op = OP_DIV, .type = TYPE_S32, .approx = true},
      {.op = OP_REM, .type = TYPE_F32},
  };
  for (size_t k = 0; k < sizeof lacking / sizeof *lacking; k++)
    if (exec_find_arithmetic(&lacking[k])) fail_msg("form %zu is not refused", k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_differences_and_quotients_wrap_around),
      cmocka_unit_test(extremes_signs_and_distances_hold_for_all_types),
      cmocka_unit_test(products_give_their_low_high_or_whole),
      cmocka_unit_test(products_of_24_bits_keep_48),
      cmocka_unit_test(saturated_sums_stay_in_range),
      cmocka_unit_test(carries_and_borrows_pass_from_word_to_word),
      cmocka_unit_test(products_carry_into_the_next_word),
      cmocka_unit_test(signed_products_carry_as_unsigned_sums),
      cmocka_unit_test(what_ptx_lacks_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
