// SPDX-License-Identifier: MIT
// Words that may stand in front of functions and kernels, in various places.
#include "check.h"

__device__ __noinline__ int noinline_row() { return blockIdx.y; }
static __noinline__ __device__ int noinline_row_first() { return blockIdx.y; }
__attribute__((__noinline__)) __device__ int noinline_row_attribute() { return blockIdx.y; }
__device__ __inline_hint__ int hint_row() { return blockIdx.y; }
__device__ __forceinline__ int forced_row() { return blockIdx.y; }
[[maybe_unused]] static inline __device__ int unused_row() { return blockIdx.y; }
[[nodiscard]] __device__ inline int nodiscard_row() { return blockIdx.y; }
__device__ __attribute__((pure)) int pure_row(const int *) { return blockIdx.y; }
template <class T>
__noinline__ __device__ T template_row() {
  return blockIdx.y;
}

struct Factor {
  int value;
};

__global__ __noinline__ void add_noinline(int *__restrict__ out) {
  out[noinline_row() * gridDim.x + blockIdx.x] += 1 + noinline_row_first() - noinline_row_attribute();
}
__inline_hint__ __global__ void add_hint(int *__restrict out) {
  out[hint_row() * gridDim.x + blockIdx.x] += 1;
}
__global__ void __launch_bounds__(64, 2, 1) add_bounds(int *const __restrict__ out) {
  out[forced_row() * gridDim.x + blockIdx.x] += 1;
}
__launch_bounds__(64) __global__ void add_threads(int *out, const __grid_constant__ Factor factor) {
  out[unused_row() * gridDim.x + blockIdx.x] += factor.value;
}
__global__ void __maxnreg__(32) add_registers(int *out) {
  out[nodiscard_row() * gridDim.x + blockIdx.x] += 1;
}
[[maybe_unused]] static __global__ void add_static(int *out) {
  out[pure_row(out) * gridDim.x + blockIdx.x] += 1;
}
__attribute__((unused)) __global__ void add_template(int *out) {
  out[template_row<int>() * gridDim.x + blockIdx.x] += 1;
}

int main() {
  const int width = 9, height = 20;
  dim3 grid(width, height);
  Array<int> out(width * height);
  add_noinline<<<grid, 1>>>(out);
  add_hint<<<grid, 1>>>(out);
  add_bounds<<<grid, 1>>>(out);
  add_threads<<<grid, 1>>>(out, Factor{1});
  add_registers<<<grid, 1>>>(out);
  add_static<<<grid, 1>>>(out);
  add_template<<<grid, 1>>>(out);
  for (int value : out.get()) CHECK(value == 7);
  return verdict();
}
