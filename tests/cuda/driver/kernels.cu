// SPDX-License-Identifier: MIT
// Device code that the programs here load from PTX and from fat binaries.
#include <cuda_runtime.h>

extern "C" {

__constant__ float scale[4];
__device__ unsigned counter;

__global__ void vector_add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void scale_all(float *data, int n, char which) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  data[i] *= scale[(int)which];
  atomicAdd(&counter, 1u);
}

// c = a * b, all of n x n, with tiles in dynamic shared memory.
__global__ void matrix_multiply(float *c, const float *a, const float *b, int n) {
  extern __shared__ float tiles[];
  int side = blockDim.x;
  float *tile_a = tiles, *tile_b = tiles + side * side;
  int row = blockIdx.y * side + threadIdx.y, column = blockIdx.x * side + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += side) {
    tile_a[threadIdx.y * side + threadIdx.x] = a[row * n + t + threadIdx.x];
    tile_b[threadIdx.y * side + threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < side; k++) sum += tile_a[threadIdx.y * side + k] * tile_b[k * side + threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void rotate(float *out, cudaTextureObject_t texture, int width, int height, float angle) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = x / (float)width - 0.5f, v = y / (float)height - 0.5f;
  out[y * width + x] = tex2D<float>(texture, u * cosf(angle) - v * sinf(angle) + 0.5f,
                                    v * cosf(angle) + u * sinf(angle) + 0.5f);
}

__global__ void out_of_bounds(int *data) {
  data[threadIdx.x + (1 << 22)] = 1;
}

}
