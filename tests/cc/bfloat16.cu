// SPDX-License-Identifier: MIT
// bfloat16: rounding on both sides, arithmetic against float, pairs; and what
// halves and bfloat16 share: comparisons, shuffles, atomics, from long numbers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

__global__ void convert(const float *in, unsigned short *out, float *back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_bfloat16 a = __float2bfloat16(in[i]);
  out[i] = __bfloat16_as_ushort(a);
  back[i] = __bfloat162float(a);
}

__global__ void compute(const float *in, float *out) {
  int i = threadIdx.x;
  nv_bfloat16 a = in[i], b = in[31 - i];
  nv_bfloat162 pair = __halves2bfloat162(a, b);
  out[i] = a + b;
  out[32 + i] = a * b;
  out[64 + i] = __hfma(a, b, __float2bfloat16(0.001f));
  out[96 + i] = __high2float(__hfma2(pair, pair, pair)) + __low2float(pair - pair);
  out[128 + i] =
      (a < b) + 2 * __hge(a, b) + 4 * __hbeq2(pair, pair) + 8 * (float)__heq2(pair, pair).y;
  out[160 + i] =
      (float)__shfl_xor_sync(0xffffffff, a, 1) + __low2float(__shfl_sync(0xffffffff, pair, 3));
}

template <class T>
__global__ void add_up(T *sums) {
  atomicAdd(&sums[1], T(1.0f));
  atomicAdd(&sums[2], T(2.0f));
}

// The upper 16 bits, rounded to nearest even.
static unsigned short rounded(float a) {
  unsigned int bits;
  memcpy(&bits, &a, 4);
  unsigned int kept = bits >> 16, rest = bits & 0xffff;
  return (unsigned short)(kept + (rest > 0x8000 || (rest == 0x8000 && (kept & 1))));
}
static float near(float a) {
  unsigned int bits = (unsigned int)rounded(a) << 16;
  memcpy(&a, &bits, 4);
  return a;
}

static void test_conversions() {
  const int n = 8192;
  static float in[n], back[n];
  static unsigned short out[n];
  unsigned int seed = 1;
  for (int i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    unsigned int bits = i % 4 ? seed : (seed & 0xffff0000u) | 0x8000u;
    if ((bits & 0x7f800000u) == 0x7f800000u) bits ^= 0x40000000u;
    memcpy(&in[i], &bits, 4);
  }
  float *din, *dback;
  unsigned short *dout;
  CUDA(cudaMalloc(&din, sizeof in));
  CUDA(cudaMalloc(&dback, sizeof back));
  CUDA(cudaMalloc(&dout, sizeof out));
  CUDA(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  convert<<<n / 256, 256>>>(din, dout, dback, n);
  CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(back, dback, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    CHECK(out[i] == rounded(in[i]), "%g: %04x, not %04x", in[i], out[i], rounded(in[i]));
    CHECK(__bfloat16_as_ushort(__float2bfloat16(in[i])) == out[i], "%g on the host", in[i]);
    CHECK(back[i] == near(in[i]), "%g comes back as %g", in[i], back[i]);
  }
}

static void test_arithmetic() {
  float in[32], out[192], *device;
  for (int i = 0; i < 32; i++) in[i] = (i * 37 % 64 - 32) * 0.25f;
  CUDA(cudaMalloc(&device, sizeof in + sizeof out));
  CUDA(cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice));
  compute<<<1, 32>>>(device, device + 32);
  CUDA(cudaMemcpy(out, device + 32, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) {
    float a = in[i], b = in[31 - i];
    CHECK(out[i] == near(a + b) && out[32 + i] == near(a * b), "%g %g: %g %g", a, b, out[i],
          out[32 + i]);
    CHECK(out[64 + i] == near((float)((double)a * b + near(0.001f))), "fma %g", out[64 + i]);
    CHECK(out[96 + i] == near(b * b + b), "pairs %g", out[96 + i]);
    CHECK(out[128 + i] == (a < b ? 1 : 2) + 12, "compare %g", out[128 + i]);
    CHECK(out[160 + i] == in[i ^ 1] + in[3], "shuffle %g", out[160 + i]);
    CHECK((float)(nv_bfloat16(a) + nv_bfloat16(b)) == near(a + b), "the host's sum");
  }
}

template <class T>
static void test_atomics() {
  T *sums;
  CUDA(cudaMallocManaged(&sums, 4 * sizeof(T)));
  for (int i = 0; i < 4; i++) sums[i] = T(7.0f);
  add_up<T><<<2, 48>>>(sums);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 4; i++) {
    float expected = 7 + (i == 1 ? 96 : i == 2 ? 192 : 0);
    CHECK((float)sums[i] == expected, "sum %d is %g", i, (float)sums[i]);
  }
}

int main() {
  test_conversions();
  test_arithmetic();
  test_atomics<__half>();
  // 1 + 2^-11 + 2^-40 is above the middle of two halves; as a float it is the middle.
  CHECK(__half_as_ushort(__half(1 + 0x1p-11 + 0x1p-40)) == 0x3c01, "double to half");
  CHECK(__bfloat16_as_ushort(nv_bfloat16(1 + 0x1p-8 + 0x1p-40)) == 0x3f81, "double to bfloat16");
  CHECK((float)__half(65504) == 65504.0f && (float)__half(-3LL) == -3.0f, "integers to half");
  return check_end();
}
