// SPDX-License-Identifier: MIT
// Tiles through shared memory, which the next CTA of an agent overwrites.
#include "check.h"

template <typename T, int TILE>
__global__ void __launch_bounds__(TILE *TILE)
    transpose(T *__restrict__ out, const T *__restrict__ in, int width, int height)
{
  __shared__ T tile[TILE][TILE + 1];

  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();

  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int width = 83, height = 57;
  Array<int> in(numbers(width * height)), out(width * height, -1);
  Array<float> floats(width * height, 2.0f), turned(width * height);
  dim3 block(8, 8), grid((width + 7) / 8, (height + 7) / 8);
  transpose<int, 8><<<grid, block>>>(out, in, width, height);
  transpose<float, 8> <<< grid, block >>> (turned, floats, width, height);
  std::vector<int> result = out.get();
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) CHECK(result[x * height + y] == y * width + x);
  for (float value : turned.get()) CHECK(value == 2.0f);
  return verdict();
}
