// SPDX-License-Identifier: MIT
// A grid of three axes, each used, with a border.
#include "check.h"

__global__ void stencil(const int *in, int *out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const int i = (z * ny + y) * nx + x;
  out[i] += in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny];
}

int main() {
  const int nx = 19, ny = 11, nz = 7;
  Array<int> in(numbers(nx * ny * nz)), out(nx * ny * nz);
  dim3 block(8, 4, 2), grid(3, 3, 4);
  stencil<<<grid, block>>>(in, out, nx, ny, nz);
  std::vector<int> result = out.get();
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) {
        bool isInside = x > 0 && y > 0 && z > 0 && x < nx - 1 && y < ny - 1 && z < nz - 1;
        int i = (z * ny + y) * nx + x;
        CHECK(result[i] == (isInside ? 6 * i : 0));
      }
  return verdict();
}
