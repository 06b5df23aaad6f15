// SPDX-License-Identifier: MIT
// Cosine transform of an image by blocks of 8 x 8, quantisation, and the way back.
// A CTA is a block; it reads and writes rows of 32 bytes, so that four CTAs side
// by side share each line of 128.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/image.h"
#include "common/timer.h"

enum { EDGE = 8 };

__constant__ float cosines[EDGE][EDGE];  // [frequency][place]

// JPEG's table for brightness, times 1 (ISO/IEC 10918-1, annex K).
__constant__ short quantum[EDGE][EDGE];
static const short host_quantum[EDGE][EDGE] = {
    {16, 11, 10, 16, 24, 40, 51, 61},     {12, 12, 14, 19, 26, 58, 60, 55},
    {14, 13, 16, 24, 40, 57, 69, 56},     {14, 17, 22, 29, 51, 87, 80, 62},
    {18, 22, 37, 56, 68, 109, 103, 77},   {24, 35, 55, 64, 81, 104, 113, 92},
    {49, 64, 78, 87, 103, 121, 120, 101}, {72, 92, 95, 98, 112, 100, 103, 99}};

// C X C' with the block X; the way back is C' X C.
template <bool BACK>
__global__ void transform(const float *source, float *target, int width) {
  __shared__ float block[EDGE][EDGE], half[EDGE][EDGE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int at = (blockIdx.y * EDGE + ty) * width + blockIdx.x * EDGE + tx;
  block[ty][tx] = source[at];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < EDGE; i++) sum += (BACK ? cosines[i][ty] : cosines[ty][i]) * block[i][tx];
  half[ty][tx] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int i = 0; i < EDGE; i++) sum += half[ty][i] * (BACK ? cosines[i][tx] : cosines[tx][i]);
  target[at] = sum;
}

__global__ void quantise(float *image, int width) {
  int at = (blockIdx.y * EDGE + threadIdx.y) * width + blockIdx.x * EDGE + threadIdx.x;
  float step = quantum[threadIdx.y][threadIdx.x];
  image[at] = rintf(image[at] / step) * step;
}

static void fill_cosines(float matrix[EDGE][EDGE]) {
  for (int u = 0; u < EDGE; u++)
    for (int x = 0; x < EDGE; x++)
      matrix[u][x] = (float)((u ? 0.5 : std::sqrt(0.125)) *
                             std::cos((2 * x + 1) * u * 3.14159265358979323846 / 16));
}

// One coefficient or pixel from its block, whose upper left corner is at `corner`.
static float transform_one(const std::vector<float> &source, size_t corner, int width,
                           const float c[EDGE][EDGE], int x, int y, bool back) {
  double sum = 0;
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++)
      sum += (double)(back ? c[i][y] * c[j][x] : c[y][i] * c[x][j]) *
             source[corner + (size_t)i * width + j];
  return (float)sum;
}

static std::vector<float> transform_on_host(const std::vector<float> &source, int width,
                                            const float c[EDGE][EDGE], bool back) {
  std::vector<float> target(source.size());
  for (size_t i = 0; i < source.size(); i++) {
    int x = (int)(i % width), y = (int)(i / width);
    size_t corner = (size_t)(y - y % EDGE) * width + x - x % EDGE;
    target[i] = transform_one(source, corner, width, c, x % EDGE, y % EDGE, back);
  }
  return target;
}

// Each coefficient is a whole number of steps and as near as it can be. A tie may
// go either way: the device's sums round differently from the host's.
static bool is_quantised(const std::vector<float> &quantised, const std::vector<float> &exact,
                         int width) {
  for (size_t i = 0; i < exact.size(); i++) {
    float step = host_quantum[i / width % EDGE][i % width % EDGE];
    bool is_step = quantised[i] == step * std::rint(quantised[i] / step);
    if (!is_step || !(std::fabs(quantised[i] - exact[i]) <= step * 0.5f + 0.01f)) return false;
  }
  return true;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "cosine transform by blocks of 8 x 8");
  int width = (int)arguments.multiple("width", EDGE, {64, 512, 512}, EDGE, 8192, "pixels a row");
  int height = (int)arguments.multiple("height", EDGE, {32, 512, 512}, EDGE, 8192, "rows");
  const char *path = arguments.file("image", "PGM file, in place of a generated image");
  arguments.done();

  Image image = path ? image_read(path) : image_generate(width, height, 8, arguments.seed());
  width = image.width, height = image.height;
  if (width % EDGE || height % EDGE) fail(EXIT_INPUT, "%s: edges must be multiples of 8", path);
  std::vector<float> pixels(image.pixel.begin(), image.pixel.end());
  for (float &pixel : pixels) pixel -= 128;
  float c[EDGE][EDGE];
  fill_cosines(c);
  CUDA(cudaMemcpyToSymbol(cosines, c, sizeof c));
  CUDA(cudaMemcpyToSymbol(quantum, host_quantum, sizeof host_quantum));

  DeviceArray<float> source(pixels), coefficients(pixels.size()), restored(pixels.size());
  dim3 grid(width / EDGE, height / EDGE), cta(EDGE, EDGE);
  Timer timer;
  transform<false><<<grid, cta>>>(source, coefficients, width);
  std::vector<float> exact = coefficients.get();
  quantise<<<grid, cta>>>(coefficients, width);
  transform<true><<<grid, cta>>>(coefficients, restored, width);
  timer.stop("dct8x8");

  Comparison comparison;
  comparison.near("coefficients", exact, transform_on_host(pixels, width, c, false), 1e-5, 100);
  std::vector<float> quantised = coefficients.get();
  comparison.holds("quantisation", is_quantised(quantised, exact, width));
  comparison.near("pixels", restored.get(), transform_on_host(quantised, width, c, true), 1e-5,
                  100);
  return comparison.verdict();
}
