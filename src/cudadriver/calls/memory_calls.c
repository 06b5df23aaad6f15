// SPDX-License-Identifier: MIT
// Memory of device and host: taking it, giving it back, asking about it.
#include "cudadriver/objects.h"

enum { PITCH_ALIGNMENT = 512 };

static CUresult alloc(CUdeviceptr *pointer, uint64_t bytes) {
  uint64_t address = 0;
  NEED_VALUE(pointer && bytes);
  NEED(api_result(device_alloc(api_device(), bytes, &address)));
  object_add(OBJECT_MEMORY, address, 0);
  *pointer = address;
  return CUDA_SUCCESS;
}

static CUresult give_back(CUdeviceptr pointer) {
  NEED(api_result(device_free(api_device(), pointer)));
  object_remove(OBJECT_MEMORY, pointer);
  object_remove(OBJECT_MANAGED, pointer);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  NEED_CONTEXT();
  return alloc(pointer, bytes);
}

EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                                   unsigned element_bytes) {
  uint64_t bytes;
  NEED_CONTEXT();
  NEED_VALUE(pointer && pitch && width && height && width <= SIZE_MAX / 2);
  NEED_VALUE(element_bytes == 4 || element_bytes == 8 || element_bytes == 16);
  size_t row = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
  if (__builtin_mul_overflow(row, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  NEED(alloc(pointer, bytes));
  *pitch = row;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr pointer) {
  NEED_CONTEXT();
  return give_back(pointer);
}

EXPORT CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
  uint64_t available = 0, total = 0;
  NEED_CONTEXT();
  NEED_VALUE(free_bytes && total_bytes);
  NEED(api_result(device_memory_info(api_device(), &available, &total)));
  *free_bytes = available;
  *total_bytes = total;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer) {
  DevicePointer found;
  NEED_CONTEXT();
  if (!device_pointer_find(api_device(), pointer, &found)) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = found.base;
  if (bytes) *bytes = found.size_bytes;
  return CUDA_SUCCESS;
}

// ---- the host's

EXPORT CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  const unsigned known =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  NEED_CONTEXT();
  NEED_VALUE(pointer && bytes && !(flags & ~known));
  NEED(api_result(device_host_alloc(api_device(), bytes, HOST_PINNED, pointer)));
  object_add(OBJECT_HOST_MEMORY, address_of(*pointer), flags);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}

EXPORT CUresult cuMemFreeHost(void *pointer) {
  NEED_CONTEXT();
  NEED_VALUE(pointer);
  NEED(api_result(device_host_free(api_device(), pointer, HOST_PINNED)));
  object_remove(OBJECT_HOST_MEMORY, address_of(pointer));
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags) {
  void *host = NULL;
  NEED_CONTEXT();
  NEED_VALUE(pointer && bytes && (flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST));
  NEED(api_result(device_host_alloc(api_device(), bytes, HOST_MANAGED, &host)));
  object_add(OBJECT_MANAGED, address_of(host), flags);
  *pointer = address_of(host);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
  const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  NEED_CONTEXT();
  NEED_VALUE(pointer && bytes);
  if (flags & ~known) return api_unsupported("registration of I/O or read-only memory");
  NEED(api_result(device_host_register(api_device(), pointer, bytes)));
  object_add(OBJECT_REGISTERED, address_of(pointer), flags);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemHostUnregister(void *pointer) {
  NEED_CONTEXT();
  NEED_VALUE(pointer);
  NEED(api_result(device_host_unregister(api_device(), pointer)));
  object_remove(OBJECT_REGISTERED, address_of(pointer));
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pointer, void *host, unsigned flags) {
  DevicePointer found;
  NEED_CONTEXT();
  NEED_VALUE(pointer && !flags);
  NEED_VALUE(device_pointer_find(api_device(), address_of(host), &found) && found.is_host);
  *pointer = address_of(host);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemHostGetFlags(unsigned *flags, void *host) {
  Object object;
  DevicePointer found;
  NEED_CONTEXT();
  NEED_VALUE(flags && device_pointer_find(api_device(), address_of(host), &found));
  NEED_VALUE(found.is_host && !found.is_managed);
  bool is_ours = object_find(OBJECT_HOST_MEMORY, found.base, &object) ||
                 object_find(OBJECT_REGISTERED, found.base, &object);
  *flags = is_ours ? object.flags : CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

// ---- hints about managed memory, which both sides always see

static CUresult need_managed(CUdeviceptr pointer, size_t bytes) {
  DevicePointer found;
  NEED_CONTEXT();
  NEED_VALUE(bytes && device_pointer_find(api_device(), pointer, &found) && found.is_managed);
  NEED_VALUE(bytes <= found.base + found.size_bytes - pointer);
  return CUDA_SUCCESS;
}

#undef cuMemAdvise
EXPORT CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice,
                            CUdevice device) {
  (void)advice, (void)device;
  return need_managed(pointer, bytes);
}

EXPORT CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice,
                               CUmemLocation where) {
  (void)advice, (void)where;
  return need_managed(pointer, bytes);
}

#undef cuMemPrefetchAsync
STREAM_CALL(cuMemPrefetchAsync, _ptsz,
            LIST(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream),
            LIST(pointer, bytes, device, stream)) {
  (void)meaning, (void)device, (void)stream;
  return need_managed(pointer, bytes);
}

STREAM_CALL(cuMemPrefetchAsync_v2, _ptsz,
            LIST(CUdeviceptr pointer, size_t bytes, CUmemLocation where, unsigned flags,
                 CUstream stream),
            LIST(pointer, bytes, where, flags, stream)) {
  (void)meaning, (void)where, (void)flags, (void)stream;
  return need_managed(pointer, bytes);
}

STREAM_CALL(cuStreamAttachMemAsync, _ptsz,
            LIST(CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned flags),
            LIST(stream, pointer, bytes, flags)) {
  (void)meaning, (void)stream, (void)flags;
  DevicePointer found;
  NEED_VALUE(device_pointer_find(api_device(), pointer, &found) && found.is_managed);
  return bytes ? need_managed(pointer, bytes) : CUDA_SUCCESS;
}
