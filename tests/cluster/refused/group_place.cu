// SPDX-License-Identifier: MIT
// refused: 9: a cooperative group's place in the grid
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void store(int *out) {
  cg::thread_block block = cg::this_thread_block();
  out[block.group_index().x] = 1;
}

void run(int *out) { store<<<8, 1>>>(out); }
