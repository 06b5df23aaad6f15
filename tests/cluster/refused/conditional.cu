// SPDX-License-Identifier: MIT
// refused: 6: its address is taken here
__global__ void up(int *a) { a[blockIdx.x] += 1; }
__global__ void down(int *a) { a[blockIdx.x] -= 1; }

void run(int *a, bool is_up) { (is_up ? up : down)<<<8, 1>>>(a); }
