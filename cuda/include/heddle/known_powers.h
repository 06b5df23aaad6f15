// SPDX-License-Identifier: MIT
// Powers and logarithms of constants, computed by the compiler as nvcc computes them.
//
// clang does not evaluate the intrinsics of the special function unit. A loop such as
// `for (int i = 1; i <= __log2f(16); i++) step = __powf(2, i);` (backprop of Rodinia) would
// stay a loop of an unknown number of turns.
#ifndef HEDDLE_KNOWN_POWERS_H
#define HEDDLE_KNOWN_POWERS_H

static __device__ __forceinline__ __attribute__((unused)) float heddle_fast_log2f(float a) {
  return __builtin_constant_p(a) ? __builtin_log2f(a) : __nv_fast_log2f(a);
}

// nvcc evaluates a power, but neither its conversion to an integer nor what follows from that:
// `ty % step` stays a remainder, which the assembler does not make a mask of. The move hides the
// value from clang, which would.
static __device__ __forceinline__ __attribute__((unused)) float heddle_fast_powf(float a, float b) {
  if (!__builtin_constant_p(a) || !__builtin_constant_p(b)) return __nv_fast_powf(a, b);
  float power;
  asm("mov.f32 %0, %1;" : "=f"(power) : "f"(__builtin_powf(a, b)));
  return power;
}

// clang's own headers, which follow, call these.
#define __nv_fast_log2f heddle_fast_log2f
#define __nv_fast_powf heddle_fast_powf

#endif
