// SPDX-License-Identifier: MIT
// refused: 3: ::blockIdx and ::gridDim cannot be redirected
__global__ void count(int *a) { a[::blockIdx.x] = 1; }

void run(int *a) { count<<<8, 1>>>(a); }
