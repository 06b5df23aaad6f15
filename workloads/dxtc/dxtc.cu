// SPDX-License-Identifier: MIT
// Compression of an image to DXT1: of each block of 4 x 4 pixels two colours of 16
// bits, and for each pixel one of four between them. A CTA has a block. It orders
// the colours along their principal axis; its 64 threads try all ways to cut that
// order into four groups, or three, and of each way find the two colours that fit
// best. Every pixel is read once.
//
// DXT in Li et al. (streaming). Blocks of 4 x 4 pixels to 64 bits: all 969 + 153 ways to cut 16
// ordered colours into four or three groups, for each the best two colours. A colour image made
// of three generated grey ones, laid out block by block, as in the sample. Several codes can be
// equally good, so the errors of the decoded blocks are compared, to a unit of squared grey
// levels. The list of cuts is the one thing that CTAs share, 4 KB. Fermi allows no more than 63
// registers per thread: Heddle takes the estimate for 63 there, without the accesses to local
// memory that a compiler would make of the rest. At `paper`: 512 x 512, the sample's image.
#include <algorithm>
#include <cfloat>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/image.h"
#include "common/timer.h"

enum {
  PIXELS = 16,
  THREADS = 64,
  CUTS4 = 969,  // into at most four groups: 19 over 3
  CUTS3 = 153,  // into three: 18 over 2
  ROOM3 = 160,
};

// Each 0 to 255. Sums of products are written as fused ones, or are exact: host and
// device then agree to the bit, and a rounding to 5 or 6 bits falls no other way.
struct Colour {
  float r, g, b;
};

__host__ __device__ static Colour operator+(Colour a, Colour b) {
  return {a.r + b.r, a.g + b.g, a.b + b.b};
}
__host__ __device__ static Colour operator-(Colour a, Colour b) {
  return {a.r - b.r, a.g - b.g, a.b - b.b};
}
__host__ __device__ static Colour operator*(float k, Colour a) {
  return {k * a.r, k * a.g, k * a.b};
}
__host__ __device__ static float dot(Colour a, Colour b) {
  return fmaf(a.r, b.r, fmaf(a.g, b.g, a.b * b.b));
}

// Red in the lowest byte.
__host__ __device__ static Colour unpack_pixel(unsigned pixel) {
  return {(float)(pixel & 255), (float)(pixel >> 8 & 255), (float)(pixel >> 16 & 255)};
}

__host__ __device__ static unsigned nearest(float value, float most) {
  return (unsigned)rintf(fminf(fmaxf(value, 0.0f), 255.0f) * (most / 255));
}
__host__ __device__ static unsigned pack_565(Colour colour) {
  return nearest(colour.r, 31) << 11 | nearest(colour.g, 63) << 5 | nearest(colour.b, 31);
}
__host__ __device__ static Colour unpack_565(unsigned packed) {
  return {(float)(packed >> 11) * (255.0f / 31), (float)(packed >> 5 & 63) * (255.0f / 63),
          (float)(packed & 31) * (255.0f / 31)};
}

// How many parts of the second colour there are in a pixel of this code, two bits: 0 is
// the first colour, 1 the second, 2 and 3 lie between; of three groups, 2 is the middle.
__host__ __device__ static float whole(bool of_three) {
  return of_three ? 2 : 3;
}
__host__ __device__ static float share_of_second(unsigned code, bool of_three) {
  return code < 2 ? (float)code * whole(of_three) : (float)(code - 1);
}

// A way to code the block.
struct Fit {
  unsigned first, second;  // 5, 6, 5 bits
  unsigned codes;          // two bits a pixel, in the order along the axis
  float error;             // but for the sum of the colours' squares
};

// The two colours that suit a cut best, by least squares.
__host__ __device__ static Fit fit_cut(const Colour *colours, unsigned codes, bool of_three) {
  float first2 = 0, second2 = 0, both = 0;
  Colour first_sum = {0, 0, 0}, second_sum = {0, 0, 0};
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    float second = share_of_second(codes >> 2 * i & 3, of_three);
    float first = whole(of_three) - second;
    first2 += first * first;
    second2 += second * second;
    both += first * second;
    first_sum = first_sum + first * colours[i];
    second_sum = second_sum + second * colours[i];
  }
  Fit fit = {0, 0, codes, FLT_MAX};
  float determinant = first2 * second2 - both * both;
  if (determinant < 1) return fit;  // one group only
  float scale = whole(of_three) / determinant, part = 1.0f / whole(of_three);
  fit.first = pack_565(scale * (second2 * first_sum - both * second_sum));
  fit.second = pack_565(scale * (first2 * second_sum - both * first_sum));
  Colour a = unpack_565(fit.first), b = unpack_565(fit.second);
  float squares = fmaf(first2, dot(a, a), fmaf(second2, dot(b, b), 2.0f * both * dot(a, b)));
  float products = dot(a, first_sum) + dot(b, second_sum);
  fit.error = part * fmaf(part, squares, -2.0f * products);
  return fit;
}

// What a colour, less the mean, adds to the covariance.
__host__ __device__ static void find_products(Colour d, float *products) {
  products[0] = d.r * d.r;
  products[1] = d.r * d.g;
  products[2] = d.r * d.b;
  products[3] = d.g * d.g;
  products[4] = d.g * d.b;
  products[5] = d.b * d.b;
}

// The eigenvector of the largest eigenvalue of a symmetric matrix, by iteration.
__host__ __device__ static Colour principal_axis(const float *m) {
  Colour axis = {1, 1, 1};
  for (int i = 0; i < 8; i++) {
    axis = {dot({m[0], m[1], m[2]}, axis), dot({m[1], m[3], m[4]}, axis),
            dot({m[2], m[4], m[5]}, axis)};
    float largest = fmaxf(fmaxf(fabsf(axis.r), fabsf(axis.g)), fabsf(axis.b));
    if (largest < 1e-9f) return {1, 1, 1};
    axis = (1.0f / largest) * axis;
  }
  return axis;
}

// What the decoder reads: the two colours, and the codes in the order of the pixels.
// The first colour is the larger number where there are four groups, not so where
// there are three.
__host__ __device__ static uint2 pack_block(const Fit &fit, const int *order, bool of_three) {
  unsigned first = fit.first, second = fit.second, codes = fit.codes, in_order = 0;
  if (first == second) codes = 0;
  if (of_three ? first > second : first < second) {
    first = fit.second;
    second = fit.first;
    codes ^= of_three ? ~codes >> 1 & 0x55555555u : 0x55555555u;
  }
  for (int i = 0; i < PIXELS; i++) in_order |= (codes >> 2 * i & 3) << 2 * order[i];
  return make_uint2(first | second << 16, in_order);
}

// Sums of 16 by the first 16 threads; every 6 floats, or 3, are an element.
__device__ static void add_up(float *elements, int size, int t) {
  for (int half = PIXELS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      for (int i = 0; i < size; i++) elements[t * size + i] += elements[(t + half) * size + i];
  }
  __syncthreads();
}

// Orders the pixels' colours along their principal axis: order[i] is the pixel that
// is at i.
__device__ static void sort_colours(unsigned pixel, Colour *sorted, int *order, int t) {
  __shared__ Colour sums[PIXELS];
  __shared__ float covariance[PIXELS * 6], along[PIXELS];
  Colour colour = unpack_pixel(pixel);
  if (t < PIXELS) sums[t] = colour;
  add_up(&sums[0].r, 3, t);
  if (t < PIXELS) find_products(colour - (1.0f / PIXELS) * sums[0], &covariance[t * 6]);
  add_up(covariance, 6, t);
  if (t < PIXELS) along[t] = dot(colour, principal_axis(covariance));
  __syncthreads();
  if (t < PIXELS) {
    int rank = 0;
    for (int i = 0; i < PIXELS; i++) rank += along[i] < along[t] || (along[i] == along[t] && i < t);
    sorted[rank] = colour;
    order[rank] = t;
  }
  __syncthreads();
}

// The thread whose fit is the best one, for all threads.
__device__ static int find_best_thread(float error, int t) {
  __shared__ float errors[THREADS];
  __shared__ int threads[THREADS];
  errors[t] = error;
  threads[t] = t;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half && errors[t + half] < errors[t]) {
      errors[t] = errors[t + half];
      threads[t] = threads[t + half];
    }
  }
  __syncthreads();
  return threads[0];
}

// Pixels lie block by block.
__global__ void compress(const unsigned *pixels, const unsigned *cuts4, const unsigned *cuts3,
                         uint2 *blocks) {
  __shared__ Colour colours[PIXELS];
  __shared__ int order[PIXELS];
  __shared__ unsigned own_cuts3[ROOM3];
  int t = threadIdx.x;
  for (int i = t; i < CUTS3; i += THREADS) own_cuts3[i] = cuts3[i];
  unsigned pixel = t < PIXELS ? pixels[blockIdx.x * PIXELS + t] : 0;
  sort_colours(pixel, colours, order, t);
  Fit best = {0, 0, 0, FLT_MAX};
  bool of_three = false;
  for (int i = t; i < CUTS4; i += THREADS) {
    Fit fit = fit_cut(colours, cuts4[i], false);
    if (fit.error < best.error) best = fit;
  }
  for (int i = t; i < CUTS3; i += THREADS) {
    Fit fit = fit_cut(colours, own_cuts3[i], true);
    if (fit.error >= best.error) continue;
    best = fit;
    of_three = true;
  }
  if (find_best_thread(best.error, t) == t) blocks[blockIdx.x] = pack_block(best, order, of_three);
}

// All ways to cut 16 pixels into groups, some of them empty, as codes.
static std::vector<unsigned> make_cuts(bool of_three) {
  static const unsigned codes4[] = {0, 2, 3, 1}, codes3[] = {0, 2, 1, 1};
  const unsigned *codes = of_three ? codes3 : codes4;
  std::vector<unsigned> cuts;
  for (int i = 0; i <= PIXELS; i++)
    for (int j = i; j <= PIXELS; j++)
      for (int k = of_three ? PIXELS : j; k <= PIXELS; k++) {
        unsigned cut = 0;
        for (int p = 0; p < PIXELS; p++) cut |= codes[(p >= i) + (p >= j) + (p >= k)] << 2 * p;
        cuts.push_back(cut);
      }
  return cuts;
}

// The order of the colours along their axis; sums by halves, as on the device.
static void sort_on_host(const Colour *colours, int *order) {
  Colour sum = {0, 0, 0};
  float covariance[PIXELS][6], along[PIXELS];
  for (int i = 0; i < PIXELS; i++) sum = sum + colours[i];
  for (int i = 0; i < PIXELS; i++) find_products(colours[i] - (1.0f / PIXELS) * sum, covariance[i]);
  for (int half = PIXELS / 2; half > 0; half /= 2)
    for (int i = 0; i < half * 6; i++) covariance[i / 6][i % 6] += covariance[i / 6 + half][i % 6];
  Colour axis = principal_axis(covariance[0]);
  for (int i = 0; i < PIXELS; i++) along[i] = dot(colours[i], axis), order[i] = i;
  std::stable_sort(order, order + PIXELS, [&](int a, int b) { return along[a] < along[b]; });
}

static uint2 compress_on_host(const unsigned *pixels, const std::vector<unsigned> *cuts) {
  Colour colours[PIXELS], sorted[PIXELS];
  int order[PIXELS];
  for (int i = 0; i < PIXELS; i++) colours[i] = unpack_pixel(pixels[i]);
  sort_on_host(colours, order);
  for (int i = 0; i < PIXELS; i++) sorted[i] = colours[order[i]];
  Fit best = {0, 0, 0, FLT_MAX};
  bool best_of_three = false;
  for (int of_three = 0; of_three < 2; of_three++)
    for (unsigned codes : cuts[of_three]) {
      Fit fit = fit_cut(sorted, codes, of_three);
      if (fit.error < best.error) best = fit, best_of_three = of_three;
    }
  return pack_block(best, order, best_of_three);
}

// Decodes a block: the sum of squared differences to its pixels.
static float error_of(uint2 block, const unsigned *pixels) {
  unsigned first = block.x & 65535, second = block.x >> 16;
  Colour a = unpack_565(first), b = unpack_565(second);
  float error = 0;
  for (int i = 0; i < PIXELS; i++) {
    unsigned code = block.y >> 2 * i & 3;
    bool of_three = first <= second;
    float share = share_of_second(code, of_three) / whole(of_three);
    Colour decoded = of_three && code == 3 ? Colour{0, 0, 0} : (1 - share) * a + share * b;
    Colour difference = decoded - unpack_pixel(pixels[i]);
    error += dot(difference, difference);
  }
  return error;
}

// Block by block; the colours are three grey images.
static std::vector<unsigned> make_pixels(int width, int height, uint64_t seed) {
  std::vector<unsigned> pixels((size_t)width * height);
  for (int channel = 0; channel < 3; channel++) {
    Image image = image_generate(width, height, 8 + 8 * channel, 3 * seed + (uint64_t)channel);
    for (size_t i = 0; i < pixels.size(); i++) {
      size_t block = i / PIXELS, x = block % (width / 4) * 4 + i % 4;
      size_t y = block / (width / 4) * 4 + i / 4 % 4;
      pixels[i] |= (unsigned)image.pixel[y * width + x] << 8 * channel;
    }
  }
  return pixels;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "compression of an image to DXT1");
  int width = (int)arguments.multiple("width", 4, {16, 96, 512}, 4, 8192, "pixels a row");
  int height = (int)arguments.multiple("height", 4, {16, 96, 512}, 4, 8192, "rows");
  arguments.done();

  std::vector<unsigned> pixels = make_pixels(width, height, arguments.seed());
  std::vector<unsigned> cuts[2] = {make_cuts(false), make_cuts(true)};
  unsigned count = (unsigned)(pixels.size() / PIXELS);
  DeviceArray<unsigned> device_pixels(pixels), cuts4(cuts[0]), cuts3(cuts[1]);
  DeviceArray<uint2> blocks(count);
  Timer timer;
  compress<<<count, THREADS>>>(device_pixels, cuts4, cuts3, blocks);
  timer.stop("dxtc");

  // Two codings may be equally good to within a unit, at which sums of a few millions are
  // rounded, so it is their errors that are compared.
  std::vector<uint2> got = blocks.get();
  std::vector<float> errors, expected;
  for (size_t i = 0; i < count; i++) {
    errors.push_back(error_of(got[i], &pixels[i * PIXELS]));
    expected.push_back(error_of(compress_on_host(&pixels[i * PIXELS], cuts), &pixels[i * PIXELS]));
  }
  Comparison comparison;
  comparison.near("errors", errors, expected, 1e-4, 1e4);
  return comparison.verdict();
}
