// SPDX-License-Identifier: MIT
// A = L U in place, L with ones on its diagonal, by tiles of 16 x 16. For each tile
// on the diagonal: one CTA factors it; CTAs solve the tiles right of it and below
// it, a pair each; then all tiles right and below subtract the product of a tile of
// L and one of U. CTAs of one row of that grid read the same L, those of one column
// the same U.
//
// LUD in Wang et al. and Oh et al. (cache-insensitive). LU decomposition of a random matrix
// with a heavy diagonal, without pivoting, three launches per tile of the diagonal. CTAs of a
// row of the grid of `update_inside` read the same tile of L, those of a column the same of U.
// At `paper`: 256 x 256, the suite's default and the stride of 2048 bytes in Oh et al.; `small`
// is the same.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { TILE = 16 };
typedef float Tile[TILE][TILE];

// Column t of a tile in the matrix, whose rows lie `width` apart.
__device__ static void load_column(Tile tile, const float *from, int width, int t) {
#pragma unroll 1
  for (int y = 0; y < TILE; y++) tile[y][t] = from[y * width + t];
}

__device__ static void store_column(const Tile tile, float *to, int width, int t) {
#pragma unroll 1
  for (int y = 0; y < TILE; y++) to[y * width + t] = tile[y][t];
}

// corner is the tile on the diagonal, here as below.
__global__ void factor_diagonal(float *corner, int width) {
  __shared__ Tile tile;
  int t = threadIdx.x;
  load_column(tile, corner, width, t);
  __syncthreads();
  for (int i = 0; i < TILE - 1; i++) {
    if (t > i) {  // column i of L, then row i + 1 of U
      for (int j = 0; j < i; j++) tile[t][i] -= tile[t][j] * tile[j][i];
      tile[t][i] /= tile[i][i];
    }
    __syncthreads();
    if (t > i)
      for (int j = 0; j <= i; j++) tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
    __syncthreads();
  }
  store_column(tile, corner, width, t);
}

// U = L^-1 A, column t.
__device__ static void solve_right(Tile tile, const Tile diagonal, int t) {
  for (int y = 1; y < TILE; y++)
    for (int j = 0; j < y; j++) tile[y][t] -= diagonal[y][j] * tile[j][t];
}

// L = A U^-1, row t.
__device__ static void solve_below(Tile tile, const Tile diagonal, int t) {
  for (int x = 0; x < TILE; x++) {
    for (int j = 0; j < x; j++) tile[t][x] -= tile[t][j] * diagonal[j][x];
    tile[t][x] /= diagonal[x][x];
  }
}

// The first half of a warp takes the tile right of the diagonal, the second the one below.
__global__ void solve_perimeter(float *corner, int width) {
  __shared__ Tile diagonal, right, below;
  bool is_right = threadIdx.x < TILE;
  int t = threadIdx.x % TILE, away = ((int)blockIdx.x + 1) * TILE;
  if (is_right) {
    load_column(diagonal, corner, width, t);
    load_column(right, corner + away, width, t);
  } else {
    load_column(below, corner + away * width, width, t);
  }
  __syncthreads();
  if (is_right)
    solve_right(right, diagonal, t);
  else
    solve_below(below, diagonal, t);
  __syncthreads();
  if (is_right)
    store_column(right, corner + away, width, t);
  else
    store_column(below, corner + away * width, width, t);
}

__global__ void update_inside(float *corner, int width) {
  __shared__ Tile l, u;
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = ((int)blockIdx.x + 1) * TILE + tx, y = ((int)blockIdx.y + 1) * TILE + ty;
  l[ty][tx] = corner[y * width + tx];
  u[ty][tx] = corner[ty * width + x];
  __syncthreads();
  float sum = 0;
#pragma unroll 4
  for (int i = 0; i < TILE; i++) sum += l[ty][i] * u[i][tx];
  corner[y * width + x] -= sum;
}

static void decompose_on_device(float *a, int n) {
  for (int begin = 0; begin < n; begin += TILE) {
    float *corner = a + (size_t)begin * n + begin;
    unsigned rest = (unsigned)((n - begin) / TILE - 1);
    factor_diagonal<<<1, TILE>>>(corner, n);
    if (!rest) break;
    solve_perimeter<<<rest, 2 * TILE>>>(corner, n);
    update_inside<<<dim3(rest, rest), dim3(TILE, TILE)>>>(corner, n);
  }
}

static std::vector<float> decompose_on_host(const std::vector<float> &matrix, size_t n) {
  std::vector<double> a(matrix.begin(), matrix.end());
  for (size_t i = 0; i < n; i++)
    for (size_t y = i + 1; y < n; y++) {
      a[y * n + i] /= a[i * n + i];
      for (size_t x = i + 1; x < n; x++) a[y * n + x] -= a[y * n + i] * a[i * n + x];
    }
  return std::vector<float>(a.begin(), a.end());
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "decomposition of a matrix into triangles");
  int n = (int)arguments.multiple("n", TILE, {64, 256, 256}, TILE, 8192, "rows and columns");
  arguments.done();

  // A heavy diagonal, so that nothing need be exchanged.
  Random random(arguments.seed());
  std::vector<float> a = random.floats((size_t)n * n, -1, 1);
  for (size_t i = 0; i < (size_t)n; i++) a[i * n + i] += (float)n;
  DeviceArray<float> device_a(a);
  Timer timer;
  decompose_on_device(device_a, n);
  timer.stop("lud");

  Comparison comparison;
  comparison.near("L and U", device_a.get(), decompose_on_host(a, (size_t)n), 1e-5);
  return comparison.verdict();
}
