// SPDX-License-Identifier: MIT
// Launches in templates that leave template arguments to be deduced.
#include "check.h"

template <int SCALE, typename T, typename... Rest>
__global__ void fill(T *values, T value, Rest... rest);

template <typename T>
__global__ void clear(T *values) {
  values[blockIdx.x] = 0;
}

template <typename T>
std::vector<T> run(T value) {
  Array<T> values(8, value);
  T *raw = values;
  clear<<<8, 1>>>(raw);
  fill<3><<<dim3(4, 2), 1>>>(raw, value, 1, 2.0);
  fill<1><<<dim3(4, 2), 1>>>(raw, value);
  return values.get();
}

template <int SCALE, typename T, typename... Rest>
__global__ void fill(T *values, T value, Rest... rest) {
  values[blockIdx.y * gridDim.x + blockIdx.x] += SCALE * value + (T)sizeof...(rest);
}

int main() {
  for (int value : run(5)) CHECK(value == 22);
  for (float value : run(0.5f)) CHECK(value == 4.0f);
  return verdict();
}
