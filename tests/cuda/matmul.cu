// SPDX-License-Identifier: MIT
// Tiled matrix product with a size on the command line, timed with events and
// checked against the CPU.
#include "check.h"

#define TILE 16

template <typename T>
__global__ void multiply(const T *a, const T *b, T *c, int n) {
  __shared__ T as[TILE][TILE], bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  T sum = 0;
  for (int t = 0; t < n / TILE; t++) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t * TILE + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

template <typename T>
static void run(int n) {
  size_t bytes = sizeof(T) * n * n;
  T *a = (T *)malloc(bytes), *b = (T *)malloc(bytes), *c = (T *)malloc(bytes);
  for (int i = 0; i < n * n; i++) {
    a[i] = (T)(i % 7);
    b[i] = (T)(i % 5) - 2;
  }
  T *da, *db, *dc;
  CHECK(cudaMalloc((void **)&da, bytes));
  CHECK(cudaMalloc((void **)&db, bytes));
  CHECK(cudaMalloc((void **)&dc, bytes));
  CHECK(cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, 0));
  multiply<T><<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(da, db, dc, n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop, 0));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  EXPECT(ms > 0);
  CHECK(cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      T sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      if (c[i * n + j] != sum) failures++;
    }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  free(a);
  free(b);
  free(c);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 48, count = 0;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count == 1);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.warpSize == 32);
  EXPECT(properties.maxThreadsPerBlock == 1024);
  EXPECT(properties.multiProcessorCount > 0);
  EXPECT(properties.totalGlobalMem > 1 << 20);
  EXPECT(properties.maxGridSize[1] == 65535);
  EXPECT(properties.cooperativeLaunch == 1);
  EXPECT(properties.maxBlocksPerMultiProcessor > 0);
  EXPECT(properties.sharedMemPerBlockOptin >= properties.sharedMemPerBlock);
  CHECK(cudaSetDevice(0));
  EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaSuccess);
  run<float>(n);
  run<double>(n);
  run<int>(n);
  CHECK(cudaDeviceReset());
  return finish("matmul");
}
