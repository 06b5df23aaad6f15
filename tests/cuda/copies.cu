// SPDX-License-Identifier: MIT
// Asynchronous copies by the primitives of cuda_pipeline.h: tiles in two buffers.
// nvcc: -arch=compute_80
#include <cuda_pipeline.h>

#include <vector>

#include "check.h"

enum { THREADS = 64, TILES = 8 };

__global__ void sum_tiles(const float4 *in, float *out) {
  __shared__ float4 tile[2][THREADS];
  float sum = 0;
  __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  for (int t = 0; t < TILES; t++) {
    if (t + 1 < TILES)
      __pipeline_memcpy_async(&tile[(t + 1) % 2][threadIdx.x], &in[(t + 1) * THREADS + threadIdx.x], 16,
                              t == 2 ? 8 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = tile[t % 2][THREADS - 1 - threadIdx.x];
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

int main() {
  std::vector<float> in(TILES * THREADS * 4), out(THREADS);
  for (size_t i = 0; i < in.size(); i++) in[i] = (float)(i % 97);
  float *device_in, *device_out;
  CHECK(cudaMalloc(&device_in, in.size() * 4));
  CHECK(cudaMalloc(&device_out, out.size() * 4));
  CHECK(cudaMemcpy(device_in, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
  sum_tiles<<<1, THREADS>>>((const float4 *)device_in, device_out);
  CHECK(cudaMemcpy(out.data(), device_out, out.size() * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < THREADS; i++) {
    float wanted = 0;
    for (int t = 0; t < TILES; t++)
      for (int e = 0; e < (t == 3 ? 2 : 4); e++)  // the rest of tile 3 is filled with zeros
        wanted += in[(t * THREADS + THREADS - 1 - i) * 4 + e];
    EXPECT(out[i] == wanted);
  }
  return finish("copies");
}
