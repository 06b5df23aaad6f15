// SPDX-License-Identifier: MIT
// refused: 6: a lambda that names blockIdx
__global__ void store(int *out) {
  int width = 4;
  int i =
      [width]() { return width * blockIdx.x; }();
  out[i] = 1;
}

void run(int *out) { store<<<8, 1>>>(out); }
