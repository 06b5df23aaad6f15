// SPDX-License-Identifier: MIT
// A convolutional network that reads digits, four layers, many images at once:
//
//   29 x 29 image -> 6 maps of 13 x 13 -> 50 maps of 5 x 5 -> 100 units -> 10 units
//
// A CTA computes one map or unit of one image: 13 x 13, 5 x 5 or a single thread,
// so that all but the first layer's CTAs are one warp. CTAs of the same map share
// weights, those of the same image share its pixels or maps.
// (Simard, Steinkraus and Platt, "Best practices for convolutional neural networks
// applied to visual document analysis", ICDAR 2003.)
//
// NN in Li et al. (algorithm) and Wang et al. A network of four layers on 29 x 29 images: 6
// maps of 13 x 13, 50 maps of 5 x 5, 100 units, 10 units, one CTA per map or unit of an image.
// All CTAs but the first layer's are one warp, with 25 or 1 lanes. Weights and images are
// random, so the digits are meaningless, but loads and arithmetic are the same. At `paper`: 28
// images.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum {
  IMAGE = 29,
  KERNEL = 5,
  MAPS1 = 6,
  EDGE1 = 13,
  MAPS2 = 50,
  EDGE2 = 5,
  UNITS3 = 100,
  UNITS4 = 10,
  COUNT1 = MAPS1 * EDGE1 * EDGE1,
  COUNT2 = MAPS2 * EDGE2 * EDGE2,
};

__host__ __device__ static float squash(float x) {
  return 1.7159f * tanhf(0.66666667f * x);
}

// The unit at (x, y) of a map: a bias, then 5 x 5 weights for each of the maps
// below, every second element of which has its own window.
__host__ __device__ static float convolve(const float *below, int maps, int edge,
                                          const float *weights, int x, int y) {
  float sum = weights[0];
#pragma unroll 1
  for (int map = 0; map < maps; map++)
#pragma unroll 1
    for (int i = 0; i < KERNEL; i++)
      for (int j = 0; j < KERNEL; j++)
        sum += below[(map * edge + 2 * y + i) * edge + 2 * x + j] *
               weights[1 + (map * KERNEL + i) * KERNEL + j];
  return squash(sum);
}

// A bias, then a weight for each unit below.
__host__ __device__ static float connect(const float *below, int count, const float *weights) {
  float sum = weights[0];
#pragma unroll 1
  for (int i = 0; i < count; i++) sum += below[i] * weights[1 + i];
  return squash(sum);
}

// Grids are maps or units by images.
__global__ void first_layer(const float *images, const float *weights, float *out) {
  int map = blockIdx.x, image = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  const float *own = weights + map * (1 + KERNEL * KERNEL);
  out[image * COUNT1 + (map * EDGE1 + y) * EDGE1 + x] =
      convolve(images + image * IMAGE * IMAGE, 1, IMAGE, own, x, y);
}

__global__ void second_layer(const float *below, const float *weights, float *out) {
  int map = blockIdx.x, image = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  const float *own = weights + map * (1 + MAPS1 * KERNEL * KERNEL);
  out[image * COUNT2 + (map * EDGE2 + y) * EDGE2 + x] =
      convolve(below + image * COUNT1, MAPS1, EDGE1, own, x, y);
}

__global__ void connected_layer(const float *below, int count, const float *weights, float *out) {
  int unit = blockIdx.x, image = blockIdx.y;
  out[image * gridDim.x + unit] =
      connect(below + image * count, count, weights + unit * (1 + count));
}

// All weights, layer by layer.
struct Weights {
  std::vector<float> layer[4];
};

static std::vector<float> evaluate_on_host(const float *image, const Weights &weights) {
  std::vector<float> one(COUNT1), two(COUNT2), three(UNITS3), four(UNITS4);
  for (int i = 0; i < COUNT1; i++)
    one[i] =
        convolve(image, 1, IMAGE, &weights.layer[0][i / (EDGE1 * EDGE1) * (1 + KERNEL * KERNEL)],
                 i % EDGE1, i / EDGE1 % EDGE1);
  for (int i = 0; i < COUNT2; i++)
    two[i] = convolve(one.data(), MAPS1, EDGE1,
                      &weights.layer[1][i / (EDGE2 * EDGE2) * (1 + MAPS1 * KERNEL * KERNEL)],
                      i % EDGE2, i / EDGE2 % EDGE2);
  for (int i = 0; i < UNITS3; i++)
    three[i] = connect(two.data(), COUNT2, &weights.layer[2][i * (1 + COUNT2)]);
  for (int i = 0; i < UNITS4; i++)
    four[i] = connect(three.data(), UNITS3, &weights.layer[3][i * (1 + UNITS3)]);
  return four;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "a convolutional network that reads digits");
  int images = (int)arguments.number("images", {1, 16, 28}, 1, 4096, "images");
  arguments.done();

  Random random(arguments.seed());
  std::vector<float> pixels = random.floats((size_t)images * IMAGE * IMAGE, -1, 1);
  Weights weights;
  weights.layer[0] = random.floats(MAPS1 * (1 + KERNEL * KERNEL), -0.3f, 0.3f);
  weights.layer[1] = random.floats(MAPS2 * (1 + MAPS1 * KERNEL * KERNEL), -0.1f, 0.1f);
  weights.layer[2] = random.floats(UNITS3 * (1 + COUNT2), -0.05f, 0.05f);
  weights.layer[3] = random.floats(UNITS4 * (1 + UNITS3), -0.1f, 0.1f);

  DeviceArray<float> input(pixels), weights1(weights.layer[0]), weights2(weights.layer[1]);
  DeviceArray<float> weights3(weights.layer[2]), weights4(weights.layer[3]);
  DeviceArray<float> one((size_t)images * COUNT1), two((size_t)images * COUNT2);
  DeviceArray<float> three((size_t)images * UNITS3), four((size_t)images * UNITS4);
  Timer timer;
  first_layer<<<dim3(MAPS1, images), dim3(EDGE1, EDGE1)>>>(input, weights1, one);
  second_layer<<<dim3(MAPS2, images), dim3(EDGE2, EDGE2)>>>(one, weights2, two);
  connected_layer<<<dim3(UNITS3, images), 1>>>(two, COUNT2, weights3, three);
  connected_layer<<<dim3(UNITS4, images), 1>>>(three, UNITS3, weights4, four);
  timer.stop("nn");

  std::vector<float> expected;
  for (int i = 0; i < images; i++) {
    std::vector<float> units = evaluate_on_host(&pixels[(size_t)i * IMAGE * IMAGE], weights);
    expected.insert(expected.end(), units.begin(), units.end());
  }
  Comparison comparison;
  comparison.near("units", four.get(), expected, 1e-4);
  return comparison.verdict();
}
