// SPDX-License-Identifier: MIT
// refused: 8: defined by a macro
#define KERNEL(name, operation)          \
  __global__ void name(int *a) {         \
    a[blockIdx.x] = a[blockIdx.x] operation 2; \
  }

KERNEL(add_two, +)

void run(int *a) { add_two<<<8, 1>>>(a); }
