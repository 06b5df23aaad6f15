// SPDX-License-Identifier: MIT
// refused: 4: a variable shadows a built-in variable
__global__ void count(int *a) {
  uint3 blockIdx = ::blockIdx;
  a[blockIdx.x] = 1;
}

void run(int *a) { count<<<8, 1>>>(a); }
