// SPDX-License-Identifier: MIT
// Fault: each CTA goes over its 12 KB again and again, and so many CTAs are resident that the L1
// holds no one's. Repair: a grid of a few CTAs per SM, which loop over the work.
#include "program.h"

__global__ void smooth(const float *in, float *out, int tasks, int rounds) {
  for (int task = blockIdx.x; task < tasks; task += gridDim.x) {
    const float *own = in + task * 3072;
    float sum = 0;
    for (int round = 0; round < rounds; round++)
      for (int i = threadIdx.x; i < 3072; i += 64) sum = sum * 0.5f + own[i];
    out[task * blockDim.x + threadIdx.x] = sum;
  }
}

int main() {
  const int tasks = scaled(120);
  Buffer<float> in(tasks * 3072, 61), out(tasks * 64);
  int ctas = tasks;
#ifdef REPAIRED
  int device, sms, major;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  ctas = sms * (major < 7 ? 4 : 8);
#endif
  smooth<<<ctas, 64>>>(in.data, out.data, tasks, 3);
  print_sum(out);
}
