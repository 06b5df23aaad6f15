// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Quicksort in which every part is sorted by a kernel of its own, down to the
// depth that hardware allows; what is left there is sorted by selection.
#include <algorithm>
#include <vector>

#include "../cuda/check.h"

enum { MAX_DEPTH = 24, SMALL = 4 };

__device__ unsigned deepest, refused;

__device__ void select(unsigned *data, int left, int right) {
  for (int i = left; i <= right; i++) {
    int least = i;
    for (int j = i + 1; j <= right; j++)
      if (data[j] < data[least]) least = j;
    unsigned value = data[least];
    data[least] = data[i];
    data[i] = value;
  }
}

__global__ void quicksort(unsigned *data, int left, int right, int depth) {
  atomicMax(&deepest, (unsigned)depth);
  if (depth == MAX_DEPTH || right - left <= SMALL) {
    select(data, left, right);
    return;
  }
  unsigned *low = data + left, *high = data + right, pivot = data[left];
  while (low <= high) {
    while (*low < pivot) low++;
    while (*high > pivot) high--;
    if (low > high) break;
    unsigned value = *low;
    *low++ = *high;
    *high-- = value;
  }
  int ends[2][2] = {{left, (int)(high - data)}, {(int)(low - data), right}};
  for (int part = 0; part < 2; part++) {
    if (ends[part][0] >= ends[part][1]) continue;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, stream>>>(data, ends[part][0], ends[part][1], depth + 1);
    if (cudaGetLastError() != cudaSuccess) atomicAdd(&refused, 1u);
    cudaStreamDestroy(stream);
  }
}

static void sort(std::vector<unsigned> values, unsigned wanted_depth) {
  std::vector<unsigned> wanted = values;
  std::sort(wanted.begin(), wanted.end());
  size_t bytes = values.size() * sizeof(unsigned);
  unsigned *data, depth, refusals, zero = 0;
  CHECK(cudaMemcpyToSymbol(deepest, &zero, sizeof zero));
  CHECK(cudaMalloc((void **)&data, bytes));
  CHECK(cudaMemcpy(data, values.data(), bytes, cudaMemcpyHostToDevice));
  quicksort<<<1, 1>>>(data, 0, (int)values.size() - 1, 0);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(values.data(), data, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(&depth, deepest, sizeof depth));
  CHECK(cudaMemcpyFromSymbol(&refusals, refused, sizeof refusals));
  CHECK(cudaFree(data));
  EXPECT(values == wanted);
  EXPECT(depth >= wanted_depth && depth <= MAX_DEPTH);
  EXPECT(refusals == 0);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400;
  std::vector<unsigned> mixed(n), ordered(n / 4);
  unsigned random = 7;
  for (unsigned &value : mixed) value = (random = random * 1664525u + 1013904223u) >> 20;
  for (size_t i = 0; i < ordered.size(); i++) ordered[i] = (unsigned)i;
  sort(mixed, 5);
  sort(ordered, MAX_DEPTH);  // the worst case for this choice of the pivot
  return finish("quicksort");
}
