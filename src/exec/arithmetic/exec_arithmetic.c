// SPDX-License-Identifier: MIT
// Finds the exec function of an arithmetic form by the kind of its type.
#include "exec/arithmetic/exec_arithmetic.h"

static bool takes_bits(Opcode op) {
  switch (op) {
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_CNOT:
    case OP_LOP3:
    case OP_SHL:
    case OP_SHR:
    case OP_SHF:
    case OP_PRMT:
    case OP_POPC:
    case OP_CLZ:
    case OP_BFIND:
    case OP_FNS:
    case OP_BREV:
    case OP_BFE:
    case OP_BFI:
    case OP_BMSK:
    case OP_SZEXT:
    case OP_DP4A:
    case OP_DP2A: return true;
    default: return false;
  }
}

static bool is_always_approximate(Opcode op) {
  return op == OP_RSQRT || op == OP_SIN || op == OP_COS || op == OP_LG2 || op == OP_EX2 ||
         op == OP_TANH;
}

// Without a suffix that says otherwise f32 quotients and roots are approximate:
// so it was before PTX 1.4, and newer PTX always has the suffix.
static bool is_approximate(const Form *form) {
  if (form->approx || form->full || is_always_approximate((Opcode)form->op)) return true;
  bool inexact = form->op == OP_DIV || form->op == OP_RCP || form->op == OP_SQRT;
  return inexact && form->type == TYPE_F32 && form->rounding == ROUND_NONE;
}

static ExecFn find_float(const Form *form) {
  if (is_approximate(form)) return exec_find_float_approx(form);
  if (form->rounding > ROUND_NEAREST) return exec_find_float_rounding(form);
  return exec_find_float(form);
}

ExecFn exec_find_arithmetic(const Form *form) {
  if (form->integer_round || form->rounding == ROUND_AWAY) return NULL;
  if (takes_bits((Opcode)form->op)) return exec_find_integer_bits(form);
  if (form->type2 != TYPE_NONE) return exec_find_float_mixed(form);
  switch (form->type) {
    case TYPE_F16:
    case TYPE_F16X2:
    case TYPE_BF16:
    case TYPE_BF16X2: return exec_find_float_half(form);
    case TYPE_U16X2:
    case TYPE_S16X2: return exec_find_integer_pair(form);
    case TYPE_F32X2: return exec_find_float_pair(form);
    case TYPE_F32:
    case TYPE_F64: return form->carry_out ? NULL : find_float(form);
    default: break;
  }
  bool carries = form->op == OP_ADDC || form->op == OP_SUBC || form->op == OP_MADC;
  return carries || form->carry_out ? exec_find_integer_carry(form) : exec_find_integer(form);
}
