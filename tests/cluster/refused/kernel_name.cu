// SPDX-License-Identifier: MIT
// refused: 3: its name has letters outside ASCII
__global__ void größe(int *out) {
  out[blockIdx.x] = 1;
}

void run(int *out) { größe<<<8, 1>>>(out); }
