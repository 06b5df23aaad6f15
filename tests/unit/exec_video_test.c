// SPDX-License-Identifier: MIT
// Video instructions on random values against arithmetic on arrays of elements.
#include "exec_support.h"
#include "exec/arithmetic/video.h"

enum { BYTES_A = 03210, BYTES_B = 07654, HALVES_A = 010, HALVES_B = 032 };

static bool is_signed(uint8_t type) {
  return type == TYPE_S32;
}

static int64_t clamp(int64_t value, int bits, bool sign) {
  int64_t low = sign ? -(INT64_C(1) << (bits - 1)) : 0, high = low + (INT64_C(1) << bits) - 1;
  return value < low ? low : value > high ? high : value;
}

static int64_t combine(Opcode op, int64_t a, int64_t b) {
  switch (op) {
    case OP_VADD:
    case OP_VADD2:
    case OP_VADD4: return a + b;
    case OP_VSUB:
    case OP_VSUB2:
    case OP_VSUB4: return a - b;
    case OP_VABSDIFF:
    case OP_VABSDIFF2:
    case OP_VABSDIFF4: return a > b ? a - b : b - a;
    case OP_VMIN:
    case OP_VMIN2:
    case OP_VMIN4: return a < b ? a : b;
    case OP_VMAX:
    case OP_VMAX2:
    case OP_VMAX4: return a < b ? b : a;
    case OP_VAVRG2:
    case OP_VAVRG4: return (int64_t)floor((double)(a + b + (a + b < 0 ? 0 : 1)) / 2);
    default: return a <= b;  // the tests' comparison
  }
}

// Elements of a word, lowest first.
static void split(uint64_t word, int bits, bool sign, int64_t *elements) {
  for (int i = 0; i < 32 / bits; i++) {
    uint64_t part = word >> i * bits & ((UINT64_C(1) << bits) - 1);
    elements[i] = sign ? signed_of(part, bits) : (int64_t)part;
  }
}

static uint64_t simd_oracle(const Form *form, const uint64_t *x) {
  int bits = video_element_bits((Opcode)form->op), count = 32 / bits;
  bool is_set = video_is_set((Opcode)form->op), add = form->operation == OPERATION_ADD;
  int64_t a[4], b[4];
  split(x[0], bits, is_signed(is_set ? form->type : form->type2), a);
  split(x[1], bits, is_signed(is_set ? form->type2 : form->type3), b);
  uint64_t result = add ? x[2] : 0;
  for (int i = 0; i < count; i++) {
    int64_t value = combine((Opcode)form->op, a[i], b[i]);
    if (form->sat) value = clamp(value, bits, is_signed(form->type));
    result += add ? (uint64_t)value : ((uint64_t)value & ((UINT64_C(1) << bits) - 1)) << i * bits;
  }
  return result & UINT32_MAX;
}

static void run(Form form, uint64_t offset, Oracle oracle, bool has_c) {
  trial_run(&(Trial){exec_find,
                     form,
                     TYPE_U32,
                     {TYPE_U32, TYPE_U32, has_c ? TYPE_U32 : TYPE_NONE},
                     oracle,
                     .offset = (int64_t)offset,
                     .values = 20000});
}

static void every_element_is_worked_on(void **state) {
  (void)state;
  static const Opcode ops[] = {OP_VADD2,     OP_VSUB2, OP_VAVRG2, OP_VABSDIFF2, OP_VMIN2,
                               OP_VMAX2,     OP_VSET2, OP_VADD4,  OP_VSUB4,     OP_VAVRG4,
                               OP_VABSDIFF4, OP_VMIN4, OP_VMAX4,  OP_VSET4};
  for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
    for (int types = 0; types < 8; types++)
      for (int end = 0; end < 3; end++) {
        bool is_set = video_is_set(ops[i]), halves = video_element_bits(ops[i]) == 16;
        if (is_set && (types & 4 || end == 1)) continue;
        Form form = {.op = (uint8_t)ops[i],
                     .type = types & 1 ? TYPE_S32 : TYPE_U32,
                     .type2 = types & 2 ? TYPE_S32 : TYPE_U32,
                     .type3 = types & 4 ? TYPE_S32 : TYPE_U32,
                     .sat = end == 1,
                     .operation = end == 2 ? OPERATION_ADD : OPERATION_NONE,
                     .compare = is_set ? COMPARE_LE : COMPARE_NONE};
        uint64_t selectors = (halves ? 3 : 15) |
                             (uint64_t)(halves ? HALVES_A : BYTES_A) << VIDEO_SELECTOR_A |
                             (uint64_t)(halves ? HALVES_B : BYTES_B) << VIDEO_SELECTOR_B;
        run(form, selectors, simd_oracle, true);
      }
}

static uint64_t scalar_oracle(const Form *form, const uint64_t *x) {
  bool is_set = form->op == OP_VSET, sign = !is_set && is_signed(form->type);
  int64_t a[4], b[4];  // byte 2 of a, half 1 of b
  split(x[0], 8, is_signed(is_set ? form->type : form->type2), a);
  split(x[1], 16, is_signed(is_set ? form->type2 : form->type3), b);
  int64_t value = combine((Opcode)form->op, a[2], b[1]);
  if (form->sat) value = clamp(value, 32, sign);
  int64_t c = sign ? signed_of(x[2], 32) : (int64_t)x[2];
  int64_t kept =
      sign ? signed_of((uint64_t)value & UINT32_MAX, 32) : (int64_t)((uint64_t)value & UINT32_MAX);
  if (form->operation == OPERATION_ADD) value += c;
  if (form->operation == OPERATION_MIN) value = kept < c ? kept : c;
  if (form->operation == OPERATION_MAX) value = kept > c ? kept : c;
  return (uint64_t)value & UINT32_MAX;
}

static void parts_are_combined_and_joined_with_a_third(void **state) {
  (void)state;
  static const Opcode ops[] = {OP_VADD, OP_VSUB, OP_VABSDIFF, OP_VMIN, OP_VMAX, OP_VSET};
  static const Operation second[] = {OPERATION_NONE, OPERATION_ADD, OPERATION_MIN, OPERATION_MAX};
  uint64_t selectors = (uint64_t)(SELECTOR_PRESENT | 2) << VIDEO_SELECTOR_A |
                       (uint64_t)(SELECTOR_PRESENT | SELECTOR_HALF | 1) << VIDEO_SELECTOR_B;
  for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
    for (int types = 0; types < 8; types++)
      for (int k = 0; k < 8; k++) {
        bool is_set = ops[i] == OP_VSET;
        if (is_set && (types & 4 || k & 4)) continue;
        Form form = {.op = (uint8_t)ops[i],
                     .type = types & 1 ? TYPE_S32 : TYPE_U32,
                     .type2 = types & 2 ? TYPE_S32 : TYPE_U32,
                     .type3 = types & 4 ? TYPE_S32 : TYPE_U32,
                     .sat = k >> 2,
                     .operation = (uint8_t)second[k & 3],
                     .compare = is_set ? COMPARE_LE : COMPARE_NONE};
        run(form, selectors, scalar_oracle, true);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_element_is_worked_on),
      cmocka_unit_test(parts_are_combined_and_joined_with_a_third),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
