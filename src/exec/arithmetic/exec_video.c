// SPDX-License-Identifier: MIT
// Video instructions: scalar, on a part of each operand, or SIMD, on all its halves or
// bytes.
//
//   dst[0] d    src[0..2] a, b, c (c may be missing)
//   offset      the selectors of d, a and b (VIDEO_SELECTOR_*, see video.h)
//   negated     bit k: source k is negated (vmad)
//
// One function interprets all of them, lane by lane. Parts are widened to 64 bits
// by the sign of their type; only the last step truncates them.
#include "exec/lanes.h"
#include "exec/execute.h"
#include "exec/arithmetic/video.h"

static bool is_signed(uint8_t type) {
  return type_kind((DataType)type) == KIND_SIGNED;
}

static int64_t widen(uint32_t value, int bits, bool sign) {
  uint64_t cut = bits == 32 ? value : value & ((1u << bits) - 1);
  return sign ? (int64_t)(cut << (64 - bits)) >> (64 - bits) : (int64_t)cut;
}

static int64_t saturate(int64_t value, int bits, bool sign) {
  int64_t most = sign ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
  int64_t least = sign ? -most - 1 : 0;
  return value > most ? most : value < least ? least : value;
}

// ---- one operation

static bool holds(uint8_t compare, int64_t a, int64_t b) {
  switch (compare) {
    case COMPARE_EQ: return a == b;
    case COMPARE_NE: return a != b;
    case COMPARE_LT: return a < b;
    case COMPARE_LE: return a <= b;
    case COMPARE_GT: return a > b;
    default: return a >= b;
  }
}

static int64_t shift(const Form *form, int64_t a, int64_t b) {
  uint64_t count = (uint64_t)b;
  if (form->wrap)
    count &= 31;
  else if (count > 32)
    count = 32;
  return form->op == OP_VSHL ? (int64_t)((uint64_t)a << count) : a >> count;
}

static int64_t operate(const Form *form, int64_t a, int64_t b) {
  switch (form->op) {
    case OP_VADD:
    case OP_VADD2:
    case OP_VADD4: return a + b;
    case OP_VSUB:
    case OP_VSUB2:
    case OP_VSUB4: return a - b;
    case OP_VABSDIFF:
    case OP_VABSDIFF2:
    case OP_VABSDIFF4: return a < b ? b - a : a - b;
    case OP_VMIN:
    case OP_VMIN2:
    case OP_VMIN4: return a < b ? a : b;
    case OP_VMAX:
    case OP_VMAX2:
    case OP_VMAX4: return a > b ? a : b;
    case OP_VAVRG2:
    case OP_VAVRG4: return (a + b + (a + b >= 0)) >> 1;
    case OP_VSHL:
    case OP_VSHR: return shift(form, a, b);
    default: return holds(form->compare, a, b);
  }
}

// ---- scalar: a part of a with a part of b, then c

static int64_t select_part(uint32_t value, uint32_t selector, bool sign) {
  uint32_t part = selector_digit(selector, 0);
  if (!selector) return widen(value, 32, sign);
  int bits = selector_bits(selector);
  return widen(value >> (uint32_t)bits * part, bits, sign);
}

static uint32_t second_operation(uint8_t operation, bool sign, uint32_t value, uint32_t c) {
  bool less = sign ? (int32_t)value < (int32_t)c : value < c;
  switch (operation) {
    case OPERATION_ADD: return value + c;
    case OPERATION_MIN: return less ? value : c;
    default: return less ? c : value;
  }
}

static uint32_t scalar_lane(const Instruction *in, uint32_t a, uint32_t b, uint32_t c) {
  const Form *form = &in->form;
  bool is_set = form->op == OP_VSET, is_shift = form->op == OP_VSHL || form->op == OP_VSHR;
  uint8_t a_type = is_set ? form->type : form->type2, b_type = is_set ? form->type2 : form->type3;
  bool result_sign = !is_set && is_signed(form->type);
  uint32_t to = video_selector(in, VIDEO_SELECTOR_D);
  int64_t x = select_part(a, video_selector(in, VIDEO_SELECTOR_A), is_signed(a_type));
  int64_t y = select_part(b, video_selector(in, VIDEO_SELECTOR_B), !is_shift && is_signed(b_type));
  int64_t value = operate(form, x, y);
  if (form->sat) value = saturate(value, to ? selector_bits(to) : 32, result_sign);
  uint32_t result = (uint32_t)value;
  if (form->operation) return second_operation(form->operation, result_sign, result, c);
  if (!to) return result;
  uint32_t shift_bits = (uint32_t)selector_bits(to) * selector_digit(to, 0);
  uint32_t part = ((1u << selector_bits(to)) - 1) << shift_bits;
  return (result << shift_bits & part) | (c & ~part);
}

// ---- vmad

static uint32_t vmad_lane(const Instruction *in, uint32_t a, uint32_t b, uint32_t c) {
  const Form *form = &in->form;
  bool a_sign = is_signed(form->type2), b_sign = is_signed(form->type3);
  bool minus_product = (in->negated & 1) != (in->negated >> 1 & 1), minus_c = in->negated >> 2 & 1;
  bool sign = a_sign || b_sign || minus_product || minus_c;
  Int128 product = (Int128)select_part(a, video_selector(in, VIDEO_SELECTOR_A), a_sign) *
                   select_part(b, video_selector(in, VIDEO_SELECTOR_B), b_sign);
  Int128 addend = widen(c, 32, sign);
  if (minus_product) product = -product;
  if (minus_c) addend = -addend;
  Int128 sum = product + addend + (form->option & OPTION_PLUS_ONE ? 1 : 0);
  int scale = form->option & OPTION_SHIFT_7 ? 7 : form->option & OPTION_SHIFT_15 ? 15 : 0;
  int64_t value = (int64_t)(sum >> scale);
  return (uint32_t)(form->sat ? saturate(value, 32, sign) : value);
}

// ---- all halves or bytes

static int64_t select_element(uint32_t a, uint32_t b, uint32_t selector, int i, int bits,
                              bool sign) {
  uint32_t element = selector_digit(selector, i), in_word = 32 / (uint32_t)bits;
  uint32_t word = element < in_word ? a : b;
  return widen(word >> element % in_word * (uint32_t)bits, bits, sign);
}

static uint32_t simd_lane(const Instruction *in, uint32_t a, uint32_t b, uint32_t c) {
  const Form *form = &in->form;
  int bits = video_element_bits((Opcode)form->op), count = 32 / bits;
  bool is_set = video_is_set((Opcode)form->op);
  bool a_sign = is_signed(is_set ? form->type : form->type2);
  bool b_sign = is_signed(is_set ? form->type2 : form->type3);
  uint32_t mask = video_selector(in, VIDEO_SELECTOR_D), part = (1u << bits) - 1, result = c;
  for (int i = 0; i < count; i++) {
    if (!(mask >> i & 1)) continue;
    int64_t x = select_element(a, b, video_selector(in, VIDEO_SELECTOR_A), i, bits, a_sign);
    int64_t y = select_element(a, b, video_selector(in, VIDEO_SELECTOR_B), i, bits, b_sign);
    int64_t value = operate(form, x, y);
    if (form->sat) value = saturate(value, bits, !is_set && is_signed(form->type));
    if (form->operation)
      result += (uint32_t)value;
    else
      result = (result & ~(part << i * bits)) | ((uint32_t)value & part) << i * bits;
  }
  return result;
}

// ---- lanes

#define VIDEO(name, lane_function)                                                 \
  EXEC(name) {                                                                     \
    Lane32 *d = place_at(warp, in->dst[0]);                                        \
    const Lane32 *a = place_at(warp, in->src[0]), *b = place_at(warp, in->src[1]); \
    const Lane32 *c = in->src[2] == NO_PLACE ? a : place_at(warp, in->src[2]);     \
    LANES_SCALAR(d, mask, lane_function(in, a[lane], b[lane], c[lane]));           \
  }
VIDEO(exec_scalar, scalar_lane)
VIDEO(exec_vmad, vmad_lane)
VIDEO(exec_simd, simd_lane)

static bool is_word(uint8_t type) {
  return type == TYPE_U32 || type == TYPE_S32;
}

ExecFn exec_find_video(const Form *form) {
  bool is_shift = form->op == OP_VSHL || form->op == OP_VSHR,
       is_set = video_is_set((Opcode)form->op);
  if (!is_word(form->type) || !is_word(form->type2) || (!is_set && !is_word(form->type3)))
    return NULL;
  if (is_shift && form->type3 != TYPE_U32) return NULL;
  if (is_set && form->compare > COMPARE_GE) return NULL;
  bool is_simd = video_element_bits((Opcode)form->op) < 32;
  bool known_operation =
      form->operation == OPERATION_NONE || form->operation == OPERATION_ADD ||
      (!is_simd && (form->operation == OPERATION_MIN || form->operation == OPERATION_MAX));
  if (!known_operation || (is_simd && form->operation && form->sat)) return NULL;
  if (form->op == OP_VMAD) return exec_vmad;
  return is_simd ? exec_simd : exec_scalar;
}
