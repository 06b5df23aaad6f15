// SPDX-License-Identifier: MIT
// Temperatures of a chip: each element takes up its power and exchanges heat with
// its four neighbours and the air. A launch makes several time steps: a CTA brings
// 16 x 16 elements into shared memory, and after each step trusts one ring of them
// less. What it writes is smaller by 2 * steps than what it reads, so CTAs overlap,
// in temperatures and in power.
//
// HS in Li et al. (algorithm), Yen, Wang et al. and Oh et al. (compute-intensive). Temperatures
// of a chip with random power. A launch computes `--steps` time steps on 16 x 16 elements in
// shared memory and writes the inner part, 12 x 12 for two steps; neighbouring CTAs read the
// same temperatures and power. The host computes whole grids, one step at a time. At `paper`:
// 512 x 512, two steps per launch; the 30 launches are our choice.
// `--original 1`: Rodinia's kernel, most of whose step is double precision.
// test: --original 1
#include <algorithm>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { EDGE = 16 };

// What a time step does: 1 / resistance in each direction, times step / capacity.
struct Chip {
  float x, y, air, power;
  float ambient;
};

__host__ __device__ static float next_temperature(const Chip &chip, float centre, float north,
                                                  float south, float west, float east,
                                                  float power) {
  return centre + chip.power * power + (north + south - 2.0f * centre) * chip.y +
         (west + east - 2.0f * centre) * chip.x + (chip.ambient - centre) * chip.air;
}

// Beyond the border it is as warm as on it.
__global__ void calculate_temperature(const float *power, const float *source, float *target,
                                      int columns, int rows, int steps, Chip chip) {
  __shared__ float now[EDGE][EDGE], next[EDGE][EDGE], own_power[EDGE][EDGE];
  int tx = threadIdx.x, ty = threadIdx.y, inner = EDGE - 2 * steps;
  int x = (int)blockIdx.x * inner - steps + tx, y = (int)blockIdx.y * inner - steps + ty;
  bool exists = x >= 0 && x < columns && y >= 0 && y < rows;
  if (exists) {
    now[ty][tx] = source[y * columns + x];
    own_power[ty][tx] = power[y * columns + x];
  }
  __syncthreads();
  int north = y == 0 ? ty : ty - 1, south = y == rows - 1 ? ty : ty + 1;
  int west = x == 0 ? tx : tx - 1, east = x == columns - 1 ? tx : tx + 1;
  for (int i = 1; i <= steps; i++) {
    bool is_inside = exists && tx >= i && tx < EDGE - i && ty >= i && ty < EDGE - i;
    if (is_inside)
      next[ty][tx] = next_temperature(chip, now[ty][tx], now[north][tx], now[south][tx],
                                      now[ty][west], now[ty][east], own_power[ty][tx]);
    __syncthreads();
    if (is_inside && i < steps) now[ty][tx] = next[ty][tx];
    if (is_inside && i == steps) target[y * columns + x] = next[ty][tx];
    __syncthreads();
  }
}

// Resistances and capacity of an element; their quotients are each thread's own work.
struct Resistances {
  float capacity, x, y, air, step;
};

// Rodinia's: the constants 2.0 make most of a step double precision, and a CTA
// keeps to the range of elements that exist.
__global__ void calculate_temperature_original(int steps, const float *power, const float *source,
                                               float *target, int columns, int rows,
                                               Resistances chip) {
  __shared__ float now[EDGE][EDGE], own_power[EDGE][EDGE], next[EDGE][EDGE];
  const float ambient = 80;
  float scale = chip.step / chip.capacity;
  float per_x = 1 / chip.x, per_y = 1 / chip.y, per_air = 1 / chip.air;
  int tx = threadIdx.x, ty = threadIdx.y, inner = EDGE - 2 * steps;
  int top = inner * (int)blockIdx.y - steps, left = inner * (int)blockIdx.x - steps;
  int x = left + tx, y = top + ty, at = columns * y + x;
  if (y >= 0 && y <= rows - 1 && x >= 0 && x <= columns - 1) {
    now[ty][tx] = source[at];
    own_power[ty][tx] = power[at];
  }
  __syncthreads();
  int y_first = max(-top, 0), y_last = min(EDGE - 1, rows - 1 - top);
  int x_first = max(-left, 0), x_last = min(EDGE - 1, columns - 1 - left);
  int north = max(ty - 1, y_first), south = min(ty + 1, y_last);
  int west = max(tx - 1, x_first), east = min(tx + 1, x_last);
  bool is_inside = false;
  for (int i = 0; i < steps; i++) {
    is_inside = tx >= i + 1 && tx <= EDGE - i - 2 && ty >= i + 1 && ty <= EDGE - i - 2 &&
                tx >= x_first && tx <= x_last && ty >= y_first && ty <= y_last;
    if (is_inside)
      next[ty][tx] =
          now[ty][tx] +
          scale * (own_power[ty][tx] +
                   (now[south][tx] + now[north][tx] - 2.0 * now[ty][tx]) * per_y +
                   (now[ty][east] + now[ty][west] - 2.0 * now[ty][tx]) * per_x +
                   (ambient - now[ty][tx]) * per_air);
    __syncthreads();
    if (i == steps - 1) break;
    if (is_inside) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (is_inside) target[at] = next[ty][tx];
}

static std::vector<float> step_on_host(const std::vector<float> &power,
                                       const std::vector<float> &source, int columns, int rows,
                                       const Chip &chip) {
  std::vector<float> target(source.size());
  auto at = [&](int x, int y) {
    x = std::min(std::max(x, 0), columns - 1), y = std::min(std::max(y, 0), rows - 1);
    return source[(size_t)y * columns + x];
  };
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++)
      target[(size_t)y * columns + x] =
          next_temperature(chip, at(x, y), at(x, y - 1), at(x, y + 1), at(x - 1, y), at(x + 1, y),
                           power[(size_t)y * columns + x]);
  return target;
}

// Silicon of half a millimetre, 16 mm wide.
static Chip make_chip(int columns, int rows) {
  const double thickness = 0.0005, edge = 0.016, conductivity = 100, heat = 1.75e6;
  double width = edge / columns, height = edge / rows;
  double capacity = 0.5 * heat * thickness * width * height;
  double step = 0.001 / (3e6 / (0.5 * thickness * heat));
  Chip chip;
  chip.power = (float)(step / capacity);
  chip.x = (float)(step / capacity * (2 * conductivity * thickness * height) / width);
  chip.y = (float)(step / capacity * (2 * conductivity * thickness * width) / height);
  chip.air = (float)(step / capacity * conductivity * height * width / thickness);
  chip.ambient = 80;
  return chip;
}

static Resistances resistances_of(const Chip &chip) {
  return {1 / chip.power, chip.power / chip.x, chip.power / chip.y, chip.power / chip.air, 1};
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "temperatures of a chip");
  int columns = (int)arguments.number("columns", {64, 512, 512}, 2, 8192, "elements a row");
  int rows = (int)arguments.number("rows", {48, 512, 512}, 2, 8192, "rows");
  int steps = (int)arguments.number("steps", {2, 2, 2}, 1, 7, "time steps a launch");
  int launches = (int)arguments.number("launches", {2, 3, 30}, 1, 10000, "launches");
  bool is_original = arguments.number("original", {0, 0, 0}, 0, 1, "1: the kernel as in Rodinia");
  arguments.done();

  Random random(arguments.seed());
  size_t count = (size_t)columns * rows;
  std::vector<float> power = random.floats(count, 0, 0.5f), warm = random.floats(count, 320, 340);
  Chip chip = make_chip(columns, rows);
  DeviceArray<float> device_power(power), one(warm), other(count);
  unsigned inner = (unsigned)(EDGE - 2 * steps);
  dim3 grid(ctas_for(columns, inner), ctas_for(rows, inner)), cta(EDGE, EDGE);
  Timer timer;
  for (int i = 0; i < launches; i++) {
    float *source = i % 2 ? other : one, *target = i % 2 ? one : other;
    if (is_original)
      calculate_temperature_original<<<grid, cta>>>(steps, device_power, source, target, columns,
                                                    rows, resistances_of(chip));
    else
      calculate_temperature<<<grid, cta>>>(device_power, source, target, columns, rows, steps,
                                           chip);
  }
  timer.stop("hotspot");

  for (int i = 0; i < launches * steps; i++) warm = step_on_host(power, warm, columns, rows, chip);
  Comparison comparison;
  double tolerance = 1e-6 + 6e-8 * launches * steps;  // each step rounds once more
  comparison.near("temperatures", (launches % 2 ? other : one).get(), warm, tolerance);
  return comparison.verdict();
}
