// SPDX-License-Identifier: MIT
// Warp groups that multiply from shared memory, and tensor maps of what they multiply (Hopper).
#ifndef WORKLOADS_WARP_GROUP_H
#define WORKLOADS_WARP_GROUP_H

#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "common/fail.h"

enum { GROUP_COLUMNS = 64 };  // halves of a line

// Of rows of 128 bytes, swizzled as a whole line; as a factor by columns (transposed) as well.
__device__ inline uint64_t descriptor(uint32_t address) {
  return (address & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 |
         (uint64_t)1 << 62;
}

#define SUMS8(x, i)                                                                           \
  "+f"(x[i]), "+f"(x[i + 1]), "+f"(x[i + 2]), "+f"(x[i + 3]), "+f"(x[i + 4]), "+f"(x[i + 5]), \
      "+f"(x[i + 6]), "+f"(x[i + 7])

__device__ inline void multiply_group(float d[64], uint64_t a, uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
      "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "
      "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 0;}"
      : SUMS8(d, 0), SUMS8(d, 8), SUMS8(d, 16), SUMS8(d, 24), SUMS8(d, 32), SUMS8(d, 40),
        SUMS8(d, 48), SUMS8(d, 56)
      : "l"(a), "l"(b)
      : "memory");
}

// 64 x 64 sums; A in registers, as mma.m16n8k16 has it, B by columns.
__device__ inline void multiply_registers(float d[32], const uint32_t a[4], uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
      "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, {%32, %33, %34, %35}, %36, "
      "p, 1, 1, 1;}"
      : SUMS8(d, 0), SUMS8(d, 8), SUMS8(d, 16), SUMS8(d, 24)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
      : "memory");
}

__device__ inline void group_begin() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// Until all products of the group are over.
__device__ inline void group_end() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// ---- host

typedef CUresult (*TensorMapEncoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                     const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                     const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                     CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static TensorMapEncoder tensor_map_encoder() {
  void *found = NULL;
  CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, 0, NULL));
  return (TensorMapEncoder)found;
}

// A map of `rows` x k halves for boxes of GROUP_COLUMNS columns, swizzled as a whole line.
static CUtensorMap map_of(const __half *values, int rows, int k, int box_rows) {
  cuuint64_t size[] = {(cuuint64_t)k, (cuuint64_t)rows},
             stride[] = {(cuuint64_t)k * sizeof(__half)};
  cuuint32_t box[] = {GROUP_COLUMNS, (cuuint32_t)box_rows}, steps[] = {1, 1};
  CUtensorMap map;
  CUresult result =
      tensor_map_encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)values, size, stride,
                           box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) fail(EXIT_WRONG, "cuTensorMapEncodeTiled: error %d", (int)result);
  return map;
}

// Whether a CTA may have so much: what a kernel for Hopper wants, other GPUs may not have.
static inline void want_shared(const char *who, int bytes) {
  int most;
  CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  if (most < bytes)
    fail(EXIT_INPUT, "%s wants %d bytes of shared memory per CTA; this GPU has %d (try --gpu h100)",
         who, bytes, most);
}

#endif
