// SPDX-License-Identifier: MIT
// The wide layer of a perceptron with one hidden layer of 16 units, there and
// back. A CTA stands for 16 inputs and the 16 hidden units, a thread for a weight
// between them. Weights have a row for each input and one for the bias; a row has a
// column for each hidden unit and one that is not used, so that rows are 17 long
// and CTAs share lines at their borders.
//
// BKP in Li et al. (algorithm), BP in Wang et al. and Oh et al. (cache-insensitive). Forward
// and backward pass of a layer with many random inputs and 16 hidden units; a CTA computes 16
// inputs by 16 units. The forward kernel multiplies in shared memory and reduces by halves; the
// backward kernel updates weights, with momentum. Rows of weights have 17 elements, so that
// CTAs share lines. The layers after the hidden one (a few hundred operations on the host) are
// omitted: the deltas are random. Shared memory is 1024 bytes of products and 64 of inputs; the
// paper counts 1092. At `paper`: 65536 inputs.
// `--original 1`: Rodinia's kernels, with strides from the special function units, products
// stored over the weights, and values loaded again after each store.
// test: --original 1
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { EDGE = 16, HIDDEN = EDGE, ROW = HIDDEN + 1 };

const float RATE = 0.3f, MOMENTUM = 0.3f;

// Products of inputs and weights, added up over the CTA's 16 inputs by halves.
// input[0] and row 0 of the weights are the bias'.
__global__ void layer_forward(const float *input, float *weights, float *partial_sums) {
  __shared__ float own_input[EDGE], product[EDGE][EDGE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * EDGE + ty + 1, index = row * ROW + tx + 1;
  if (tx == 0) own_input[ty] = input[row];
  __syncthreads();
  product[ty][tx] = weights[index];
  __syncthreads();
  product[ty][tx] *= own_input[ty];
  __syncthreads();
  for (int step = 2; step <= EDGE; step *= 2) {
    if (ty % step == 0) product[ty][tx] += product[ty + step / 2][tx];
    __syncthreads();
  }
  if (tx == 0) partial_sums[blockIdx.y * HIDDEN + ty] = product[0][ty];
}

__global__ void adjust_weights(const float *delta, const float *input, float *weights,
                               float *old_change) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * EDGE + ty + 1, index = row * ROW + tx + 1;
  float change = RATE * delta[tx + 1] * input[row] + MOMENTUM * old_change[index];
  weights[index] += change;
  old_change[index] = change;
  __syncthreads();
  if (ty == 0 && blockIdx.y == 0) {
    change = RATE * delta[tx + 1] + MOMENTUM * old_change[tx + 1];
    weights[tx + 1] += change;
    old_change[tx + 1] = change;
  }
}

// Rodinia's: the number of halvings and their strides come from the special function
// units, products go back over the weights, and the width is an argument.
__global__ void layer_forward_original(const float *input, float *weights, float *partial_sums,
                                       int hidden) {
  __shared__ float own_input[EDGE], product[EDGE][EDGE];
  int tx = threadIdx.x, ty = threadIdx.y, row = EDGE * blockIdx.y + ty + 1;
  int index = row * (hidden + 1) + tx + 1;
  // clang 14 keeps products in registers over barriers unless their address is known.
  asm volatile("" ::"l"(product) : "memory");
  if (tx == 0) own_input[ty] = input[row];
  __syncthreads();
  product[ty][tx] = weights[index];
  __syncthreads();
  product[ty][tx] = product[ty][tx] * own_input[ty];
  __syncthreads();
  for (int i = 1; i <= __log2f(EDGE); i++) {
    int step = (int)__powf(2, i);
    if (ty % step == 0) product[ty][tx] = product[ty][tx] + product[ty + step / 2][tx];
    __syncthreads();
  }
  weights[index] = product[ty][tx];
  __syncthreads();
  if (tx == 0) partial_sums[blockIdx.y * hidden + ty] = product[tx][ty];
}

// The same in double precision, as Rodinia's factors are, and stores may overlap with what the
// next statement reads: it loads again.
__global__ void adjust_weights_original(float *delta, int hidden, float *input, float *weights,
                                        float *old_change) {
  const double rate = 0.3, momentum = 0.3;
  int tx = threadIdx.x, ty = threadIdx.y, row = EDGE * blockIdx.y + ty + 1;
  int index = row * (hidden + 1) + tx + 1, column = tx + 1;
  weights[index] += rate * delta[column] * input[row] + momentum * old_change[index];
  old_change[index] = rate * delta[column] * input[row] + momentum * old_change[index];
  __syncthreads();
  if (ty == 0 && blockIdx.y == 0) {
    weights[column] += rate * delta[column] + momentum * old_change[column];
    old_change[column] = rate * delta[column] + momentum * old_change[column];
  }
}

static std::vector<float> forward_on_host(const std::vector<float> &input,
                                          const std::vector<float> &weights) {
  std::vector<float> sums(input.size() - 1);
  for (size_t i = 0; i < sums.size(); i++) {
    double sum = 0;
    for (size_t row = i / EDGE * EDGE + 1; row <= i / EDGE * EDGE + EDGE; row++)
      sum += (double)input[row] * weights[row * ROW + i % HIDDEN + 1];
    sums[i] = (float)sum;
  }
  return sums;
}

static void adjust_on_host(const std::vector<float> &delta, const std::vector<float> &input,
                           std::vector<float> *weights, std::vector<float> *old_change) {
  for (size_t i = 0; i < weights->size(); i++) {
    if (i % ROW == 0) continue;
    float change = RATE * delta[i % ROW] * input[i / ROW] + MOMENTUM * (*old_change)[i];
    (*weights)[i] += change;
    (*old_change)[i] = change;
  }
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "forward and backward pass of a perceptron's first layer");
  int inputs =
      (int)arguments.multiple("inputs", EDGE, {1024, 65536, 65536}, EDGE, 1 << 20, "input units");
  bool is_original = arguments.number("original", {0, 0, 0}, 0, 1, "1: kernels as in Rodinia");
  arguments.done();

  Random random(arguments.seed());
  std::vector<float> input = random.floats((size_t)inputs + 1, 0, 1);
  std::vector<float> weights = random.floats((size_t)(inputs + 1) * ROW, -1, 1);
  std::vector<float> delta = random.floats(ROW, -0.1f, 0.1f), old_change(weights.size());
  input[0] = 1;
  DeviceArray<float> device_input(input), device_weights(weights), device_delta(delta);
  DeviceArray<float> partial_sums((size_t)inputs), device_change(weights.size());
  dim3 grid(1, inputs / EDGE), cta(EDGE, EDGE);
  Timer timer;
  if (is_original) {
    layer_forward_original<<<grid, cta>>>(device_input, device_weights, partial_sums, HIDDEN);
    device_weights.set(weights);
    adjust_weights_original<<<grid, cta>>>(device_delta, HIDDEN, device_input, device_weights,
                                           device_change);
  } else {
    layer_forward<<<grid, cta>>>(device_input, device_weights, partial_sums);
    adjust_weights<<<grid, cta>>>(device_delta, device_input, device_weights, device_change);
  }
  timer.stop("backprop");

  Comparison comparison;
  comparison.near("sums", partial_sums.get(), forward_on_host(input, weights), 1e-5);
  adjust_on_host(delta, input, &weights, &old_change);
  comparison.near("weights", device_weights.get(), weights, 1e-5);
  comparison.near("changes", device_change.get(), old_change, 1e-5);
  return comparison.verdict();
}
