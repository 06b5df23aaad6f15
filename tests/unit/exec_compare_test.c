// SPDX-License-Identifier: MIT
// Comparisons against the definition of each, one lane at a time.
#include "exec_support.h"

// Less, equal, greater or unordered.
typedef enum Order { LESS = -1, EQUAL, GREATER, UNORDERED } Order;

static Order order_of_doubles(double a, double b) {
  return isnan(a) || isnan(b) ? UNORDERED : a < b ? LESS : a > b ? GREATER : EQUAL;
}

static uint64_t flush32(uint64_t bits, bool ftz) {
  return ftz && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static Order order_of(DataType type, bool ftz, uint64_t a, uint64_t b) {
  int bits = type_bits(type);
  switch (type) {
    case TYPE_F64: return order_of_doubles(f64_of(a), f64_of(b));
    case TYPE_F32:
      return order_of_doubles((double)f32_of(flush32(a, ftz)), (double)f32_of(flush32(b, ftz)));
    case TYPE_F16:
    case TYPE_BF16: return order_of_doubles(half_value(a, type), half_value(b, type));
    default: break;
  }
  if (type_kind(type) == KIND_SIGNED) {
    int64_t x = signed_of(a, bits), y = signed_of(b, bits);
    return x < y ? LESS : x > y ? GREATER : EQUAL;
  }
  return a < b ? LESS : a > b ? GREATER : EQUAL;
}

static bool holds(Compare compare, Order order) {
  bool unordered = order == UNORDERED;
  switch (compare) {
    case COMPARE_EQ: return order == EQUAL;
    case COMPARE_NE: return order == LESS || order == GREATER;
    case COMPARE_LT: return order == LESS;
    case COMPARE_LE: return order == LESS || order == EQUAL;
    case COMPARE_GT: return order == GREATER;
    case COMPARE_GE: return order == GREATER || order == EQUAL;
    case COMPARE_NUM: return !unordered;
    case COMPARE_NAN: return unordered;
    default: return unordered || holds((Compare)(compare - COMPARE_EQU + COMPARE_EQ), order);
  }
}

static bool combined(Operation operation, bool compared, bool c) {
  switch (operation) {
    case OPERATION_AND: return compared && c;
    case OPERATION_OR: return compared || c;
    case OPERATION_XOR: return compared != c;
    default: return compared;
  }
}

// Two random operands; every fourth pair is of equal ones.
static void fill_pair(Rig *rig, DataType type) {
  for (int lane = 0; lane < WARP_LANES; lane++) {
    uint64_t a = random_value(rig, type), b = lane & 3 ? random_value(rig, type) : a;
    rig_set(rig, 0, lane_bytes(type), lane, a);
    rig_set(rig, 1, lane_bytes(type), lane, b);
  }
}

static void check_setp(Rig *rig, DataType type, uint32_t mask, const uint32_t before[3]) {
  const Form *form = &rig->in.form;
  uint32_t p = rig_predicate(rig, 3), q = rig_predicate(rig, 4);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    Order order = order_of(type, form->ftz, rig_get(rig, 0, lane_bytes(type), lane),
                           rig_get(rig, 1, lane_bytes(type), lane));
    bool compared = holds((Compare)form->compare, order), active = mask >> lane & 1;
    bool c = (before[0] >> lane & 1) != (rig->in.negated >> 2 & 1);
    bool wanted_p =
        active ? combined((Operation)form->operation, compared, c) : before[1] >> lane & 1;
    bool wanted_q =
        active ? combined((Operation)form->operation, !compared, c) : before[2] >> lane & 1;
    if (rig->in.dst[1] == NO_PLACE) wanted_q = before[2] >> lane & 1;
    if (wanted_p != (p >> lane & 1) || wanted_q != (q >> lane & 1))
      fail_msg("setp type %d compare %d operation %d lane %d: p %d q %d", type, form->compare,
               form->operation, lane, p >> lane & 1, q >> lane & 1);
  }
}

static void try_setp(DataType type, Compare compare, bool ftz, int values) {
  Rig rig;
  rig_init(&rig);
  Form form = {.op = OP_SETP, .type = (uint8_t)type, .compare = (uint8_t)compare, .ftz = ftz};
  ExecFn exec = exec_find_compare(&form);
  if (!exec) fail_msg("setp type %d compare %d is refused", type, compare);
  for (int k = 0; k < 4; k++) *(k < 3 ? &rig.in.src[k] : &rig.in.dst[0]) = rig_place(k);
  for (int round = 0; round * WARP_LANES < values; round++) {
    static const Operation operations[] = {OPERATION_NONE, OPERATION_AND, OPERATION_OR,
                                           OPERATION_XOR};
    form.operation = (uint8_t)operations[round % 4];
    rig.in.form = form;
    rig.in.negated = round & 4;
    rig.in.dst[1] = round & 8 ? rig_place(4) : NO_PLACE;
    fill_pair(&rig, type);
    uint32_t before[3];
    for (int k = 0; k < 3; k++)
      rig_set_predicate(&rig, 2 + k, before[k] = (uint32_t)rig_random(&rig));
    uint32_t mask = round & 16 ? (uint32_t)rig_random(&rig) | 1 : FULL_MASK;
    exec(&rig.context, &rig.warp, &rig.in, mask);
    check_setp(&rig, type, mask, before);
  }
}

static void integers_compare_by_their_sign(void **state) {
  (void)state;
  static const DataType types[] = {TYPE_U16, TYPE_S16, TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
  static const DataType bits[] = {TYPE_B16, TYPE_B32, TYPE_B64};
  for (int t = 0; t < 6; t++)
    for (int compare = COMPARE_EQ; compare <= COMPARE_GE; compare++)
      try_setp(types[t], (Compare)compare, false, 200000);
  for (int t = 0; t < 3; t++)
    for (int compare = COMPARE_EQ; compare <= COMPARE_NE; compare++)
      try_setp(bits[t], (Compare)compare, false, 100000);
}

static void floats_compare_ordered_or_unordered(void **state) {
  (void)state;
  for (int compare = COMPARE_EQ; compare <= COMPARE_NAN; compare++) {
    try_setp(TYPE_F32, (Compare)compare, false, 200000);
    try_setp(TYPE_F32, (Compare)compare, true, 200000);
    try_setp(TYPE_F64, (Compare)compare, false, 200000);
    try_setp(TYPE_F16, (Compare)compare, false, 20000);
    try_setp(TYPE_BF16, (Compare)compare, false, 20000);
  }
}

static void pairs_of_halves_set_two_predicates(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig);
  rig.in.form = (Form){.op = OP_SETP, .type = TYPE_F16X2, .compare = COMPARE_LT};
  for (int k = 0; k < 2; k++) rig.in.src[k] = rig_place(k), rig.in.dst[k] = rig_place(3 + k);
  for (int round = 0; round < 500; round++) {
    fill_pair(&rig, TYPE_F16X2);
    exec_find_compare (&rig.in.form)(&rig.context, &rig.warp, &rig.in, FULL_MASK);
    for (int lane = 0; lane < WARP_LANES; lane++) {
      uint64_t a = rig_get(&rig, 0, 4, lane), b = rig_get(&rig, 1, 4, lane);
      for (int h = 0; h < 2; h++) {
        Order order = order_of(TYPE_F16, false, a >> 16 * h & 0xffff, b >> 16 * h & 0xffff);
        assert_int_equal(rig_predicate(&rig, 3 + h) >> lane & 1, order == LESS);
      }
    }
  }
}

// -- set

static uint64_t set_oracle(const Form *form, const uint64_t *x) {
  bool holds_ =
      holds((Compare)form->compare, order_of((DataType)form->type2, form->ftz, x[0], x[1]));
  return !holds_ ? 0 : form->type == TYPE_F32 ? 0x3f800000 : UINT32_MAX;
}

static void set_writes_all_ones_or_one(void **state) {
  (void)state;
  static const DataType to[] = {TYPE_U32, TYPE_S32, TYPE_F32};
  static const DataType from[] = {TYPE_B16, TYPE_S16, TYPE_U32, TYPE_S32,
                                  TYPE_S64, TYPE_F32, TYPE_F64};
  for (int d = 0; d < 3; d++)
    for (int s = 0; s < 7; s++)
      for (int compare = COMPARE_EQ; compare <= (s == 0 ? COMPARE_NE : COMPARE_GE); compare++) {
        Trial trial = {.find = exec_find_compare,
                       .dst = to[d],
                       .src = {from[s], from[s]},
                       .form = {.op = OP_SET,
                                .type = (uint8_t)to[d],
                                .type2 = (uint8_t)from[s],
                                .compare = (uint8_t)compare},
                       .oracle = set_oracle,
                       .values = 20000};
        trial_run(&trial);
      }
}

static uint64_t set_pair_oracle(const Form *form, const uint64_t *x) {
  uint64_t value = form->type == TYPE_F16X2 ? 0x3c00 : 0xffff, result = 0;
  for (int h = 0; h < 2; h++)
    if (holds((Compare)form->compare,
              order_of(TYPE_F16, false, x[0] >> 16 * h & 0xffff, x[1] >> 16 * h & 0xffff)))
      result |= value << 16 * h;
  return result;
}

static void set_of_pairs_writes_each_half(void **state) {
  (void)state;
  static const DataType to[] = {TYPE_F16X2, TYPE_U32};
  for (int d = 0; d < 2; d++) {
    Trial trial = {
        .find = exec_find_compare,
        .dst = to[d],
        .src = {TYPE_F16X2, TYPE_F16X2},
        .form = {.op = OP_SET, .type = (uint8_t)to[d], .type2 = TYPE_F16X2, .compare = COMPARE_GTU},
        .oracle = set_pair_oracle,
        .values = 20000};
    trial_run(&trial);
  }
}

static void set_combines_with_a_predicate(void **state) {
  (void)state;
  Rig rig;
  rig_init(&rig);
  rig.in.form = (Form){.op = OP_SET,
                       .type = TYPE_U32,
                       .type2 = TYPE_S32,
                       .compare = COMPARE_LT,
                       .operation = OPERATION_AND};
  for (int k = 0; k < 3; k++) rig.in.src[k] = rig_place(k);
  rig.in.dst[0] = rig_place(3);
  rig.in.negated = 4;
  fill_pair(&rig, TYPE_S32);
  rig_set_predicate(&rig, 2, 0x0f0f3333);
  exec_find_compare (&rig.in.form)(&rig.context, &rig.warp, &rig.in, FULL_MASK);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    bool less = (int32_t)rig_get(&rig, 0, 4, lane) < (int32_t)rig_get(&rig, 1, 4, lane);
    bool wanted = less && !(0x0f0f3333u >> lane & 1);
    assert_int_equal(rig_get(&rig, 3, 4, lane), wanted ? UINT32_MAX : 0);
  }
}

// -- selp, slct, testp

static void selp_picks_by_a_predicate(void **state) {
  (void)state;
  static const DataType types[] = {TYPE_B16, TYPE_B32, TYPE_S64, TYPE_F32, TYPE_F64};
  for (int t = 0; t < 5; t++) {
    Rig rig;
    rig_init(&rig);
    rig.in.form = (Form){.op = OP_SELP, .type = (uint8_t)types[t]};
    for (int k = 0; k < 3; k++) rig.in.src[k] = rig_place(k);
    rig.in.dst[0] = rig_place(0);  // in the place of a source
    int bytes = lane_bytes(types[t]);
    for (int round = 0; round < 200; round++) {
      fill_pair(&rig, types[t]);
      uint64_t a[WARP_LANES];
      for (int lane = 0; lane < WARP_LANES; lane++) a[lane] = rig_get(&rig, 0, bytes, lane);
      uint32_t mask = (uint32_t)rig_random(&rig), c = (uint32_t)rig_random(&rig);
      rig_set_predicate(&rig, 2, c);
      rig.in.negated = round & 4;
      exec_find_compare (&rig.in.form)(&rig.context, &rig.warp, &rig.in, mask);
      for (int lane = 0; lane < WARP_LANES; lane++) {
        bool first = (c >> lane & 1) != (round >> 2 & 1) || !(mask >> lane & 1);
        assert_int_equal(rig_get(&rig, 0, bytes, lane),
                         first ? a[lane] : rig_get(&rig, 1, bytes, lane));
      }
    }
  }
}

static uint64_t slct_oracle(const Form *form, const uint64_t *x) {
  if (form->type2 == TYPE_S32) return signed_of(x[2], 32) >= 0 ? x[0] : x[1];
  Order order = order_of(TYPE_F32, form->ftz, x[2], 0);
  return order == GREATER || order == EQUAL ? x[0] : x[1];
}

static void slct_picks_by_a_sign(void **state) {
  (void)state;
  static const DataType types[] = {TYPE_B16, TYPE_U32, TYPE_F32, TYPE_S64, TYPE_F64};
  for (int t = 0; t < 5; t++)
    for (int k = 0; k < 3; k++) {
      DataType by = k ? TYPE_F32 : TYPE_S32;
      Trial trial = {
          .find = exec_find_compare,
          .dst = types[t],
          .src = {types[t], types[t], by},
          .form = {.op = OP_SLCT, .type = (uint8_t)types[t], .type2 = (uint8_t)by, .ftz = k == 2},
          .oracle = slct_oracle,
          .values = 100000};
      trial_run(&trial);
    }
}

static bool has_property(Mode mode, uint64_t magnitude, uint64_t infinity, uint64_t least_normal) {
  switch (mode) {
    case MODE_FINITE: return magnitude < infinity;
    case MODE_INFINITE: return magnitude == infinity;
    case MODE_NUMBER: return magnitude <= infinity;
    case MODE_NOTANUMBER: return magnitude > infinity;
    case MODE_NORMAL: return magnitude == 0 || (magnitude >= least_normal && magnitude < infinity);
    default: return magnitude > 0 && magnitude < least_normal;
  }
}

static void testp_knows_the_kinds_of_floats(void **state) {
  (void)state;
  for (int wide = 0; wide < 2; wide++)
    for (int mode = MODE_FINITE; mode <= MODE_SUBNORMAL; mode++) {
      DataType type = wide ? TYPE_F64 : TYPE_F32;
      Rig rig;
      rig_init(&rig);
      rig.in.form = (Form){.op = OP_TESTP, .type = (uint8_t)type, .mode = (uint8_t)mode};
      rig.in.src[0] = rig_place(0);
      rig.in.dst[0] = rig_place(3);
      uint64_t infinity = wide ? UINT64_C(0x7ff) << 52 : 0x7f800000;
      uint64_t least = wide ? UINT64_C(1) << 52 : 0x00800000;
      uint64_t sign = wide ? UINT64_C(1) << 63 : 0x80000000;
      for (int round = 0; round < 1000; round++) {
        fill_pair(&rig, type);
        exec_find_compare (&rig.in.form)(&rig.context, &rig.warp, &rig.in, FULL_MASK);
        for (int lane = 0; lane < WARP_LANES; lane++) {
          uint64_t magnitude = rig_get(&rig, 0, lane_bytes(type), lane) & ~sign;
          assert_int_equal(rig_predicate(&rig, 3) >> lane & 1,
                           has_property((Mode)mode, magnitude, infinity, least));
        }
      }
    }
}

static void what_ptx_lacks_is_refused(void **state) {
  (void)state;
  static const Form lacking[] = {
      {.op = OP_SETP, .type = TYPE_B32, .compare = COMPARE_LT},
      {.op = OP_SETP, .type = TYPE_S32, .compare = COMPARE_LTU},
      {.op = OP_SETP, .type = TYPE_S32},
      {.op = OP_SETP, .type = TYPE_F64, .compare = COMPARE_LT, .ftz = true},
      {.op = OP_SETP, .type = TYPE_U8, .compare = COMPARE_EQ},
      {.op = OP_SET, .type = TYPE_U64, .type2 = TYPE_S32, .compare = COMPARE_EQ},
      {.op = OP_SET, .type = TYPE_U32, .compare = COMPARE_EQ},
      {.op = OP_SELP, .type = TYPE_PRED},
      {.op = OP_SELP, .type = TYPE_B8},
      {.op = OP_SLCT, .type = TYPE_B32, .type2 = TYPE_U32},
      {.op = OP_SLCT, .type = TYPE_B32, .type2 = TYPE_S32, .ftz = true},
      {.op = OP_TESTP, .type = TYPE_F32},
      {.op = OP_TESTP, .type = TYPE_S32, .mode = MODE_FINITE},
  };
  for (size_t k = 0; k < sizeof lacking / sizeof *lacking; k++)
    if (exec_find_compare(&lacking[k])) fail_msg("form %zu is not refused", k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_compare_by_their_sign),
      cmocka_unit_test(floats_compare_ordered_or_unordered),
      cmocka_unit_test(pairs_of_halves_set_two_predicates),
      cmocka_unit_test(set_writes_all_ones_or_one),
      cmocka_unit_test(set_of_pairs_writes_each_half),
      cmocka_unit_test(set_combines_with_a_predicate),
      cmocka_unit_test(selp_picks_by_a_predicate),
      cmocka_unit_test(slct_picks_by_a_sign),
      cmocka_unit_test(testp_knows_the_kinds_of_floats),
      cmocka_unit_test(what_ptx_lacks_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
