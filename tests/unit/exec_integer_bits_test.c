// SPDX-License-Identifier: MIT
// Bit instructions against references that go bit by bit or byte by byte.
#include "exec_support.h"

static int bit(uint64_t value, int k) {
  return (int)(value >> k & 1);
}

static uint64_t cut(uint64_t value, int bits) {
  return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static uint64_t logic(const Form *form, const uint64_t *x) {
  int bits = type_bits((DataType)form->type);
  uint64_t result = 0;
  for (int k = 0; k < bits; k++) {
    int a = bit(x[0], k), b = bit(x[1], k), r;
    switch (form->op) {
      case OP_AND: r = a + b == 2; break;
      case OP_OR: r = a + b > 0; break;
      case OP_XOR: r = a != b; break;
      default: r = !a; break;
    }
    result |= (uint64_t)r << k;
  }
  return form->op == OP_CNOT ? x[0] == 0 : result;
}

static uint64_t shift(const Form *form, const uint64_t *x) {
  int bits = type_bits((DataType)form->type);
  bool arithmetic = form->op == OP_SHR && type_kind((DataType)form->type) == KIND_SIGNED;
  uint64_t result = 0;
  for (int k = 0; k < bits; k++) {
    int64_t from = form->op == OP_SHL ? k - (int64_t)x[1] : k + (int64_t)x[1];
    bool above = from >= bits, inside = from >= 0 && !above;
    int r = inside ? bit(x[0], (int)from) : above && arithmetic ? bit(x[0], bits - 1) : 0;
    result |= (uint64_t)r << k;
  }
  return result;
}

// Bit k of the funnel: from b:a moved by n.
static uint64_t funnel(const Form *form, const uint64_t *x) {
  int n = (int)(form->wrap ? x[2] % 32 : x[2] > 32 ? 32 : x[2]);
  uint64_t result = 0;
  for (int k = 0; k < 32; k++) {
    int from = form->mode == MODE_LEFT ? 32 + k - n : k + n;
    result |= (uint64_t)(from < 32 ? bit(x[0], from) : bit(x[1], from - 32)) << k;
  }
  return result;
}

static uint64_t count(const Form *form, const uint64_t *x) {
  int bits = type_bits((DataType)form->type), set = 0, top = -1;
  uint64_t reversed = 0;
  for (int k = 0; k < bits; k++) {
    set += bit(x[0], k);
    if (bit(x[0], k)) top = k;
    reversed |= (uint64_t)bit(x[0], k) << (bits - 1 - k);
  }
  if (form->op == OP_POPC) return (uint64_t)set;
  if (form->op == OP_BREV) return reversed;
  if (form->op == OP_CLZ) return (uint64_t)(bits - 1 - top);
  int sign = type_kind((DataType)form->type) == KIND_SIGNED ? bit(x[0], bits - 1) : 0;
  for (top = bits - 1; top >= 0 && bit(x[0], top) == sign;) top--;
  if (top < 0) return UINT32_MAX;
  return (uint64_t)(form->mode == MODE_SHIFTAMT ? bits - 1 - top : top);
}

static uint64_t field(const Form *form, const uint64_t *x) {
  int bits = type_bits((DataType)form->type), msb = bits - 1;
  int position = (int)(x[1] & 255), length = (int)(x[2] & 255), sign = 0;
  if (type_kind((DataType)form->type) == KIND_SIGNED && length) {
    int at = position + length - 1;
    sign = bit(x[0], at < msb ? at : msb);
  }
  uint64_t result = 0;
  for (int k = 0; k < bits; k++) {
    int r = k < length && position + k <= msb ? bit(x[0], position + k) : sign;
    result |= (uint64_t)r << k;
  }
  return result;
}

static uint64_t insert(const Form *form, const uint64_t *x) {
  int bits = type_bits((DataType)form->type);
  int position = (int)(x[2] & 255), length = (int)(x[3] & 255);
  uint64_t result = x[1];
  for (int k = 0; k < length && position + k < bits; k++) {
    result &= ~(UINT64_C(1) << (position + k));
    result |= (uint64_t)bit(x[0], k) << (position + k);
  }
  return result;
}

static uint64_t make_mask(const Form *form, const uint64_t *x) {
  uint64_t first = form->wrap ? x[0] & 31 : x[0], length = form->wrap ? x[1] & 31 : x[1];
  uint64_t result = 0;
  for (uint64_t k = 0; k < 32; k++)
    if (k >= first && k - first < length) result |= UINT64_C(1) << k;
  return result;
}

static uint64_t extend(const Form *form, const uint64_t *x) {
  uint64_t length = form->wrap ? x[1] & 31 : x[1] > 32 ? 32 : x[1];
  if (length == 0) return 0;
  uint64_t low = cut(x[0], (int)length);
  return form->type == TYPE_U32 ? low : cut((uint64_t)signed_of(low, (int)length), 32);
}

static uint64_t lop3(const Form *form, const uint64_t *x) {
  (void)form;
  uint64_t result = 0;
  for (int k = 0; k < 32; k++)
    result |= (uint64_t)bit(x[3], bit(x[0], k) * 4 + bit(x[1], k) * 2 + bit(x[2], k)) << k;
  return result;
}

static uint64_t nth(const Form *form, const uint64_t *x) {
  (void)form;
  int64_t offset = signed_of(x[2], 32), wanted = offset < 0 ? -offset : offset;
  if (x[1] > 31) return UINT32_MAX;
  if (offset == 0) return bit(x[0], (int)x[1]) ? x[1] : UINT32_MAX;
  for (int64_t at = (int64_t)x[1]; at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
    if (bit(x[0], (int)at) && --wanted == 0) return (uint64_t)at;
  return UINT32_MAX;
}

// The manual's table of byte numbers: highest byte of the result first.
static uint64_t permute(const Form *form, const uint64_t *x) {
  static const char table[][4][5] = {
      [MODE_F4E - MODE_F4E] = {"3210", "4321", "5432", "6543"},
      [MODE_B4E - MODE_F4E] = {"5670", "6701", "7012", "0123"},
      [MODE_RC8 - MODE_F4E] = {"0000", "1111", "2222", "3333"},
      [MODE_ECL - MODE_F4E] = {"3210", "3211", "3222", "3333"},
      [MODE_ECR - MODE_F4E] = {"0000", "1110", "2210", "3210"},
      [MODE_RC16 - MODE_F4E] = {"1010", "3232", "1010", "3232"},
  };
  uint64_t result = 0;
  for (int k = 0; k < 4; k++) {
    int from = (int)(x[2] >> 4 * k & 15);
    if (form->mode != MODE_NONE) from = table[form->mode - MODE_F4E][x[2] & 3][3 - k] - '0';
    uint64_t byte = ((from & 7) < 4 ? x[0] >> 8 * (from & 7) : x[1] >> 8 * ((from & 7) - 4)) & 255;
    if (from & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * k;
  }
  return result;
}

static uint64_t dot(const Form *form, const uint64_t *x) {
  bool a_signed = form->type == TYPE_S32, b_signed = form->type2 == TYPE_S32;
  int parts = form->op == OP_DP4A ? 4 : 2, width = 32 / parts;
  int first = form->op == OP_DP2A && form->width == WIDTH_HIGH ? 2 : 0;
  int64_t sum = (int64_t)x[2];
  for (int k = 0; k < parts; k++) {
    uint64_t a = cut(x[0] >> width * k, width), b = cut(x[1] >> 8 * (first + k), 8);
    sum +=
        (a_signed ? signed_of(a, width) : (int64_t)a) * (b_signed ? signed_of(b, 8) : (int64_t)b);
  }
  return cut((uint64_t)sum, 32);
}

#define TRY_FORM(oracle_, to, from, ...)                                      \
  do {                                                                        \
    Form form_ = __VA_ARGS__;                                                 \
    DataType from_[] = {PARENTHESISED from, TYPE_NONE, TYPE_NONE, TYPE_NONE}; \
    Trial trial_ = {.find = exec_find_arithmetic,                             \
                    .form = form_,                                            \
                    .dst = to,                                                \
                    .oracle = oracle_,                                        \
                    .values = 300000};                                        \
    memcpy(trial_.src, from_, sizeof trial_.src);                             \
    trial_run(&trial_);                                                       \
  } while (0)
#define PARENTHESISED(...) __VA_ARGS__

static const uint8_t bits3[] = {TYPE_B16, TYPE_B32, TYPE_B64};

static void logic_works_on_every_bit(void **state) {
  (void)state;
  static const uint8_t two[] = {OP_AND, OP_OR, OP_XOR}, one[] = {OP_NOT, OP_CNOT};
  for (int t = 0; t < 3; t++) {
    for (int k = 0; k < 3; k++)
      TRY_FORM(logic, bits3[t], (bits3[t], bits3[t]), {.op = two[k], .type = bits3[t]});
    for (int k = 0; k < 2; k++)
      TRY_FORM(logic, bits3[t], (bits3[t]), {.op = one[k], .type = bits3[t]});
  }
}

static void shifts_beyond_the_width_empty_the_register(void **state) {
  (void)state;
  static const uint8_t types[] = {TYPE_B16, TYPE_B32, TYPE_B64, TYPE_U16, TYPE_U32,
                                  TYPE_U64, TYPE_S16, TYPE_S32, TYPE_S64};
  for (int t = 0; t < 3; t++)
    TRY_FORM(shift, bits3[t], (bits3[t], TYPE_U32), {.op = OP_SHL, .type = bits3[t]});
  for (int t = 0; t < 9; t++)
    TRY_FORM(shift, types[t], (types[t], TYPE_U32), {.op = OP_SHR, .type = types[t]});
}

static void funnel_shifts_clamp_or_wrap(void **state) {
  (void)state;
  for (int wrap = 0; wrap < 2; wrap++) {
    TRY_FORM(funnel, TYPE_B32, (TYPE_B32, TYPE_B32, TYPE_U32),
             {.op = OP_SHF, .type = TYPE_B32, .mode = MODE_LEFT, .wrap = wrap});
    TRY_FORM(funnel, TYPE_B32, (TYPE_B32, TYPE_B32, TYPE_U32),
             {.op = OP_SHF, .type = TYPE_B32, .mode = MODE_RIGHT, .wrap = wrap});
  }
}

static void bits_are_counted_found_and_reversed(void **state) {
  (void)state;
  static const uint8_t types[] = {TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
  for (int t = 1; t < 3; t++) {
    TRY_FORM(count, TYPE_U32, (bits3[t]), {.op = OP_POPC, .type = bits3[t]});
    TRY_FORM(count, TYPE_U32, (bits3[t]), {.op = OP_CLZ, .type = bits3[t]});
    TRY_FORM(count, bits3[t], (bits3[t]), {.op = OP_BREV, .type = bits3[t]});
  }
  for (int t = 0; t < 4; t++) {
    TRY_FORM(count, TYPE_U32, (types[t]), {.op = OP_BFIND, .type = types[t]});
    TRY_FORM(count, TYPE_U32, (types[t]),
             {.op = OP_BFIND, .type = types[t], .mode = MODE_SHIFTAMT});
  }
  TRY_FORM(nth, TYPE_B32, (TYPE_B32, TYPE_U8, TYPE_S32), {.op = OP_FNS, .type = TYPE_B32});
}

static void fields_are_taken_put_made_and_extended(void **state) {
  (void)state;
  static const uint8_t types[] = {TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
  for (int t = 0; t < 4; t++)
    TRY_FORM(field, types[t], (types[t], TYPE_U32, TYPE_U32), {.op = OP_BFE, .type = types[t]});
  for (int t = 1; t < 3; t++)
    TRY_FORM(insert, bits3[t], (bits3[t], bits3[t], TYPE_U32, TYPE_U32),
             {.op = OP_BFI, .type = bits3[t]});
  for (int wrap = 0; wrap < 2; wrap++) {
    TRY_FORM(make_mask, TYPE_B32, (TYPE_U32, TYPE_U32),
             {.op = OP_BMSK, .type = TYPE_B32, .wrap = wrap});
    TRY_FORM(extend, TYPE_U32, (TYPE_U32, TYPE_U32),
             {.op = OP_SZEXT, .type = TYPE_U32, .wrap = wrap});
    TRY_FORM(extend, TYPE_S32, (TYPE_S32, TYPE_U32),
             {.op = OP_SZEXT, .type = TYPE_S32, .wrap = wrap});
  }
}

static void bytes_are_permuted_in_every_mode(void **state) {
  (void)state;
  TRY_FORM(permute, TYPE_B32, (TYPE_B32, TYPE_B32, TYPE_U32), {.op = OP_PRMT, .type = TYPE_B32});
  for (int mode = MODE_F4E; mode <= MODE_RC16; mode++)
    TRY_FORM(permute, TYPE_B32, (TYPE_B32, TYPE_B32, TYPE_U32),
             {.op = OP_PRMT, .type = TYPE_B32, .mode = (uint8_t)mode});
}

static void dot_products_extend_each_side_by_its_type(void **state) {
  (void)state;
  static const uint8_t types[] = {TYPE_U32, TYPE_S32};
  for (int k = 0; k < 4; k++) {
    uint8_t a = (uint8_t)types[k / 2], b = (uint8_t)types[k % 2];
    TRY_FORM(dot, TYPE_U32, (TYPE_B32, TYPE_B32, TYPE_B32), {.op = OP_DP4A, .type = a, .type2 = b});
    for (uint8_t width = WIDTH_LOW; width <= WIDTH_HIGH; width++)
      TRY_FORM(dot, TYPE_U32, (TYPE_B32, TYPE_B32, TYPE_B32),
               {.op = OP_DP2A, .type = a, .type2 = b, .width = width});
  }
}

// The table is the instruction's, so every table gets a warp.
static void every_table_of_three_bits_is_obeyed(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig);
  rig.in.form = (Form){.op = OP_LOP3, .type = TYPE_B32};
  ExecFn exec = exec_find_arithmetic(&rig.in.form);
  assert_non_null(exec);
  for (int round = 0; round < 256 * 8; round++) {
    uint32_t mask = round < 256 ? FULL_MASK : (uint32_t)rig_random(&rig);
    rig.in.offset = round & 255;
    rig.in.dst[0] = rig_place(3);
    for (int k = 0; k < 4; k++) {
      if (k < 3) rig.in.src[k] = rig_place(k);
      for (int lane = 0; lane < WARP_LANES; lane++) rig_set(&rig, k, 4, lane, rig_random(&rig));
    }
    uint8_t before[RIG_REGISTER_BYTES];
    memcpy(before, rig.frame[3], sizeof before);
    exec(&rig.context, &rig.warp, &rig.in, mask);
    for (int lane = 0; lane < WARP_LANES; lane++) {
      uint64_t x[4] = {rig_get(&rig, 0, 4, lane), rig_get(&rig, 1, 4, lane),
                       rig_get(&rig, 2, 4, lane), (uint64_t)rig.in.offset};
      if (mask >> lane & 1)
        assert_int_equal(rig_get(&rig, 3, 4, lane), lop3(&rig.in.form, x));
      else
        assert_memory_equal(rig.frame[3] + 4 * lane, before + 4 * lane, 4);
    }
  }
}

static void predicate_logic_honours_mask_and_negation(void **state) {
  (void)state;
  static const uint8_t ops[] = {OP_AND, OP_OR, OP_XOR, OP_NOT};
  Rig rig;
  rig_init(&rig);
  rig.in.dst[0] = rig_place(2);
  rig.in.src[0] = rig_place(0);
  rig.in.src[1] = rig_place(1);
  for (int round = 0; round < 4000; round++) {
    uint32_t a = (uint32_t)rig_random(&rig), b = (uint32_t)rig_random(&rig);
    uint32_t d = (uint32_t)rig_random(&rig), mask = (uint32_t)rig_random(&rig) | 1;
    rig_set_predicate(&rig, 0, a);
    rig_set_predicate(&rig, 1, b);
    rig_set_predicate(&rig, 2, d);
    rig.in.negated = round >> 2 & 3;
    rig.in.form = (Form){.op = ops[round & 3], .type = TYPE_PRED};
    exec_find_arithmetic (&rig.in.form)(&rig.context, &rig.warp, &rig.in, mask);
    if (rig.in.negated & 1) a = ~a;
    if (rig.in.negated & 2) b = ~b;
    uint32_t results[] = {a & b, a | b, a ^ b, ~a};
    assert_int_equal(rig_predicate(&rig, 2), (d & ~mask) | (results[round & 3] & mask));
  }
}

static void what_ptx_lacks_is_refused(void **state) {
  (void)state;
  static const Form lacking[] = {
      {.op = OP_AND, .type = TYPE_F32},   {.op = OP_AND, .type = TYPE_B8},
      {.op = OP_SHL, .type = TYPE_F64},   {.op = OP_CNOT, .type = TYPE_PRED},
      {.op = OP_SHF, .type = TYPE_B32},   {.op = OP_SHF, .type = TYPE_B64, .mode = MODE_LEFT},
      {.op = OP_POPC, .type = TYPE_B16},  {.op = OP_BFIND, .type = TYPE_B32},
      {.op = OP_BFI, .type = TYPE_B16},   {.op = OP_BFE, .type = TYPE_U16},
      {.op = OP_PRMT, .type = TYPE_B64},  {.op = OP_LOP3, .type = TYPE_B64},
      {.op = OP_DP4A, .type = TYPE_U32},  {.op = OP_DP2A, .type = TYPE_U32, .type2 = TYPE_U32},
      {.op = OP_SZEXT, .type = TYPE_B32}, {.op = OP_BMSK, .type = TYPE_B64},
  };
  for (size_t k = 0; k < sizeof lacking / sizeof *lacking; k++)
    if (exec_find_arithmetic(&lacking[k])) fail_msg("form %zu is not refused", k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logic_works_on_every_bit),
      cmocka_unit_test(shifts_beyond_the_width_empty_the_register),
      cmocka_unit_test(funnel_shifts_clamp_or_wrap),
      cmocka_unit_test(bits_are_counted_found_and_reversed),
      cmocka_unit_test(fields_are_taken_put_made_and_extended),
      cmocka_unit_test(bytes_are_permuted_in_every_mode),
      cmocka_unit_test(dot_products_extend_each_side_by_its_type),
      cmocka_unit_test(every_table_of_three_bits_is_obeyed),
      cmocka_unit_test(predicate_logic_honours_mask_and_negation),
      cmocka_unit_test(what_ptx_lacks_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
