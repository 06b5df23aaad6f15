// SPDX-License-Identifier: MIT
// Mipmapped arrays: levels filled by copies and by a surface, read at levels and
// with gradients, with filters between levels; and what textures say of themselves.
#include "check.h"

static const int side = 16, levels = 5;

// A level holds one number all over, 100 times the level; level 0 its column.
__global__ void fill(cudaSurfaceObject_t surface, float value) {
  surf2Dwrite(value, surface, threadIdx.x * (int)sizeof value, threadIdx.y);
}

__global__ void at_levels(cudaTextureObject_t texture, const float *wanted, float *out) {
  out[threadIdx.x] = tex2DLod<float>(texture, 0.5f, 0.5f, wanted[threadIdx.x]);
}

// A picture whose pixels are so many texels apart, along y.
__global__ void at_gradients(cudaTextureObject_t texture, const float *texels, float *out) {
  float2 along_x = make_float2(0.25f / 16, 0), along_y = make_float2(0, texels[threadIdx.x] / 16);
  out[threadIdx.x] = tex2DGrad<float>(texture, 0.5f, 0.5f, along_x, along_y);
}

__global__ void at_base(cudaTextureObject_t texture, float *out) {
  out[threadIdx.x] = tex2D<float>(texture, (threadIdx.x + 0.5f) / 16, 0.5f);
}

static cudaMipmappedArray_t make() {
  cudaMipmappedArray_t mipmaps;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocMipmappedArray(&mipmaps, &format, make_cudaExtent(side, side, 0), 9,
                                 cudaArraySurfaceLoadStore));
  for (int level = 0; level < levels; level++) {
    cudaArray_t array;
    cudaExtent extent;
    int own = side >> level;
    CHECK(cudaGetMipmappedArrayLevel(&array, mipmaps, level));
    CHECK(cudaArrayGetInfo(NULL, &extent, NULL, array));
    EXPECT((int)extent.width == own && (int)extent.height == own);
    if (level % 2) {
      cudaResourceDesc resource = {}, told;
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = array;
      cudaSurfaceObject_t surface;
      CHECK(cudaCreateSurfaceObject(&surface, &resource));
      CHECK(cudaGetSurfaceObjectResourceDesc(&told, surface));
      EXPECT(told.res.array.array == array);
      fill<<<1, dim3(own, own)>>>(surface, 100.0f * level);
      CHECK(cudaDestroySurfaceObject(surface));
    } else {
      float texels[side * side];
      for (int i = 0; i < own * own; i++) texels[i] = 100.0f * level + (level ? 0 : i % own);
      CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, own * sizeof(float), own * sizeof(float), own,
                                cudaMemcpyHostToDevice));
    }
  }
  cudaArray_t beyond;
  EXPECT(cudaGetMipmappedArrayLevel(&beyond, mipmaps, levels) == cudaErrorInvalidValue);
  return mipmaps;
}

static cudaTextureDesc plain() {
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModePoint;
  how.mipmapFilterMode = cudaFilterModePoint;
  how.normalizedCoords = 1;
  how.maxMipmapLevelClamp = 10;
  return how;
}

static cudaTextureObject_t texture_of(cudaMipmappedArray_t mipmaps, const cudaTextureDesc *how) {
  cudaTextureObject_t texture;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmaps;
  CHECK(cudaCreateTextureObject(&texture, &resource, how, NULL));
  return texture;
}

// The middle texel of level 0 is column 8.
static void reads_give(void (*kernel)(cudaTextureObject_t, const float *, float *),
                       cudaMipmappedArray_t mipmaps, const cudaTextureDesc *how,
                       const float wanted[6], const float expected[6]) {
  float *in, *out;
  CHECK(cudaMallocManaged(&in, 6 * sizeof *in));
  CHECK(cudaMallocManaged(&out, 6 * sizeof *out));
  memcpy(in, wanted, 6 * sizeof *in);
  cudaTextureObject_t texture = texture_of(mipmaps, how);
  kernel<<<1, 6>>>(texture, in, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 6; i++) EXPECT(out[i] == expected[i]);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

static void levels_are_chosen(cudaMipmappedArray_t mipmaps) {
  cudaTextureDesc how = plain();
  const float wanted[6] = {-3, 0, 1, 1.4f, 2.6f, 99};
  const float nearest[6] = {8, 8, 100, 100, 300, 400};
  reads_give(at_levels, mipmaps, &how, wanted, nearest);
  how.mipmapLevelBias = 1;
  how.minMipmapLevelClamp = 1;
  how.maxMipmapLevelClamp = 3;
  const float bounded[6] = {100, 100, 200, 200, 300, 300};
  reads_give(at_levels, mipmaps, &how, wanted, bounded);
  how = plain();
  how.mipmapFilterMode = cudaFilterModeLinear;
  const float between[6] = {0, 1, 1.25f, 2.5f, 3.75f, 4}, mixed[6] = {8, 100, 125, 250, 375, 400};
  reads_give(at_levels, mipmaps, &how, between, mixed);
  const float texels[6] = {0.5f, 1, 2, 8, 11.3137085f, 64};
  const float by_step[6] = {8, 8, 100, 300, 350, 400};
  reads_give(at_gradients, mipmaps, &how, texels, by_step);
}

static void plain_reads_take_the_first_level(cudaMipmappedArray_t mipmaps) {
  cudaTextureDesc how = plain(), told;
  cudaResourceDesc resource;
  cudaTextureObject_t texture = texture_of(mipmaps, &how);
  float *out;
  CHECK(cudaMallocManaged(&out, side * sizeof *out));
  at_base<<<1, side>>>(texture, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < side; i++) EXPECT(out[i] == i);
  CHECK(cudaGetTextureObjectResourceDesc(&resource, texture));
  EXPECT(resource.resType == cudaResourceTypeMipmappedArray &&
         resource.res.mipmap.mipmap == mipmaps);
  CHECK(cudaGetTextureObjectTextureDesc(&told, texture));
  EXPECT(told.maxMipmapLevelClamp == 10 && told.normalizedCoords == 1);
  CHECK(cudaDestroyTextureObject(texture));
  EXPECT(cudaGetTextureObjectTextureDesc(&told, texture) == cudaErrorInvalidValue);
  CHECK(cudaFree(out));
}

int main() {
  cudaMipmappedArray_t mipmaps = make();
  levels_are_chosen(mipmaps);
  plain_reads_take_the_first_level(mipmaps);
  cudaArray_t level;
  CHECK(cudaGetMipmappedArrayLevel(&level, mipmaps, 0));
  EXPECT(cudaFreeArray(level) == cudaErrorInvalidResourceHandle);
  CHECK(cudaFreeMipmappedArray(mipmaps));
  EXPECT(cudaFreeMipmappedArray(mipmaps) == cudaErrorInvalidResourceHandle);
  return finish("mipmaps");
}
