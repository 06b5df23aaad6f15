// SPDX-License-Identifier: MIT
// k-means: assigns each point to its nearest centre on the device, moves the
// centres on the host, a fixed number of times.
//
// Points come as they are read from a file, features of one point side by side.
// A first kernel brings them into the order that warps like: a warp's load
// touches 32 lines, 4 * features bytes apart, and comes back to each of them for
// 32 features. The second kernel reads features side by side, and the centres,
// which all CTAs share.
//
// KMN in Li et al. (algorithm), KM in Oh et al. (cache-sensitive). The first kernel transposes
// [point][feature] to [feature][point]: a warp's load touches 32 lines, with a stride between
// warps of 4352 bytes for 34 features, and reuses them for 32 features. The second finds the
// nearest centre; every CTA reads all centres. The host updates the centres. Points are random;
// the original's are from a network log. The second kernel reads features and centres from
// global memory; the original has features in a linear texture and centres in constant memory
// (`--textures 1`). The assignment is compared exactly: host and device fuse the same
// operations. At `paper`: 494020 points, 34 features, 5 clusters; 20 iterations, where the
// original iterates until few points move.
// `--original 1`: textures, a square grid, and loops that the compiler unrolls.
// test: --textures 1
// test: --original 1
#include <algorithm>
#include <cfloat>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/texture.h"
#include "common/timer.h"

enum { CTA = 256 };

// [point][feature] into [feature][point].
__global__ void invert_mapping(const float *input, float *output, int points, int features) {
  int point = blockIdx.x * CTA + threadIdx.x;
  if (point >= points) return;
#pragma unroll 1
  for (int f = 0; f < features; f++) output[f * points + point] = input[point * features + f];
}

__global__ void assign_points(const float *input, const float *centres, int *membership, int points,
                              int features, int clusters) {
  int point = blockIdx.x * CTA + threadIdx.x;
  if (point >= points) return;
  int nearest = -1;
  float least = FLT_MAX;
#pragma unroll 1
  for (int c = 0; c < clusters; c++) {
    float distance = 0;
#pragma unroll 1
    for (int f = 0; f < features; f++) {
      float difference = input[f * points + point] - centres[c * features + f];
      distance = fmaf(difference, difference, distance);
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  membership[point] = nearest;
}

// As in the original: features through a texture, centres from constant memory.
enum { CONSTANT_WORDS = 16 * 1024 };
__constant__ float constant_centres[CONSTANT_WORDS];

__global__ void assign_points_textured(cudaTextureObject_t input, int *membership, int points,
                                       int features, int clusters) {
  int point = blockIdx.x * CTA + threadIdx.x;
  if (point >= points) return;
  int nearest = -1;
  float least = FLT_MAX;
#pragma unroll 1
  for (int c = 0; c < clusters; c++) {
    float distance = 0;
#pragma unroll 1
    for (int f = 0; f < features; f++) {
      float difference =
          tex1Dfetch<float>(input, f * points + point) - constant_centres[c * features + f];
      distance = fmaf(difference, difference, distance);
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  membership[point] = nearest;
}

// Rodinia's, too, is left to the compiler to unroll, and its grid is a square.
__global__ void assign_points_original(int features, int points, int clusters, int *membership,
                                       cudaTextureObject_t input) {
  unsigned point = (gridDim.x * blockIdx.y + blockIdx.x) * blockDim.x + threadIdx.x;
  int nearest = -1;
  if (point < points) {
    float least = FLT_MAX;
    for (int c = 0; c < clusters; c++) {
      float distance = 0;
      for (int f = 0; f < features; f++) {
        float difference =
            tex1Dfetch<float>(input, point + f * points) - constant_centres[c * features + f];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        nearest = c;
      }
    }
    membership[point] = nearest;
  }
}

// The mean of each cluster's points; a centre without points stays.
static void move_centres(std::vector<float> *centres, const std::vector<float> &input,
                         const std::vector<int> &membership, int features) {
  size_t clusters = centres->size() / features;
  std::vector<double> sum(centres->size());
  std::vector<int> members(clusters);
  for (size_t p = 0; p < membership.size(); p++) {
    if ((size_t)membership[p] >= clusters) continue;  // wrong, and found so later
    members[membership[p]]++;
    for (int f = 0; f < features; f++)
      sum[(size_t)membership[p] * features + f] += input[p * features + f];
  }
  for (size_t i = 0; i < sum.size(); i++)
    if (members[i / features]) (*centres)[i] = (float)(sum[i] / members[i / features]);
}

static std::vector<int> assign_on_host(const std::vector<float> &input,
                                       const std::vector<float> &centres, int features) {
  std::vector<int> membership(input.size() / features);
  for (size_t p = 0; p < membership.size(); p++) {
    float least = FLT_MAX;
    for (size_t c = 0; c < centres.size() / features; c++) {
      float distance = 0;
      for (int f = 0; f < features; f++) {
        float difference = input[p * features + f] - centres[c * features + f];
        distance = fmaf(difference, difference, distance);
      }
      if (distance < least) least = distance, membership[p] = (int)c;
    }
  }
  return membership;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "k-means clustering");
  int points = (int)arguments.number("points", {1024, 32768, 494020}, 1, 1 << 24, "points");
  int features = (int)arguments.number("features", {34, 34, 34}, 1, 256, "features of a point");
  int clusters = (int)arguments.number("clusters", {5, 5, 5}, 1, 1024, "clusters");
  int rounds = (int)arguments.number("rounds", {2, 1, 20}, 1, 1000, "times the centres move");
  bool is_textured = arguments.number("textures", {0, 0, 0}, 0, 1,
                                      "1: features in a texture, centres in constant memory");
  bool is_original =
      arguments.number("original", {0, 0, 0}, 0, 1, "1: textures, and a square grid as in Rodinia");
  arguments.done();
  is_textured |= is_original;
  // A texture of linear memory has at most 2^27 texels.
  if ((long long)points * features > 1 << (is_textured ? 27 : 29))
    fail(EXIT_INPUT, "too many features in all");
  if (is_textured && clusters * features > CONSTANT_WORDS)
    fail(EXIT_INPUT, "the centres do not fit into constant memory: %d numbers, %d fit",
         clusters * features, CONSTANT_WORDS);

  Random random(arguments.seed());
  std::vector<float> input = random.floats((size_t)points * features, 0, 1);
  std::vector<float> centres((size_t)clusters * features);
  for (size_t i = 0; i < centres.size(); i++) centres[i] = input[i % input.size()];
  std::vector<float> host_centres = centres;

  DeviceArray<float> device_input(input), inverted(input.size()), device_centres(centres);
  DeviceArray<int> membership((size_t)points);
  LinearTexture<float> texture(inverted, is_textured ? inverted.count() : 1);
  unsigned ctas = ctas_for(points, CTA), edge = (unsigned)std::ceil(std::sqrt((double)ctas));
  Timer timer;
  invert_mapping<<<ctas, CTA>>>(device_input, inverted, points, features);
  for (int round = 0; round < rounds; round++) {
    if (is_textured) {
      CUDA(cudaMemcpyToSymbol(constant_centres, centres.data(), centres.size() * sizeof(float)));
      if (is_original)
        assign_points_original<<<dim3(edge, edge), CTA>>>(features, points, clusters, membership,
                                                          texture);
      else
        assign_points_textured<<<ctas, CTA>>>(texture, membership, points, features, clusters);
    } else {
      device_centres.set(centres);
      assign_points<<<ctas, CTA>>>(inverted, device_centres, membership, points, features,
                                   clusters);
    }
    move_centres(&centres, input, membership.get(), features);
  }
  timer.stop("kmeans");

  std::vector<int> host_membership;
  for (int round = 0; round < rounds; round++) {
    host_membership = assign_on_host(input, host_centres, features);
    move_centres(&host_centres, input, host_membership, features);
  }
  Comparison comparison;
  comparison.exact("membership", membership.get(), host_membership);
  return comparison.verdict();
}
