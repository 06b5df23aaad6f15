// SPDX-License-Identifier: MIT
// A two-dimensional texture that frees itself. Coordinates are elements; what lies
// outside is as on the border.
#ifndef WORKLOADS_TEXTURE_H
#define WORKLOADS_TEXTURE_H

#include <cstring>
#include <vector>

#include "common/fail.h"

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

#endif
