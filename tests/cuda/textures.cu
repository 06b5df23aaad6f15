// SPDX-License-Identifier: MIT
// Texture objects over plain memory, pitched memory and arrays; filtering,
// normalised coordinates and values.
#include "check.h"

__global__ void fetch(cudaTextureObject_t texture, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(texture, n - 1 - i);
}

__global__ void rotate(cudaTextureObject_t texture, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = tex2D<float>(texture, (float)(width - 1 - x) + 0.5f, (float)y + 0.5f);
}

__global__ void halfway(cudaTextureObject_t texture, float *out, int width) {
  int x = threadIdx.x;
  out[x] = tex2D<float>(texture, (float)(x + 1) / width, 0.5f);
}

__global__ void colours(cudaTextureObject_t texture, float4 *out) {
  out[threadIdx.x] = tex2D<float4>(texture, (float)threadIdx.x, 0.0f);
}

__global__ void volume(cudaTextureObject_t texture, int *out) {
  out[(threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x] =
      tex3D<int>(texture, (float)threadIdx.x, (float)threadIdx.y, (float)threadIdx.z);
}

static cudaTextureDesc description(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                   cudaTextureReadMode read, int normalized) {
  cudaTextureDesc to;
  memset(&to, 0, sizeof to);
  to.addressMode[0] = to.addressMode[1] = to.addressMode[2] = mode;
  to.filterMode = filter;
  to.readMode = read;
  to.normalizedCoords = normalized;
  return to;
}

static void linear_memory() {
  const int n = 300;
  float host[n], *in, *out;
  for (int i = 0; i < n; i++) host[i] = i * 0.5f;
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = sizeof host;
  cudaTextureDesc how =
      description(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0);
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
  fetch<<<(n + 63) / 64, 64>>>(texture, out, n);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(host[i] == (n - 1 - i) * 0.5f);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

static void pitched_memory() {
  const int width = 37, height = 11;
  float host[height][width], back[height][width], *in, *out;
  size_t pitch;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) host[y][x] = y * 100.0f + x;
  CHECK(cudaMallocPitch((void **)&in, &pitch, width * sizeof(float), height));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemcpy2D(in, pitch, host, width * sizeof(float), width * sizeof(float), height,
                     cudaMemcpyHostToDevice));
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = in;
  resource.res.pitch2D.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc how =
      description(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0);
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
  rotate<<<dim3(3, 1), dim3(16, 16)>>>(texture, out, width, height);
  CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) EXPECT(back[y][x] == host[y][width - 1 - x]);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc *how) {
  cudaTextureObject_t texture = 0;
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  CHECK(cudaCreateTextureObject(&texture, &resource, how, NULL));
  return texture;
}

static void filtered_array() {
  const int width = 16, height = 4;
  float host[height][width], back[width], *out;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) host[y][x] = (float)x;
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], height,
                            cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&out, sizeof back));
  cudaTextureDesc how =
      description(cudaAddressModeWrap, cudaFilterModeLinear, cudaReadModeElementType, 1);
  cudaTextureObject_t texture = texture_of(array, &how);
  halfway<<<1, width>>>(texture, out, width);
  CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int x = 0; x < width - 1; x++) EXPECT(close_to(back[x], x + 0.5f));
  EXPECT(close_to(back[width - 1], (width - 1) / 2.0f));  // wraps round to 0
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
}

static void bytes_as_fractions() {
  uchar4 host[8];
  float4 back[8], *out;
  for (int i = 0; i < 8; i++)
    host[i] = make_uchar4((unsigned char)(i * 30), 255, 0, (unsigned char)(255 - i));
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  CHECK(cudaMallocArray(&array, &format, 8, 1));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host, sizeof host, sizeof host, 1, cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&out, sizeof back));
  cudaTextureDesc how =
      description(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeNormalizedFloat, 0);
  cudaTextureObject_t texture = texture_of(array, &how);
  colours<<<1, 8>>>(texture, out);
  CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; i++) {
    EXPECT(close_to(back[i].x, i * 30 / 255.0f));
    EXPECT(back[i].y == 1.0f && back[i].z == 0.0f);
    EXPECT(close_to(back[i].w, (255 - i) / 255.0f));
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
}

static void box() {
  int host[2][4][8], back[2][4][8], *out;
  for (int i = 0; i < 64; i++) host[i / 32][i / 8 % 4][i % 8] = i * i;
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaExtent extent = make_cudaExtent(8, 4, 2);
  CHECK(cudaMalloc3DArray(&array, &format, extent));
  cudaMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  copy.srcPtr = make_cudaPitchedPtr(host, 8 * sizeof(int), 8, 4);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  CHECK(cudaMalloc(&out, sizeof back));
  cudaTextureDesc how =
      description(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0);
  cudaTextureObject_t texture = texture_of(array, &how);
  volume<<<1, dim3(8, 4, 2)>>>(texture, out);
  CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  EXPECT(memcmp(back, host, sizeof host) == 0);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
}

int main() {
  linear_memory();
  pitched_memory();
  filtered_array();
  bytes_as_fractions();
  box();
  return finish("textures");
}
