// SPDX-License-Identifier: MIT
// Video instructions. Operands may select part of a register, as in %r1.b3.
#include "frontends/ptx/lower/lower.h"
#include "exec/arithmetic/video.h"

static Status bad_selector(const Lowering *lowering, const PtxOperand *operand, Error *err) {
  return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                     "register selector not allowed here");
}

// Digits of a selector.
static uint32_t digits_of(const PtxOperand *operand) {
  return operand->selector_digits;
}

// Scalar instructions: d, a and b may select a byte or a half.
static bool is_part(const PtxOperand *operand) {
  uint32_t parts = operand->selector & SELECTOR_HALF ? 2 : 4;
  return !operand->selector ||
         (digits_of(operand) == 1 && selector_digit(operand->selector, 0) < parts);
}

// SIMD instructions: a and b have one digit per element, which indexes the elements of both.
static bool is_choice(const PtxOperand *operand, uint32_t count) {
  bool is_half = operand->selector & SELECTOR_HALF;
  if (is_half != (count == 2) || digits_of(operand) != count) return false;
  for (uint32_t i = 0; i < count; i++)
    if (selector_digit(operand->selector, (int)i) >= 2 * count) return false;
  return true;
}

// Mask of the elements selected by d; 0 if the selector is invalid.
static uint32_t mask_of(const PtxOperand *operand, uint32_t count) {
  uint32_t mask = 0;
  bool is_half = operand->selector & SELECTOR_HALF;
  if (!operand->selector) return (1u << count) - 1;
  if (is_half != (count == 2)) return 0;
  for (uint32_t i = 0; i < digits_of(operand); i++) {
    uint32_t bit = 1u << selector_digit(operand->selector, (int)i);
    if (bit >= 1u << count || bit <= mask) return 0;  // digits must ascend
    mask |= bit;
  }
  return mask;
}

static Status lower_selectors(Lowering *lowering, Instruction *out, Error *err) {
  enum { BYTES_A = 03210, BYTES_B = 07654, HALVES_A = 010, HALVES_B = 032 };
  const PtxOperand *operands = lowering->in->operands;
  int bits = video_element_bits((Opcode)out->form.op);
  uint32_t selectors[3], count = 32 / (uint32_t)bits;
  for (int i = 0; i < 3; i++) {
    const PtxOperand *operand = &operands[i];
    selectors[i] = operand->selector;
    bool fits =
        bits == 32 ? is_part(operand) : !operand->selector || i == 0 || is_choice(operand, count);
    if (!fits) return bad_selector(lowering, operand, err);
  }
  if (bits < 32) {
    selectors[0] = mask_of(&operands[0], count);
    if (!selectors[0]) return bad_selector(lowering, &operands[0], err);
    if (!selectors[1]) selectors[1] = bits == 16 ? HALVES_A : BYTES_A;
    if (!selectors[2]) selectors[2] = bits == 16 ? HALVES_B : BYTES_B;
  }
  out->offset = (int64_t)selectors[0] << VIDEO_SELECTOR_D |
                (int64_t)selectors[1] << VIDEO_SELECTOR_A |
                (int64_t)selectors[2] << VIDEO_SELECTOR_B;
  return OK;
}

// d, a, b {, c}: c is present if the operation uses it.
Status lower_video(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  bool is_mad = out->form.op == OP_VMAD, is_simd = video_element_bits((Opcode)out->form.op) < 32;
  TRY(lower_want_operands(lowering, 3, 4, err));
  bool wants_c = is_mad || is_simd || out->form.operation || in->operands[0].selector;
  if (is_mad && in->operands[0].selector) return bad_selector(lowering, &in->operands[0], err);
  TRY(lower_want_operands(lowering, wants_c ? 4 : 3, wants_c ? 4 : 3, err));
  TRY(lower_selectors(lowering, out, err));
  PtxOperand whole = in->operands[0];
  whole.selector = 0;
  TRY(lower_destination(lowering, &whole, TYPE_B32, WIDTH_EXACT, &out->dst[0], err));
  for (uint32_t k = 0; k + 1 < in->operand_count; k++) {
    PtxOperand operand = in->operands[k + 1];
    if (k == 2 && operand.selector) return bad_selector(lowering, &operand, err);
    operand.selector = 0;
    if (is_mad && operand.negated) out->negated |= (uint8_t)(1u << k);
    operand.negated &= !is_mad;
    TRY(lower_source(lowering, &operand, TYPE_B32, WIDTH_EXACT, out, &out->src[k], err));
  }
  return OK;
}
