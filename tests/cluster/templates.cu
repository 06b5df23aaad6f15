// SPDX-License-Identifier: MIT
// Template arguments that are deduced, explicit instances, specialisations,
// overloads, kernels launched from templates.
#include "check.h"

template <int N, typename T>
__global__ void scale(T *values, T factor, int count) {
  int i = blockIdx.x * N + threadIdx.x;
  if (i < count) values[i] *= factor;
}

template <>
__global__ void scale<16, short>(short *values, short factor, int count) {
  int i = blockIdx.x * 16 + threadIdx.x;
  if (i < count) values[i] = values[i] * factor + 1;
}

template __global__ void scale<8, double>(double *values, double factor, int count);

template <typename T>
__global__ void
add(T *values, T summand)
{
  values[blockIdx.x] += summand;
}

__global__ void tell(int *values) { values[blockIdx.x] = 1; }
__global__ void tell(float *values) { values[blockIdx.x] = 2; }

// A specialisation that uses shared memory where the template does not, and
// whose threads return before a barrier.
template <int N>
__global__ void reverse(int *values) {
  values[blockIdx.x * N + threadIdx.x] += 1;
}

template <>
__global__ void reverse<64>(int *elements) {
  __shared__ int tile[64];
  if (threadIdx.x >= 64) return;
  tile[threadIdx.x] = elements[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  elements[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

static void check_reverse() {
  const int ctas = 500;
  Array<int> values(numbers(ctas * 64));
  reverse<64><<<ctas, 96>>>(values);
  reverse<32><<<ctas * 2, 32>>>(values);
  std::vector<int> found = values.get();
  for (int i = 0; i < ctas * 64; i++) CHECK(found[i] == (i / 64 * 64 + 63 - i % 64) + 1);
}

template <typename T>
std::vector<T> run(T start, T factor) {
  Array<T> values(40, start);
  scale<16, T><<<3, 16>>>(values, factor, 40);
  add<T><<<40, 1>>>(values, (T)1);
  return values.get();
}

int main() {
  for (int value : run(3, 4)) CHECK(value == 13);
  for (float value : run(3.0f, 0.5f)) CHECK(value == 2.5f);
  for (short value : run((short)3, (short)2)) CHECK(value == 8);

  Array<double> doubles(20, 1.0);
  double *raw = doubles;
  scale<8><<<3, 8>>>(raw, 3.0, 20);
  add<<<20, 1>>>(raw, 0.25);
  for (double value : doubles.get()) CHECK(value == 3.25);

  Array<int> ints(5);
  Array<float> floats(5);
  int *i = ints;
  float *f = floats;
  tell<<<5, 1>>>(i);
  tell<<<5, 1>>>(f);
  for (int value : ints.get()) CHECK(value == 1);
  for (float value : floats.get()) CHECK(value == 2);
  check_reverse();
  return verdict();
}
