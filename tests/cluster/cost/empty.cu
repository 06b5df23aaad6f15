// SPDX-License-Identifier: MIT
// A kernel of which every warp does nothing but store its CTA's number: what
// clustering itself costs (docs/cluster.md).
#include "../check.h"

__global__ void empty(unsigned *numbers) {
  unsigned cta = blockIdx.y * gridDim.x + blockIdx.x;
  if (threadIdx.x % 32 == 0) numbers[cta * (blockDim.x / 32) + threadIdx.x / 32] = cta;
}

int main() {
  const unsigned width = 60, height = 32, warps = 8;
  Array<unsigned> numbers(width * height * warps, ~0u);
  empty<<<dim3(width, height), 32 * warps>>>(numbers);
  std::vector<unsigned> result = numbers.get();
  for (unsigned i = 0; i < width * height * warps; i++) CHECK(result[i] == i / warps);
  return verdict();
}
