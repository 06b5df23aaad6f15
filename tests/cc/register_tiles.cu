// SPDX-License-Identifier: MIT
// Arrays of a thread that are in registers once the loops over them are unrolled, without
// #pragma unroll, as nvcc compiles them. -DUNROLL='_Pragma("unroll")' adds it to sgemm.
//
// Kernels whose names begin with "local" keep their array in local memory with nvcc, too.
// What a kernel computes is a function that the host checks it with.
#include "check.h"

#ifndef UNROLL
#define UNROLL
#endif

enum { TILE = 8, DEPTH = 8, SIDE = 16, BLOCK = SIDE * SIDE, CTA_TILE = SIDE * TILE };

// C = A * B, n a multiple of CTA_TILE: a thread computes 8 x 8 elements.
__global__ void sgemm(int n, const float *A, const float *B, float *C) {
  __shared__ float rows[DEPTH][CTA_TILE], columns[DEPTH][CTA_TILE];
  float acc[TILE][TILE] = {}, a[TILE], b[TILE];
  int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  int row = blockIdx.y * CTA_TILE, column = blockIdx.x * CTA_TILE;
  for (int first = 0; first < n; first += DEPTH) {
    for (int i = threadIdx.x; i < CTA_TILE * DEPTH; i += BLOCK) {
      rows[i % DEPTH][i / DEPTH] = A[(row + i / DEPTH) * n + first + i % DEPTH];
      columns[i / CTA_TILE][i % CTA_TILE] = B[(first + i / CTA_TILE) * n + column + i % CTA_TILE];
    }
    __syncthreads();
    for (int k = 0; k < DEPTH; k++) {
      UNROLL for (int i = 0; i < TILE; i++) a[i] = rows[k][y * TILE + i];
      UNROLL for (int j = 0; j < TILE; j++) b[j] = columns[k][x * TILE + j];
      UNROLL for (int i = 0; i < TILE; i++)
        UNROLL for (int j = 0; j < TILE; j++) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  UNROLL for (int i = 0; i < TILE; i++)
    UNROLL for (int j = 0; j < TILE; j++)
      C[(row + y * TILE + i) * n + column + x * TILE + j] = acc[i][j];
}

#define BOTH __host__ __device__

// Structures, in an array that a function gets a pointer to.
BOTH void add_rows(int n, const int *in, int4 *sums) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 16; i++) {
      sums[i].x += in[k + i], sums[i].y += in[k + i] * k;
      sums[i].z ^= in[k] * i, sums[i].w -= in[k + i + 1];
    }
}

BOTH int vectors_of(int n, const int *in) {
  int4 sums[16] = {};
  int all = 0;
  add_rows(n, in, sums);
  for (int i = 0; i < 16; i++) all = all * 3 + (sums[i].x ^ sums[i].y) + (sums[i].z ^ sums[i].w);
  return all;
}

// Three loops over 160 elements, of a size that is a template's.
template <int X, int Y, int Z>
BOTH int volume_of(int n, const int *in) {
  int sums[X][Y][Z] = {}, all = 0;
  for (int k = 0; k < n; k++)
    for (int x = 0; x < X; x++)
      for (int y = 0; y < Y; y++)
        for (int z = 0; z < Z; z++) sums[x][y][z] += in[k] * (x + 1) + (in[k + 1] ^ y) * z;
  for (int x = 0; x < X; x++)
    for (int y = 0; y < Y; y++)
      for (int z = 0; z < Z; z++) all = all * 3 + sums[x][y][z];
  return all;
}

// No array: these 100 iterations are not unrolled, whatever other kernels need.
BOTH int plain_of(int n, const int *in) {
  int all = 0;
  for (int i = 0; i < 100; i++) all = all * 3 + in[i * n % 64];
  return all;
}

// An index known only at run time.
BOTH int dynamic_of(int n, const int *in) {
  int sums[16] = {}, all = 0;
  for (int k = 0; k < n; k++) sums[in[k] & 15] += k;
  for (int i = 0; i < 16; i++) all = all * 3 + sums[i];
  return all;
}

// Loops that must not be unrolled.
BOTH int rolled_of(int n, const int *in) {
  int sums[16], all = 0;
#pragma unroll 1
  for (int i = 0; i < 16; i++) sums[i] = i;
  for (int k = 0; k < n; k++)
#pragma unroll 1
    for (int i = 0; i < 16; i++) sums[i] += in[k + i] * k;
#pragma unroll 1
  for (int i = 0; i < 16; i++) all = all * 3 + sums[i];
  return all;
}

// More code than nvcc unrolls.
BOTH int large_of(int n, const int *in) {
  int sums[512] = {}, all = 0;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 512; i++) sums[i] += in[(k + i) % 64] * i;
  for (int i = 0; i < 512; i++) all = all * 3 + sums[i];
  return all;
}

#define KERNEL(name, value) \
  __global__ void name(int n, const int *in, int *out) { out[threadIdx.x] = value(n, in); }

KERNEL(vectors, vectors_of)
KERNEL(volume, (volume_of<8, 5, 4>))
KERNEL(plain, plain_of)
KERNEL(local_dynamic, dynamic_of)
KERNEL(local_rolled, rolled_of)
KERNEL(local_large, large_of)

static void check_sgemm(int n) {
  float *a, *b, *c;
  CUDA(cudaMallocManaged(&a, n * n * sizeof(float)));
  CUDA(cudaMallocManaged(&b, n * n * sizeof(float)));
  CUDA(cudaMallocManaged(&c, n * n * sizeof(float)));
  for (int i = 0; i < n * n; i++) a[i] = (i * 7 + 3) % 11 - 5, b[i] = (i * 5 + 1) % 13 - 6;
  sgemm<<<dim3(n / CTA_TILE, n / CTA_TILE), BLOCK>>>(n, a, b, c);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n * n; i++) {
    float sum = 0;  // of small integers: exact
    for (int k = 0; k < n; k++) sum += a[i / n * n + k] * b[k * n + i % n];
    CHECK(c[i] == sum, "%d: %g, not %g", i, c[i], sum);
  }
}

int main() {
  enum { N = 20, WORDS = 64 };
  int *in, *out;
  CUDA(cudaMallocManaged(&in, WORDS * sizeof(int)));
  CUDA(cudaMallocManaged(&out, 32 * sizeof(int)));
  for (int i = 0; i < WORDS; i++) in[i] = i * 37 % 101 - 50;
#define CHECK_KERNEL(name, value)    \
  name<<<1, 32>>>(N, in, out);       \
  CUDA(cudaDeviceSynchronize());     \
  CHECK(out[31] == value(N, in), "%d, not %d", out[31], value(N, in));
  check_sgemm(CTA_TILE);
  CHECK_KERNEL(vectors, vectors_of)
  CHECK_KERNEL(volume, (volume_of<8, 5, 4>))
  CHECK_KERNEL(plain, plain_of)
  CHECK_KERNEL(local_dynamic, dynamic_of)
  CHECK_KERNEL(local_rolled, rolled_of)
  CHECK_KERNEL(local_large, large_of)
  return check_end();
}
