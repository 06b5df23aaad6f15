// SPDX-License-Identifier: MIT
// Convolution of a matrix with 3 x 3 coefficients; the border stays zero. A thread
// has an element. A CTA reads one row more above and below, and one element more
// left and right, than it writes: lines that belong to its neighbours.
//
// 2DCONV in Wang et al. 3 x 3 random coefficients, nine loads from global memory per thread;
// Polybench has fixed ones. At `paper`: 4096 x 4096.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA_X = 32, CTA_Y = 8 };

struct Coefficients {
  float value[3][3];
};

__global__ void convolve(const float *a, float *b, int width, int height, Coefficients c) {
  int x = blockIdx.x * CTA_X + threadIdx.x, y = blockIdx.y * CTA_Y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 3; dy++)
#pragma unroll
    for (int dx = 0; dx < 3; dx++) sum += c.value[dy][dx] * a[(y + dy - 1) * width + x + dx - 1];
  b[y * width + x] = sum;
}

// Each element is handed to the nine that it counts for.
static std::vector<float> convolve_on_host(const std::vector<float> &a, int width, int height,
                                           const Coefficients &c) {
  std::vector<double> sums(a.size());
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int i = 0; i < 9; i++) {
        int to_x = x + 1 - i % 3, to_y = y + 1 - i / 3;
        if (to_x < 1 || to_y < 1 || to_x >= width - 1 || to_y >= height - 1) continue;
        sums[(size_t)to_y * width + to_x] +=
            (double)c.value[i / 3][i % 3] * a[(size_t)y * width + x];
      }
  return std::vector<float>(sums.begin(), sums.end());
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "convolution of a matrix");
  int width = (int)arguments.number("width", {100, 1024, 4096}, 3, 1 << 14, "columns");
  int height = (int)arguments.number("height", {40, 1024, 4096}, 3, 1 << 14, "rows");
  arguments.done();

  Random random(arguments.seed());
  size_t count = (size_t)width * height;
  std::vector<float> a = random.floats(count, 0, 1);
  Coefficients c;
  for (int i = 0; i < 9; i++) c.value[i / 3][i % 3] = random.uniform(-1, 1);
  DeviceArray<float> device_a(a), b(count);
  dim3 grid(ctas_for(width, CTA_X), ctas_for(height, CTA_Y)), cta(CTA_X, CTA_Y);
  Timer timer;
  convolve<<<grid, cta>>>(device_a, b, width, height, c);
  timer.stop("2Dconv");

  Comparison comparison;
  comparison.near("B", b.get(), convolve_on_host(a, width, height, c), 1e-5);
  return comparison.verdict();
}
