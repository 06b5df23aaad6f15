// SPDX-License-Identifier: MIT
// Stream-ordered memory allocation from pools.
//
// Memory is allocated immediately, which is indistinguishable from stream order; it is
// freed when the stream reaches the operation. A pool caches nothing: reserved memory
// equals used memory.
#ifndef DEVICE_MEMORY_POOLS_H
#define DEVICE_MEMORY_POOLS_H

#include "device/device.h"

typedef struct DevicePool DevicePool;

// The numbers of both APIs. The first three are flags; reserving and reusing as
// they and the threshold allow would change no address that a program may rely on.
typedef enum PoolAttribute {
  POOL_FOLLOW_EVENTS = 1,
  POOL_OPPORTUNISTIC,
  POOL_INTERNAL_ORDER,
  POOL_RELEASE_THRESHOLD,
  POOL_RESERVED,
  POOL_RESERVED_HIGH,
  POOL_USED,
  POOL_USED_HIGH,
  POOL_ATTRIBUTES,
} PoolAttribute;

DeviceError device_pool_create(Device *device, DevicePool **pool);
DeviceError device_pool_destroy(Device *device, DevicePool *pool);  // not the default one
DeviceError device_pool_default(Device *device, DevicePool **pool);
// The one that allocations without a pool come from.
DeviceError device_pool_current(Device *device, DevicePool **pool);
DeviceError device_pool_set_current(Device *device, DevicePool *pool);
bool device_pool_exists(Device *device, DevicePool *pool);
DeviceError device_pool_get(Device *device, DevicePool *pool, PoolAttribute attribute,
                            uint64_t *value);
// Of POOL_..._HIGH, sets the mark back: the value must be 0.
DeviceError device_pool_set(Device *device, DevicePool *pool, PoolAttribute attribute,
                            uint64_t value);

// pool NULL: the current one.
DeviceError device_alloc_in_stream(Device *device, uint64_t size_bytes, DevicePool *pool,
                                   DeviceStream *stream, uint64_t *address);
DeviceError device_free_in_stream(Device *device, uint64_t address, DeviceStream *stream);

#endif
