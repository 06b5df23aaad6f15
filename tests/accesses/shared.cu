// SPDX-License-Identifier: MIT
// Every kind of access: columns of a shared tile are summed in an unrolled loop
// whose lanes all meet in one bank, and the sums go to one word by atomics.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

__global__ void columns(int *sum, int *out, const int *in) {
  __shared__ int tile[32 * 32];
  int t = threadIdx.x, value = 0;
  for (int i = t; i < 32 * 32; i += blockDim.x)
    tile[i] = __ldg(in + i);  // fill
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 16; i++)
    value += tile[t % 32 * 32 + i];  // culprit
  out[blockIdx.x * blockDim.x + t] = value;
  atomicAdd(sum, __shfl_xor_sync(0xffffffff, value, 1));  // atomic
}

int main() {
  const int ctas = 8, threads = 256, n = ctas * threads;
  std::vector<int> in(32 * 32), out(n);
  int expected = 0, found = 0, *device_in, *device_out, *device_sum;
  for (int i = 0; i < 32 * 32; i++) in[i] = i % 11;
  cudaMalloc(&device_in, in.size() * sizeof(int));
  cudaMalloc(&device_out, n * sizeof(int));
  cudaMalloc(&device_sum, sizeof(int));
  cudaMemset(device_sum, 0, sizeof(int));
  cudaMemcpy(device_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
  columns<<<ctas, threads>>>(device_sum, device_out, device_in);
  cudaMemcpy(out.data(), device_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&found, device_sum, sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++) {
    int value = 0;
    for (int k = 0; k < 16; k++) value += in[i % 32 * 32 + k];
    if (out[i] != value) return printf("wrong at %d\n", i), 1;
    expected += value;
  }
  if (found != expected) return printf("the sum is %d, not %d\n", found, expected), 1;
  return 0;
}
