// SPDX-License-Identifier: MIT
// Sums by shuffles and by dynamic shared memory; votes, matches, old forms.
#include "check.h"

template <class T>
__device__ T warp_sum(T value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

template <class T>
__global__ void sum(const T *in, T *out, int n) {
  __shared__ T partial[32];
  T value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += in[i];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : T(0));
    if (threadIdx.x == 0) atomicAdd(out, value);
  }
}

__global__ void tree(const int *in, int *out) {
  extern __shared__ int values[];
  int t = threadIdx.x;
  values[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) values[t] += values[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = values[0];
}

__global__ void lanes(unsigned int *out) {
  int t = threadIdx.x;
  unsigned int bits = __ballot_sync(~0u, t % 3 == 0), same = __match_any_sync(~0u, t / 8);
  int agree = 7, differ = 7;
  same &= __match_any_sync(~0u, (t / 8) * 0x100000000ull);
  same &= __match_all_sync(~0u, 0x500000000ll + t / 32, &agree);
  same |= __match_all_sync(~0u, 0x100000000ll * t, &differ);
  unsigned long long wide = __shfl_xor_sync(~0u, 0x100000000ull * t + t, 1);
  double real = __shfl_up_sync(~0u, t + 0.25, 1, 8);
  out[t] = bits;
  out[32 + t] = same;
  out[64 + t] = (unsigned int)(wide >> 32) + (unsigned int)wide;
  out[96 + t] = (unsigned int)(real * 4);
  out[128 + t] = __all_sync(~0u, t < 32) + 2 * __any_sync(~0u, t == 40) + 4 * __any(t == 3);
  out[160 + t] = __shfl(t, 5) + __syncthreads_count(t < 7) * 100;
  out[192 + t] = __popc(__activemask()) + __lane_id() + (agree != 1) + differ;
}

template <class T>
static void test_sum() {
  const int n = 3000;
  T in[n], out = 0, expected = 0, *din, *dout;
  for (int i = 0; i < n; i++) expected += in[i] = T(i % 100);
  CUDA(cudaMalloc(&din, sizeof in));
  CUDA(cudaMalloc(&dout, sizeof out));
  CUDA(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  CUDA(cudaMemset(dout, 0, sizeof out));
  sum<<<4, 256>>>(din, dout, n);
  CUDA(cudaMemcpy(&out, dout, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(out == expected, "%g, not %g", (double)out, (double)expected);
  cudaFree(din), cudaFree(dout);
}

int main() {
  test_sum<int>();
  test_sum<unsigned long long>();
  test_sum<float>();
  test_sum<double>();

  int in[512], out[4], *din, *dout;
  for (int i = 0; i < 512; i++) in[i] = i;
  CUDA(cudaMalloc(&din, sizeof in));
  CUDA(cudaMalloc(&dout, sizeof out));
  CUDA(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  tree<<<4, 128, 128 * sizeof(int)>>>(din, dout);
  CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int b = 0; b < 4; b++)
    CHECK(out[b] == 128 * (128 * b) + 127 * 64, "block %d: %d", b, out[b]);

  unsigned int got[224], *device;
  CUDA(cudaMalloc(&device, sizeof got));
  lanes<<<1, 32>>>(device);
  CUDA(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
  for (unsigned int t = 0; t < 32; t++) {
    unsigned int thirds = 0;
    for (int i = 0; i < 32; i += 3) thirds |= 1u << i;
    CHECK(got[t] == thirds, "ballot %x", got[t]);
    CHECK(got[32 + t] == 0xffu << t / 8 * 8, "match %x", got[32 + t]);
    CHECK(got[64 + t] == 2 * (t ^ 1), "shfl_xor %u", got[64 + t]);
    CHECK(got[96 + t] == (t % 8 ? t - 1 : t) * 4 + 1, "shfl_up %u", got[96 + t]);
    CHECK(got[128 + t] == 5, "votes %u", got[128 + t]);
    CHECK(got[160 + t] == 705, "%u", got[160 + t]);
    CHECK(got[192 + t] == 32 + t, "%u", got[192 + t]);
  }
  return check_end();
}
