// SPDX-License-Identifier: MIT
// Memory of the device, and memory of the host that kernels reach as well.
#include <string.h>

#include "base/memory.h"
#include "device/graphs/graph_state.h"

// Freeing waits for everything: no queued work may lose its memory.
static DeviceError settle(Device *device) {
  DeviceError error = device_ready(device);
  return error ? error : device_execute(device);
}

static DeviceError memory_error(Status status) {
  return status == OK          ? DEVICE_OK
         : status == ERR_LIMIT ? DEVICE_OUT_OF_MEMORY
                               : DEVICE_INVALID_VALUE;
}

DeviceError device_alloc(Device *device, uint64_t size_bytes, uint64_t *address) {
  Error err;
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error)
    error = memory_error(device_memory_alloc(device->engine.memory, size_bytes, ALLOCATION_HEAP,
                                             NULL, address, &err));
  if (!error) device_forget_allocations(device);
  device_unlock(device);
  return error;
}

static DeviceError free_managed(Device *device, uint64_t address);

DeviceError free_device(Device *device, uint64_t address) {
  Error err;
  const Allocation *it = device_memory_find(device->engine.memory, address);
  if (!it || it->address != address) return DEVICE_INVALID_VALUE;
  if (it->kind == ALLOCATION_HOST) return free_managed(device, address);
  if (graph_owns(device, address)) return DEVICE_OK;
  if (it->kind != ALLOCATION_HEAP || virtual_memory_holds(device, address))
    return DEVICE_INVALID_VALUE;
  pool_forget(device, address);
  DeviceError error = memory_error(device_memory_free(device->engine.memory, address, &err));
  device_forget_allocations(device);
  return error;
}

DeviceError device_free(Device *device, uint64_t address) {
  if (!address) return DEVICE_OK;
  device_lock(device);
  DeviceError error = settle(device);
  if (!error) error = free_device(device, address);
  device_unlock(device);
  return error;
}

// ---- memory of the host

static DeviceError map_host(Device *device, void *host, uint64_t size_bytes, HostMemory kind) {
  Error err;
  uint64_t address = (uint64_t)(uintptr_t)host;
  Status status = device_memory_alloc_at(device->engine.memory, address, size_bytes,
                                         ALLOCATION_HOST, NULL, host, &err);
  if (status != OK) return kind == HOST_REGISTERED ? DEVICE_HOST_REGISTERED : DEVICE_OUT_OF_MEMORY;
  HostAllocation *added = memory_alloc(sizeof *added);
  *added = (HostAllocation){.host = host, .size_bytes = size_bytes, .kind = kind};
  HASH_ADD_PTR(device->host_allocations, host, added);
  device_forget_allocations(device);
  return DEVICE_OK;
}

static void host_give_back(HostAllocation *it) {
  if (it->kind != HOST_REGISTERED) memory_unmap(it->host, it->size_bytes);
}

static void unmap_host(Device *device, HostAllocation *it) {
  Error err;
  device_memory_free(device->engine.memory, (uint64_t)(uintptr_t)it->host, &err);
  device_forget_allocations(device);
  HASH_DEL(device->host_allocations, it);
  host_give_back(it);
  memory_free(it);
}

static HostAllocation *find_host(Device *device, const void *host) {
  HostAllocation *it;
  HASH_FIND_PTR(device->host_allocations, &host, it);
  return it;
}

static DeviceError free_managed(Device *device, uint64_t address) {
  HostAllocation *it = find_host(device, (void *)(uintptr_t)address);
  if (!it || it->kind != HOST_MANAGED) return DEVICE_INVALID_VALUE;
  unmap_host(device, it);
  return DEVICE_OK;
}

DeviceError device_host_alloc(Device *device, uint64_t size_bytes, HostMemory kind, void **host) {
  if (!size_bytes) size_bytes = 1;
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) {
    *host = memory_map(size_bytes);
    error = *host ? map_host(device, *host, size_bytes, kind) : DEVICE_OUT_OF_MEMORY;
    if (error && *host) memory_unmap(*host, size_bytes);
  }
  device_unlock(device);
  return error;
}

DeviceError device_host_free(Device *device, void *host, HostMemory kind) {
  if (!host) return DEVICE_OK;
  device_lock(device);
  DeviceError error = settle(device);
  HostAllocation *it = error ? NULL : find_host(device, host);
  if (!error && (!it || it->kind != kind)) error = DEVICE_INVALID_VALUE;
  if (!error) unmap_host(device, it);
  device_unlock(device);
  return error;
}

DeviceError device_host_register(Device *device, void *host, uint64_t size_bytes) {
  if (!host || !size_bytes) return DEVICE_INVALID_VALUE;
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) error = map_host(device, host, size_bytes, HOST_REGISTERED);
  device_unlock(device);
  return error;
}

DeviceError device_host_unregister(Device *device, void *host) {
  device_lock(device);
  DeviceError error = settle(device);
  HostAllocation *it = error ? NULL : find_host(device, host);
  if (!error && (!it || it->kind != HOST_REGISTERED)) error = DEVICE_HOST_NOT_REGISTERED;
  if (!error) unmap_host(device, it);
  device_unlock(device);
  return error;
}

void allocations_clear(Device *device) {
  HostAllocation *it, *next;
  HASH_ITER(hh, device->host_allocations, it, next) {
    HASH_DEL(device->host_allocations, it);
    host_give_back(it);
    memory_free(it);
  }
}

// ---- memory of several processes

DeviceError device_memory_export(Device *device, uint64_t address, int *file) {
  Error err;
  device_lock(device);
  DeviceError error = settle(device);
  if (!error) error = memory_error(device_memory_share(device->engine.memory, address, file, &err));
  device_forget_allocations(device);
  device_unlock(device);
  return error;
}

DeviceError device_memory_import(Device *device, int file, uint64_t size_bytes, uint64_t *address) {
  Error err;
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error)
    error = memory_error(
        device_memory_alloc_shared(device->engine.memory, file, size_bytes, address, &err));
  device_forget_allocations(device);
  device_unlock(device);
  return error;
}

// ---- questions

DeviceError device_memory_info(Device *device, uint64_t *free_bytes, uint64_t *total_bytes) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) {
    *total_bytes = device_memory_capacity_bytes(device->engine.memory);
    *free_bytes = *total_bytes - device_memory_used_bytes(device->engine.memory);
  }
  device_unlock(device);
  return error;
}

bool device_pointer_find(Device *device, uint64_t address, DevicePointer *pointer) {
  device_lock(device);
  const Allocation *it =
      device->engine.memory ? device_memory_find(device->engine.memory, address) : NULL;
  *pointer = (DevicePointer){0};
  if (it) {
    const HostAllocation *host = find_host(device, it->host);
    bool is_host = it->kind == ALLOCATION_HOST;
    *pointer = (DevicePointer){.is_device = true,
                               .is_host = is_host,
                               .is_imported = it->is_imported,
                               .is_managed = is_host && (!host || host->kind == HOST_MANAGED),
                               .base = it->address,
                               .size_bytes = it->size_bytes};
  }
  device_unlock(device);
  return it;
}
