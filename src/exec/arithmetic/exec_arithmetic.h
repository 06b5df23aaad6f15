// SPDX-License-Identifier: MIT
// The parts of exec_find_arithmetic. Each returns NULL for what PTX lacks.
#ifndef EXEC_ARITHMETIC_EXEC_ARITHMETIC_H
#define EXEC_ARITHMETIC_EXEC_ARITHMETIC_H

#include "exec/execute.h"

ExecFn exec_find_integer(const Form *form);         // sums, products, quotients, extremes
ExecFn exec_find_integer_carry(const Form *form);   // what reads or writes the carry flag
ExecFn exec_find_integer_bits(const Form *form);    // logic, shifts, bit fields, byte dot products
ExecFn exec_find_float(const Form *form);           // f32 and f64, exact
ExecFn exec_find_float_rounding(const Form *form);  // ... rounded by rz, rm or rp
ExecFn exec_find_float_approx(const Form *form);    // ... approximate
ExecFn exec_find_float_half(const Form *form);      // f16, bf16 and pairs of them
ExecFn exec_find_integer_pair(const Form *form);    // u16x2 and s16x2
ExecFn exec_find_float_pair(const Form *form);      // f32x2
ExecFn exec_find_float_mixed(const Form *form);     // f32 with f16 or bf16

#endif
