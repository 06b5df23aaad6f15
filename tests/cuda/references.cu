// SPDX-License-Identifier: MIT
// Texture references, which CUDA had up to version 11.
#include "check.h"

#if CUDART_VERSION < 12000
texture<float, 1, cudaReadModeElementType> vector_texture;
texture<float, 2, cudaReadModeElementType> image_texture;
texture<uchar4, 2, cudaReadModeNormalizedFloat> colour_texture;

__global__ void gather(const int *index, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch(vector_texture, index[i]);
}

__global__ void transpose(float *out, int n) {
  int x = threadIdx.x, y = threadIdx.y;
  out[y * n + x] = tex2D(image_texture, (float)y, (float)x);
}

__global__ void red(float *out) {
  out[threadIdx.x] = tex2D(colour_texture, (float)threadIdx.x, 0.0f).x;
}

static void bind_memory() {
  const int n = 200;
  float values[n], back[n], *in, *out;
  int order[n], *index;
  for (int i = 0; i < n; i++) {
    values[i] = i * 1.25f;
    order[i] = i * 7 % n;
  }
  CHECK(cudaMalloc((void **)&in, sizeof values));
  CHECK(cudaMalloc((void **)&out, sizeof values));
  CHECK(cudaMalloc((void **)&index, sizeof order));
  CHECK(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(index, order, sizeof order, cudaMemcpyHostToDevice));
  CHECK(cudaBindTexture(0, vector_texture, in, sizeof values));
  gather<<<4, 64>>>(index, out, n);
  CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(back[i] == values[order[i]]);
  CHECK(cudaUnbindTexture(vector_texture));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(index));
}

static void bind_array() {
  const int n = 16;
  float image[n][n], back[n][n], *out;
  for (int i = 0; i < n * n; i++) image[i / n][i % n] = (float)i;
  cudaArray *array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, n, n));
  CHECK(cudaMemcpyToArray(array, 0, 0, image, sizeof image, cudaMemcpyHostToDevice));
  image_texture.addressMode[0] = cudaAddressModeClamp;
  image_texture.filterMode = cudaFilterModePoint;
  image_texture.normalized = false;
  CHECK(cudaBindTextureToArray(image_texture, array));
  CHECK(cudaMalloc((void **)&out, sizeof back));
  transpose<<<1, dim3(n, n)>>>(out, n);
  CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) EXPECT(back[y][x] == image[x][y]);
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
}

static void bind_pitched() {
  uchar4 row[32];
  float back[32], *out;
  uchar4 *in;
  size_t pitch;
  for (int i = 0; i < 32; i++) row[i] = make_uchar4((unsigned char)(i * 8), 1, 2, 3);
  CHECK(cudaMallocPitch((void **)&in, &pitch, sizeof row, 1));
  CHECK(cudaMemcpy2D(in, pitch, row, sizeof row, sizeof row, 1, cudaMemcpyHostToDevice));
  CHECK(cudaBindTexture2D(NULL, colour_texture, in, colour_texture.channelDesc, 32, 1, pitch));
  CHECK(cudaMalloc((void **)&out, sizeof back));
  red<<<1, 32>>>(out);
  CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) EXPECT(close_to(back[i], i * 8 / 255.0f));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

int main() {
  bind_memory();
  bind_array();
  bind_pitched();
  return finish("references");
}
#else
// Nothing to try; but a program that runs here uses the GPU.
int main() {
  void *memory;
  CHECK(cudaMalloc(&memory, 1));
  CHECK(cudaFree(memory));
  return finish("references");
}
#endif
