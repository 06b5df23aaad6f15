// SPDX-License-Identifier: MIT
// __log2f and __powf of constants are known when a kernel is compiled, so that a loop over
// them is written out; of other values they are computed.
#include "check.h"

enum { EDGE = 16 };

__global__ void add_up(float *values) {
  int t = threadIdx.x;
  for (int i = 1; i <= __log2f(EDGE); i++) {
    int step = (int)__powf(2, i);
    if (t % step == 0) values[t] += values[t + step / 2];
    __syncthreads();
  }
}

__global__ void compute(float *out, float base, float exponent) {
  out[0] = __log2f(base);
  out[1] = __powf(base, exponent);
}

int main() {
  float host[EDGE], *device;
  for (int i = 0; i < EDGE; i++) host[i] = (float)(i + 1);
  CUDA(cudaMalloc(&device, sizeof host));
  CUDA(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  add_up<<<1, EDGE>>>(device);
  CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 136, "%g", host[0]);
  CHECK(host[8] == 100, "%g", host[8]);
  compute<<<1, 1>>>(device, 8, 2);
  CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 3, "%g", host[0]);
  CHECK(host[1] == 64, "%g", host[1]);
  CUDA(cudaFree(device));
  return check_end();
}
