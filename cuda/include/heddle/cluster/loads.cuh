// SPDX-License-Identifier: MIT
// Loads ahead of their use.
#ifndef HEDDLE_CLUSTER_LOADS_CUH
#define HEDDLE_CLUSTER_LOADS_CUH

#include <cuda_runtime.h>

namespace heddle {
namespace cluster {

// Brings the line at an address of global memory into the L1. Maxwell and Pascal
// have none for ordinary loads, but one for read-only data, and loads go through
// that instead: the address must be one that may be read.
__device__ __forceinline__ void prefetch(const volatile void *address) {
  unsigned long long global;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(global) : "l"(address));
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 500 && __CUDA_ARCH__ < 700
  unsigned short ignored;
  asm volatile("ld.global.nc.u8 %0, [%1];" : "=h"(ignored) : "l"(global));
#else
  asm volatile("prefetch.global.L1 [%0];" : : "l"(global));
#endif
}

}  // namespace cluster
}  // namespace heddle

#endif
