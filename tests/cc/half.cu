// SPDX-License-Identifier: MIT
// Half precision: every half through the host's and the device's conversions,
// arithmetic against float.
#include <cuda_fp16.h>

#include "check.h"

__global__ void convert(float *floats, unsigned short *back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half h = __ushort_as_half((unsigned short)i);
  floats[i] = __half2float(h);
  back[i] = __half_as_ushort(__float2half(floats[i] * 1.0005f));
}

__global__ void compute(const float *in, float *out) {
  int i = threadIdx.x;
  __half a = __float2half(in[i]), b = __float2half(in[31 - i]);
  __half2 v = __halves2half2(a, b) * __float2half2_rn(2.0f);
  out[i] = __half2float(a + b);
  out[32 + i] = __half2float(a * b);
  out[64 + i] = __half2float(__hfma(a, b, a));
  out[96 + i] = __low2float(v) - __high2float(v);
  out[128 + i] = (a < b) + 2 * __hge(a, b) + __half2float(hsqrt(__habs(a)));
}

int main() {
  const int n = 65536;
  static float floats[n];
  static unsigned short back[n];
  float *dfloats;
  unsigned short *dback;
  CUDA(cudaMalloc(&dfloats, sizeof floats));
  CUDA(cudaMalloc(&dback, sizeof back));
  convert<<<n / 256, 256>>>(dfloats, dback, n);
  CUDA(cudaMemcpy(floats, dfloats, sizeof floats, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(back, dback, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    float host = __half2float(__ushort_as_half((unsigned short)i));
    if (host != host) continue;
    CHECK(host == floats[i], "half %04x: %g here, %g there", i, host, floats[i]);
    unsigned short again = __half_as_ushort(__float2half(host * 1.0005f));
    CHECK(again == back[i], "half %04x: %04x here, %04x there", i, again, back[i]);
  }
  float in[32], out[160];
  for (int i = 0; i < 32; i++) in[i] = (i * 37 % 64 - 32) * 0.25f;
  CUDA(cudaMemcpy(dfloats, in, sizeof in, cudaMemcpyHostToDevice));
  compute<<<1, 32>>>(dfloats, dfloats + 32);
  CUDA(cudaMemcpy(out, dfloats + 32, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) {
    float a = in[i], b = in[31 - i];
    CHECK(out[i] == a + b && out[32 + i] == a * b, "%g %g: %g %g", a, b, out[i], out[32 + i]);
    CHECK(out[64 + i] == __half2float(__float2half(a * b + a)), "fma %g", out[64 + i]);
    CHECK(out[96 + i] == 2 * (a - b), "half2 %g", out[96 + i]);
    float root = __half2float(__float2half(sqrtf(fabsf(a))));
    CHECK(out[128 + i] == (a < b ? 1 : 2) + root, "compare %g", out[128 + i]);
  }
  return check_end();
}
