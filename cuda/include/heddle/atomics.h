// SPDX-License-Identifier: MIT
// Atomic functions, each at three scopes: the device's without a suffix, the
// thread block's (_block) and the system's (_system). On clang's builtins, which
// become one atom instruction each.
#ifndef HEDDLE_ATOMICS_H
#define HEDDLE_ATOMICS_H

#define HEDDLE_ATOMIC static __device__ __forceinline__ __attribute__((unused))

// suffix of the function, prefix of clang's builtin
#define HEDDLE_SCOPES(DEFINE) DEFINE(, ) DEFINE(_block, cta_) DEFINE(_system, sys_)

#define HEDDLE_ATOMIC_2(scope, prefix, Name, operation, type, builtin, suffix)      \
  HEDDLE_ATOMIC type atomic##Name##scope(type *address, type value) {               \
    return (type)__nvvm_atom_##prefix##operation##_gen_##suffix((builtin *)address, \
                                                                (builtin)value);    \
  }
#define HEDDLE_ATOMIC_CAS(scope, prefix, type, builtin, suffix)                                \
  HEDDLE_ATOMIC type atomicCAS##scope(type *address, type expected, type value) {              \
    return (type)__nvvm_atom_##prefix##cas_gen_##suffix((builtin *)address, (builtin)expected, \
                                                        (builtin)value);                       \
  }
#define HEDDLE_ATOMIC_SUB(scope, type)                             \
  HEDDLE_ATOMIC type atomicSub##scope(type *address, type value) { \
    return atomicAdd##scope(address, (type)-value);                \
  }

#define HEDDLE_ATOMICS(scope, prefix)                                                   \
  HEDDLE_ATOMIC_2(scope, prefix, Add, add, int, int, i)                                 \
  HEDDLE_ATOMIC_2(scope, prefix, Add, add, unsigned int, int, i)                        \
  HEDDLE_ATOMIC_2(scope, prefix, Add, add, unsigned long long, long long, ll)           \
  HEDDLE_ATOMIC_2(scope, prefix, Add, add, float, float, f)                             \
  HEDDLE_ATOMIC_2(scope, prefix, Exch, xchg, int, int, i)                               \
  HEDDLE_ATOMIC_2(scope, prefix, Exch, xchg, unsigned int, int, i)                      \
  HEDDLE_ATOMIC_2(scope, prefix, Exch, xchg, unsigned long long, long long, ll)         \
  HEDDLE_ATOMIC_2(scope, prefix, Min, min, int, int, i)                                 \
  HEDDLE_ATOMIC_2(scope, prefix, Min, min, unsigned int, unsigned int, ui)              \
  HEDDLE_ATOMIC_2(scope, prefix, Min, min, long long, long long, ll)                    \
  HEDDLE_ATOMIC_2(scope, prefix, Min, min, unsigned long long, unsigned long long, ull) \
  HEDDLE_ATOMIC_2(scope, prefix, Max, max, int, int, i)                                 \
  HEDDLE_ATOMIC_2(scope, prefix, Max, max, unsigned int, unsigned int, ui)              \
  HEDDLE_ATOMIC_2(scope, prefix, Max, max, long long, long long, ll)                    \
  HEDDLE_ATOMIC_2(scope, prefix, Max, max, unsigned long long, unsigned long long, ull) \
  HEDDLE_ATOMIC_2(scope, prefix, Inc, inc, unsigned int, unsigned int, ui)              \
  HEDDLE_ATOMIC_2(scope, prefix, Dec, dec, unsigned int, unsigned int, ui)              \
  HEDDLE_ATOMIC_2(scope, prefix, And, and, int, int, i)                                 \
  HEDDLE_ATOMIC_2(scope, prefix, And, and, unsigned int, int, i)                        \
  HEDDLE_ATOMIC_2(scope, prefix, And, and, unsigned long long, long long, ll)           \
  HEDDLE_ATOMIC_2(scope, prefix, Or, or, int, int, i)                                   \
  HEDDLE_ATOMIC_2(scope, prefix, Or, or, unsigned int, int, i)                          \
  HEDDLE_ATOMIC_2(scope, prefix, Or, or, unsigned long long, long long, ll)             \
  HEDDLE_ATOMIC_2(scope, prefix, Xor, xor, int, int, i)                                 \
  HEDDLE_ATOMIC_2(scope, prefix, Xor, xor, unsigned int, int, i)                        \
  HEDDLE_ATOMIC_2(scope, prefix, Xor, xor, unsigned long long, long long, ll)           \
  HEDDLE_ATOMIC_CAS(scope, prefix, int, int, i)                                         \
  HEDDLE_ATOMIC_CAS(scope, prefix, unsigned int, int, i)                                \
  HEDDLE_ATOMIC_CAS(scope, prefix, unsigned long long, long long, ll)                   \
  HEDDLE_ATOMIC_SUB(scope, int)                                                         \
  HEDDLE_ATOMIC_SUB(scope, unsigned int)                                                \
  HEDDLE_ATOMIC float atomicExch##scope(float *address, float value) {                  \
    return __int_as_float(atomicExch##scope((int *)address, __float_as_int(value)));    \
  }

// Before sm_60 there are only the device's scope and no atomic add of doubles.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
HEDDLE_SCOPES(HEDDLE_ATOMICS)
#define HEDDLE_ATOMIC_DOUBLE(scope, prefix) \
  HEDDLE_ATOMIC_2(scope, prefix, Add, add, double, double, d)
HEDDLE_SCOPES(HEDDLE_ATOMIC_DOUBLE)
#undef HEDDLE_ATOMIC_DOUBLE
#else
HEDDLE_ATOMICS(, )
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
HEDDLE_ATOMIC unsigned short atomicCAS(unsigned short *address, unsigned short expected,
                                       unsigned short value) {
  unsigned short before;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
               : "=h"(before)
               : "l"(address), "h"(expected), "h"(value)
               : "memory");
  return before;
}
#endif

#include "heddle/atomic_builtins.h"

#undef HEDDLE_ATOMICS
#undef HEDDLE_ATOMIC_SUB
#undef HEDDLE_ATOMIC_CAS
#undef HEDDLE_ATOMIC_2
#undef HEDDLE_SCOPES
#undef HEDDLE_ATOMIC

#endif
