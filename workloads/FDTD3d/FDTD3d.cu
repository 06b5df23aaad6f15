// SPDX-License-Identifier: MIT
// Finite differences in a volume: each element becomes a weighted sum of itself and of
// four elements in each of the six directions. A CTA goes through the volume plane
// by plane; the planes before and behind are in registers, the current one, with a
// rim of four elements, in shared memory. CTAs share their rims.
//
// FDTD in Wang et al. Radius 4, random volume with a rim that stays as it is; a CTA goes
// through all planes, with eight planes in registers and one in shared memory. The first
// element of the first row begins a line, as in the sample; other rows begin anywhere. At
// `paper`: 376 x 376 x 376, 5 steps, the sample's default.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { RADIUS = 4, CTA_X = 32, CTA_Y = 16 };

__constant__ float weights[RADIUS + 1];

// Elements without the rim of RADIUS on each side that the arrays have.
struct Volume {
  int x, y, z;
  int row() const { return x + 2 * RADIUS; }
  size_t plane() const { return (size_t)row() * (y + 2 * RADIUS); }
  size_t count() const { return plane() * (z + 2 * RADIUS); }
};

// What a thread has of the column that it goes along: itself and RADIUS to each side.
struct Column {
  float before[RADIUS], own, behind[RADIUS];
};

__device__ static void advance(Column *column, float next) {
#pragma unroll
  for (int i = RADIUS - 1; i > 0; i--) column->before[i] = column->before[i - 1];
  column->before[0] = column->own;
  column->own = column->behind[0];
#pragma unroll
  for (int i = 0; i < RADIUS - 1; i++) column->behind[i] = column->behind[i + 1];
  column->behind[RADIUS - 1] = next;
}

typedef float Tile[CTA_Y + 2 * RADIUS][CTA_X + 2 * RADIUS];

// The current plane; at is the thread's element in it. The first threads of each
// direction bring both rims.
__device__ static void fill_tile(Tile tile, const float *plane, int at, int row, float own) {
  int x = threadIdx.x + RADIUS, y = threadIdx.y + RADIUS;
  if (threadIdx.y < RADIUS) {
    tile[y - RADIUS][x] = plane[at - RADIUS * row];
    tile[y + CTA_Y][x] = plane[at + CTA_Y * row];
  }
  if (threadIdx.x < RADIUS) {
    tile[y][x - RADIUS] = plane[at - RADIUS];
    tile[y][x + CTA_X] = plane[at + CTA_X];
  }
  tile[y][x] = own;
}

__device__ static float weigh(const Tile tile, const Column &column) {
  int x = threadIdx.x + RADIUS, y = threadIdx.y + RADIUS;
  float sum = weights[0] * column.own;
#pragma unroll
  for (int i = 1; i <= RADIUS; i++)
    sum += weights[i] * (column.before[i - 1] + column.behind[i - 1] + tile[y - i][x] +
                         tile[y + i][x] + tile[y][x - i] + tile[y][x + i]);
  return sum;
}

// from and to begin with the rim. Threads beyond the volume still bring its rim, and
// write nothing; what they read farther on is used by nobody.
__global__ void step(const float *from, float *to, int nx, int ny, int nz) {
  __shared__ Tile tile;
  int x = blockIdx.x * CTA_X + threadIdx.x, y = blockIdx.y * CTA_Y + threadIdx.y;
  int row = nx + 2 * RADIUS, plane = row * (ny + 2 * RADIUS);
  int at = (min(y, ny - 1 + RADIUS) + RADIUS) * row + min(x, nx - 1 + RADIUS) + RADIUS;
  bool exists = x < nx && y < ny;
  Column column;
#pragma unroll
  for (int i = 0; i < RADIUS; i++) column.before[i] = from[(RADIUS - 1 - i) * plane + at];
  column.own = from[RADIUS * plane + at];
#pragma unroll
  for (int i = 0; i < RADIUS; i++) column.behind[i] = from[(RADIUS + 1 + i) * plane + at];
  for (int z = RADIUS; z < RADIUS + nz; z++) {
    __syncthreads();
    fill_tile(tile, from + z * plane, at, row, column.own);
    __syncthreads();
    if (exists) to[z * plane + at] = weigh(tile, column);
    if (z + 1 < RADIUS + nz) advance(&column, from[(z + 1 + RADIUS) * plane + at]);
  }
}

static std::vector<float> step_on_host(const std::vector<float> &from, const Volume &volume,
                                       const std::vector<float> &weight) {
  std::vector<float> to = from;
  size_t row = (size_t)volume.row(), plane = volume.plane();
  for (int z = RADIUS; z < RADIUS + volume.z; z++)
    for (int y = RADIUS; y < RADIUS + volume.y; y++)
      for (int x = RADIUS; x < RADIUS + volume.x; x++) {
        size_t at = z * plane + y * row + x;
        double sum = weight[0] * from[at];
        for (size_t i = 1; i <= RADIUS; i++)
          for (size_t away : {i, i * row, i * plane})
            sum += (double)weight[i] * ((double)from[at - away] + from[at + away]);
        to[at] = (float)sum;
      }
  return to;
}

// An array whose first element behind the rim begins a line.
class AlignedArray {
 public:
  explicit AlignedArray(const std::vector<float> &values) : array_(moved(values)) {}
  operator float *() const { return (float *)array_ + GAP; }
  std::vector<float> get() const {
    std::vector<float> values = array_.get();
    return std::vector<float>(values.begin() + GAP, values.end());
  }

 private:
  enum { GAP = 128 / sizeof(float) - RADIUS };
  static std::vector<float> moved(std::vector<float> values) {
    values.insert(values.begin(), GAP, 0.0f);
    return values;
  }
  DeviceArray<float> array_;
};

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "finite differences in a volume");
  Volume volume;
  volume.x = (int)arguments.number("x", {40, 96, 376}, 1, 1000, "elements a row");
  volume.y = (int)arguments.number("y", {20, 96, 376}, 1, 1000, "rows a plane");
  volume.z = (int)arguments.number("z", {6, 48, 376}, 1, 1000, "planes");
  int steps = (int)arguments.number("steps", {2, 2, 5}, 1, 1000, "steps in time");
  arguments.done();

  Random random(arguments.seed());
  std::vector<float> weight = {0.4f, 0.05f, 0.025f, 0.015f, 0.01f};
  std::vector<float> expected = random.floats(volume.count(), 0, 1);
  CUDA(cudaMemcpyToSymbol(weights, weight.data(), sizeof weights));
  AlignedArray one(expected), other(expected);
  dim3 grid(ctas_for(volume.x, CTA_X), ctas_for(volume.y, CTA_Y)), cta(CTA_X, CTA_Y);
  Timer timer;
  for (int i = 0; i < steps; i++)
    step<<<grid, cta>>>(i % 2 ? other : one, i % 2 ? one : other, volume.x, volume.y, volume.z);
  timer.stop("FDTD3d");

  for (int i = 0; i < steps; i++) expected = step_on_host(expected, volume, weight);
  Comparison comparison;
  comparison.near("volume", (steps % 2 ? other : one).get(), expected, 1e-5);
  return comparison.verdict();
}
