// SPDX-License-Identifier: MIT
// Barriers and fences that clang's optimiser respects.
//
// clang's GlobalsAA takes an intrinsic to leave variables alone whose address nobody takes,
// as most shared variables are: it would keep in registers what another thread has
// overwritten before the barrier. It knows nothing of assembly, so assembly that may touch
// all memory stands on both sides of each: neither may a load move across.
#ifndef HEDDLE_BARRIERS_H
#define HEDDLE_BARRIERS_H

#define HEDDLE_DEVICE static __device__ __forceinline__ __attribute__((unused))
#define HEDDLE_MEMORY_MAY_CHANGE() asm volatile("" ::: "memory")
#define HEDDLE_BARRIER(name, builtin)   \
  HEDDLE_DEVICE void name() {           \
    HEDDLE_MEMORY_MAY_CHANGE();         \
    builtin();                          \
    HEDDLE_MEMORY_MAY_CHANGE();         \
  }
#define HEDDLE_COUNTING_BARRIER(name, builtin) \
  HEDDLE_DEVICE int name(int value) {          \
    HEDDLE_MEMORY_MAY_CHANGE();                \
    int result = builtin(value);               \
    HEDDLE_MEMORY_MAY_CHANGE();                \
    return result;                             \
  }
HEDDLE_BARRIER(heddle_syncthreads, __syncthreads)
HEDDLE_BARRIER(heddle_membar_cta, __nvvm_membar_cta)
HEDDLE_BARRIER(heddle_membar_gl, __nvvm_membar_gl)
HEDDLE_BARRIER(heddle_membar_sys, __nvvm_membar_sys)
HEDDLE_COUNTING_BARRIER(heddle_barrier_and, __nvvm_bar0_and)
HEDDLE_COUNTING_BARRIER(heddle_barrier_or, __nvvm_bar0_or)
HEDDLE_COUNTING_BARRIER(heddle_barrier_count, __nvvm_bar0_popc)
HEDDLE_DEVICE void heddle_syncwarp(unsigned int mask) {
  HEDDLE_MEMORY_MAY_CHANGE();
  __nvvm_bar_warp_sync(mask);
  HEDDLE_MEMORY_MAY_CHANGE();
}
#undef HEDDLE_BARRIER
#undef HEDDLE_COUNTING_BARRIER
#undef HEDDLE_MEMORY_MAY_CHANGE
#undef HEDDLE_DEVICE

// clang's own headers, which follow, call these.
#define __nvvm_membar_cta heddle_membar_cta
#define __nvvm_membar_gl heddle_membar_gl
#define __nvvm_membar_sys heddle_membar_sys
#define __nvvm_bar0_and heddle_barrier_and
#define __nvvm_bar0_or heddle_barrier_or
#define __nvvm_bar0_popc heddle_barrier_count
// A tool that rewrites sources has to see the name that they have.
#ifndef HEDDLE_PLAIN_BARRIERS
#define __syncthreads heddle_syncthreads
#endif

#endif
