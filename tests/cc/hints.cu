// SPDX-License-Identifier: MIT
// Loads and stores with cache hints for all types; small things that programs take for
// granted: std::forward, nan(""), registers in assembly, types of the libraries.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

#include "check.h"

// Every load and every store in turn, through eight copies.
template <typename T>
__global__ void copy(const T *from, T *to) {
  to += threadIdx.x * 8, from += threadIdx.x;
  __stcs(to + 0, __ldg(from));
  __stcg(to + 1, __ldca(from));
  __stwb(to + 2, __ldcg(from));
  __stwt(to + 3, __ldcs(from));
  __stcs(to + 4, __ldlu(from));
  __stcg(to + 5, __ldcv(from));
  to[6] = to[7] = *from;
}

template <typename T>
static void check_copies(const char *name) {
  enum { THREADS = 7 };
  unsigned char *from, *to;
  CUDA(cudaMallocManaged(&from, THREADS * sizeof(T)));
  CUDA(cudaMallocManaged(&to, THREADS * 8 * sizeof(T)));
  for (size_t i = 0; i < THREADS * sizeof(T); i++) from[i] = (unsigned char)(i * 37 + 11) & 0x3f;
  copy<<<1, THREADS>>>((const T *)from, (T *)to);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < THREADS * 8; i++)
    CHECK(memcmp(to + i * sizeof(T), from + i / 8 * sizeof(T), sizeof(T)) == 0, "%s, copy %d of %d",
          name, i % 8, i / 8);
  CUDA(cudaFree(from));
  CUDA(cudaFree(to));
}

template <typename T>
__host__ __device__ T passed_on(T &&value) {
  return std::forward<T>(value);
}

__global__ void odds(double *numbers, unsigned *lanes) {
  numbers[0] = nan(""), numbers[1] = nanf("");
  unsigned lane, warps;
  asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));
  asm("{ .reg .u32 t; mov.u32 t, %%nwarpid;"
      " add.u32 %0, t, %ntid.x; }"
      : "=r"(warps));
  lanes[threadIdx.x] = passed_on(lane);
  (void)warps;
}

int main() {
#define COPIES(type) check_copies<type>(#type)
  COPIES(char), COPIES(signed char), COPIES(unsigned char), COPIES(short), COPIES(unsigned short);
  COPIES(int), COPIES(unsigned int), COPIES(long), COPIES(unsigned long), COPIES(long long);
  COPIES(unsigned long long), COPIES(float), COPIES(double), COPIES(char2), COPIES(char4);
  COPIES(uchar2), COPIES(uchar4), COPIES(short2), COPIES(short4), COPIES(ushort2), COPIES(ushort4);
  COPIES(int2), COPIES(int4), COPIES(uint2), COPIES(uint4), COPIES(longlong2), COPIES(ulonglong2);
  COPIES(float2), COPIES(float4), COPIES(double2);
  COPIES(__half), COPIES(__half2), COPIES(__nv_bfloat16), COPIES(__nv_bfloat162);

  double *numbers;
  unsigned *lanes;
  CUDA(cudaMallocManaged(&numbers, 2 * sizeof *numbers));
  CUDA(cudaMallocManaged(&lanes, 32 * sizeof *lanes));
  odds<<<1, 32>>>(numbers, lanes);
  CUDA(cudaDeviceSynchronize());
  CHECK(numbers[0] != numbers[0] && numbers[1] != numbers[1], "%g %g", numbers[0], numbers[1]);
  for (unsigned i = 0; i < 32; i++) CHECK(lanes[i] == i, "lane %u is %u", i, lanes[i]);
  libraryPropertyType property = MINOR_VERSION;
  CHECK(property == 1 && CUDA_R_16BF == 14, "types of libraries");
  return check_end();
}
