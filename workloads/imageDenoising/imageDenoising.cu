// SPDX-License-Identifier: MIT
// Non-local means: a pixel becomes a mean of those around it, each weighted by
// how alike their neighbourhoods are (Buades, Coll and Morel, "A non-local
// algorithm for image denoising", CVPR 2005). Windows and neighbourhoods are 7 x 7,
// CTAs 8 x 8: what a CTA reads is four times as wide as what it writes, and its
// neighbours read most of it, too.
//
// IMD in Li et al. (algorithm). Non-local means with 7 x 7 windows and 7 x 7 neighbourhoods on
// packed colours, 4851 loads per pixel. The image is generated, with noise; `--image` reads a
// PGM file for the red channel. The original fetches through a texture; here they are global
// loads. NVIDIA's compilers unroll more, hence twice the registers. At `paper`: 320 x 408.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/image.h"
#include "common/timer.h"

enum { CTA = 8, RADIUS = 3 };

// Colours are packed: red in the lowest byte.
__host__ __device__ static float channel(unsigned pixel, int index) {
  return (float)(pixel >> (8 * index) & 255) * (1.0f / 255);
}

__host__ __device__ static float distance(unsigned a, unsigned b) {
  float red = channel(a, 0) - channel(b, 0), green = channel(a, 1) - channel(b, 1);
  float blue = channel(a, 2) - channel(b, 2);
  return red * red + green * green + blue * blue;
}

__host__ __device__ static unsigned pixel_at(const unsigned *image, int width, int height, int x,
                                             int y) {
  x = x < 0 ? 0 : x >= width ? width - 1 : x;
  y = y < 0 ? 0 : y >= height ? height - 1 : y;
  return image[y * width + x];
}

// The new colour of (x, y), with its weights' sum in w.
__host__ __device__ static float4 denoise(const unsigned *image, int width, int height, int x,
                                          int y, float strength) {
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = -RADIUS; i <= RADIUS; i++)
    for (int j = -RADIUS; j <= RADIUS; j++) {
      float difference = 0;
      for (int n = -RADIUS; n <= RADIUS; n++)
        for (int m = -RADIUS; m <= RADIUS; m++)
          difference += distance(pixel_at(image, width, height, x + j + m, y + i + n),
                                 pixel_at(image, width, height, x + m, y + n));
      float weight = expf(-(difference * strength + (float)(i * i + j * j) * (1.0f / 49)));
      unsigned pixel = pixel_at(image, width, height, x + j, y + i);
      sum.x += channel(pixel, 0) * weight;
      sum.y += channel(pixel, 1) * weight;
      sum.z += channel(pixel, 2) * weight;
      sum.w += weight;
    }
  return make_float4(sum.x / sum.w, sum.y / sum.w, sum.z / sum.w, sum.w);
}

__global__ void non_local_means(const unsigned *image, float4 *out, int width, int height,
                                float strength) {
  int x = blockIdx.x * CTA + threadIdx.x, y = blockIdx.y * CTA + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = denoise(image, width, height, x, y, strength);
}

// Three grey images make one in colour.
static std::vector<unsigned> make_colours(const Image &image, uint64_t seed) {
  Image green = image_generate(image.width, image.height, 24, seed + 1);
  Image blue = image_generate(image.width, image.height, 24, seed + 2);
  std::vector<unsigned> pixels(image.pixel.size());
  for (size_t i = 0; i < pixels.size(); i++)
    pixels[i] = image.pixel[i] | (unsigned)green.pixel[i] << 8 | (unsigned)blue.pixel[i] << 16;
  return pixels;
}

static std::vector<float> channels(const std::vector<float4> &colours) {
  std::vector<float> values;
  for (const float4 &c : colours) values.insert(values.end(), {c.x, c.y, c.z});
  return values;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "non-local means");
  int width = (int)arguments.number("width", {16, 96, 320}, 1, 8192, "columns of pixels");
  int height = (int)arguments.number("height", {8, 80, 408}, 1, 8192, "rows of pixels");
  const char *path = arguments.file("image", "PGM file, in place of a generated image");
  arguments.done();

  const float strength = 1 / (0.32f * 0.32f);
  Image image = path ? image_read(path) : image_generate(width, height, 24, arguments.seed());
  width = image.width, height = image.height;
  std::vector<unsigned> pixels = make_colours(image, arguments.seed());
  DeviceArray<unsigned> device_pixels(pixels);
  DeviceArray<float4> out(pixels.size());
  Timer timer;
  non_local_means<<<dim3(ctas_for(width, CTA), ctas_for(height, CTA)), dim3(CTA, CTA)>>>(
      device_pixels, out, width, height, strength);
  timer.stop("imageDenoising");

  std::vector<float4> expected(pixels.size());
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      expected[(size_t)y * width + x] = denoise(pixels.data(), width, height, x, y, strength);
  Comparison comparison;
  comparison.near("image", channels(out.get()), channels(expected), 1e-4);
  return comparison.verdict();
}
