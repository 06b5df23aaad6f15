// SPDX-License-Identifier: MIT
// Atomics that do not wait: counters, additions by comparison, a work queue.
#include "check.h"

__device__ double add_double(double *address, double value) {
  unsigned long long *bits = (unsigned long long *)address;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, (unsigned long long)__double_as_longlong(
                                       value + __longlong_as_double((long long)assumed)));
  } while (assumed != old);
  return __longlong_as_double((long long)old);
}

__global__ void histogram(const unsigned char *bytes, int count, unsigned *bins, double *sum) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  double own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[bytes[i] % 16], 1u);
    own += bytes[i];
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
  add_double(sum, own);
}

__global__ void drain(int *next, int count, int *done) {
  int item;
  while ((item = atomicAdd(next, 1)) < count) done[item] += 1;
}

int main() {
  const int count = 5000;
  std::vector<unsigned char> bytes(count);
  std::vector<unsigned> wanted(16);
  double total = 0;
  for (int i = 0; i < count; i++) {
    bytes[i] = (unsigned char)(i * 37 + i / 7);
    wanted[bytes[i] % 16]++;
    total += bytes[i];
  }
  Array<unsigned char> input(bytes);
  Array<unsigned> bins(16);
  Array<double> sum(1);
  histogram<<<23, 64>>>(input, count, bins, sum);
  CHECK(bins.get() == wanted);
  CHECK(sum.get()[0] == total);
  Array<int> next(1), done(700);
  drain<<<50, 32>>>(next, 700, done);
  for (int times : done.get()) CHECK(times == 1);
  return verdict();
}
