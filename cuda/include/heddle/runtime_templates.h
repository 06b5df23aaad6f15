// SPDX-License-Identifier: MIT
// The C++ face of the runtime API: pointers, symbols, kernels and texture
// references by their types.
#ifndef HEDDLE_RUNTIME_TEMPLATES_H
#define HEDDLE_RUNTIME_TEMPLATES_H

#define HEDDLE_API static __inline__ __host__ __attribute__((unused)) cudaError_t

template <class T>
HEDDLE_API cudaMalloc(T **pointer, size_t size) {
  return cudaMalloc((void **)(void *)pointer, size);
}
template <class T>
HEDDLE_API cudaMallocHost(T **pointer, size_t size, unsigned int flags = 0) {
  return cudaHostAlloc((void **)(void *)pointer, size, flags);
}
template <class T>
HEDDLE_API cudaHostAlloc(T **pointer, size_t size, unsigned int flags) {
  return cudaHostAlloc((void **)(void *)pointer, size, flags);
}
template <class T>
HEDDLE_API cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
  return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T>
HEDDLE_API cudaMallocManaged(T **pointer, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void **)(void *)pointer, size, flags);
}
template <class T>
HEDDLE_API cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}
template <class T>
HEDDLE_API cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
  return cudaMallocAsync((void **)(void *)pointer, size, stream);
}
template <class T>
HEDDLE_API cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                   cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)(void *)pointer, size, pool, stream);
}
template <class T>
HEDDLE_API cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size, pool, stream);
}
// As of CUDA 12.
HEDDLE_API cudaGraphInstantiate(cudaGraphExec_t *instance, cudaGraph_t graph,
                                unsigned long long flags = 0) {
  return cudaGraphInstantiateWithFlags(instance, graph, flags);
}
// As of CUDA 13.
HEDDLE_API cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                    unsigned long long *id, cudaGraph_t *graph,
                                    const cudaGraphNode_t **before, const cudaGraphEdgeData **edges,
                                    size_t *count) {
  return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, before, edges, count);
}
HEDDLE_API cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *before,
                                               const cudaGraphEdgeData *, size_t count,
                                               unsigned int flags) {
  return cudaStreamUpdateCaptureDependencies(stream, before, count, flags);
}
HEDDLE_API cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                            const cudaGraphEdgeData *edges, size_t before_count,
                            cudaGraphNodeParams *wanted) {
  return cudaGraphAddNode_v2(node, graph, before, edges, before_count, wanted);
}
HEDDLE_API cudaMemPrefetchAsync(const void *pointer, size_t size, cudaMemLocation where,
                                unsigned int, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(pointer, size, where.id, stream);
}
HEDDLE_API cudaMemAdvise(const void *pointer, size_t size, cudaMemoryAdvise advice,
                         cudaMemLocation where) {
  return cudaMemAdvise(pointer, size, advice, where.id);
}
HEDDLE_API cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}

// A symbol is a device variable itself; arrays bind here without decaying.
template <class T>
HEDDLE_API cudaMemcpyToSymbol(const T &symbol, const void *from, size_t size, size_t offset = 0,
                              cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol((const void *)&symbol, from, size, offset, kind);
}
template <class T>
HEDDLE_API cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t size,
                                   size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                   cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync((const void *)&symbol, from, size, offset, kind, stream);
}
template <class T>
HEDDLE_API cudaMemcpyFromSymbol(void *to, const T &symbol, size_t size, size_t offset = 0,
                                cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, (const void *)&symbol, size, offset, kind);
}
template <class T>
HEDDLE_API cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t size, size_t offset = 0,
                                     cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                     cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, size, offset, kind, stream);
}
template <class T>
HEDDLE_API cudaGetSymbolAddress(void **pointer, const T &symbol) {
  return cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <class T, class U>
HEDDLE_API cudaGetSymbolAddress(U **pointer, const T &symbol) {
  return cudaGetSymbolAddress((void **)(void *)pointer, (const void *)&symbol);
}
template <class T>
HEDDLE_API cudaGetSymbolSize(size_t *size, const T &symbol) {
  return cudaGetSymbolSize(size, (const void *)&symbol);
}

template <class T>
HEDDLE_API cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                            size_t shared_bytes = 0, cudaStream_t stream = 0) {
  return cudaLaunchKernel((const void *)function, grid, block, arguments, shared_bytes, stream);
}
template <class T>
HEDDLE_API cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                       size_t shared_bytes = 0, cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared_bytes,
                                     stream);
}
#if __cplusplus >= 201103L
// Arguments are converted to what the kernel takes, as a call would.
template <class... Expected, class... Given>
HEDDLE_API cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Expected...),
                              Given &&...given) {
  return [&](Expected... values) {
    void *arguments[sizeof...(values) + 1] = {(void *)&values..., nullptr};
    return cudaLaunchKernelExC(config, (const void *)kernel, arguments);
  }(static_cast<Given &&>(given)...);
}
#endif
template <class T>
HEDDLE_API cudaFuncSetCacheConfig(T *function, cudaFuncCache config) {
  return cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T>
HEDDLE_API cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig((const void *)function, config);
}
template <class T>
HEDDLE_API cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function) {
  return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T>
HEDDLE_API cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class T>
HEDDLE_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *function, int blocks,
                                                     int block_size) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)function, blocks,
                                                   block_size);
}
template <class T>
HEDDLE_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int block_size,
                                                         size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, block_size,
                                                       shared_bytes);
}
template <class T>
HEDDLE_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function,
                                                                  int block_size,
                                                                  size_t shared_bytes,
                                                                  unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function,
                                                                block_size, shared_bytes, flags);
}

// The block size that fills an SM best; of equals the largest.
template <class SharedBytes, class T>
HEDDLE_API cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T function,
                                                          SharedBytes shared_bytes, int limit = 0) {
  int device, processors;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, (const void *)function);
  if (error != cudaSuccess) return error;
  int largest = attributes.maxThreadsPerBlock, best = 0;
  if (limit > 0 && limit < largest) largest = limit;
  for (int size = (largest + 31) / 32 * 32; size > 0; size -= 32) {
    int threads = size < largest ? size : largest, blocks;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, threads,
                                                          shared_bytes(threads));
    if (error != cudaSuccess) return error;
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * processors;
  }
  return cudaSuccess;
}
struct HeddleSharedBytes {
  size_t bytes;
  size_t operator()(int) const { return bytes; }
};
template <class T>
HEDDLE_API cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function,
                                              size_t shared_bytes = 0, int limit = 0) {
  HeddleSharedBytes constant = {shared_bytes};
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, function, constant, limit);
}

#ifdef __CUDA__
// A texture reference. The compiler makes it a handle on the device, and
// registers it on the host.
template <class T, int dimensions = cudaTextureType1D,
          cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
  __host__ texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                   cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference() {
    normalized = norm;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = cudaCreateChannelDesc<T>();
  }
  __host__ texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address,
                   cudaChannelFormatDesc format)
      : textureReference() {
    normalized = norm;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = format;
  }
};
#define HEDDLE_TEXTURE                                  \
  template <class T, int dim, cudaTextureReadMode mode> \
  HEDDLE_API

HEDDLE_TEXTURE cudaBindTexture(size_t *offset, const texture<T, dim, mode> &reference,
                               const void *pointer, const cudaChannelFormatDesc &format,
                               size_t size = UINT_MAX) {
  return cudaBindTexture(offset, &reference, pointer, &format, size);
}
HEDDLE_TEXTURE cudaBindTexture(size_t *offset, const texture<T, dim, mode> &reference,
                               const void *pointer, size_t size = UINT_MAX) {
  return cudaBindTexture(offset, &reference, pointer, &reference.channelDesc, size);
}
HEDDLE_TEXTURE cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &reference,
                                 const void *pointer, const cudaChannelFormatDesc &format,
                                 size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, &reference, pointer, &format, width, height, pitch);
}
HEDDLE_TEXTURE cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &reference,
                                 const void *pointer, size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, &reference, pointer, &reference.channelDesc, width, height,
                           pitch);
}
HEDDLE_TEXTURE cudaBindTextureToArray(const texture<T, dim, mode> &reference,
                                      cudaArray_const_t array,
                                      const cudaChannelFormatDesc &format) {
  return cudaBindTextureToArray(&reference, array, &format);
}
HEDDLE_TEXTURE cudaBindTextureToArray(const texture<T, dim, mode> &reference,
                                      cudaArray_const_t array) {
  cudaChannelFormatDesc format;
  cudaError_t error = cudaGetChannelDesc(&format, array);
  return error == cudaSuccess ? cudaBindTextureToArray(&reference, array, &format) : error;
}
HEDDLE_TEXTURE cudaUnbindTexture(const texture<T, dim, mode> &reference) {
  return cudaUnbindTexture(&reference);
}
HEDDLE_TEXTURE cudaGetTextureAlignmentOffset(size_t *offset,
                                             const texture<T, dim, mode> &reference) {
  return cudaGetTextureAlignmentOffset(offset, &reference);
}
#undef HEDDLE_TEXTURE
#endif
#undef HEDDLE_API

#endif
