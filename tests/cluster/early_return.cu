// SPDX-License-Identifier: MIT
// Threads return before barriers that others wait at, which counts those that
// have ended as having come.
#include "check.h"

__device__ void shift(int *values, int count) {
  int own = threadIdx.x < count ? values[(threadIdx.x + 1) % count] : 0;
  __syncthreads();
  if (threadIdx.x < count) values[threadIdx.x] = own;
}

__global__ void rotate_rows(int *rows, const int *lengths, int width) {
  __shared__ int row[64];
  int length = lengths[blockIdx.x];
  if (threadIdx.x >= length) return;
  row[threadIdx.x] = rows[blockIdx.x * width + threadIdx.x];
  __syncthreads();
  for (int round = 0; round < length / 2; round++) {
    shift(row, length);
    __syncthreads();
    if (round == 3 && threadIdx.x == 0) return;
  }
  rows[blockIdx.x * width + threadIdx.x] = row[threadIdx.x];
}

int main() {
  const int rows = 300, width = 48;
  std::vector<int> lengths(rows);
  for (int i = 0; i < rows; i++) lengths[i] = i * 7 % (width + 1);
  Array<int> values(numbers(rows * width)), deviceLengths(lengths);
  rotate_rows<<<rows, width>>>(values, deviceLengths, width);
  std::vector<int> result = values.get();
  for (int i = 0; i < rows; i++) {
    int length = lengths[i];
    std::vector<int> row(length);
    for (int t = 0; t < length; t++) row[t] = i * width + t;
    bool ended = false;
    for (int round = 0; round < length / 2; round++) {
      std::vector<int> next(row);
      for (int t = ended ? 1 : 0; t < length; t++) next[t] = row[(t + 1) % length];
      row = next;
      ended |= round == 3;
    }
    for (int t = 0; t < length; t++)
      CHECK(result[i * width + t] == (ended && t == 0 ? i * width : row[t]));
    for (int t = length; t < width; t++) CHECK(result[i * width + t] == i * width + t);
  }
  return verdict();
}
