// SPDX-License-Identifier: MIT
// Scalar products of pairs of vectors: a CTA takes every gridDim.x-th pair, makes
// 1024 partial sums in shared memory and adds them by halves. Everything is read
// once, side by side: warps are 128 bytes apart, and nothing is shared.
//
// SP in Oh et al. (compute-intensive). Scalar products of random vectors; a CTA takes several
// pairs, one after the other. At `paper`: 256 pairs of 4096 elements, 128 CTAs, the sample's
// default.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA = 256, SUMS = 1024 };

__global__ void scalar_products(float *product, const float *a, const float *b, int vectors,
                                int elements) {
  __shared__ float sum[SUMS];
  for (int v = blockIdx.x; v < vectors; v += gridDim.x) {
    int first = v * elements;
    for (int s = threadIdx.x; s < SUMS; s += CTA) {
      float part = 0;
      for (int e = first + s; e < first + elements; e += SUMS) part += a[e] * b[e];
      sum[s] = part;
    }
    for (int half = SUMS / 2; half > 0; half /= 2) {
      __syncthreads();
      for (int s = threadIdx.x; s < half; s += CTA) sum[s] += sum[s + half];
    }
    __syncthreads();
    if (threadIdx.x == 0) product[v] = sum[0];
  }
}

static std::vector<float> products_on_host(const std::vector<float> &a, const std::vector<float> &b,
                                           int vectors, int elements) {
  std::vector<float> product((size_t)vectors);
  for (size_t v = 0; v < product.size(); v++) {
    double sum = 0;
    for (size_t e = v * elements; e < (v + 1) * elements; e++) sum += (double)a[e] * b[e];
    product[v] = (float)sum;
  }
  return product;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "scalar products of pairs of vectors");
  int vectors = (int)arguments.number("vectors", {32, 256, 256}, 1, 1 << 16, "pairs of vectors");
  int elements = (int)arguments.number("elements", {1024, 4096, 4096}, 1, 1 << 14, "elements");
  int ctas = (int)arguments.number("ctas", {16, 128, 128}, 1, 1 << 16, "CTAs");
  arguments.done();
  if ((long long)vectors * elements > 1 << 28) fail(EXIT_INPUT, "too many elements in all");

  Random random(arguments.seed());
  size_t count = (size_t)vectors * elements;
  std::vector<float> a = random.floats(count, 0, 1), b = random.floats(count, 0, 1);
  DeviceArray<float> device_a(a), device_b(b), product((size_t)vectors);
  Timer timer;
  scalar_products<<<ctas, CTA>>>(product, device_a, device_b, vectors, elements);
  timer.stop("scalar_products");

  Comparison comparison;
  comparison.near("products", product.get(), products_on_host(a, b, vectors, elements), 1e-5);
  return comparison.verdict();
}
