// SPDX-License-Identifier: MIT
// refused: 8: .own_index., which names blockIdx or gridDim, is called through a pointer
__device__ int own_index() { return blockIdx.x; }

__device__ int call(int (*function)()) { return function(); }

__global__ void store(int *out) {
  out[call(own_index)] = 1;
}

void run(int *out) { store<<<8, 1>>>(out); }
