// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Copies and fills that kernels ask for: in the order of their stream, of bytes
// and words, rows and boxes; and how errors are called.
#include "../cuda/check.h"

enum { BYTES = 1000, PITCH = 64, WIDTH = 20, ROWS = 5, SLICES = 3 };

__device__ int same;

__global__ void add_one(unsigned char *bytes, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) bytes[i]++;
}

// Each step needs the one before it.
__global__ void chain(unsigned char *a, unsigned char *b) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemsetAsync(a, 7, BYTES, stream);
  add_one<<<1, 64, 0, stream>>>(a, BYTES);
  cudaMemcpyAsync(b + 1, a, BYTES - 1, cudaMemcpyDeviceToDevice, stream);  // by bytes
  add_one<<<1, 64, 0, stream>>>(b + 1, 10);
  cudaMemsetAsync(a + 3, 0x1ff, 2, stream);
}

__global__ void boxes(unsigned char *a, unsigned char *b) {
  cudaMemset2DAsync(b, PITCH, 9, WIDTH, ROWS, 0);
  cudaMemcpy2DAsync(b + PITCH, PITCH, a, 2 * PITCH, 8, 2, cudaMemcpyDeviceToDevice, 0);
  cudaMemcpy3DParms what = {};
  what.srcPtr.ptr = a;
  what.srcPtr.pitch = PITCH;
  what.srcPtr.ysize = ROWS;
  what.srcPos.y = 1;
  what.dstPtr = what.srcPtr;
  what.dstPtr.ptr = b + ROWS * PITCH;
  what.dstPos.y = 0;
  what.dstPos.x = 4;
  what.extent.width = 12;
  what.extent.height = 2;
  what.extent.depth = SLICES - 1;
  cudaMemcpy3DAsync(&what, 0);
  const char *expected = "invalid argument", *name = "cudaErrorInvalidValue";
  const char *text = cudaGetErrorString(cudaMemset2DAsync(b, 3, 0, WIDTH, ROWS, 0));
  bool is_same = true;
  for (int i = 0; expected[i] || text[i]; i++) is_same &= text[i] == expected[i];
  text = cudaGetErrorName(cudaGetLastError());
  for (int i = 0; name[i] || text[i]; i++) is_same &= text[i] == name[i];
  same = is_same;
}

static void chains(unsigned char *a, unsigned char *b) {
  CHECK(cudaMemset(b, 0, BYTES));
  chain<<<1, 1>>>(a, b);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < BYTES; i++) {
    EXPECT(a[i] == (i == 3 || i == 4 ? 255 : 8));
    EXPECT(b[i] == (i == 0 ? 0 : i <= 10 ? 9 : 8));
  }
}

static void rows_and_boxes(unsigned char *a, unsigned char *b) {
  const int bytes = PITCH * ROWS * SLICES;
  for (int i = 0; i < bytes; i++) a[i] = i % 251;
  CHECK(cudaMemset(b, 0, ROWS * PITCH + bytes));
  boxes<<<1, 1>>>(a, b);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < ROWS * PITCH; i++) {
    int x = i % PITCH, y = i / PITCH;
    bool is_copied = (y == 1 || y == 2) && x < 8;
    EXPECT(b[i] == (is_copied ? a[(y - 1) * 2 * PITCH + x] : x < WIDTH ? 9 : 0));
  }
  for (int i = 0; i < bytes; i++) {
    int x = i % PITCH, y = i / PITCH % ROWS, z = i / PITCH / ROWS;
    bool is_inside = x >= 4 && x < 16 && y < 2 && z < SLICES - 1;
    EXPECT(b[ROWS * PITCH + i] == (is_inside ? a[i + PITCH - 4] : 0));
  }
  int is_same;
  CHECK(cudaMemcpyFromSymbol(&is_same, same, sizeof is_same));
  EXPECT(is_same);
}

int main() {
  unsigned char *a, *b;
  CHECK(cudaMallocManaged(&a, 4096));
  CHECK(cudaMallocManaged(&b, 4096));
  chains(a, b);
  rows_and_boxes(a, b);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  return finish("copies");
}
