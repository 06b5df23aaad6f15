// SPDX-License-Identifier: MIT
// Stream-ordered memory allocation from pools.
#include "device/memory/pools.h"

#include "base/memory.h"
#include "device/graphs/graph_state.h"

struct DevicePool {
  const void *self;  // key: its own address
  uint64_t values[POOL_ATTRIBUTES];
  UT_hash_handle hh;
};

typedef struct PoolAllocation {
  uint64_t address;  // key
  uint64_t size_bytes;
  DevicePool *pool;  // NULL: it was destroyed
  bool is_freed;     // a stream will come to it
  UT_hash_handle hh;
} PoolAllocation;

// ---- pools

static DevicePool *add_pool(Device *device) {
  DevicePool *pool = memory_alloc(sizeof *pool);
  pool->self = pool;
  for (int flag = POOL_FOLLOW_EVENTS; flag <= POOL_INTERNAL_ORDER; flag++) pool->values[flag] = 1;
  HASH_ADD_PTR(device->pools, self, pool);
  return pool;
}

static DevicePool *default_pool(Device *device) {
  if (!device->default_pool) device->default_pool = device->current_pool = add_pool(device);
  return device->default_pool;
}

static DevicePool *current_pool(Device *device) {
  default_pool(device);
  return device->current_pool;
}

static DevicePool *pool_checked(const Device *device, const DevicePool *pool) {
  DevicePool *found;
  HASH_FIND_PTR(device->pools, &pool, found);
  return found;
}

void pools_clear(Device *device) {
  PoolAllocation *it, *next;
  DevicePool *pool, *next_pool;
  HASH_ITER(hh, device->pool_allocations, it, next) {
    HASH_DEL(device->pool_allocations, it);
    memory_free(it);
  }
  HASH_ITER(hh, device->pools, pool, next_pool) {
    HASH_DEL(device->pools, pool);
    memory_free(pool);
  }
  device->default_pool = device->current_pool = NULL;
}

static DeviceError give(Device *device, DevicePool *(*find)(Device *), DevicePool **pool) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) *pool = find(device);
  device_unlock(device);
  return error;
}

DeviceError device_pool_create(Device *device, DevicePool **pool) {
  return give(device, add_pool, pool);
}

DeviceError device_pool_default(Device *device, DevicePool **pool) {
  return give(device, default_pool, pool);
}

DeviceError device_pool_current(Device *device, DevicePool **pool) {
  return give(device, current_pool, pool);
}

// Takes the lock if the pool exists, and executes queued work.
static DeviceError enter(Device *device, const DevicePool *pool) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error && !pool_checked(device, pool)) error = DEVICE_INVALID_VALUE;
  if (!error) error = device_execute(device);
  if (error) device_unlock(device);
  return error;
}

bool device_pool_exists(Device *device, DevicePool *pool) {
  device_lock(device);
  bool is_there = pool_checked(device, pool);
  device_unlock(device);
  return is_there;
}

DeviceError device_pool_set_current(Device *device, DevicePool *pool) {
  DeviceError error = enter(device, pool);
  if (error) return error;
  default_pool(device);
  device->current_pool = pool;
  device_unlock(device);
  return DEVICE_OK;
}

DeviceError device_pool_destroy(Device *device, DevicePool *pool) {
  DeviceError error = enter(device, pool);
  if (error) return error;
  if (pool == device->default_pool) {
    device_unlock(device);
    return DEVICE_INVALID_VALUE;
  }
  for (PoolAllocation *it = device->pool_allocations; it; it = it->hh.next)
    if (it->pool == pool) it->pool = NULL;
  if (device->current_pool == pool) device->current_pool = device->default_pool;
  HASH_DEL(device->pools, pool);
  memory_free(pool);
  device_unlock(device);
  return DEVICE_OK;
}

DeviceError device_pool_get(Device *device, DevicePool *pool, PoolAttribute attribute,
                            uint64_t *value) {
  if (attribute < POOL_FOLLOW_EVENTS || attribute >= POOL_ATTRIBUTES) return DEVICE_INVALID_VALUE;
  DeviceError error = enter(device, pool);
  if (error) return error;
  *value = pool->values[attribute];
  device_unlock(device);
  return DEVICE_OK;
}

DeviceError device_pool_set(Device *device, DevicePool *pool, PoolAttribute attribute,
                            uint64_t value) {
  bool is_mark = attribute == POOL_RESERVED_HIGH || attribute == POOL_USED_HIGH;
  if (attribute < POOL_FOLLOW_EVENTS || attribute >= POOL_ATTRIBUTES ||
      attribute == POOL_RESERVED || attribute == POOL_USED || (is_mark && value))
    return DEVICE_INVALID_VALUE;
  DeviceError error = enter(device, pool);
  if (error) return error;
  pool->values[attribute] = is_mark ? pool->values[POOL_USED] : value;
  device_unlock(device);
  return DEVICE_OK;
}

// ---- allocations

static void count(DevicePool *pool, uint64_t used) {
  pool->values[POOL_USED] = pool->values[POOL_RESERVED] = used;
  if (used > pool->values[POOL_USED_HIGH]) pool->values[POOL_USED_HIGH] = used;
  if (used > pool->values[POOL_RESERVED_HIGH]) pool->values[POOL_RESERVED_HIGH] = used;
}

static PoolAllocation *allocation_at(const Device *device, uint64_t address) {
  PoolAllocation *found;
  HASH_FIND(hh, device->pool_allocations, &address, sizeof address, found);
  return found;
}

void pool_forget(Device *device, uint64_t address) {
  PoolAllocation *it = allocation_at(device, address);
  if (!it) return;
  if (it->pool) count(it->pool, it->pool->values[POOL_USED] - it->size_bytes);
  HASH_DEL(device->pool_allocations, it);
  memory_free(it);
}

static DeviceError alloc_in_pool(Device *device, uint64_t size_bytes, DevicePool *pool,
                                 uint64_t *address) {
  Error err;
  Status status;
  for (int attempt = 0; attempt < 2; attempt++) {
    status = device_memory_alloc(device->engine.memory, size_bytes, ALLOCATION_HEAP, NULL, address,
                                 &err);
    if (status == OK) break;
    // Queued work may free memory.
    DeviceError error = device_execute(device);
    if (error) return error;
  }
  if (status != OK) return DEVICE_OUT_OF_MEMORY;
  device_forget_allocations(device);
  PoolAllocation *added = memory_alloc(sizeof *added);
  *added = (PoolAllocation){.address = *address, .size_bytes = size_bytes, .pool = pool};
  HASH_ADD(hh, device->pool_allocations, address, sizeof added->address, added);
  count(pool, pool->values[POOL_USED] + size_bytes);
  return DEVICE_OK;
}

// In a captured stream: memory of the graph.
static DeviceError alloc_in_graph(Device *device, uint64_t size_bytes, DeviceStream *stream,
                                  uint64_t *address) {
  GraphWork work = {.kind = NODE_ALLOC, .memory = {0, size_bytes}};
  DeviceError error = capture_add(device, stream, &work);
  if (!error) *address = stream->heads.nodes[0]->work.memory.address;
  return error;
}

DeviceError device_alloc_in_stream(Device *device, uint64_t size_bytes, DevicePool *pool,
                                   DeviceStream *stream, uint64_t *address) {
  device_lock(device);
  DeviceError error = device_ready(device);
  stream = error ? NULL : stream_checked(device, stream);
  if (!error && !stream) error = DEVICE_INVALID_HANDLE;
  if (!error && pool && !pool_checked(device, pool)) error = DEVICE_INVALID_VALUE;
  if (!error)
    error = stream->capture
                ? alloc_in_graph(device, size_bytes, stream, address)
                : alloc_in_pool(device, size_bytes, pool ? pool : current_pool(device), address);
  device_unlock(device);
  return error;
}

static DeviceError free_in_stream(Device *device, uint64_t address, DeviceStream *stream) {
  GraphWork work = {.kind = NODE_FREE, .memory = {.address = address}};
  if (stream->capture) return capture_add(device, stream, &work);
  const Allocation *found = device_memory_find(device->engine.memory, address);
  PoolAllocation *it = allocation_at(device, address);
  if (!found || found->address != address || found->kind != ALLOCATION_HEAP || (it && it->is_freed))
    return DEVICE_INVALID_VALUE;
  if (it) it->is_freed = true;
  operation_add(device, stream, OPERATION_FREE)->freed = address;
  return DEVICE_OK;
}

DeviceError device_free_in_stream(Device *device, uint64_t address, DeviceStream *stream) {
  if (!address) return DEVICE_OK;
  device_lock(device);
  DeviceError error = device_ready(device);
  stream = error ? NULL : stream_checked(device, stream);
  if (!error && !stream) error = DEVICE_INVALID_HANDLE;
  if (!error) error = free_in_stream(device, address, stream);
  device_unlock(device);
  return error;
}
