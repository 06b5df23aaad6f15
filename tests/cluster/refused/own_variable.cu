// SPDX-License-Identifier: MIT
// refused: 4: a variable is named like a built-in one
__global__ void count(int *a) {
  uint3 blockIdx = ::blockIdx;
  a[blockIdx.x] = 1;
}

void run(int *a) { count<<<8, 1>>>(a); }
