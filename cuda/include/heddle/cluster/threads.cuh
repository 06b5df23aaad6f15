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

__device__ __forceinline__ unsigned thread_number() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ unsigned thread_count() {
  return blockDim.x * blockDim.y * blockDim.z;
}

// Threads of the first warp of a CTA.
__device__ __forceinline__ unsigned first_warp_size() {
  return thread_count() < 32 ? thread_count() : 32;
}

// In the first warp of a CTA, all of it: the lanes of which is_set is true.
__device__ __forceinline__ unsigned first_warp_ballot(bool is_set) {
#if CUDART_VERSION >= 9000
  unsigned size = first_warp_size(), mask = size < 32 ? (1u << size) - 1 : ~0u;
  return __ballot_sync(mask, is_set);
#else
  return __ballot(is_set);
#endif
}

// The first lane's value, in the first warp of a CTA.
__device__ __forceinline__ unsigned first_lane(unsigned value) {
#if CUDART_VERSION >= 9000
  unsigned size = first_warp_size(), mask = size < 32 ? (1u << size) - 1 : ~0u;
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
