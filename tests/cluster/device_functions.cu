// SPDX-License-Identifier: MIT
// Functions that ask for blockIdx and gridDim: directly, through others, as
// methods and templates, declared before they are defined.
#include "check.h"

__device__ int linear_block();

struct Cursor {
  int base;
  __device__ int row() const { return base + blockIdx.y; }
  __device__ static int blocks() { return gridDim.x * gridDim.y; }
};

template <typename T>
__device__ T scaled(T factor) {
  return factor * linear_block();
}

__device__ __forceinline__ int linear_block(void)
{
  return blockIdx.y * gridDim.x + blockIdx.x;
}

__host__ __device__ inline int twice(int value) { return 2 * value; }

__global__ void describe(int *numbers, int *rows, float *products, int *counts) {
  Cursor cursor = {100};
  if (threadIdx.x == 0) {
    int at = linear_block( );
    numbers[at] = twice(at);
    rows[at] = cursor.row();
    products[at] = scaled<float>(0.5f) + scaled(1);
    counts[at] = Cursor::blocks();
  }
}

__global__ void untouched(int *numbers) { numbers[linear_block()] += 1; }

int main() {
  const int width = 9, height = 7;
  Array<int> numbers(width * height), rows(width * height), counts(width * height);
  Array<float> products(width * height);
  describe<<<dim3(width, height), 32>>>(numbers, rows, products, counts);
  untouched<<<dim3(width, height), 1>>>(numbers);
  std::vector<int> n = numbers.get(), r = rows.get(), c = counts.get();
  std::vector<float> p = products.get();
  for (int i = 0; i < width * height; i++) {
    CHECK(n[i] == 2 * i + 1);
    CHECK(r[i] == 100 + i / width);
    CHECK(p[i] == 1.5f * i);
    CHECK(c[i] == width * height);
  }
  return verdict();
}
