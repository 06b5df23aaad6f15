// SPDX-License-Identifier: MIT
// Asynchronous copies from global to shared memory: the primitives of cuda_pipeline.h, as PTX.
#ifndef HEDDLE_CUDA_PIPELINE_PRIMITIVES_H
#define HEDDLE_CUDA_PIPELINE_PRIMITIVES_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t __mbarrier_t;

// 4, 8 or 16 bytes, of which the last zfill are zeros.
static __device__ __forceinline__ void __pipeline_memcpy_async(void *__restrict__ to,
                                                               const void *__restrict__ from,
                                                               size_t bytes, size_t zfill = 0) {
  uint32_t shared = (uint32_t)__cvta_generic_to_shared(to), kept = (uint32_t)(bytes - zfill);
  size_t global = __cvta_generic_to_global(from);
  switch (bytes) {
    case 4:
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(global),
                   "r"(kept)
                   : "memory");
      break;
    case 8:
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(global),
                   "r"(kept)
                   : "memory");
      break;
    default:
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
                   "r"(kept)
                   : "memory");
  }
}

static __device__ __forceinline__ void __pipeline_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// At most the last `left` groups are not over; PTX wants a constant.
static __device__ __forceinline__ void __pipeline_wait_prior(size_t left) {
  switch (left) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    case 7: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 8;" ::: "memory");
  }
}

static __device__ __forceinline__ void __pipeline_arrive_on(__mbarrier_t *barrier) {
  asm volatile(
      "cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((uint32_t)__cvta_generic_to_shared(barrier))
      : "memory");
}

#endif
