// SPDX-License-Identifier: MIT
// Removes speckles from an image by diffusion that stops at edges (Yu and Acton,
// "Speckle reducing anisotropic diffusion", 2002). A first kernel finds differences
// to the four neighbours and from them a coefficient, a second one lets the image
// flow. CTAs of 16 x 16 take half a line of each row, so that two share it, and read
// rows and columns of their neighbours.
//
// SRAD in Wang et al. and Oh et al. (cache-insensitive), Srad_v2 in Yen. Diffusion of a
// generated image, or of a PGM file (`--image`), in tiles of 16 x 16: two CTAs share each line
// of a row. How much speckle there is, the host measures before each step, as in the suite.
// Each tile of a neighbour is held as 16 x 16 words, too, though a row or a column of it is
// used. At `paper`: 2048 x 2048, two steps, the suite's default and the stride of 16384 bytes
// between warps in table I of Oh et al.; the 4 MB of Yen are `--columns 1024 --rows 1024`.
// `--original 1`: the first kernel of Rodinia's version 1 alone, one thread per element of a
// line of 512, neighbours by four lists, parts in double precision.
// test: --original 1
#include <algorithm>
#include <cmath>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/image.h"
#include "common/timer.h"

enum { EDGE = 16 };
enum { OWN, SOUTH, EAST, NORTH, WEST };  // tiles in shared memory

// How freely a point exchanges with its neighbours, 0 to 1; speckle is what an even
// surface varies by.
__host__ __device__ static float diffusion(float centre, float north, float south, float west,
                                           float east, float speckle) {
  float gradient = (north * north + south * south + west * west + east * east) / (centre * centre);
  float laplacian = (north + south + west + east) / centre;
  float below = 1.0f + 0.25f * laplacian;
  float variation = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (below * below);
  float coefficient = 1.0f / (1.0f + (variation - speckle) / (speckle * (1.0f + speckle)));
  return coefficient < 0 ? 0 : coefficient > 1 ? 1 : coefficient;
}

// Where a CTA's neighbours are; on the border of the image, where it is itself.
struct Place {
  int x, y, above, below, left, right;
};

__device__ static Place find_place(int width, int height) {
  int left = blockIdx.x * EDGE, top = blockIdx.y * EDGE;
  Place place = {left + (int)threadIdx.x,     top + (int)threadIdx.y, max(top - 1, 0),
                 min(top + EDGE, height - 1), max(left - 1, 0),       min(left + EDGE, width - 1)};
  return place;
}

__global__ void find_coefficients(const float *image, float *norths, float *souths, float *wests,
                                  float *easts, float *coefficients, int width, int height,
                                  float speckle) {
  __shared__ float tile[5][EDGE][EDGE];
  int tx = threadIdx.x, ty = threadIdx.y;
  Place place = find_place(width, height);
  int at = place.y * width + place.x;
  tile[NORTH][ty][tx] = image[place.above * width + place.x];
  tile[SOUTH][ty][tx] = image[place.below * width + place.x];
  tile[WEST][ty][tx] = image[place.y * width + place.left];
  tile[EAST][ty][tx] = image[place.y * width + place.right];
  tile[OWN][ty][tx] = image[at];
  __syncthreads();
  float centre = tile[OWN][ty][tx];
  float n = (ty == 0 ? tile[NORTH][ty][tx] : tile[OWN][ty - 1][tx]) - centre;
  float s = (ty == EDGE - 1 ? tile[SOUTH][ty][tx] : tile[OWN][ty + 1][tx]) - centre;
  float w = (tx == 0 ? tile[WEST][ty][tx] : tile[OWN][ty][tx - 1]) - centre;
  float e = (tx == EDGE - 1 ? tile[EAST][ty][tx] : tile[OWN][ty][tx + 1]) - centre;
  norths[at] = n;
  souths[at] = s;
  wests[at] = w;
  easts[at] = e;
  coefficients[at] = diffusion(centre, n, s, w, e, speckle);
}

__global__ void diffuse(float *image, const float *norths, const float *souths, const float *wests,
                        const float *easts, const float *coefficients, int width, int height,
                        float rate) {
  __shared__ float tile[3][EDGE][EDGE];
  int tx = threadIdx.x, ty = threadIdx.y;
  Place place = find_place(width, height);
  int at = place.y * width + place.x;
  tile[SOUTH][ty][tx] = coefficients[place.below * width + place.x];
  tile[EAST][ty][tx] = coefficients[place.y * width + place.right];
  tile[OWN][ty][tx] = coefficients[at];
  __syncthreads();
  float c = tile[OWN][ty][tx];
  float c_south = ty == EDGE - 1 ? tile[SOUTH][ty][tx] : tile[OWN][ty + 1][tx];
  float c_east = tx == EDGE - 1 ? tile[EAST][ty][tx] : tile[OWN][ty][tx + 1];
  float flow = c * norths[at] + c_south * souths[at] + c * wests[at] + c_east * easts[at];
  image[at] += 0.25f * rate * flow;
}

// The first kernel of Rodinia's version 1: a thread an element of a line of 512, whose
// neighbours four lists name. The constants make parts of it double precision.
enum { LIST_CTA = 512 };

__global__ void find_coefficients_listed(int width, long long count, const int *norths,
                                         const int *souths, const int *wests, const int *easts,
                                         float *north_change, float *south_change,
                                         float *west_change, float *east_change, float speckle,
                                         float *coefficients, const float *image) {
  int at = blockIdx.x * LIST_CTA + threadIdx.x;
  int x = (at + 1) % width - 1, y = (at + 1) / width;
  if ((at + 1) % width == 0) x = width - 1, y--;
  if (at >= count) return;
  float centre = image[at];
  float n = image[norths[x] + width * y] - centre, s = image[souths[x] + width * y] - centre;
  float w = image[x + width * wests[y]] - centre, e = image[x + width * easts[y]] - centre;
  float gradient = (n * n + s * s + w * w + e * e) / (centre * centre);
  float laplacian = (n + s + w + e) / centre;
  float above = (float)(0.5 * gradient - 1.0 / 16.0 * (laplacian * laplacian));
  float below = (float)(1 + 0.25 * laplacian);
  float variation = above / (below * below);
  float excess = (variation - speckle) / (speckle * (1 + speckle));
  float coefficient = (float)(1.0 / (1.0 + excess));
  north_change[at] = n;
  south_change[at] = s;
  west_change[at] = w;
  east_change[at] = e;
  coefficients[at] = coefficient < 0 ? 0 : coefficient > 1 ? 1 : coefficient;
}

// Variance over squared mean of a square in the corner, which is taken to be even.
static float measure_speckle(const std::vector<float> &image, int width, int sample) {
  double sum = 0, squares = 0, count = (double)sample * sample;
  for (int y = 0; y < sample; y++)
    for (int x = 0; x < sample; x++) {
      double value = image[(size_t)y * width + x];
      sum += value;
      squares += value * value;
    }
  double mean = sum / count;
  return (float)((squares / count - mean * mean) / (mean * mean));
}

static void step_on_host(std::vector<float> &image, int width, int height, float speckle,
                         float rate) {
  std::vector<float> difference[4], coefficients(image.size());
  for (auto &each : difference) each.resize(image.size());
  auto place = [=](int x, int y) {
    return (size_t)std::min(std::max(y, 0), height - 1) * width +
           std::min(std::max(x, 0), width - 1);
  };
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      size_t at = place(x, y);
      size_t neighbours[] = {place(x, y - 1), place(x, y + 1), place(x - 1, y), place(x + 1, y)};
      for (int i = 0; i < 4; i++) difference[i][at] = image[neighbours[i]] - image[at];
      coefficients[at] = diffusion(image[at], difference[0][at], difference[1][at],
                                   difference[2][at], difference[3][at], speckle);
    }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      size_t at = place(x, y);
      float flow = coefficients[at] * (difference[0][at] + difference[2][at]) +
                   coefficients[place(x, y + 1)] * difference[1][at] +
                   coefficients[place(x + 1, y)] * difference[3][at];
      image[at] += 0.25f * rate * flow;
    }
}

// The part of the image that whole CTAs cover, as exponentials of its grey levels.
static std::vector<float> exponentials(const Image &image, int width, int height) {
  std::vector<float> values;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      values.push_back(expf(image.pixel[(size_t)y * image.width + x] / 255.0f));
  return values;
}

// Each place's neighbour before or behind it; at an end it is its own.
static std::vector<int> neighbours(int count, int step) {
  std::vector<int> list((size_t)count);
  for (int i = 0; i < count; i++) list[i] = std::min(std::max(i + step, 0), count - 1);
  return list;
}

static int find_as_listed(const std::vector<float> &image, int width, int height, int sample) {
  float speckle = measure_speckle(image, width, sample);
  DeviceArray<float> now(image), coefficients(image.size());
  DeviceArray<float> north(image.size()), south(image.size());
  DeviceArray<float> west(image.size()), east(image.size());
  DeviceArray<int> norths(neighbours(width, -1)), souths(neighbours(width, 1));
  DeviceArray<int> wests(neighbours(height, -1)), easts(neighbours(height, 1));
  Timer timer;
  find_coefficients_listed<<<ctas_for((long long)image.size(), LIST_CTA), LIST_CTA>>>(
      width, (long long)image.size(), norths, souths, wests, easts, north, south, west, east,
      speckle, coefficients, now);
  timer.stop("srad");

  std::vector<float> expected;
  std::vector<int> n = neighbours(width, -1), s = neighbours(width, 1);
  std::vector<int> w = neighbours(height, -1), e = neighbours(height, 1);
  auto at = [&](int x, int y) { return image[(size_t)y * width + x]; };
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float centre = at(x, y);
      expected.push_back(diffusion(centre, at(n[x], y) - centre, at(s[x], y) - centre,
                                   at(x, w[y]) - centre, at(x, e[y]) - centre, speckle));
    }
  Comparison comparison;
  comparison.near("coefficients", coefficients.get(), expected, 1e-4);
  return comparison.verdict();
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "removal of speckles from an image");
  bool is_original = arguments.number("original", {0, 0, 0}, 0, 1,
                                      "1: the first kernel of Rodinia's version 1 alone");
  int unit = is_original ? 1 : EDGE;
  int columns = (int)arguments.multiple("columns", unit, {64, 512, 2048}, EDGE, 8192, "columns");
  int rows = (int)arguments.multiple("rows", unit, {48, 512, 2048}, EDGE, 8192, "rows");
  int steps = (int)arguments.number("steps", {2, 2, 2}, 1, 1000, "steps");
  int sample = (int)arguments.number("sample", {16, 128, 128}, 2, 8192, "edge of an even square");
  const char *path = arguments.file("image", "PGM file, in place of a generated image");
  arguments.done();

  const float rate = 0.5f;
  Image image = path ? image_read(path) : image_generate(columns, rows, 40, arguments.seed());
  int width = image.width / unit * unit, height = image.height / unit * unit;
  if (!width || !height) fail(EXIT_INPUT, "an image of at least 16 x 16 is wanted");
  sample = std::min(sample, std::min(width, height));
  std::vector<float> expected = exponentials(image, width, height);
  if (is_original) return find_as_listed(expected, width, height, sample);
  DeviceArray<float> now(expected), coefficients(expected.size());
  DeviceArray<float> north(expected.size()), south(expected.size());
  DeviceArray<float> west(expected.size()), east(expected.size());
  dim3 grid(width / EDGE, height / EDGE), cta(EDGE, EDGE);
  Timer timer;
  for (int i = 0; i < steps; i++) {
    float speckle = measure_speckle(now.get(), width, sample);
    if (!(speckle > 0)) fail(EXIT_INPUT, "the sample has no speckle at all");
    find_coefficients<<<grid, cta>>>(now, north, south, west, east, coefficients, width, height,
                                     speckle);
    diffuse<<<grid, cta>>>(now, north, south, west, east, coefficients, width, height, rate);
  }
  timer.stop("srad");

  for (int i = 0; i < steps; i++)
    step_on_host(expected, width, height, measure_speckle(expected, width, sample), rate);
  Comparison comparison;
  comparison.near("image", now.get(), expected, 1e-4);
  return comparison.verdict();
}
