// SPDX-License-Identifier: MIT
// Memory in a stream's order, and the pools that it comes from.
#include "device/memory/pools.h"

#include "cudadriver/objects.h"

// ---- memory

static CUresult take(CUdeviceptr *pointer, size_t bytes, DevicePool *pool, DeviceStream *stream) {
  uint64_t address = 0;
  NEED_VALUE(pointer && bytes);
  NEED(api_result(device_alloc_in_stream(api_device(), bytes, pool, stream, &address)));
  object_add(OBJECT_MEMORY, address, 0);
  *pointer = address;
  return CUDA_SUCCESS;
}

STREAM_CALL(cuMemAllocAsync, _ptsz, LIST(CUdeviceptr *pointer, size_t bytes, CUstream stream),
            LIST(pointer, bytes, stream)) {
  return take(pointer, bytes, NULL, api_stream(meaning, stream));
}

STREAM_CALL(cuMemAllocFromPoolAsync, _ptsz,
            LIST(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool, CUstream stream),
            LIST(pointer, bytes, pool, stream)) {
  NEED_VALUE(pool);
  return take(pointer, bytes, (DevicePool *)pool, api_stream(meaning, stream));
}

STREAM_CALL(cuMemFreeAsync, _ptsz, LIST(CUdeviceptr pointer, CUstream stream),
            LIST(pointer, stream)) {
  NEED(api_result(device_free_in_stream(api_device(), pointer, api_stream(meaning, stream))));
  object_remove(OBJECT_MEMORY, pointer);
  return CUDA_SUCCESS;
}

// ---- pools

EXPORT CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *wanted) {
  NEED_INITIALIZED();
  NEED_VALUE(pool && wanted && wanted->allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
  if (wanted->handleTypes) return api_unsupported("memory pools shared between processes");
  if (wanted->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return api_unsupported("memory pools outside device memory");
  if (wanted->location.id) return CUDA_ERROR_INVALID_DEVICE;
  return api_result(device_pool_create(api_device(), (DevicePool **)pool));
}

EXPORT CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  NEED_INITIALIZED();
  return api_result(device_pool_destroy(api_device(), (DevicePool *)pool));
}

EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(pool);
  return api_result(device_pool_default(api_device(), (DevicePool **)pool));
}

EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(pool);
  return api_result(device_pool_current(api_device(), (DevicePool **)pool));
}

EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  NEED_DEVICE(device);
  return api_result(device_pool_set_current(api_device(), (DevicePool *)pool));
}

// The first three attributes are ints, the others 64 bits wide.
EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *to) {
  uint64_t value = 0;
  NEED_INITIALIZED();
  NEED_VALUE(to);
  NEED(api_result(
      device_pool_get(api_device(), (DevicePool *)pool, (PoolAttribute)attribute, &value)));
  if ((unsigned)attribute <= POOL_INTERNAL_ORDER)
    *(int *)to = (int)value;
  else
    *(cuuint64_t *)to = value;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                      void *from) {
  NEED_INITIALIZED();
  NEED_VALUE(from);
  uint64_t value =
      (unsigned)attribute <= POOL_INTERNAL_ORDER ? *(int *)from != 0 : *(cuuint64_t *)from;
  return api_result(
      device_pool_set(api_device(), (DevicePool *)pool, (PoolAttribute)attribute, value));
}

static CUresult need_pool(CUmemoryPool pool) {
  NEED_INITIALIZED();
  NEED_VALUE(device_pool_exists(api_device(), (DevicePool *)pool));
  return CUDA_SUCCESS;
}

// Nothing is kept back that could be given up.
EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t least) {
  (void)least;
  return need_pool(pool);
}

static bool is_here(const CUmemLocation *where) {
  return where && where->type == CU_MEM_LOCATION_TYPE_DEVICE && where->id == 0;
}

// The one device may always read and write.
EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *wanted, size_t count) {
  NEED(need_pool(pool));
  NEED_VALUE(!count || wanted);
  for (size_t i = 0; i < count; i++) {
    if (!is_here(&wanted[i].location)) return CUDA_ERROR_INVALID_DEVICE;
    NEED_VALUE(wanted[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  }
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool,
                                   CUmemLocation *where) {
  NEED(need_pool(pool));
  NEED_VALUE(flags);
  *flags = is_here(where) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}
