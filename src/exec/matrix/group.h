// SPDX-License-Identifier: MIT
// Products of warp groups (wgmma): which there are, and their shapes.
#ifndef EXEC_MATRIX_GROUP_H
#define EXEC_MATRIX_GROUP_H

#include "isa/form.h"

typedef struct GroupShape {
  uint32_t n, k;   // m is 64
  uint32_t depth;  // columns of A as it is given: k, or half of it where A is sparse
} GroupShape;

// Immediate operands, in Instruction.offset.
typedef enum GroupFlag {
  GROUP_NEGATE_A = 1,
  GROUP_NEGATE_B = 2,
  GROUP_TRANSPOSE_A = 4,
  GROUP_TRANSPOSE_B = 8,
  GROUP_SELECTOR = 16  // times the sparsity selector
} GroupFlag;

static inline bool group_is_sparse(const Form *form) {
  return form->option & OPTION_SPARSE;
}

static inline GroupShape group_shape(const Form *form) {
  uint32_t k = form->group_k;
  return (GroupShape){form->group_n, k, group_is_sparse(form) ? k / 2 : k};
}

// The product mma.sp whose indices lie in a warp's registers as those of its 16 rows do here.
static inline Form group_metadata_form(const Form *form) {
  uint8_t shape = form->group_k == 16   ? SHAPE_M16N8K16
                  : form->group_k == 32 ? SHAPE_M16N8K32
                                        : SHAPE_M16N8K64;
  return (Form){.op = OP_MMA, .mode = MODE_SPARSE, .type2 = form->type2, .shape = shape};
}

// Whether types and shape belong together.
static inline bool group_exists(const Form *form) {
  uint8_t a = form->type2, b = form->type3, d = form->type;
  uint32_t n = form->group_n, k = 0;
  bool is_float8 = (a == TYPE_E4M3 || a == TYPE_E5M2) && (b == TYPE_E4M3 || b == TYPE_E5M2);
  bool is_int8 = (a == TYPE_S8 || a == TYPE_U8) && (b == TYPE_S8 || b == TYPE_U8);
  if (a == TYPE_F16 && b == a && (d == TYPE_F16 || d == TYPE_F32)) k = 16;
  if (a == TYPE_BF16 && b == a && d == TYPE_F32) k = 16;
  if (a == TYPE_TF32 && b == a && d == TYPE_F32) k = 8;
  if (is_float8 && (d == TYPE_F16 || d == TYPE_F32)) k = 32;
  if (is_int8 && d == TYPE_S32) k = 32;
  if (a == TYPE_B1 && b == a && d == TYPE_S32 && form->operation == OPERATION_AND) k = 256;
  if (form->satfinite && !is_int8) return false;
  if ((a == TYPE_B1) != (form->operation != 0)) return false;
  if (group_is_sparse(form)) k = a == TYPE_B1 ? 0 : 2 * k;
  return k && form->group_k == k && n >= 8 && n <= 256 && n % 8 == 0;
}

static inline uint32_t group_sum_registers(const GroupShape *shape, DataType type) {
  return shape->n / (type_bits(type) == 16 ? 4 : 2);
}

// 16-bit types may be transposed in shared memory, and floats negated: how many immediates follow
// the predicate.
static inline bool group_has_scales(const Form *form) {
  return type_kind((DataType)form->type2) == KIND_FLOAT;
}
static inline bool group_has_transposes(const Form *form) {
  return form->type2 == TYPE_F16 || form->type2 == TYPE_BF16;
}

#endif
