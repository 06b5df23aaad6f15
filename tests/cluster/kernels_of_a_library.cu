// SPDX-License-Identifier: MIT
// Launches in macros that check for errors, tiles in shared memory, constant memory,
// shuffles, grid-stride loops with atomics.
#include "check.h"
#define LIBRARY_LAUNCH(kernel, grid, block, ...)  \
  do {                                    \
    kernel<<<grid, block>>>(__VA_ARGS__); \
    CUDA(cudaGetLastError());             \
  } while (0)
#define LIBRARY_CHECKED(x)               \
  do {                           \
    x;                           \
    CUDA(cudaPeekAtLastError()); \
  } while (0)
#define LIBRARY_TILE 16
template <typename T>
__global__ void transpose(T *out, const T *in, int width, int height) {
  __shared__ T tile[LIBRARY_TILE][LIBRARY_TILE + 1];
  int x = blockIdx.x * LIBRARY_TILE + threadIdx.x, y = blockIdx.y * LIBRARY_TILE + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * LIBRARY_TILE + threadIdx.x;
  y = blockIdx.x * LIBRARY_TILE + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
__constant__ float coefficients[8];
__global__ void conv(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 8 > n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += coefficients[k] * in[i + k];
  out[i] = sum;
}
__global__ void warp_scan(int *data) {
  int lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x, v = data[i];
  for (int d = 1; d < 32; d *= 2) {
    int o = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += o;
  }
  data[i] = v;
}
__global__ void histogram(unsigned *bins, const unsigned char *data, int n) {
  __shared__ unsigned local[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i] & 63], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    if (local[i]) atomicAdd(&bins[i], local[i]);
}
class Runner {
 public:
  void run(Array<float> &out, Array<float> &in, int n) const {
    LIBRARY_CHECKED((conv<<<(n + 63) / 64, 64>>>(out, in, n)));
  }
};
int main() {
  Array<int> in(numbers(50 * 70)), out(50 * 70);
  LIBRARY_LAUNCH(transpose<int>, dim3((50 + LIBRARY_TILE - 1) / LIBRARY_TILE, (70 + LIBRARY_TILE - 1) / LIBRARY_TILE), dim3(LIBRARY_TILE, LIBRARY_TILE),
         out, in, 50, 70);
  std::vector<int> o = out.get();
  for (int y = 0; y < 70; y++)
    for (int x = 0; x < 50; x++) CHECK(o[x * 70 + y] == y * 50 + x);
  float c[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  CUDA(cudaMemcpyToSymbol(coefficients, c, sizeof c));
  Array<float> fi(1000, 0.5f), fo(1000);
  Runner().run(fo, fi, 1000);
  std::vector<float> f = fo.get();
  for (int i = 0; i < 990; i++) CHECK(f[i] == 4.0f);
  Array<int> sc(32 * 100, 1);
  warp_scan<<<25, 128>>>(sc);
  std::vector<int> s = sc.get();
  for (int i = 0; i < 3200; i++) CHECK(s[i] == i % 32 + 1);
  std::vector<unsigned char> bytes(5000);
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = (unsigned char)(i * 7);
  Array<unsigned char> data(bytes);
  Array<unsigned> bins(64);
  histogram<<<30, 96>>>(bins, data, 5000);
  unsigned total = 0;
  for (unsigned b : bins.get()) total += b;
  CHECK(total == 5000);
  return verdict();
}
