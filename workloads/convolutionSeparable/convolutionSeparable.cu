// SPDX-License-Identifier: MIT
// Convolution of an image with 17 coefficients along rows, then along columns. A
// CTA brings eight tiles and one more on each side into shared memory, and a
// thread computes eight pixels; the coefficients are in constant memory. Only
// the tiles at the sides are read by two CTAs.
//
// CS in Oh et al. (compute-intensive). A random image convolved with 17 coefficients along
// rows, then along columns; a CTA loads ten tiles into shared memory and a thread computes
// eight pixels. Outputs are computed in a loop that is not unrolled: with all of them live,
// Heddle's estimate was 101 and 118 registers, far above a real compiler's. At `paper`: 3072 x
// 3072, the sample's default.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1, STEPS = 8, TILES = STEPS + 2 };
enum { ROW_X = 16, ROW_Y = 4, COLUMN_X = 16, COLUMN_Y = 8 };

__constant__ float taps[TAPS];

__device__ static float convolved(const float *middle) {
  float sum = 0;
#pragma unroll
  for (int t = 0; t < TAPS; t++) sum += taps[t] * middle[RADIUS - t];
  return sum;
}

__global__ void convolve_rows(float *out, const float *in, int width) {
  __shared__ float line[ROW_Y][TILES * ROW_X];
  int tx = threadIdx.x, ty = threadIdx.y;
  int first = ((int)blockIdx.x * STEPS - 1) * ROW_X + tx;
  int row = (blockIdx.y * ROW_Y + ty) * width;
#pragma unroll
  for (int i = 0; i < TILES; i++) {
    int x = first + i * ROW_X;
    bool exists = (i > 0 || x >= 0) && (i < TILES - 1 || x < width);
    line[ty][i * ROW_X + tx] = exists ? in[row + x] : 0;
  }
  __syncthreads();
#pragma unroll 1
  for (int i = 1; i < TILES - 1; i++)
    out[row + first + i * ROW_X] = convolved(&line[ty][i * ROW_X + tx]);
}

// A column more in shared memory than is used, so that a warp's stores meet different banks.
__global__ void convolve_columns(float *out, const float *in, int width, int height) {
  __shared__ float column[COLUMN_X][TILES * COLUMN_Y + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * COLUMN_X + tx;
  int first = ((int)blockIdx.y * STEPS - 1) * COLUMN_Y + ty;
#pragma unroll
  for (int i = 0; i < TILES; i++) {
    int y = first + i * COLUMN_Y;
    bool exists = (i > 0 || y >= 0) && (i < TILES - 1 || y < height);
    column[tx][i * COLUMN_Y + ty] = exists ? in[y * width + x] : 0;
  }
  __syncthreads();
#pragma unroll 1
  for (int i = 1; i < TILES - 1; i++)
    out[(first + i * COLUMN_Y) * width + x] = convolved(&column[tx][i * COLUMN_Y + ty]);
}

// Along lines of `length` pixels, `step` apart in memory.
static std::vector<float> convolve_on_host(const std::vector<float> &in,
                                           const std::vector<float> &coefficient, size_t length,
                                           size_t step) {
  std::vector<float> out(in.size());
  for (size_t i = 0; i < in.size(); i++) {
    long long place = (long long)(i / step % length);
    double sum = 0;
    for (int t = 0; t < TAPS; t++) {
      long long from = place + RADIUS - t;
      if (from < 0 || from >= (long long)length) continue;
      sum += (double)coefficient[t] * in[i + (size_t)(from - place) * step];
    }
    out[i] = (float)sum;
  }
  return out;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "separable convolution of an image");
  int width = (int)arguments.multiple("width", STEPS * ROW_X, {128, 1024, 3072}, 128, 16384,
                                      "pixels a row");
  int height =
      (int)arguments.multiple("height", STEPS * COLUMN_Y, {64, 1024, 3072}, 64, 16384, "rows");
  arguments.done();

  Random random(arguments.seed());
  std::vector<float> coefficient = random.floats(TAPS, 0, 1);
  std::vector<float> image = random.floats((size_t)width * height, 0, 16);
  CUDA(cudaMemcpyToSymbol(taps, coefficient.data(), sizeof taps));
  DeviceArray<float> input(image), between(image.size()), output(image.size());
  Timer timer;
  convolve_rows<<<dim3(width / (STEPS * ROW_X), height / ROW_Y), dim3(ROW_X, ROW_Y)>>>(
      between, input, width);
  convolve_columns<<<dim3(width / COLUMN_X, height / (STEPS * COLUMN_Y)),
                     dim3(COLUMN_X, COLUMN_Y)>>>(output, between, width, height);
  timer.stop("convolution");

  Comparison comparison;
  std::vector<float> rows = convolve_on_host(image, coefficient, (size_t)width, 1);
  comparison.near("rows", between.get(), rows, 1e-5);
  comparison.near("image", output.get(),
                  convolve_on_host(rows, coefficient, (size_t)height, (size_t)width), 1e-5);
  return comparison.verdict();
}
