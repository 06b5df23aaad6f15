// SPDX-License-Identifier: MIT
// Floats of eight bits: every code is read as the format says, what lies between
// two is rounded to the nearer one, and host and device agree.
#include <cuda_fp8.h>

#include "check.h"

template <class T>
__global__ void there_and_back(const float *in, unsigned char *codes, float *back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T a(in[i]);
  codes[i] = a.__x;
  back[i] = (float)a;
}

// The positive number of a code, by the definition.
static double value(int code, int bits_behind, int bias) {
  int exponent = code >> bits_behind, rest = code & ((1 << bits_behind) - 1);
  if (!exponent) return ldexp(rest, 1 - bias - bits_behind);
  return ldexp(rest + (1 << bits_behind), exponent - bias - bits_behind);
}

template <class T>
static void test(int bits_behind, int bias, int largest) {
  static float in[1024], back[1024], *din, *dback;
  static unsigned char codes[1024], expected[1024], *dcodes;
  int n = 0;
  for (int code = 0; code < largest; code++) {
    double low = value(code, bits_behind, bias), high = value(code + 1, bits_behind, bias);
    double middle = (low + high) / 2;
    in[n] = (float)low, expected[n++] = (unsigned char)code;
    in[n] = (float)middle, expected[n++] = (unsigned char)(code + (code & 1));
    in[n] = (float)-(middle * 1.0001), expected[n++] = (unsigned char)(0x80 | (code + 1));
    in[n] = (float)(middle * 0.9999), expected[n++] = (unsigned char)code;
  }
  in[n] = 1e30f, expected[n++] = (unsigned char)largest;
  in[n] = -INFINITY, expected[n++] = (unsigned char)(0x80 | largest);
  CUDA(cudaMalloc(&din, sizeof in));
  CUDA(cudaMalloc(&dback, sizeof back));
  CUDA(cudaMalloc(&dcodes, sizeof codes));
  CUDA(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  there_and_back<T><<<(n + 127) / 128, 128>>>(din, dcodes, dback, n);
  CUDA(cudaMemcpy(codes, dcodes, sizeof codes, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(back, dback, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    double size = value(expected[i] & 0x7f, bits_behind, bias);
    CHECK(codes[i] == expected[i], "%g: %02x, not %02x", in[i], codes[i], expected[i]);
    CHECK(T(in[i]).__x == codes[i] && T(__half(1.0f)).__x == bias << bits_behind, "%g here", in[i]);
    CHECK(back[i] == (float)(expected[i] & 0x80 ? -size : size), "%02x is %g", codes[i], back[i]);
  }
}

int main() {
  test<__nv_fp8_e4m3>(3, 7, 0x7e);
  test<__nv_fp8_e5m2>(2, 15, 0x7b);
  float4 four = (float4)__nv_fp8x4_e4m3(make_float4(1, -2, 3, 1000));
  CHECK(four.x == 1 && four.y == -2 && four.z == 3 && four.w == 448, "%g %g %g %g", four.x, four.y,
        four.z, four.w);
  CHECK(__nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E5M2) == 0x7c, "infinite");
  CHECK(__nv_cvt_float_to_fp8(NAN, __NV_SATFINITE, __NV_E4M3) == 0x7f, "no number");
  return check_end();
}
