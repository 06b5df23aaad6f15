// SPDX-License-Identifier: MIT
// Floats of eight bits: e4m3 (no infinity; 0x7f is its NaN) and e5m2, which is
// the upper half of an f16.
#ifndef EXEC_ARITHMETIC_FLOAT8_H
#define EXEC_ARITHMETIC_FLOAT8_H

#include "isa/form.h"

// type is TYPE_E4M3 or TYPE_E5M2.
double float8_value(uint8_t bits, DataType type);
// Rounds to nearest, ties to even; overflow and infinities become the largest finite value
// (.satfinite), NaNs 0x7f.
uint8_t float8_from(double value, DataType type);

#endif
