// SPDX-License-Identifier: MIT
// refused: 9: 'operator()', which names blockIdx or gridDim, is called in a macro
struct Place {
  __device__ int operator()(int i) const { return i + blockIdx.x; }
};
#define AT(i) place(i)

__global__ void store(int *out, Place place) {
  out[AT(1)] = 1;
}

void run(int *out, Place place) { store<<<8, 1>>>(out, place); }
