// SPDX-License-Identifier: MIT
// Template arguments that a launch leaves to defaults or to the compiler: values of
// several types, of kernels in a namespace, also launched by macros.
#include "check.h"

namespace outer {
namespace inner {

enum class Mode { ADD, SET };

template <typename T, unsigned Width, bool IsOdd = true, Mode How = Mode::SET, int Bias = -3>
__global__ __launch_bounds__(Width * 2, IsOdd ? 2 : 4) void mark(T *out, int count) {
  for (unsigned part = 0; part < 2; part++) {
    int i = (int)((blockIdx.x * 2 + part) * Width + threadIdx.x);
    if (threadIdx.x >= Width || i >= count) return;
    T value = T(blockIdx.x) + (IsOdd ? 1000 : 0) + Bias;
    out[i] = How == Mode::ADD ? out[i] + value : value;
  }
}

template <typename T, int Factor = 2>
__global__ void scale(T *out, int count, T factor) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] *= factor * Factor;
}

}  // namespace inner
}  // namespace outer

#define RUN(kernel, grid, block, ...)       \
  do {                                      \
    kernel<<<(grid), (block)>>>(__VA_ARGS__); \
    CUDA(cudaGetLastError());               \
  } while (0)

static void check(const std::vector<int> &values, int width, int extra) {
  for (size_t i = 0; i < values.size(); i++) CHECK(values[i] == (int)i / (2 * width) + extra);
}

int main() {
  const int count = 1001;
  Array<int> d(count);
  outer::inner::mark<int, 16u><<<(count + 31) / 32, 32>>>(d, count);
  check(d.get(), 16, 997);
  using namespace outer::inner;
  RUN((mark<int, 32, false>), (count + 63) / 64, 64, d, count);
  check(d.get(), 32, -3);
  RUN((mark<int, 32, true, Mode::SET, 5>), (count + 63) / 64, 64, d, count);
  check(d.get(), 32, 1005);
  RUN((mark<int, 8, false, Mode::ADD>), (count + 15) / 16, 16, d, 16);
  CHECK(d.get()[15] == 1002);
  RUN(scale, (count + 31) / 32, 32, (int *)d, count, 3);
  CHECK(d.get()[15] == 6012);
  return verdict();
}
