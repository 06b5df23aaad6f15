// SPDX-License-Identifier: MIT
// Launches and attributes that stand in a header: the host's, also with marks
// apart, and those of kernels that launch kernels.
#ifndef TESTS_CC_HEADERS_LAUNCHES_H
#define TESTS_CC_HEADERS_LAUNCHES_H

#include "deeper.h"

template <class T>
__global__ void add(T *values, T amount) {
  values[threadIdx.x] = twice(values[threadIdx.x]) + amount;
}

// A kernel that launches a template with its own argument.
template <class T>
__global__ void launch_add(T *values, T amount) {
  if (threadIdx.x == 0) add<T><<<1, 32>>>(values, amount);
}

#ifdef LAUNCHES_AT_ONCE
__global__ void launch_plain(int *values) {
#else
__global__ void launch_plain(int *values) {
  if (threadIdx.x) return;
#endif
  plain::fill<<<1, 32>>>(values, 5);
}

// Overloads of a kernel differ by how many parameters they have.
__global__ void mark(int *values) {
  values[threadIdx.x] += 1;
}
__global__ void mark(int *values, int amount) {
  values[threadIdx.x] += amount;
}
__global__ void mark(int *values, int amount, unsigned lane) {
  values[lane] += amount;
}

__global__ void launch_marks(int *values) {
  if (threadIdx.x) return;
  mark<<<1, 32>>>(values);
  mark<<<1, 32>>>(values, 10);
  mark<<<1, 1>>>(values, 100, 3);
}

template <class T>
void run_add(T *values, T amount) {
  add<T> << <1, 32 >> >(values, amount);
}

#endif
