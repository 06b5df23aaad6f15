// SPDX-License-Identifier: MIT
// nvcc: -rdc=true -arch=compute_75 -DCUDA_FORCE_CDP1_IF_SUPPORTED -w
// Merge sort of the first generation: a kernel launches two, waits for both and
// merges what they sorted. Far more kernels wait than there are places for.
#include <algorithm>
#include <vector>

#include "../cuda/check.h"

enum { SMALL = 8 };

__global__ void merge_sort(int *data, int *scratch, int left, int right) {
  if (right - left <= SMALL) {
    for (int i = left + 1; i < right; i++) {
      int value = data[i], j = i;
      for (; j > left && data[j - 1] > value; j--) data[j] = data[j - 1];
      data[j] = value;
    }
    return;
  }
  int middle = (left + right) / 2;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  merge_sort<<<1, 1>>>(data, scratch, left, middle);
  merge_sort<<<1, 1, 0, stream>>>(data, scratch, middle, right);
  cudaStreamDestroy(stream);
  cudaDeviceSynchronize();
  int i = left, j = middle;
  for (int k = left; k < right; k++)
    scratch[k] = j >= right || (i < middle && data[i] <= data[j]) ? data[i++] : data[j++];
  for (int k = left; k < right; k++) data[k] = scratch[k];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 600;
  std::vector<int> values(n);
  unsigned random = 3;
  for (int &value : values) value = (int)((random = random * 1664525u + 1013904223u) >> 16);
  std::vector<int> wanted = values;
  std::sort(wanted.begin(), wanted.end());
  int *data, *scratch;
  CHECK(cudaMalloc((void **)&data, n * sizeof(int)));
  CHECK(cudaMalloc((void **)&scratch, n * sizeof(int)));
  CHECK(cudaMemcpy(data, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  merge_sort<<<1, 1>>>(data, scratch, 0, n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(values.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(values == wanted);
  return finish("waiting");
}
