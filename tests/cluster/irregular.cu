// SPDX-License-Identifier: MIT
// Warps that return before others shuffle, CTAs that fetch work until there is none,
// several launches until nothing changes, votes.
#include "check.h"
__global__ void spmv(int rows, const int *start, const int *col, const float *val, const float *x,
                     float *y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int k = start[row] + lane; k < start[row + 1]; k += 32) sum += val[k] * x[col[k]];
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (!lane) y[row] = sum;
}
__device__ int work_counter;
__global__ void dynamic_work(int *visits, int n) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(&work_counter, 1);
    __syncthreads();
    int mine = item;
    __syncthreads();
    if (mine >= n) return;
    if (threadIdx.x == 0) atomicAdd(&visits[mine], 1);
  }
}
// Other CTAs may write a level while it is read: both accesses are volatile.
__global__ void level(const int *start, const int *next, int *dist, int depth, int n,
                      int *changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  volatile int *levels = dist;
  if (v < n && levels[v] == depth)
    for (int e = start[v]; e < start[v + 1]; e++)
      if (levels[next[e]] < 0) {
        levels[next[e]] = depth + 1;
        *changed = 1;
      }
}
__global__ void count_votes(const int *v, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned m = __ballot_sync(0xffffffffu, v[i] & 1);
  if (threadIdx.x % 32 == 0) atomicAdd(out, __popc(m));
}
int main() {
  const int rows = 77;
  std::vector<int> start(rows + 1), col;
  std::vector<float> val;
  for (int r = 0; r < rows; r++) {
    start[r] = (int)col.size();
    for (int k = 0; k < r % 50; k++) {
      col.push_back(k);
      val.push_back(1.0f);
    }
  }
  start[rows] = (int)col.size();
  Array<int> s(start), c(col);
  Array<float> va(val), x(50, 2.0f), y(rows);
  spmv<<<(rows * 32 + 127) / 128, 128>>>(rows, s, c, va, x, y);
  std::vector<float> yy = y.get();
  for (int r = 0; r < rows; r++) CHECK(yy[r] == 2.0f * (r % 50));
  Array<int> visits(500);
  dynamic_work<<<40, 64>>>(visits, 500);
  for (int t : visits.get()) CHECK(t == 1);
  std::vector<int> es(101), en;
  for (int i = 0; i < 100; i++) {
    es[i] = i;
    en.push_back((i + 1) % 100);
  }
  es[100] = 100;
  std::vector<int> d0(100, -1);
  d0[0] = 0;
  Array<int> gs(es), gn(en), dist(d0), changed(1);
  for (int d = 0; d < 120; d++) {
    CUDA(cudaMemset(changed, 0, 4));
    level<<<4, 32>>>(gs, gn, dist, d, 100, changed);
    if (!changed.get()[0]) break;
  }
  std::vector<int> dd = dist.get();
  for (int i = 0; i < 100; i++) CHECK(dd[i] == i);
  Array<int> odd(numbers(320)), votes(1);
  count_votes<<<5, 64>>>(odd, votes);
  CHECK(votes.get()[0] == 160);
  return verdict();
}
