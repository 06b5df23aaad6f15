// SPDX-License-Identifier: MIT
// Parameters that the body changes, structures, default arguments, none at all.
#include "check.h"

struct Box {
  int *data;
  int origin[2];
  int step;
};

__device__ int ticks;

__global__ void walk(Box box, int *out, int rounds = 3) {
  out += blockIdx.x;
  box.origin[0] += 10 * blockIdx.x;
  while (rounds-- > 0) box.origin[box.step & 1] += box.step;
  *out += box.origin[0] + box.data[0];
}

__global__ void tick() {
  if (threadIdx.x == 0) atomicAdd(&ticks, 1 + blockIdx.x);
}

int main() {
  Array<int> data(1, 7), out(100);
  Box box = {data, {1, 2}, 4};
  walk<<<100, 1>>>(box, out);
  walk<<<100, 1>>>(box, out, 1);
  std::vector<int> result = out.get();
  for (int i = 0; i < 100; i++) CHECK(result[i] == (1 + 10 * i + 12 + 7) + (1 + 10 * i + 4 + 7));
  tick<<<200, 32>>>();
  int total = 0;
  CUDA(cudaMemcpyFromSymbol(&total, ticks, sizeof total));
  CHECK(total == 200 * 201 / 2);
  return verdict();
}
