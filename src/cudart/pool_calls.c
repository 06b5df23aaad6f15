// SPDX-License-Identifier: MIT
// Memory in a stream's order, and the pools that it comes from.
#include "device/memory/pools.h"

#include "cudart/api.h"

// cudaMemPoolProps; what follows is reserved.
typedef struct PoolProperties {
  int type, handle_types;  // type 1: pinned
  struct {
    int type, id;  // type 1: a device
  } where;
} PoolProperties;

typedef struct MemoryLocation {
  int type, id;
} MemoryLocation;

typedef struct AccessDescription {
  MemoryLocation where;
  int flags;  // 0 none, 1 read, 3 read and write
} AccessDescription;

enum { LOCATION_DEVICE = 1, ALLOCATION_PINNED = 1, ACCESS_READ_WRITE = 3 };

static DeviceError take(void **pointer, size_t bytes, DevicePool *pool, DeviceStream *stream) {
  uint64_t address = 0;
  if (!pointer) return DEVICE_INVALID_VALUE;
  DeviceError error =
      bytes ? device_alloc_in_stream(api_device(), bytes, pool, stream, &address) : DEVICE_OK;
  *pointer = (void *)(uintptr_t)address;
  return error;
}

STREAM_CALL(cudaMallocAsync, _ptsz, LIST(void **pointer, size_t bytes, StreamHandle stream),
            LIST(pointer, bytes, stream)) {
  return take(pointer, bytes, NULL, api_stream(meaning, stream));
}

STREAM_CALL(cudaMallocFromPoolAsync, _ptsz,
            LIST(void **pointer, size_t bytes, DevicePool *pool, StreamHandle stream),
            LIST(pointer, bytes, pool, stream)) {
  if (!pool) return DEVICE_INVALID_VALUE;
  return take(pointer, bytes, pool, api_stream(meaning, stream));
}

STREAM_CALL(cudaFreeAsync, _ptsz, LIST(void *pointer, StreamHandle stream), LIST(pointer, stream)) {
  return device_free_in_stream(api_device(), address_of(pointer), api_stream(meaning, stream));
}

// ---- pools

EXPORT int cudaMemPoolCreate(DevicePool **pool, const PoolProperties *properties) {
  if (!pool || !properties || properties->type != ALLOCATION_PINNED)
    return api_result(DEVICE_INVALID_VALUE);
  if (properties->handle_types & ~1)
    return api_unsupported("memory pools shared other than by file descriptors");
  if (properties->where.type != LOCATION_DEVICE)
    return api_unsupported("memory pools outside device memory");
  if (properties->where.id) return api_result(DEVICE_INVALID_DEVICE);
  return api_result(device_pool_create(api_device(), pool));
}

EXPORT int cudaMemPoolDestroy(DevicePool *pool) {
  return api_result(device_pool_destroy(api_device(), pool));
}

EXPORT int cudaDeviceGetDefaultMemPool(DevicePool **pool, int device) {
  if (!pool) return api_result(DEVICE_INVALID_VALUE);
  return api_result(device ? DEVICE_INVALID_DEVICE : device_pool_default(api_device(), pool));
}

EXPORT int cudaDeviceGetMemPool(DevicePool **pool, int device) {
  if (!pool) return api_result(DEVICE_INVALID_VALUE);
  return api_result(device ? DEVICE_INVALID_DEVICE : device_pool_current(api_device(), pool));
}

EXPORT int cudaDeviceSetMemPool(int device, DevicePool *pool) {
  return api_result(device ? DEVICE_INVALID_DEVICE : device_pool_set_current(api_device(), pool));
}

static bool is_here(const MemoryLocation *where) {
  return where && where->type == LOCATION_DEVICE && where->id == 0;
}

EXPORT int cudaMemGetDefaultMemPool(DevicePool **pool, const MemoryLocation *where, int type) {
  if (!is_here(where) || type != ALLOCATION_PINNED)
    return api_unsupported("memory pools outside device memory");
  return cudaDeviceGetDefaultMemPool(pool, 0);
}

EXPORT int cudaMemGetMemPool(DevicePool **pool, const MemoryLocation *where, int type) {
  if (!is_here(where) || type != ALLOCATION_PINNED)
    return api_unsupported("memory pools outside device memory");
  return cudaDeviceGetMemPool(pool, 0);
}

EXPORT int cudaMemSetMemPool(const MemoryLocation *where, int type, DevicePool *pool) {
  if (!is_here(where) || type != ALLOCATION_PINNED)
    return api_unsupported("memory pools outside device memory");
  return cudaDeviceSetMemPool(0, pool);
}

// The first three attributes are ints, the others 64 bits wide.
EXPORT int cudaMemPoolGetAttribute(DevicePool *pool, int attribute, void *to) {
  uint64_t value;
  if (!to) return api_result(DEVICE_INVALID_VALUE);
  DeviceError error = device_pool_get(api_device(), pool, (PoolAttribute)attribute, &value);
  if (!error && attribute <= POOL_INTERNAL_ORDER)
    *(int *)to = (int)value;
  else if (!error)
    *(uint64_t *)to = value;
  return api_result(error);
}

EXPORT int cudaMemPoolSetAttribute(DevicePool *pool, int attribute, const void *from) {
  if (!from) return api_result(DEVICE_INVALID_VALUE);
  uint64_t value =
      attribute <= POOL_INTERNAL_ORDER ? *(const int *)from != 0 : *(const uint64_t *)from;
  return api_result(device_pool_set(api_device(), pool, (PoolAttribute)attribute, value));
}

// Nothing is kept back that could be given up.
EXPORT int cudaMemPoolTrimTo(DevicePool *pool, size_t least) {
  (void)least;
  return api_result(device_pool_exists(api_device(), pool) ? DEVICE_OK : DEVICE_INVALID_VALUE);
}

// The one device may always read and write.
EXPORT int cudaMemPoolSetAccess(DevicePool *pool, const AccessDescription *wanted, size_t count) {
  if (!device_pool_exists(api_device(), pool) || (count && !wanted))
    return api_result(DEVICE_INVALID_VALUE);
  for (size_t i = 0; i < count; i++) {
    if (!is_here(&wanted[i].where)) return api_result(DEVICE_INVALID_DEVICE);
    if (wanted[i].flags != ACCESS_READ_WRITE) return api_result(DEVICE_INVALID_VALUE);
  }
  return 0;
}

EXPORT int cudaMemPoolGetAccess(int *flags, DevicePool *pool, const MemoryLocation *where) {
  if (!flags || !device_pool_exists(api_device(), pool)) return api_result(DEVICE_INVALID_VALUE);
  *flags = is_here(where) ? ACCESS_READ_WRITE : 0;
  return 0;
}
