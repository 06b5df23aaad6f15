// SPDX-License-Identifier: MIT
// Memory of device and host: taking it, giving it back, asking about it.
#include "cudart/api.h"

enum { PITCH_ALIGNMENT = 512 };

EXPORT int cudaMalloc(void **pointer, size_t bytes) {
  uint64_t address = 0;
  if (!pointer) return api_result(DEVICE_INVALID_VALUE);
  // An allocation of 0 bytes returns a null pointer.
  DeviceError error = bytes ? device_alloc(api_device(), bytes, &address) : DEVICE_OK;
  *pointer = (void *)(uintptr_t)address;
  return api_result(error);
}

EXPORT int cudaFree(void *pointer) {
  return api_result(device_free(api_device(), address_of(pointer)));
}

static DeviceError alloc_rows(void **pointer, size_t *pitch, size_t width, size_t rows) {
  uint64_t address = 0, bytes;
  if (!pointer || !pitch || width > SIZE_MAX / 2) return DEVICE_INVALID_VALUE;
  *pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
  if (__builtin_mul_overflow(*pitch, rows, &bytes)) return DEVICE_OUT_OF_MEMORY;
  DeviceError error = device_alloc(api_device(), bytes, &address);
  *pointer = (void *)(uintptr_t)address;
  return error;
}

EXPORT int cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  return api_result(alloc_rows(pointer, pitch, width, height));
}

EXPORT int cudaMalloc3D(PitchedPointer *pitched, Extent extent) {
  size_t rows;
  if (!pitched) return api_result(DEVICE_INVALID_VALUE);
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
    return api_result(DEVICE_OUT_OF_MEMORY);
  pitched->width = extent.width;
  pitched->height = extent.height;
  return api_result(alloc_rows(&pitched->pointer, &pitched->pitch, extent.width, rows));
}

EXPORT int cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  uint64_t free_ = 0, total = 0;
  DeviceError error = device_memory_info(api_device(), &free_, &total);
  if (free_bytes) *free_bytes = free_;
  if (total_bytes) *total_bytes = total;
  return api_result(error);
}

// ---- the host's

EXPORT int cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  (void)flags;  // all of it is portable and mapped
  if (!pointer) return api_result(DEVICE_INVALID_VALUE);
  return api_result(device_host_alloc(api_device(), bytes, HOST_PINNED, pointer));
}

EXPORT int cudaMallocHost(void **pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}

EXPORT int cudaFreeHost(void *pointer) {
  return api_result(device_host_free(api_device(), pointer, HOST_PINNED));
}

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };

EXPORT int cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  if (!pointer || !bytes || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST))
    return api_result(DEVICE_INVALID_VALUE);
  return api_result(device_host_alloc(api_device(), bytes, HOST_MANAGED, pointer));
}

EXPORT int cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
  (void)flags;
  return api_result(device_host_register(api_device(), pointer, bytes));
}

EXPORT int cudaHostUnregister(void *pointer) {
  return api_result(device_host_unregister(api_device(), pointer));
}

EXPORT int cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  DevicePointer found;
  if (!device || flags) return api_result(DEVICE_INVALID_VALUE);
  if (!device_pointer_find(api_device(), address_of(host), &found) || !found.is_host)
    return api_result(DEVICE_INVALID_VALUE);
  *device = host;
  return 0;
}

enum { HOST_PORTABLE = 1, HOST_MAPPED = 2 };

EXPORT int cudaHostGetFlags(unsigned *flags, void *host) {
  DevicePointer found;
  if (!flags || !device_pointer_find(api_device(), address_of(host), &found) || !found.is_host)
    return api_result(DEVICE_INVALID_VALUE);
  *flags = HOST_PORTABLE | HOST_MAPPED;
  return 0;
}

typedef struct PointerAttributes {
  int type;  // 0 unknown, 1 host, 2 device, 3 managed
  int device;
  void *device_pointer, *host_pointer;
#if CUDA_MAJOR >= 13
  long reserved[8];
#endif
} PointerAttributes;

EXPORT int cudaPointerGetAttributes(PointerAttributes *to, const void *pointer) {
  DevicePointer found;
  if (!to) return api_result(DEVICE_INVALID_VALUE);
  void *same = (void *)(uintptr_t)pointer;
  if (!device_pointer_find(api_device(), address_of(pointer), &found))
    *to = (PointerAttributes){.device = -2, .host_pointer = same};
  else
    *to = (PointerAttributes){.type = found.is_managed ? 3
                                      : found.is_host  ? 1
                                                       : 2,
                              .device_pointer = same,
                              .host_pointer = found.is_host ? same : NULL};
  return 0;
}

// ---- hints about managed memory, which both sides always see

static DeviceError check_managed(const void *pointer) {
  DevicePointer found;
  return device_pointer_find(api_device(), address_of(pointer), &found) && found.is_managed
             ? DEVICE_OK
             : DEVICE_INVALID_VALUE;
}

typedef struct MemoryLocation {
  int type, id;
} MemoryLocation;

#if CUDA_MAJOR >= 13
STREAM_CALL(cudaMemPrefetchAsync, _ptsz,
            LIST(const void *pointer, size_t bytes, MemoryLocation where, unsigned flags,
                 StreamHandle stream),
            LIST(pointer, bytes, where, flags, stream)) {
  (void)meaning, (void)bytes, (void)where, (void)flags, (void)stream;
  return check_managed(pointer);
}

EXPORT int cudaMemAdvise(const void *pointer, size_t bytes, int advice, MemoryLocation where) {
  (void)bytes, (void)advice, (void)where;
  return api_result(check_managed(pointer));
}
#else
STREAM_CALL(cudaMemPrefetchAsync, _ptsz,
            LIST(const void *pointer, size_t bytes, int device, StreamHandle stream),
            LIST(pointer, bytes, device, stream)) {
  (void)meaning, (void)bytes, (void)device, (void)stream;
  return check_managed(pointer);
}

STREAM_CALL(cudaMemPrefetchAsync_v2, _ptsz,
            LIST(const void *pointer, size_t bytes, MemoryLocation where, unsigned flags,
                 StreamHandle stream),
            LIST(pointer, bytes, where, flags, stream)) {
  (void)meaning, (void)bytes, (void)where, (void)flags, (void)stream;
  return check_managed(pointer);
}

EXPORT int cudaMemAdvise(const void *pointer, size_t bytes, int advice, int device) {
  (void)bytes, (void)advice, (void)device;
  return api_result(check_managed(pointer));
}

EXPORT int cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice, MemoryLocation where) {
  (void)bytes, (void)advice, (void)where;
  return api_result(check_managed(pointer));
}
#endif

STREAM_CALL(cudaStreamAttachMemAsync, _ptsz,
            LIST(StreamHandle stream, void *pointer, size_t bytes, unsigned flags),
            LIST(stream, pointer, bytes, flags)) {
  (void)meaning, (void)stream, (void)bytes, (void)flags;
  return check_managed(pointer);
}

// ---- variables of the program

EXPORT int cudaGetSymbolAddress(void **pointer, const void *symbol) {
  uint64_t address = 0, bytes;
  DeviceError error = device_symbol_find(api_device(), symbol, &address, &bytes);
  if (!error) *pointer = (void *)(uintptr_t)address;
  return api_result(error);
}

EXPORT int cudaGetSymbolSize(size_t *size, const void *symbol) {
  uint64_t address, bytes = 0;
  DeviceError error = device_symbol_find(api_device(), symbol, &address, &bytes);
  if (!error) *size = bytes;
  return api_result(error);
}
