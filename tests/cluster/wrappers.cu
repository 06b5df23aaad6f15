// SPDX-License-Identifier: MIT
// Cooperative groups of a CTA, dynamic shared memory of a template, blockIdx in macros,
// copies and methods, parameters that the kernel changes, an empty kernel, no CTAs at all.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define WRAPPED_X blockIdx.x
#define WRAPPED_ID() (blockIdx.x * blockDim.x + threadIdx.x)
namespace outer {
namespace {
struct Params {
  int n;
  float scale;
};
template <typename T, int BLOCK = 64>
__global__ __launch_bounds__(BLOCK) void block_sum(const T *__restrict__ in, T *__restrict__ out,
                                                   Params p) {
  cg::thread_block block = cg::this_thread_block();
  extern __shared__ unsigned char raw[];
  T *tile = reinterpret_cast<T *>(raw);
  unsigned i = WRAPPED_ID();
  tile[threadIdx.x] = i < (unsigned)p.n ? in[i] : T(0);
  block.sync();
  for (int s = BLOCK / 2; s > 0; s >>= 1) {
    if ((int)threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    cg::sync(block);
  }
  if (block.thread_rank() == 0) out[WRAPPED_X] = tile[0] * T(p.scale);
}
static __global__ void grid_stride(int *v, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v[i]++;
}
}  // namespace
}  // namespace outer
struct Op {
  int k;
  __device__ int at(int x) const { return x * k + (int)blockIdx.y; }
  static __device__ int row() { return blockIdx.y; }
};
template <class F>
__global__ void apply(int *out, int w, F f) {
  const auto b = blockIdx;
  uint3 c = blockIdx;
  dim3 g = gridDim;
  int i = b.y * g.x + c.x;
  if (c.x < (unsigned)w) out[i] = f.at(i);
}
__global__ void decrement(int *p, int n) {
  p += blockIdx.x * 32;
  n -= 1;
  while (n-- > 0) {
    *p += 1;
    p++;
  }
}
__global__ void bare() {}
struct Holder {
  int *data;
  static __global__ void member(int *d);
};
int main() {
  const int n = 1000;
  Array<float> in(n, 1.0f), out(16);
  outer::Params p = {n, 2.0f};
  outer::block_sum<float><<<16, 64, 64 * sizeof(float)>>>(in, out, p);
  std::vector<float> o = out.get();
  float total = 0;
  for (float x : o) total += x;
  CHECK(total == 2000.0f);
  Array<int> v(n);
  outer::grid_stride<<<dim3(7, 1, 1), 32>>>(v, n);
  for (int x : v.get()) CHECK(x == 1);
  Array<int> m(12);
  apply<<<dim3{4, 3}, 1>>>((int *)m, 4, Op{10});
  std::vector<int> mm = m.get();
  for (int i = 0; i < 12; i++) CHECK(mm[i] == i * 10 + i / 4);
  Array<int> q(32 * 40);
  decrement<<<40, 1>>>(q, 33);
  for (int x : q.get()) CHECK(x == 1);
  bare<<<300, 32>>>();
  bare<<<0, 32>>>();
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  int blocks;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bare, 32, 0));
  cudaFuncAttributes attr;
  CUDA(cudaFuncGetAttributes(&attr, bare));
  return verdict();
}
