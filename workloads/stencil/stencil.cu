// SPDX-License-Identifier: MIT
// Seven-point stencil in three dimensions. A CTA has 64 x 4 columns of the grid,
// two a thread, and goes up plane by plane: the plane it is in is in shared
// memory, the values below and above in registers. What lies beside its columns
// it reads from lines that belong to its neighbours.
//
// ST in Oh et al. (compute-intensive). Seven-point stencil in three dimensions; a CTA proceeds
// plane by plane with 64 x 4 elements in shared memory, two columns per thread. Many registers
// hold 64-bit addresses that the compiler keeps from plane to plane. Random grid. At `paper`:
// 512 x 512 x 64, 100 steps, the suite's default set.
#include <algorithm>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA_X = 32, CTA_Y = 4, PLANE_X = 2 * CTA_X };

struct Grid {
  int x, y, z;
  float own, around;  // weights of an element and of its six neighbours
};

// One element of the plane: from shared memory, or from beyond the CTA's columns.
__device__ static float beside(const float plane[CTA_Y][PLANE_X], const float *at, int px, int py,
                               int row) {
  if (px < 0) return at[-1];
  if (px >= PLANE_X) return at[1];
  if (py < 0) return at[-row];
  if (py >= CTA_Y) return at[row];
  return plane[py][px];
}

__device__ static float weighed(const Grid &grid, const float plane[CTA_Y][PLANE_X],
                                const float *at, int px, int py, float below, float above) {
  float sum = below + above;
  sum += beside(plane, at, px - 1, py, grid.x) + beside(plane, at, px + 1, py, grid.x);
  sum += beside(plane, at, px, py - 1, grid.x) + beside(plane, at, px, py + 1, grid.x);
  return grid.around * sum - grid.own * plane[py][px];
}

// Elements on the border of the grid keep their values.
__global__ void stencil(float *out, const float *in, Grid grid) {
  __shared__ float plane[CTA_Y][PLANE_X];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * PLANE_X + tx, y = blockIdx.y * CTA_Y + ty;
  int step = grid.x * grid.y;
  bool inside_y = y > 0 && y < grid.y - 1;
  bool inside = inside_y && x > 0, inside2 = inside_y && x + CTA_X < grid.x - 1;
  in += y * grid.x + x, out += y * grid.x + x;
  float below = in[0], below2 = in[CTA_X];
  in += step, out += step;
  float here = in[0], here2 = in[CTA_X];
#pragma unroll 1
  for (int z = 1; z < grid.z - 1; z++, in += step, out += step) {
    float above = in[step], above2 = in[step + CTA_X];
    plane[ty][tx] = here;
    plane[ty][tx + CTA_X] = here2;
    __syncthreads();
    if (inside) out[0] = weighed(grid, plane, in, tx, ty, below, above);
    if (inside2) out[CTA_X] = weighed(grid, plane, in + CTA_X, tx + CTA_X, ty, below2, above2);
    __syncthreads();
    below = here, below2 = here2;
    here = above, here2 = above2;
  }
}

static std::vector<float> step_on_host(const std::vector<float> &in, const Grid &grid) {
  std::vector<float> out = in;
  size_t row = (size_t)grid.x, step = row * grid.y;
  for (size_t z = 1; z + 1 < (size_t)grid.z; z++)
    for (size_t y = 1; y + 1 < (size_t)grid.y; y++)
      for (size_t i = z * step + y * row + 1; i < z * step + (y + 1) * row - 1; i++)
        out[i] = grid.around * (in[i - step] + in[i + step] + in[i - 1] + in[i + 1] + in[i - row] +
                                in[i + row]) -
                 grid.own * in[i];
  return out;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "seven-point stencil in three dimensions");
  Grid grid;
  grid.x = (int)arguments.multiple("x", PLANE_X, {64, 256, 512}, 64, 4096, "elements in x");
  grid.y = (int)arguments.multiple("y", CTA_Y, {16, 128, 512}, 4, 4096, "elements in y");
  grid.z = (int)arguments.number("z", {8, 32, 64}, 3, 1024, "planes");
  int steps =
      (int)arguments.number("steps", {2, 2, 100}, 1, 10000, "times the grid is gone through");
  arguments.done();
  grid.own = 1.0f / 6, grid.around = 1.0f / 36;
  if ((long long)grid.x * grid.y * grid.z > 1 << 29) fail(EXIT_INPUT, "too many elements in all");

  Random random(arguments.seed());
  std::vector<float> values = random.floats((size_t)grid.x * grid.y * grid.z, 0, 1);
  DeviceArray<float> one(values), other(values);
  Timer timer;
  for (int i = 0; i < steps; i++)
    stencil<<<dim3(grid.x / PLANE_X, grid.y / CTA_Y), dim3(CTA_X, CTA_Y)>>>(
        i % 2 ? one : other, i % 2 ? other : one, grid);
  timer.stop("stencil");

  for (int i = 0; i < steps; i++) values = step_on_host(values, grid);
  Comparison comparison;
  comparison.near("grid", (steps % 2 ? other : one).get(), values, 1e-5, 0.1);
  return comparison.verdict();
}
