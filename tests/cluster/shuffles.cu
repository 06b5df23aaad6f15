// SPDX-License-Identifier: MIT
// Warps that work together, cooperative groups of a block, no early returns.
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void row_sums(const int *in, int *out, int width) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  __shared__ int sums[4];
  int sum = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += in[blockIdx.x * width + i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (warp.thread_rank() == 0) sums[threadIdx.x / 32] = sum;
  block.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

int main() {
  const int rows = 150, width = 200;
  Array<int> in(numbers(rows * width)), out(rows);
  row_sums<<<rows, 128>>>(in, out, width);
  std::vector<int> result = out.get();
  for (int i = 0; i < rows; i++) CHECK(result[i] == i * width * width + width * (width - 1) / 2);
  return verdict();
}
