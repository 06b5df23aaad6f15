// SPDX-License-Identifier: MIT
// Whole CTAs that return before a barrier, at once: their threads agree.
#include "check.h"

__constant__ int limits[2] = {40, 90};

__global__ void compact(const int *in, int *out, int count) {
  __shared__ int kept[32];
  __shared__ int total;
  if (blockIdx.x >= gridDim.x / 2 && count < 0) return;
  if (blockIdx.x * 32 >= count) return;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int i = blockIdx.x * 32 + threadIdx.x;
  int value = i < count ? in[i] : limits[0];
  if (value < limits[0] || value > limits[1]) kept[atomicAdd(&total, 1)] = value;
  __syncthreads();
  if (total == 0) return;
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int k = 0; k < total; k++) sum += kept[k];
    out[blockIdx.x] = sum;
  }
}

int main() {
  const int count = 1500, ctas = 60;
  std::vector<int> values(count);
  for (int i = 0; i < count; i++) values[i] = i % 131;
  Array<int> in(values), out(ctas, -1);
  compact<<<ctas, 32>>>(in, out, count);
  std::vector<int> result = out.get();
  for (int b = 0; b < ctas; b++) {
    int sum = 0, kept = 0;
    for (int i = b * 32; i < b * 32 + 32 && i < count; i++)
      if (values[i] < 40 || values[i] > 90) sum += values[i], kept++;
    CHECK(result[b] == (kept ? sum : -1));
  }
  return verdict();
}
