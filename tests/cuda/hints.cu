// SPDX-License-Identifier: MIT
// Hints about the L2, which exist since compute capability 8.0 and change no result.
// nvcc: -arch=sm_80
#include "check.h"

__global__ void add(int *data, int value) {
  data[threadIdx.x] += value;
}

int main() {
  int *data, most, window, values[64];
  size_t set_aside;
  cudaStream_t stream;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
  CHECK(cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0));
  EXPECT(most > 0 && most < properties.l2CacheSize);
  EXPECT(properties.persistingL2CacheMaxSize == most);
  EXPECT(properties.accessPolicyMaxWindowSize == window && window > 0);
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most));
  CHECK(cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize));
  EXPECT(set_aside <= (size_t)most);

  CHECK(cudaMalloc(&data, sizeof values));
  CHECK(cudaMemset(data, 0, sizeof values));
  CHECK(cudaStreamCreate(&stream));
  cudaStreamAttrValue wanted = {};
  wanted.accessPolicyWindow.base_ptr = data;
  wanted.accessPolicyWindow.num_bytes = sizeof values;
  wanted.accessPolicyWindow.hitRatio = 1;
  wanted.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  wanted.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &wanted));
  add<<<1, 64, 0, stream>>>(data, 3);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaCtxResetPersistingL2Cache());
  CHECK(cudaMemcpy(values, data, sizeof values, cudaMemcpyDefault));
  EXPECT(values[0] == 3 && values[63] == 3);
  return finish("hints");
}
