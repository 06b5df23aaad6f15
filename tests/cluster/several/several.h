// SPDX-License-Identifier: MIT
// Kernels of two sources, and one template that both instantiate.
#ifndef TESTS_CLUSTER_SEVERAL_H
#define TESTS_CLUSTER_SEVERAL_H

#include "../check.h"

template <class T>
__global__ void add(T *values, T summand) {
  atomicAdd(&values[blockIdx.x], summand);
}

__global__ void count_second(int *visits);
void run_second(int *visits, int ctas);

#endif
