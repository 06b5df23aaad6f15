// SPDX-License-Identifier: MIT
// A kernel in a header, which calls functions of another header.
#include "check.h"
#include "filters.cuh"

int main() {
  const int width = 45, height = 29;
  Array<int> in(numbers(width * height)), out(width * height);
  dim3 block(8, 4), grid((width + 7) / 8, (height + 3) / 4);
  box_filter<1><<<grid, block>>>(in, out, width, height);
  std::vector<int> result = out.get();
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x < width - 1; x++)
      CHECK(result[y * width + x] == 9 * (y * width + x));
  return verdict();
}
