// SPDX-License-Identifier: MIT
// Several arrays, and one array several times, in one line.
#include <cstdio>

// A comment with a comma, __global__ void blend(int no) { and a parenthesis ).
template <typename T>
__global__ void blend(const T *__restrict__ x, const T *gain, T(*bias), /* where, to */ T *y,
                      int n = 0) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i * 32 % n] * gain[i] + bias[i % 32];  // arrays
}

struct Plane {
  float *data;
  int pitch;
};

__global__ void smooth(Plane in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i < n - 1) out[i] = in.data[i - 1] + in.data[i + 1];  // twice
}

__global__ void chosen(float *a, float *b, float *out, int which) {
  float *from = which ? a : b;
  out[threadIdx.x] = from[threadIdx.x];  // either
}

int main() {
  const int n = 1 << 14;
  float *x, *gain, *bias, *y;
  cudaMalloc(&x, n * sizeof *x);
  cudaMalloc(&gain, n * sizeof *gain);
  cudaMalloc(&bias, 32 * sizeof *bias);
  cudaMalloc(&y, n * sizeof *y);
  blend<<<n / 256, 256>>>(x, gain, bias, y, n);
  smooth<<<n / 256, 256>>>(Plane{x, n}, y, n);
  chosen<<<1, 32>>>(x, y, gain, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
