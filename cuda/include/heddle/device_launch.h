// SPDX-License-Identifier: MIT
// Launches in device code, which `heddle cc` writes as a Launcher<type, kernel>(shape)(arguments).
//
// Clang does not let device code name a kernel, except where a constant is
// worked out: a template's argument, and the initial value of a variable. Of overloads it does
// so in a class only, not in a function of the device: the launcher's type stands in a local one.
#ifndef HEDDLE_DEVICE_LAUNCH_H
#define HEDDLE_DEVICE_LAUNCH_H

#include <new>

#include "cuda_device_runtime_api.h"
#include "heddle/kernel_choice.h"

namespace heddle {

template <typename Kernel, Kernel kernel>
__device__ void *kernel_address = (void *)kernel;

// Parameters stand one behind the other, each aligned as its type wants it.
class Parameters {
 public:
  __device__ explicit Parameters(void *buffer) : bytes(static_cast<char *>(buffer)), used(0) {}
  template <typename T>
  __device__ int put(const T &value) {
    used = (used + alignof(T) - 1) / alignof(T) * alignof(T);
    new (bytes + used) T(value);  // members may be const
    used += sizeof(T);
    return 0;
  }

 private:
  char *bytes;
  size_t used;
};

template <typename Kernel, Kernel kernel>
class Launcher;

template <typename... P, void (*kernel)(P...)>
class Launcher<void (*)(P...), kernel> {
 public:
  __host__ __device__ Launcher(dim3 g, dim3 b, size_t bytes = 0, cudaStream_t s = 0)
      : grid(g), block(b), shared(bytes), stream(s) {}

  __host__ __device__ void operator()(P... parameters) const {
#ifdef __CUDA_ARCH__
    void *buffer = cudaGetParameterBufferV2(kernel_address<void (*)(P...), kernel>, grid, block,
                                            static_cast<unsigned>(shared));
    if (!buffer) return;
    Parameters put(buffer);
    const int in_order[] = {0, put.put(parameters)...};
    (void)in_order;
    cudaLaunchDeviceV2(buffer, stream);
#else
    void *pointers[] = {const_cast<void *>(static_cast<const void *>(&parameters))..., nullptr};
    cudaLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block, pointers, shared, stream);
#endif
  }

 private:
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};

}  // namespace heddle

#endif
