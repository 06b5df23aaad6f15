// SPDX-License-Identifier: MIT
// C = A B as in CUDA's samples: a row of CTAs shares A, a column B.
#include "check.h"

template <int BLOCK_SIZE>
__global__ void MatrixMulCUDA(float *C, float *A, float *B, int wA, int wB) {
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int aBegin = wA * BLOCK_SIZE * by;
  int aEnd = aBegin + wA - 1;
  int aStep = BLOCK_SIZE;
  int bBegin = BLOCK_SIZE * bx;
  int bStep = BLOCK_SIZE * wB;
  float Csub = 0;
  for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    As[ty][tx] = A[a + wA * ty + tx];
    Bs[ty][tx] = B[b + wB * ty + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) {
      Csub += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;
  C[c + wB * ty + tx] = Csub;
}

int main() {
  const int m = 48, k = 32, n = 80;
  std::vector<float> a(m * k), b(k * n);
  for (int i = 0; i < m * k; i++) a[i] = (float)(i % 7);
  for (int i = 0; i < k * n; i++) b[i] = (float)(i % 5);
  Array<float> A(a), B(b), C(m * n);
  dim3 threads(8, 8), grid(n / 8, m / 8);
  MatrixMulCUDA<8><<<grid, threads>>>(C, A, B, k, n);
  std::vector<float> c = C.get();
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int l = 0; l < k; l++) sum += a[i * k + l] * b[l * n + j];
      CHECK(c[i * n + j] == sum);
    }
  return verdict();
}
