// SPDX-License-Identifier: MIT
// Textures that free themselves. Coordinates are elements.
#ifndef WORKLOADS_TEXTURE_H
#define WORKLOADS_TEXTURE_H

#include <cstring>
#include <vector>

#include "common/fail.h"

// Of two dimensions; what lies outside is as on the border.
template <typename T>
class Texture {
 public:
  Texture(const std::vector<T> &values, int width, int height) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    size_t row = (size_t)width * sizeof(T);
    CUDA(cudaMallocArray(&array_, &format, (size_t)width, (size_t)height));
    CUDA(cudaMemcpy2DToArray(array_, 0, 0, values.data(), row, row, (size_t)height,
                             cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc reading;
    memset(&reading, 0, sizeof reading);
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    reading.filterMode = cudaFilterModePoint;
    reading.readMode = cudaReadModeElementType;
    CUDA(cudaCreateTextureObject(&texture_, &resource, &reading, NULL));
  }
  ~Texture() {
    cudaDestroyTextureObject(texture_);
    cudaFreeArray(array_);
  }
  Texture(const Texture &) = delete;
  Texture &operator=(const Texture &) = delete;

  operator cudaTextureObject_t() const { return texture_; }

 private:
  cudaArray_t array_;
  cudaTextureObject_t texture_;
};

// Of device memory, for tex1Dfetch. The memory has to outlive it.
template <typename T>
class LinearTexture {
 public:
  LinearTexture(T *memory, size_t count) {
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = count * sizeof(T);
    cudaTextureDesc reading;
    memset(&reading, 0, sizeof reading);
    reading.readMode = cudaReadModeElementType;
    CUDA(cudaCreateTextureObject(&texture_, &resource, &reading, NULL));
  }
  ~LinearTexture() { cudaDestroyTextureObject(texture_); }
  LinearTexture(const LinearTexture &) = delete;
  LinearTexture &operator=(const LinearTexture &) = delete;

  operator cudaTextureObject_t() const { return texture_; }

 private:
  cudaTextureObject_t texture_;
};

#endif
