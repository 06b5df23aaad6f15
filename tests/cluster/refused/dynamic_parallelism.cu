// SPDX-License-Identifier: MIT
// refused: 7: 
__global__ void child(int *out) { out[blockIdx.x] = 1; }

__global__ void parent(int *out) {
  if (threadIdx.x == 0) {
    child<<<4, 1>>>(out);
  }
}

void run(int *out) { parent<<<1, 32>>>(out); }
