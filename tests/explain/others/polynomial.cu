// SPDX-License-Identifier: MIT
// Expected: chain
// Horner's rule with one warp per scheduler: each step needs the result of the last. Repair: four
// polynomials per thread at a time.
#include "../program.h"

__global__ void evaluate(const float *in, float *out, int n, int degree) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
#ifdef REPAIRED
  for (int i = first; i < n; i += 4 * all) {
    float x[4], y[4];
    for (int j = 0; j < 4; j++) x[j] = in[i + j * all], y[j] = 1;
    for (int k = 0; k < degree; k++)
      for (int j = 0; j < 4; j++) y[j] = y[j] * x[j] + 0.25f;
    for (int j = 0; j < 4; j++) out[i + j * all] = y[j];
  }
#else
  for (int i = first; i < n; i += all) {
    float x = in[i], y = 1;
    for (int k = 0; k < degree; k++) y = y * x + 0.25f;
    out[i] = y;
  }
#endif
}

int main() {
  int device, sms;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const int n = sms * 128 * 16;
  Buffer<float> in(n), out(n);
  in.fill([](size_t i) { return float(i % 8) / 16; });
  evaluate<<<sms, 128>>>(in.data, out.data, n, 160);
  print_sum(out);
}
