// SPDX-License-Identifier: MIT
// Variables of the program: constant tables, counters, tables that the host
// reads back, in part and whole.
#include "check.h"

struct Filter {
  float weights[5];
  int radius;
};

__constant__ Filter filter;
__constant__ int offsets[64];
__device__ int counter = 40;
__device__ float table[256];
static __device__ int hidden[4] = {1, 2, 3, 4};

__global__ void convolve(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = -filter.radius; k <= filter.radius; k++) {
    int j = min(max(i + k, 0), n - 1);
    sum += filter.weights[k + filter.radius] * in[j];
  }
  out[i] = sum;
  if (i < 256) table[i] = sum * 2 + offsets[i % 64] + hidden[i % 4];
  if (i % 100 == 0) atomicAdd(&counter, 1);
}

int main() {
  const int n = 1000;
  float in[n], out[n], seen[256];
  int shifts[64], count = 0, part[2];
  Filter host = {{0.1f, 0.2f, 0.4f, 0.2f, 0.1f}, 2};
  for (int i = 0; i < n; i++) in[i] = (float)(i % 17);
  for (int i = 0; i < 64; i++) shifts[i] = i * 3;
  CHECK(cudaMemcpyToSymbol(filter, &host, sizeof host));
  CHECK(cudaMemcpyToSymbol(offsets, shifts, 32 * sizeof(int)));
  CHECK(cudaMemcpyToSymbol(offsets, shifts + 32, 32 * sizeof(int), 32 * sizeof(int)));
  EXPECT(cudaMemcpyToSymbol(offsets, shifts, sizeof shifts, 4) == cudaErrorInvalidValue);
  float *din, *dout;
  CHECK(cudaMalloc(&din, sizeof in));
  CHECK(cudaMalloc(&dout, sizeof out));
  CHECK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  convolve<<<(n + 127) / 128, 128>>>(din, dout, n);
  CHECK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK(cudaMemcpyFromSymbol(seen, table, sizeof seen));
  CHECK(cudaMemcpyFromSymbol(part, hidden, sizeof part, 2 * sizeof(int)));
  EXPECT(count == 50);
  EXPECT(part[0] == 3 && part[1] == 4);
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = -2; k <= 2; k++) {
      int j = i + k < 0 ? 0 : i + k >= n ? n - 1 : i + k;
      sum += host.weights[k + 2] * in[j];
    }
    EXPECT(close_to(out[i], sum));
    if (i < 256) EXPECT(close_to(seen[i], sum * 2 + shifts[i % 64] + i % 4 + 1));
  }
  void *address;
  size_t size;
  int zero = 7;
  CHECK(cudaGetSymbolAddress(&address, counter));
  CHECK(cudaGetSymbolSize(&size, table));
  EXPECT(size == sizeof seen);
  CHECK(cudaMemcpy(address, &zero, sizeof zero, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == 7);
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return finish("symbols");
}
