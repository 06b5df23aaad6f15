// SPDX-License-Identifier: MIT
// refused: 5: a constructor that names blockIdx
struct Tile {
  int first;
  __device__ Tile(int width) : first(width) { first *= blockIdx.x; }
};

__global__ void store(int *out) {
  Tile tile(4);
  out[tile.first] = 1;
}

void run(int *out) { store<<<8, 1>>>(out); }
