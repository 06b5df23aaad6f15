// SPDX-License-Identifier: MIT
// Structures as parameters, classes with members on both sides, templates,
// lambdas, pointers to device functions, C++ of the standard library on the host.
#include <nvToolsExt.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check.h"

struct Particle {
  float3 position;
  double mass;
  char tag;
  short levels[3];
};

template <class T, int n>
class Array {
 public:
  __host__ __device__ T &operator[](int i) { return items_[i]; }
  __host__ __device__ const T &operator[](int i) const { return items_[i]; }
  __host__ __device__ T total() const {
    T sum = T();
    for (int i = 0; i < n; i++) sum += items_[i];
    return sum;
  }

 private:
  T items_[n];
};

__global__ void unpack(Particle p, Array<int, 5> array, char c, double *out, uchar3 bytes) {
  out[0] = p.position.x, out[1] = p.position.z, out[2] = p.mass, out[3] = p.tag;
  out[4] = p.levels[2], out[5] = array.total(), out[6] = c, out[7] = bytes.y;
}

template <class Function>
__global__ void for_each(int n, int *data, Function function) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = function(i);
}

typedef int (*Operation)(int, int);
__device__ int plus_(int a, int b) {
  return a + b;
}
__device__ int times(int a, int b) {
  return a * b;
}
__device__ Operation operations[2] = {plus_, times};

__global__ void indirect(int *out) {
  int t = threadIdx.x;
  out[t] = operations[t & 1](t, 3);
}

struct Square {
  int offset;
  __device__ int operator()(int i) const { return i * i + offset; }
};

int main() {
  Particle p = {{1.5f, 2, 3.5f}, 1e300, 'x', {1, 2, -300}};
  Array<int, 5> array;
  for (int i = 0; i < 5; i++) array[i] = i * 10;
  double *dout, out[8], expected[8] = {1.5, 3.5, 1e300, 'x', -300, 100, -5, 8};
  CUDA(cudaMalloc(&dout, sizeof out));
  unpack<<<1, 1>>>(p, array, -5, dout, make_uchar3(7, 8, 9));
  CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; i++) CHECK(out[i] == expected[i], "out[%d] = %g", i, out[i]);

  // CCCL names the type of this member.
  nvtxEventAttributes_t::payload_t payload;
  payload.iValue = 3;
  CHECK(payload.iValue == 3, "%d", payload.iValue);

  std::vector<int> host(100);
  int *data, factor = 7;
  CUDA(cudaMalloc(&data, 100 * sizeof(int)));
  for_each<<<2, 64>>>(100, data, Square{3});
  CUDA(cudaMemcpy(host.data(), data, 100 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 100; i++) CHECK(host[i] == i * i + 3, "%d: %d", i, host[i]);
  for_each<<<2, 64>>>(100, data, [=] __device__(int i) { return i * factor; });
  CUDA(cudaMemcpy(host.data(), data, 100 * sizeof(int), cudaMemcpyDeviceToHost));
  std::sort(host.begin(), host.end(), [](int a, int b) { return a > b; });
  for (int i = 0; i < 100; i++) CHECK(host[i] == (99 - i) * 7, "%d: %d", i, host[i]);

  indirect<<<1, 32>>>(data);
  CUDA(cudaMemcpy(host.data(), data, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) CHECK(host[i] == (i & 1 ? i * 3 : i + 3), "%d: %d", i, host[i]);
  return check_end();
}
