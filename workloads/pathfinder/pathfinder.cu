// SPDX-License-Identifier: MIT
// Cheapest paths from the first row of a grid to each element of the last; a path
// goes to one of the three elements in the next row. A launch makes several rows:
// a CTA holds 256 costs in shared memory and after each row trusts one less at
// each end, so neighbours read some of the same elements.
//
// PF in Oh et al. (compute-intensive), pathfinder in Yen. Cheapest paths through a random grid,
// `--height` rows per launch in shared memory; CTAs overlap by twice that. Compared exactly. At
// `paper`: 100000 columns and 25 rows, 20 per launch: 9.5 MB as in Yen; Oh et al. state no
// size, the suite's default is `--rows 100`.
#include <algorithm>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA = 256, MOST_COST = 10 };

// Rows first .. first + rows - 1 of the grid.
__global__ void extend_paths(int *target, const int *source, const int *grid, int columns,
                             int first, int rows) {
  __shared__ int costs[CTA], longer[CTA];
  int tx = threadIdx.x;
  int x = (int)blockIdx.x * (CTA - 2 * rows) - rows + tx;
  bool exists = x >= 0 && x < columns;
  if (exists) costs[tx] = source[x];
  __syncthreads();
  int left = x == 0 ? tx : tx - 1, right = x == columns - 1 ? tx : tx + 1;
  for (int i = 1; i <= rows; i++) {
    bool is_inside = exists && tx >= i && tx < CTA - i;
    if (is_inside)
      longer[tx] =
          min(costs[tx], min(costs[left], costs[right])) + grid[(first + i - 1) * columns + x];
    __syncthreads();
    if (is_inside) costs[tx] = longer[tx];
    __syncthreads();
  }
  if (exists && tx >= rows && tx < CTA - rows) target[x] = costs[tx];
}

static std::vector<int> paths_on_host(const std::vector<int> &grid, int columns, int rows) {
  std::vector<int> costs(grid.begin(), grid.begin() + columns), longer((size_t)columns);
  for (int r = 1; r < rows; r++) {
    for (int x = 0; x < columns; x++) {
      int least = std::min(costs[std::max(x - 1, 0)], costs[std::min(x + 1, columns - 1)]);
      longer[x] = std::min(costs[x], least) + grid[(size_t)r * columns + x];
    }
    costs.swap(longer);
  }
  return costs;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "cheapest paths through a grid");
  int columns =
      (int)arguments.number("columns", {2000, 100000, 100000}, 1, 1 << 24, "elements a row");
  int rows = (int)arguments.number("rows", {12, 25, 25}, 2, 10000, "rows");
  int height = (int)arguments.number("height", {5, 20, 20}, 1, 100, "rows a launch");
  arguments.done();
  if ((long long)columns * rows > 1 << 29) fail(EXIT_INPUT, "too many elements in all");

  Random random(arguments.seed());
  std::vector<int> grid = random.integers((size_t)columns * rows, 0, MOST_COST);
  DeviceArray<int> device_grid(grid), one(std::vector<int>(grid.begin(), grid.begin() + columns));
  DeviceArray<int> other((size_t)columns);
  int *source = one, *target = other;
  Timer timer;
  for (int first = 1; first < rows; first += height) {
    int count = std::min(height, rows - first);
    extend_paths<<<ctas_for(columns, (unsigned)(CTA - 2 * count)), CTA>>>(
        target, source, device_grid, columns, first, count);
    std::swap(source, target);
  }
  timer.stop("pathfinder");

  Comparison comparison;
  comparison.exact("costs", (source == one ? one : other).get(),
                   paths_on_host(grid, columns, rows));
  return comparison.verdict();
}
