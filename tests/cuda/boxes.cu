// SPDX-License-Identifier: MIT
// Pitched memory and copies of boxes, in all directions; fills; what is not
// allocated is refused.
#include "check.h"

__global__ void bump(char *base, size_t pitch, int width, int height, int depth) {
  int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (x < width && y < height && z < depth) {
    int *row = (int *)(base + (size_t)(z * height + y) * pitch);
    row[x] += 1000;
  }
}

static void three_dimensions() {
  const int width = 20, height = 6, depth = 3;
  int host[depth][height][width], back[depth][height][width];
  for (int i = 0; i < depth * height * width; i++) (&host[0][0][0])[i] = i;
  cudaPitchedPtr device;
  CHECK(cudaMalloc3D(&device, make_cudaExtent(width * sizeof(int), height, depth)));
  EXPECT(device.pitch >= width * sizeof(int));
  cudaMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  copy.srcPtr = make_cudaPitchedPtr(host, width * sizeof(int), width, height);
  copy.dstPtr = device;
  copy.extent = make_cudaExtent(width * sizeof(int), height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  bump<<<dim3(height, depth), 32>>>((char *)device.ptr, device.pitch, width, height, depth);
  memset(&copy, 0, sizeof copy);
  memset(back, 0, sizeof back);
  // Only the middle: from row 2 of slice 1 on.
  copy.srcPtr = device;
  copy.srcPos = make_cudaPos(4 * sizeof(int), 2, 1);
  copy.dstPtr = make_cudaPitchedPtr(back, width * sizeof(int), width, height);
  copy.dstPos = make_cudaPos(0, 0, 0);
  copy.extent = make_cudaExtent(8 * sizeof(int), 3, 2);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3DAsync(&copy, 0));
  CHECK(cudaDeviceSynchronize());
  for (int z = 0; z < depth; z++)
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        bool inside = z < 2 && y < 3 && x < 8;
        EXPECT(back[z][y][x] == (inside ? host[z + 1][y + 2][x + 4] + 1000 : 0));
      }
  CHECK(cudaMemset3D(device, 0x11, make_cudaExtent(width * sizeof(int), height, depth)));
  CHECK(cudaMemcpy2D(back, width * sizeof(int), device.ptr, device.pitch, width * sizeof(int),
                     height * depth, cudaMemcpyDefault));
  for (int i = 0; i < depth * height * width; i++) EXPECT((&back[0][0][0])[i] == 0x11111111);
  CHECK(cudaFree(device.ptr));
}

static void two_dimensions() {
  const int width = 100, height = 9;
  unsigned char host[height][width], back[height][width];
  char *a, *b;
  size_t pa, pb;
  for (int i = 0; i < width * height; i++) host[i / width][i % width] = (unsigned char)(i * 7);
  CHECK(cudaMallocPitch((void **)&a, &pa, width, height));
  CHECK(cudaMallocPitch((void **)&b, &pb, 2 * width, height));
  CHECK(cudaMemcpy2DAsync(a, pa, host, width, width, height, cudaMemcpyHostToDevice, 0));
  CHECK(cudaMemset2D(b, pb, 9, 2 * width, height));
  CHECK(cudaMemcpy2D(b + width, pb, a, pa, width, height, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy2D(back, width, b + width, pb, width, height, cudaMemcpyDeviceToHost));
  EXPECT(memcmp(back, host, sizeof host) == 0);
  CHECK(cudaMemcpy2D(back, width, b, pb, width, height, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * height; i++) EXPECT(back[i / width][i % width] == 9);
  EXPECT(cudaMemcpy2D(a, width / 2, host, width, width, height, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidPitchValue);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}

static void refusals() {
  int host[8] = {0}, *device, *nothing = (int *)0x1234;
  CHECK(cudaMalloc((void **)&device, sizeof host));
  EXPECT(cudaMemcpy(nothing, host, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(device, host, sizeof host + 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaMemset(nothing, 0, 4) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(host, device, 4, (cudaMemcpyKind)77) == cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaFree(device + 1) == cudaErrorInvalidValue);
  EXPECT(cudaMalloc((void **)&nothing, (size_t)1 << 60) == cudaErrorMemoryAllocation);
  CHECK(cudaFree(device));
  EXPECT(cudaFree(device) == cudaErrorInvalidValue);
  CHECK(cudaFree(NULL));
  cudaGetLastError();
}

int main() {
  size_t before, after, total;
  three_dimensions();  // takes memory for the variables of the program, if it has any
  CHECK(cudaMemGetInfo(&before, &total));
  three_dimensions();
  two_dimensions();
  refusals();
  CHECK(cudaMemGetInfo(&after, &total));
  EXPECT(before == after);
  return finish("boxes");
}
