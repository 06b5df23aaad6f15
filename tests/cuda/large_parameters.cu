// SPDX-License-Identifier: MIT
// 32 KB of parameters by value, read in place and from a copy that is changed.
// nvcc: -arch=compute_90
#include "check.h"
#define N 8000
struct Values {
  int values[N];
};
__global__ void add_up(const __grid_constant__ Values p, int *out) {
  int s = 0;
  for (int i = threadIdx.x; i < N; i += blockDim.x) s += p.values[i];
  atomicAdd(out, s);
}
__global__ void change_and_sum(Values p, int *out) {
  p.values[threadIdx.x] += 1;
  int s = 0;
  for (int i = 0; i < 4; i++) s += p.values[(threadIdx.x * 37 + i * 911) % N];
  out[threadIdx.x] = s;
}
int main() {
  Values *p = new Values;
  long sum = 0;
  for (int i = 0; i < N; i++) sum += p->values[i] = i % 17;
  int *d;
  CHECK(cudaMalloc(&d, 4 * 256));
  CHECK(cudaMemset(d, 0, 4));
  add_up<<<1, 128>>>(*p, d);
  CHECK(cudaGetLastError());
  int h[256];
  CHECK(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
  EXPECT(h[0] == sum);
  change_and_sum<<<1, 128>>>(*p, d);
  CHECK(cudaMemcpy(h, d, 512, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 128; t++) {
    int s = 0;
    for (int i = 0; i < 4; i++) {
      int k = (t * 37 + i * 911) % N;
      s += p->values[k] + (k == t);
    }
    EXPECT(h[t] == s);
  }
  delete p;
  return finish("large_parameters");
}
