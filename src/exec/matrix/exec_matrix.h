// SPDX-License-Identifier: MIT
// The files that matrix instructions are spread over.
//
//   mma, wmma.mma                                   exec_matrix_rounding.c
//   wgmma                                           exec_group.c
//   wmma.load wmma.store ldmatrix stmatrix movmatrix  exec_matrix.c
//
// Operands are in the instruction's list: of a product the registers of D are
// its dst, those of A, B and C, in this order, its src; of a load or store the
// fragment's are dst or src. src[0] of the instruction is then the address, src[1]
// the stride in elements, or NO_PLACE.
//
// These are instructions of a whole warp: executed by a part of one, they fault.
#ifndef EXEC_MATRIX_EXEC_MATRIX_H
#define EXEC_MATRIX_EXEC_MATRIX_H

#include "exec/execute.h"

// The form's types and shape have been checked.
ExecFn exec_find_product(const Form *form);
ExecFn exec_find_group(const Form *form);  // wgmma

static inline bool warp_is_whole(ExecContext *context, const Warp *warp, uint32_t mask) {
  if (mask == FULL_MASK) return true;
  fault_raise(context, warp, FAULT_PARTIAL_WARP, __builtin_ctz(mask));
  return false;
}

#endif
