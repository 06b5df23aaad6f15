// SPDX-License-Identifier: MIT
// Cosine transform of an image by blocks of 8 x 8, quantisation, and the way back.
// A CTA is a block; it reads and writes rows of 32 bytes, so that four CTAs side
// by side share each line of 128.
//
// DCT in Li et al. (algorithm) and Wang et al. Forward transform, quantisation with JPEG's
// table, and inverse transform of an image, generated or a PGM file (`--image`). A CTA is a
// block of 8 x 8, two matrix products in shared memory with cosines from constant memory; a row
// of a block is a quarter of a 128-byte line. The original fetches the image through a texture;
// here it is a global load, so that it uses the L1 on every GPU. At `paper`: 512 x 512.
// `--original 1`: the two forward transforms of NVIDIA's sample instead: matrix products with
// the image in a texture, and one thread per row and column of 8 values, 8 blocks per CTA.
// test: --original 1
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/image.h"
#include "common/texture.h"
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

// The forward transforms of NVIDIA's sample. The first is `transform` with the image in
// a texture, cosines by [place][frequency], and a last step through shared memory.
__constant__ float transposed_cosines[EDGE * EDGE];

template <bool BACK>
__global__ void transform_textured(float *target, int width, cudaTextureObject_t source) {
  __shared__ float block[EDGE * EDGE], half[EDGE * EDGE];
  int tx = threadIdx.x, ty = threadIdx.y, own = ty * EDGE + tx;
  int x = blockIdx.x * EDGE + tx, y = blockIdx.y * EDGE + ty;
  block[own] = tex2D<float>(source, (float)x + 0.5f, (float)y + 0.5f);
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < EDGE; i++)
    sum += transposed_cosines[BACK ? ty * EDGE + i : i * EDGE + ty] * block[i * EDGE + tx];
  half[own] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int i = 0; i < EDGE; i++)
    sum += half[ty * EDGE + i] * transposed_cosines[BACK ? tx * EDGE + i : i * EDGE + tx];
  block[own] = sum;
  __syncthreads();
  target[y * width + x] = block[own];
}

// cos(k pi / 16) / 2: factors of an orthonormal transform of eight values.
__device__ constexpr float HALF_COSINE[] = {0.5f,        0.49039264f, 0.46193977f, 0.41573481f,
                                            0.35355339f, 0.27778512f, 0.19134172f, 0.09754516f};

// Eight values in place, `step` apart: sums and differences of mirrored places
// separate even frequencies from odd ones.
__device__ static void transform_vector(float *v, int step) {
  const float *c = HALF_COSINE;
  float sum[4], difference[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    sum[i] = v[i * step] + v[(7 - i) * step];
    difference[i] = v[i * step] - v[(7 - i) * step];
  }
  float outer = sum[0] + sum[3], inner = sum[1] + sum[2];
  float outer_change = sum[0] - sum[3], inner_change = sum[1] - sum[2];
  v[0] = c[4] * (outer + inner);
  v[4 * step] = c[4] * (outer - inner);
  v[2 * step] = c[2] * outer_change + c[6] * inner_change;
  v[6 * step] = c[6] * outer_change - c[2] * inner_change;
  float a = difference[0], b = difference[1], d = difference[2], e = difference[3];
  v[1 * step] = c[1] * a + c[3] * b + c[5] * d + c[7] * e;
  v[3 * step] = c[3] * a - c[7] * b - c[1] * d - c[5] * e;
  v[5 * step] = c[5] * a - c[1] * b + c[7] * d + c[3] * e;
  v[7 * step] = c[7] * a - c[5] * b + c[3] * d - c[1] * e;
}

// The second: 8 blocks a CTA of 64 threads, a thread a row and then a column of a block.
// Rows in shared memory are 33 long, so that columns meet no bank conflicts.
enum { FAST_WIDTH = 32, FAST_HEIGHT = 16 };

template <int FAST_ROW>
__global__ void transform_vectors(float *target, const float *source, int width) {
  __shared__ float block[FAST_HEIGHT * FAST_ROW];
  int column = threadIdx.y * EDGE + threadIdx.x, row = threadIdx.z * EDGE;
  int at = (blockIdx.y * FAST_HEIGHT + row) * width + blockIdx.x * FAST_WIDTH + column;
  float *own_column = block + row * FAST_ROW + column;
#pragma unroll
  for (int i = 0; i < EDGE; i++) own_column[i * FAST_ROW] = source[at + i * width];
  __syncthreads();
  transform_vector(block + (row + threadIdx.x) * FAST_ROW + threadIdx.y * EDGE, 1);
  __syncthreads();
  transform_vector(own_column, FAST_ROW);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < EDGE; i++) target[at + i * width] = own_column[i * FAST_ROW];
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

static int transform_as_sample(const std::vector<float> &pixels, int width, int height,
                               const float c[EDGE][EDGE]);

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "cosine transform by blocks of 8 x 8");
  int width = (int)arguments.multiple("width", EDGE, {64, 512, 512}, EDGE, 8192, "pixels a row");
  int height = (int)arguments.multiple("height", EDGE, {32, 512, 512}, EDGE, 8192, "rows");
  const char *path = arguments.file("image", "PGM file, in place of a generated image");
  bool is_original = arguments.number("original", {0, 0, 0}, 0, 1,
                                      "1: the two forward transforms of NVIDIA's sample");
  arguments.done();

  Image image = path ? image_read(path) : image_generate(width, height, 8, arguments.seed());
  width = image.width, height = image.height;
  if (width % EDGE || height % EDGE) fail(EXIT_INPUT, "%s: edges must be multiples of 8", path);
  std::vector<float> pixels(image.pixel.begin(), image.pixel.end());
  for (float &pixel : pixels) pixel -= 128;
  float c[EDGE][EDGE];
  fill_cosines(c);
  if (is_original) return transform_as_sample(pixels, width, height, c);
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

// Both transforms of the sample, of the same pixels.
static int transform_as_sample(const std::vector<float> &pixels, int width, int height,
                               const float c[EDGE][EDGE]) {
  if (width % FAST_WIDTH || height % FAST_HEIGHT)
    fail(EXIT_INPUT, "%d x %d: a multiple of 32 x 16 is wanted", width, height);
  float transposed[EDGE * EDGE];
  for (int i = 0; i < EDGE * EDGE; i++) transposed[i] = c[i % EDGE][i / EDGE];
  CUDA(cudaMemcpyToSymbol(transposed_cosines, transposed, sizeof transposed));
  Texture<float> texture(pixels, width, height);
  DeviceArray<float> source(pixels), slow(pixels.size()), fast(pixels.size());
  Timer timer;
  transform_textured<false>
      <<<dim3(width / EDGE, height / EDGE), dim3(EDGE, EDGE)>>>(slow, width, texture);
  transform_vectors<FAST_WIDTH + 1>
      <<<dim3(width / FAST_WIDTH, height / FAST_HEIGHT), dim3(EDGE, 4, 2)>>>(fast, source, width);
  timer.stop("dct8x8");
  Comparison comparison;
  std::vector<float> expected = transform_on_host(pixels, width, c, false);
  comparison.near("matrix coefficients", slow.get(), expected, 1e-5, 100);
  comparison.near("vector coefficients", fast.get(), expected, 1e-5, 100);
  return comparison.verdict();
}
