// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// The Mandelbrot set by subdivision: a square whose border has one dwell is
// filled; else it is divided, a kernel for each part, until it is small.
#include <vector>

#include "../cuda/check.h"

enum { MAX_DWELL = 64, SMALL = 16, DIVISIONS = 2, THREADS = 32, MIXED = -1 };

__host__ __device__ int dwell(int x, int y, int size) {
  float cr = -1.5f + 2.0f * (float)x / (float)size, ci = -1.0f + 2.0f * (float)y / (float)size;
  float r = cr, i = ci;
  int n = 0;
  for (; n < MAX_DWELL && r * r + i * i < 4.0f; n++) {
    float next = r * r - i * i + cr;
    i = 2.0f * r * i + ci;
    r = next;
  }
  return n;
}

__global__ void fill(int *image, int size, int x0, int y0, int d, int value) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < d) image[(y0 + y) * size + x0 + x] = value;
}

__global__ void compute(int *image, int size, int x0, int y0, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < d) image[(y0 + y) * size + x0 + x] = dwell(x0 + x, y0 + y, size);
}

// The dwell of the whole border, or MIXED; the same in all threads.
__device__ int border_dwell(int size, int x0, int y0, int d) {
  __shared__ int least, most;
  if (threadIdx.x == 0) least = MAX_DWELL + 1, most = -1;
  __syncthreads();
  for (int k = threadIdx.x; k < d; k += blockDim.x)
    for (int side = 0; side < 4; side++) {
      int x = side == 0 ? 0 : side == 1 ? d - 1 : k, y = side == 2 ? 0 : side == 3 ? d - 1 : k;
      int value = dwell(x0 + x, y0 + y, size);
      atomicMin(&least, value);
      atomicMax(&most, value);
    }
  __syncthreads();
  return least == most ? least : MIXED;
}

__global__ void subdivide(int *image, int size, int x0, int y0, int d) {
  x0 += d * blockIdx.x;
  y0 += d * blockIdx.y;
  int common = border_dwell(size, x0, y0, d);
  if (threadIdx.x != 0) return;
  dim3 rows((d + THREADS - 1) / THREADS, d);
  if (common != MIXED) {
    fill<<<rows, THREADS>>>(image, size, x0, y0, d, common);
  } else if (d > SMALL) {
    subdivide<<<dim3(DIVISIONS, DIVISIONS), THREADS>>>(image, size, x0, y0, d / DIVISIONS);
  } else {
    compute<<<rows, THREADS>>>(image, size, x0, y0, d);
  }
}

int main(int argc, char **argv) {
  int size = argc > 1 ? atoi(argv[1]) : 128, wrong = 0;
  std::vector<int> image(size * size);
  int *device;
  CHECK(cudaMalloc((void **)&device, image.size() * sizeof(int)));
  CHECK(cudaMemset(device, 0xff, image.size() * sizeof(int)));
  subdivide<<<dim3(2, 2), THREADS>>>(device, size, 0, 0, size / 2);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(image.data(), device, image.size() * sizeof(int), cudaMemcpyDeviceToHost));
  // The device may fuse what the host rounds twice: a dwell near the border of
  // the set may differ.
  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++) wrong += image[y * size + x] != dwell(x, y, size);
  EXPECT(wrong <= size * size / 500);
  return finish("mandelbrot");
}
