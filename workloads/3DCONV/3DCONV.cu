// SPDX-License-Identifier: MIT
// Convolution of a volume with 3 x 3 x 3 coefficients; the outermost layer stays
// zero. One launch a plane, a thread an element. Besides its rows a CTA reads one
// more above and below and one more element left and right: lines that it shares
// with its neighbours.
//
// 3CV in Li et al. (cache-line). Convolution of a random cube of n elements per edge with 3 x 3
// x 3 coefficients; one launch per plane, one thread per element, which loads 27 neighbours
// from global memory. A CTA's halo is a row above and below and an element left and right, in
// lines of its neighbours. At `paper`: n = 256. The original reads only some of the 27
// elements, but the same lines. Li et al. attribute it to the CUDA SDK; it is part of
// Polybench.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA_X = 32, CTA_Y = 8 };

// -0.5, 1 or 0.75 from plane to plane, and nine different ones within it.
__host__ __device__ static float plane_coefficient(int di) {
  return di == 1 ? 1.0f : di == 0 ? -0.5f : 0.75f;
}
__host__ __device__ static float coefficient(int dj, int dk) {
  return 0.1f * (float)(3 * dj + dk) - 0.35f;
}

__global__ void convolve_plane(const float *a, float *b, int n, int i) {
  int k = blockIdx.x * CTA_X + threadIdx.x, j = blockIdx.y * CTA_Y + threadIdx.y;
  if (j < 1 || k < 1 || j >= n - 1 || k >= n - 1) return;
  float sum = 0;
#pragma unroll 1
  for (int di = 0; di < 3; di++) {
    const float *plane = a + ((i + di - 1) * n + j - 1) * n + k - 1;
    float inner = 0;
#pragma unroll
    for (int dj = 0; dj < 3; dj++)
#pragma unroll
      for (int dk = 0; dk < 3; dk++) inner += coefficient(dj, dk) * plane[dj * n + dk];
    sum += plane_coefficient(di) * inner;
  }
  b[(i * n + j) * n + k] = sum;
}

static float convolve_one(const std::vector<float> &a, size_t n, size_t at) {
  double sum = 0;
  for (int i = 0; i < 27; i++) {
    size_t di = i / 9, dj = i / 3 % 3, dk = i % 3;
    sum += (double)plane_coefficient((int)di) * coefficient((int)dj, (int)dk) *
           a[at + (di * n + dj) * n + dk - n * n - n - 1];
  }
  return (float)sum;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "convolution of a volume");
  int n = (int)arguments.number("n", {20, 96, 256}, 3, 1024, "edge of the volume");
  int planes = (int)arguments.number("planes", {0, 0, 0}, 0, 1024,
                                     "planes of the volume, at least 3; 0: as many as its edge");
  arguments.done();
  if (!planes) planes = n;
  if (planes < 3) fail(EXIT_INPUT, "--planes %d: a number from 3 to 1024 is wanted", planes);

  Random random(arguments.seed());
  size_t count = (size_t)planes * n * n;
  std::vector<float> a = random.floats(count, 0, 1), expected(count);
  DeviceArray<float> device_a(a), b(count);
  dim3 grid(ctas_for(n, CTA_X), ctas_for(n, CTA_Y)), cta(CTA_X, CTA_Y);
  Timer timer;
  for (int i = 1; i < planes - 1; i++) convolve_plane<<<grid, cta>>>(device_a, b, n, i);
  timer.stop("3DCONV");

  size_t edge = (size_t)n;
  for (size_t i = 1; i < (size_t)planes - 1; i++)
    for (size_t j = 1; j < edge - 1; j++)
      for (size_t k = 1; k < edge - 1; k++) {
        size_t at = (i * edge + j) * edge + k;
        expected[at] = convolve_one(a, edge, at);
      }
  Comparison comparison;
  comparison.near("B", b.get(), expected, 1e-5);
  return comparison.verdict();
}
