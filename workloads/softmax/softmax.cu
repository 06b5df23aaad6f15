// SPDX-License-Identifier: MIT
// The softmax of each row of a matrix, a CTA per row: the largest element, the sum of the powers, the
// quotients; the row is read three times and stays in the L1.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/reduce.h"
#include "common/timer.h"

enum { THREADS = 128 };

__global__ void softmax(float *out, const float *in, int columns) {
  __shared__ float room[THREADS / 32];
  const float *row = in + (size_t)blockIdx.x * columns;
  float *to = out + (size_t)blockIdx.x * columns, largest = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < columns; i += THREADS) largest = fmaxf(largest, row[i]);
  largest = reduce_cta(largest, room, Larger());
  for (int i = threadIdx.x; i < columns; i += THREADS) sum += __expf(row[i] - largest);
  sum = reduce_cta(sum, room, Add());
  for (int i = threadIdx.x; i < columns; i += THREADS) to[i] = __expf(row[i] - largest) / sum;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "softmax of the rows of a matrix");
  int rows = (int)arguments.number("rows", {16, 512, 4096}, 1, 1 << 20, "rows");
  int columns = (int)arguments.number("columns", {256, 1024, 4096}, 1, 1 << 20, "columns");
  arguments.done();

  Random random(arguments.seed());
  std::vector<float> in = random.floats((size_t)rows * columns, -4, 4), wanted(in.size());
  DeviceArray<float> device_in(in), device_out(in.size());
  Timer timer;
  softmax<<<rows, THREADS>>>(device_out, device_in, columns);
  timer.stop("softmax");

  for (int r = 0; r < rows; r++) {
    const float *row = &in[(size_t)r * columns];
    double largest = row[0], sum = 0;
    for (int i = 0; i < columns; i++) largest = row[i] > largest ? row[i] : largest;
    for (int i = 0; i < columns; i++) sum += exp(row[i] - largest);
    for (int i = 0; i < columns; i++)
      wanted[(size_t)r * columns + i] = (float)(exp(row[i] - largest) / sum);
  }
  Comparison comparison;
  comparison.near("softmax", device_out.get(), wanted, 1e-4, 1e-3);
  return comparison.verdict();
}
