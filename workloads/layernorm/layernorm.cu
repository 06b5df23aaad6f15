// SPDX-License-Identifier: MIT
// Layer normalisation of each row of a matrix, a CTA per row: mean, variance, then (x - mean) / deviation,
// times a weight, plus a bias.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/reduce.h"
#include "common/timer.h"

enum { THREADS = 128 };

__global__ void layernorm(float *out, const float *in, const float *weight, const float *bias,
                          int columns) {
  __shared__ float room[THREADS / 32];
  const float *row = in + (size_t)blockIdx.x * columns;
  float *to = out + (size_t)blockIdx.x * columns, sum = 0, squares = 0;
  for (int i = threadIdx.x; i < columns; i += THREADS) sum += row[i];
  float mean = reduce_cta(sum, room, Add()) / columns;
  for (int i = threadIdx.x; i < columns; i += THREADS) squares += (row[i] - mean) * (row[i] - mean);
  float scale = rsqrtf(reduce_cta(squares, room, Add()) / columns + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += THREADS)
    to[i] = (row[i] - mean) * scale * weight[i] + bias[i];
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "layer normalisation of the rows of a matrix");
  int rows = (int)arguments.number("rows", {16, 512, 4096}, 1, 1 << 20, "rows");
  int columns = (int)arguments.number("columns", {256, 1024, 4096}, 1, 1 << 20, "columns");
  arguments.done();

  Random random(arguments.seed());
  std::vector<float> in = random.floats((size_t)rows * columns, -2, 3), wanted(in.size());
  std::vector<float> weight = random.floats(columns, 0, 2), bias = random.floats(columns, -1, 1);
  DeviceArray<float> device_in(in), device_weight(weight), device_bias(bias), device_out(in.size());
  Timer timer;
  layernorm<<<rows, THREADS>>>(device_out, device_in, device_weight, device_bias, columns);
  timer.stop("layernorm");

  for (int r = 0; r < rows; r++) {
    const float *row = &in[(size_t)r * columns];
    double mean = 0, variance = 0;
    for (int i = 0; i < columns; i++) mean += row[i] / (double)columns;
    for (int i = 0; i < columns; i++) variance += (row[i] - mean) * (row[i] - mean) / columns;
    for (int i = 0; i < columns; i++)
      wanted[(size_t)r * columns + i] =
          (float)((row[i] - mean) / sqrt(variance + 1e-5) * weight[i] + bias[i]);
  }
  Comparison comparison;
  comparison.near("layernorm", device_out.get(), wanted, 1e-4);
  return comparison.verdict();
}
