// SPDX-License-Identifier: MIT
// refused: 4: the initializer of a member names blockIdx or gridDim
struct Numbered {
  int number = blockIdx.x;
};

__global__ void count(int *a) {
  Numbered numbered;
  a[numbered.number] = 1;
}

void run(int *a) { count<<<8, 1>>>(a); }
