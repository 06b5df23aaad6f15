// SPDX-License-Identifier: MIT
// The place of a thread, its warp and its SM, and values that a warp or a CTA shares.
#ifndef HEDDLE_CLUSTER_THREADS_CUH
#define HEDDLE_CLUSTER_THREADS_CUH

#include <cuda_runtime.h>

namespace heddle {
namespace cluster {
namespace detail {

__device__ __forceinline__ unsigned sm_id() {
  unsigned id;
  asm("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

__device__ __forceinline__ unsigned warp_slot() {
  unsigned id;
  asm("mov.u32 %0, %%warpid;" : "=r"(id));
  return id;
}

// Read anew each time (volatile): kept in registers through a kernel's body, these values
// could cost the SM a CTA.
#define HEDDLE_CLUSTER_SPECIAL(name, special)            \
  __device__ __forceinline__ unsigned name() {           \
    unsigned value;                                      \
    asm volatile("mov.u32 %0, %%" special ";" : "=r"(value)); \
    return value;                                        \
  }
HEDDLE_CLUSTER_SPECIAL(thread_x, "tid.x")
HEDDLE_CLUSTER_SPECIAL(thread_y, "tid.y")
HEDDLE_CLUSTER_SPECIAL(thread_z, "tid.z")
HEDDLE_CLUSTER_SPECIAL(threads_x, "ntid.x")
HEDDLE_CLUSTER_SPECIAL(threads_y, "ntid.y")
HEDDLE_CLUSTER_SPECIAL(threads_z, "ntid.z")
HEDDLE_CLUSTER_SPECIAL(cta_x, "ctaid.x")
HEDDLE_CLUSTER_SPECIAL(cta_y, "ctaid.y")
HEDDLE_CLUSTER_SPECIAL(cta_z, "ctaid.z")
HEDDLE_CLUSTER_SPECIAL(ctas_x, "nctaid.x")
HEDDLE_CLUSTER_SPECIAL(ctas_y, "nctaid.y")
#undef HEDDLE_CLUSTER_SPECIAL

__device__ __forceinline__ unsigned thread_number() {
  return (thread_z() * threads_y() + thread_y()) * threads_x() + thread_x();
}
__device__ __forceinline__ unsigned thread_count() {
  return threads_x() * threads_y() * threads_z();
}
// Of the launched grid.
__device__ __forceinline__ unsigned launched_cta() {
  return (cta_z() * ctas_y() + cta_y()) * ctas_x() + cta_x();
}

// One predicate, which is kept.
__device__ __forceinline__ bool is_first_thread() {
  return (threadIdx.x | threadIdx.y | threadIdx.z) == 0;
}

// The first lane's value, in the first warp of a CTA.
__device__ __forceinline__ unsigned first_lane(unsigned value) {
#if CUDART_VERSION >= 9000
  unsigned threads = thread_count(), mask = threads < 32 ? (1u << threads) - 1 : ~0u;
  return __shfl_sync(mask, value, 0);
#else  // Fermi has no shuffle
  unsigned result = 0;
  for (int bit = 0; bit < 6; bit++)
    result |= (__ballot(thread_number() == 0 && (value >> bit & 1)) != 0) << bit;
  return result;
#endif
}

// The first thread's value, which is at most 32, in all threads of the CTA. It
// goes through no shared memory, which could cost the SM a CTA.
__device__ __forceinline__ unsigned broadcast(unsigned value) {
  unsigned thread = thread_number();
  if (thread < 32) value = first_lane(value);
  if (thread_count() <= 32) return value;
  return (unsigned)__syncthreads_count(thread < 32 && thread < value);
}

}  // namespace detail
}  // namespace cluster
}  // namespace heddle

#endif
