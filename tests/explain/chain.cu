// SPDX-License-Identifier: MIT
// Fault: one accumulator per thread, and one warp per scheduler: each multiplication-addition waits for the one before.
// Repair: eight accumulators.
#include "program.h"

__global__ void power_sum(const float *in, float *out, int terms) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[at], r = 0.5f;
#ifdef REPAIRED
  float sum[8] = {0};
  for (int i = 0; i < terms; i += 8)
#pragma unroll
    for (int k = 0; k < 8; k++) sum[k] = sum[k] * r + x;
  out[at] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
#else
  float sum = 0;
#pragma unroll 8
  for (int i = 0; i < terms; i++) sum = sum * r + x;
  out[at] = sum;
#endif
}

int main() {
  int device, sms;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const int ctas = sms;
  Buffer<float> in(ctas * 128), out(ctas * 128);
  power_sum<<<ctas, 128>>>(in.data, out.data, 2048);
  print_sum(out);
}
