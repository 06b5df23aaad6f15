// SPDX-License-Identifier: MIT
// The runtime functions that kernels may call. They are the device's own, beside
// those of the host with the same names.
#ifndef HEDDLE_CUDA_DEVICE_RUNTIME_API_H
#define HEDDLE_CUDA_DEVICE_RUNTIME_API_H
#define __CUDA_DEVICE_RUNTIME_API_H__ 1  // what programs ask for to know that it was read

#include "cuda_runtime_api.h"

#ifdef __CUDA__
extern "C" {
__device__ void *cudaGetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared);
__device__ cudaError_t cudaLaunchDeviceV2(void *buffer, cudaStream_t stream);
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
__device__ cudaError_t cudaDeviceSynchronize(void);
__device__ cudaError_t cudaGetLastError(void);
__device__ cudaError_t cudaPeekAtLastError(void);
__device__ cudaError_t cudaGetDevice(int *device);
__device__ cudaError_t cudaGetDeviceCount(int *count);
__device__ cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
__device__ cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
__device__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
__device__ cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
__device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
__device__ cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
__device__ cudaError_t cudaEventDestroy(cudaEvent_t event);
__device__ cudaError_t cudaMalloc(void **pointer, size_t size);
__device__ cudaError_t cudaFree(void *pointer);
__device__ const char *cudaGetErrorName(cudaError_t error);
__device__ const char *cudaGetErrorString(cudaError_t error);
__device__ cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
                                       enum cudaMemcpyKind kind, cudaStream_t stream);
__device__ cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                         size_t from_pitch, size_t width, size_t height,
                                         enum cudaMemcpyKind kind, cudaStream_t stream);
__device__ cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *what, cudaStream_t stream);
__device__ cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream);
__device__ cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                         size_t height, cudaStream_t stream);
__device__ cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value,
                                         struct cudaExtent extent, cudaStream_t stream);
}

// The older pair of functions, on the newer one, which wants the kernel first: parameters
// wait on the heap, behind their size.
static inline __device__ void *cudaGetParameterBuffer(size_t alignment, size_t size) {
  (void)alignment;
  size_t *buffer = static_cast<size_t *>(malloc(size + 64));
  if (!buffer) return 0;
  buffer[0] = size;
  return buffer + 8;
}
static inline __device__ cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid,
                                                      dim3 block, unsigned shared,
                                                      cudaStream_t stream) {
  if (!parameters) return cudaErrorInvalidValue;
  size_t *waiting = static_cast<size_t *>(parameters) - 8;
  void *buffer = cudaGetParameterBufferV2(kernel, grid, block, shared);
  if (buffer) memcpy(buffer, parameters, waiting[0]);
  free(waiting);
  return buffer ? cudaLaunchDeviceV2(buffer, stream) : cudaErrorLaunchOutOfResources;
}

template <typename T>
static inline __device__ cudaError_t cudaMalloc(T **pointer, size_t size) {
  return cudaMalloc((void **)pointer, size);
}
#endif

#endif
