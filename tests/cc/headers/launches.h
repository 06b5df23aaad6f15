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

template <class T>
void run_add(T *values, T amount) {
  add<T> << <1, 32 >> >(values, amount);
}

#endif
