// SPDX-License-Identifier: MIT
// Powers and logarithms of constants, computed by the compiler as nvcc computes them.
//
// clang does not evaluate the intrinsics of the special function unit. A loop such as
// `for (int i = 1; i <= __log2f(16); i++) step = __powf(2, i);` (backprop of Rodinia) would
// stay a loop of an unknown number of turns, with a division for each remainder by `step`.
#ifndef HEDDLE_KNOWN_POWERS_H
#define HEDDLE_KNOWN_POWERS_H

static __device__ __forceinline__ __attribute__((unused)) float heddle_fast_log2f(float a) {
  return __builtin_constant_p(a) ? __builtin_log2f(a) : __nv_fast_log2f(a);
}

static __device__ __forceinline__ __attribute__((unused)) float heddle_fast_powf(float a, float b) {
  return __builtin_constant_p(a) && __builtin_constant_p(b) ? __builtin_powf(a, b)
                                                            : __nv_fast_powf(a, b);
}

// clang's own headers, which follow, call these.
#define __nv_fast_log2f heddle_fast_log2f
#define __nv_fast_powf heddle_fast_powf

#endif
