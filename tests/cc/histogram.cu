// SPDX-License-Identifier: MIT
// Every atomic function, on global and on shared memory.
#include "check.h"

__global__ void histogram(const unsigned char *data, int n, unsigned int *bins) {
  __shared__ unsigned int local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i] & 63], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

struct All {
  int add, sub, low, high, both, either, odd, swapped;
  unsigned int uadd, usub, up, down, ulow, uhigh;
  unsigned long long wide_add, wide_low, wide_high, wide_or, wide_cas;
  long long signed_low, signed_high;
  float real, swapped_real;
  double real_cas, real_add;
};

__device__ double add_by_cas(double *address, double value) {
  unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(
        bits, assumed,
        (unsigned long long)__double_as_longlong(value + __longlong_as_double((long long)assumed)));
  } while (assumed != old);
  return __longlong_as_double((long long)old);
}

__device__ void touch(All *all, int t) {
  atomicAdd(&all->add, t);
  atomicSub(&all->sub, t);
  atomicMin(&all->low, -t);
  atomicMax(&all->high, t);
  atomicAnd(&all->both, ~(1 << (t & 7)));
  atomicOr(&all->either, 1 << (t & 15));
  atomicXor(&all->odd, 1 << (t % 3));
  atomicExch(&all->swapped, 7);
  atomicAdd(&all->uadd, 2u);
  atomicSub(&all->usub, 1u);
  atomicInc(&all->up, 9);
  atomicDec(&all->down, 9);
  atomicMin(&all->ulow, 100u + t);
  atomicMax(&all->uhigh, 100u + t);
  atomicAdd(&all->wide_add, 1ull << 33);
  atomicMin(&all->wide_low, (1ull << 40) + t);
  atomicMax(&all->wide_high, (1ull << 40) + t);
  atomicOr(&all->wide_or, 1ull << (t & 63));
  atomicCAS(&all->wide_cas, (unsigned long long)t, (unsigned long long)t + 1);
  atomicMin(&all->signed_low, -5000000000ll - t);
  atomicMax(&all->signed_high, -5000000000ll + t);
  atomicAdd(&all->real, 0.5f);
  atomicExch(&all->swapped_real, 2.5f);
  add_by_cas(&all->real_cas, 0.25);
  atomicAdd(&all->real_add, 0.125);
}

__global__ void all_atomics(All *global, All *copy) {
  __shared__ All shared;
  if (threadIdx.x == 0) shared = *copy;
  __syncthreads();
  touch(global, threadIdx.x);
  touch(&shared, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *copy = shared;
}

static void check_all(const All &a) {
  CHECK(a.add == 2016 && a.sub == -2016 && a.low == -63 && a.high == 63, "%d %d %d %d", a.add,
        a.sub, a.low, a.high);
  CHECK(a.both == ~0xff && a.either == 0xffff && a.odd == 6, "%x %x %x", a.both, a.either, a.odd);
  CHECK(a.swapped == 7 && a.uadd == 128 && a.usub == -64u, "%d %u %u", a.swapped, a.uadd, a.usub);
  CHECK(a.up == 64 % 10 && a.down == 10 - 64 % 10, "%u %u", a.up, a.down);
  CHECK(a.ulow == 100 && a.uhigh == 163, "%u %u", a.ulow, a.uhigh);
  CHECK(a.wide_add == 1ull << 39 && a.wide_low == 1ull << 40 && a.wide_high == (1ull << 40) + 63,
        "%llx %llx %llx", a.wide_add, a.wide_low, a.wide_high);
  CHECK(a.wide_or == ~0ull && a.wide_cas > 0, "%llx %llu", a.wide_or, a.wide_cas);
  CHECK(a.signed_low == -5000000063ll && a.signed_high == -4999999937ll, "%lld %lld", a.signed_low,
        a.signed_high);
  CHECK(a.real == 32.0f && a.swapped_real == 2.5f, "%g %g", a.real, a.swapped_real);
  CHECK(a.real_cas == 16.0 && a.real_add == 8.0, "%g %g", a.real_cas, a.real_add);
}

int main() {
  const int n = 20000;
  static unsigned char data[n];
  unsigned int bins[64], expected[64] = {0}, *dbins;
  unsigned char *ddata;
  for (int i = 0; i < n; i++) expected[(data[i] = (unsigned char)(i * i >> 3)) & 63]++;
  CUDA(cudaMalloc(&ddata, n));
  CUDA(cudaMalloc(&dbins, sizeof bins));
  CUDA(cudaMemcpy(ddata, data, n, cudaMemcpyHostToDevice));
  CUDA(cudaMemset(dbins, 0, sizeof bins));
  histogram<<<5, 128>>>(ddata, n, dbins);
  CUDA(cudaMemcpy(bins, dbins, sizeof bins, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++) CHECK(bins[i] == expected[i], "bin %d: %u", i, bins[i]);

  All start = {}, got[2], *device;
  start.both = -1, start.ulow = ~0u, start.wide_low = ~0ull;
  start.signed_high = -6000000000ll;
  CUDA(cudaMalloc(&device, 2 * sizeof start));
  for (int i = 0; i < 2; i++)
    CUDA(cudaMemcpy(device + i, &start, sizeof start, cudaMemcpyHostToDevice));
  all_atomics<<<1, 64>>>(device, device + 1);
  CUDA(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 2; i++) check_all(got[i]);
  return check_end();
}
