// SPDX-License-Identifier: MIT
#ifndef TESTS_CC_HEADERS_DEEPER_H
#define TESTS_CC_HEADERS_DEEPER_H

__attribute__((__noinline__)) static int host_seven() {
  return 7;
}

template <class T>
__device__ __noinline__ T twice(T value) {
  return 2 * value;
}

namespace plain {
__global__ void fill(int *values, int value) {
  values[threadIdx.x] = value;
}
inline void run_fill(int *values, int value) {
  fill << <1, 32>> >(values, value);
}
}  // namespace plain

#endif
