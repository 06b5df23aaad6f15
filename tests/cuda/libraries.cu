// SPDX-License-Identifier: MIT
// Programs on top of Thrust and CUB: a sort, a scan, reductions and selections of a
// whole device, and reductions of a block.
#include <algorithm>
#include <numeric>
#include <vector>

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

#include "check.h"

static const int n = 6000;

struct IsEven {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

struct Square {
  __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};

static void with_thrust(const std::vector<int> &input) {
  thrust::device_vector<int> data(input.begin(), input.end()), even(n);
  thrust::device_vector<long long> squares(n);
  thrust::transform(data.begin(), data.end(), squares.begin(), Square());
  long long expected = 0;
  for (int x : input) expected += (long long)x * x;
  EXPECT(thrust::reduce(squares.begin(), squares.end()) == expected);
  auto end = thrust::copy_if(data.begin(), data.end(), even.begin(), IsEven());
  EXPECT(end - even.begin() == std::count_if(input.begin(), input.end(), IsEven()));
}

// Calls twice, as CUB wants it: for the size of its memory, then with it.
template <class Call>
static void with_memory(Call call) {
  void *memory = nullptr;
  size_t bytes = 0;
  CHECK(call(memory, bytes));
  CHECK(cudaMalloc(&memory, bytes));
  CHECK(call(memory, bytes));
  CHECK(cudaFree(memory));
}

__global__ void sum_blocks(const int *data, int *sums) {
  typedef cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage memory;
  int sum = Reduce(memory).Sum(data[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

static void with_cub(const std::vector<int> &input) {
  int *from, *to, sum;
  std::vector<int> seen(n), expected(n);
  CHECK(cudaMalloc((void **)&from, n * sizeof(int)));
  CHECK(cudaMalloc((void **)&to, n * sizeof(int)));
  CHECK(cudaMemcpy(from, input.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  with_memory([&](void *memory, size_t &bytes) {
    return cub::DeviceScan::InclusiveSum(memory, bytes, from, to, n);
  });
  CHECK(cudaMemcpy(seen.data(), to, n * sizeof(int), cudaMemcpyDeviceToHost));
  std::partial_sum(input.begin(), input.end(), expected.begin());
  EXPECT(seen == expected);
  with_memory([&](void *memory, size_t &bytes) {
    return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, from, to, n);
  });
  CHECK(cudaMemcpy(seen.data(), to, n * sizeof(int), cudaMemcpyDeviceToHost));
  expected = input;
  std::sort(expected.rbegin(), expected.rend());
  EXPECT(seen == expected);
  sum_blocks<<<n / 128, 128>>>(from, to);
  CHECK(cudaMemcpy(&sum, to + 3, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(sum == std::accumulate(input.begin() + 3 * 128, input.begin() + 4 * 128, 0));
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
}

int main() {
  std::vector<int> input(n);
  unsigned state = 1;
  for (int &x : input) x = (int)((state = state * 1664525 + 1013904223) >> 20) - 1000;
  with_thrust(input);
  with_cub(input);
  return finish("libraries");
}
