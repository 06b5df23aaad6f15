// SPDX-License-Identifier: MIT
// refused: 4: an operator other than () that names blockIdx
struct Shift {
  __device__ int operator[](int i) const { return i + blockIdx.x; }
};

__global__ void store(int *out) {
  Shift shift;
  out[shift[1]] = 1;
}

void run(int *out) { store<<<8, 1>>>(out); }
