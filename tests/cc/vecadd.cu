// SPDX-License-Identifier: MIT
// The first program of everybody, with a size from the command line and events.
#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 5000;
  size_t size = n * sizeof(float);
  float *a = (float *)malloc(size), *b = (float *)malloc(size), *c = (float *)malloc(size);
  float *da, *db, *dc, milliseconds = 0;
  for (int i = 0; i < n; i++) a[i] = i * 0.5f, b[i] = 100.0f - i;
  CUDA(cudaMalloc(&da, size));
  CUDA(cudaMalloc((void **)&db, size));
  CUDA(cudaMalloc(&dc, size));
  CUDA(cudaMemcpy(da, a, size, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(db, b, size, cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  CUDA(cudaEventRecord(start));
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  CUDA(cudaGetLastError());
  CUDA(cudaEventRecord(stop));
  CUDA(cudaEventSynchronize(stop));
  CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
  CUDA(cudaMemcpy(c, dc, size, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) CHECK(c[i] == a[i] + b[i], "c[%d] = %g", i, c[i]);
  CHECK(milliseconds > 0, "%g ms", milliseconds);
  CUDA(cudaFree(da));
  CUDA(cudaFree(db));
  CUDA(cudaFree(dc));
  free(a), free(b), free(c);
  return check_end();
}
