// SPDX-License-Identifier: MIT
// A kernel that does nothing but store its CTA's number: what clustering itself
// costs. tools/clustering measures it.
#include "../check.h"

__global__ void empty(unsigned *numbers) {
  if (threadIdx.x == 0)
    numbers[blockIdx.y * gridDim.x + blockIdx.x] = blockIdx.y * gridDim.x + blockIdx.x;
}

int main() {
  const unsigned width = 60, height = 32;
  Array<unsigned> numbers(width * height, ~0u);
  empty<<<dim3(width, height), 256>>>(numbers);
  std::vector<unsigned> result = numbers.get();
  for (unsigned i = 0; i < width * height; i++) CHECK(result[i] == i);
  return verdict();
}
