// SPDX-License-Identifier: MIT
// Mipmapped arrays: one allocation with consecutive levels, as texture_level expects, and
// an array for each.
#include "base/memory.h"
#include "device/state.h"

enum { MOST_LEVELS = 32 };

struct DeviceMipmaps {
  const void *self;  // key: its own address
  uint32_t count;
  DeviceArray *levels[MOST_LEVELS];
  UT_hash_handle hh;
};

static DeviceMipmaps *mipmaps_checked(Device *device, const DeviceMipmaps *mipmaps) {
  DeviceMipmaps *found;
  HASH_FIND_PTR(device->mipmaps, &mipmaps, found);
  return found;
}

static uint32_t half_of(uint32_t size) {
  return size > 1 ? size / 2 : size;
}

static bool has_layers(const ArrayShape *shape) {
  return shape->is_layered || shape->is_cube;
}

// Down to the level of a single texel.
static uint32_t most_levels(const ArrayShape *shape) {
  uint32_t side = shape->width > shape->height ? shape->width : shape->height, levels = 0;
  if (!has_layers(shape) && shape->depth > side) side = shape->depth;
  for (; side; side /= 2) levels++;
  return levels;
}

// Lays out the levels relative to an address that is not yet known; returns their size.
static DeviceError lay_out(DeviceMipmaps *mipmaps, const ArrayShape *shape, uint64_t *bytes) {
  ArrayShape own = *shape;
  *bytes = 0;
  for (uint32_t i = 0; i < mipmaps->count; i++) {
    DeviceArray *level = mipmaps->levels[i] = memory_alloc(sizeof *level);
    *level = (DeviceArray){.self = level, .shape = own, .is_level = true, .address = *bytes};
    DeviceError error = array_lay_out(level);
    if (error) return error;
    *bytes += level->slice_bytes * (own.depth ? own.depth : 1);
    own.width = half_of(own.width);
    own.height = half_of(own.height);
    if (!has_layers(shape)) own.depth = half_of(own.depth);
  }
  return DEVICE_OK;
}

static void free_levels(DeviceMipmaps *mipmaps) {
  for (uint32_t i = 0; i < mipmaps->count; i++) memory_free(mipmaps->levels[i]);
  memory_free(mipmaps);
}

static DeviceError place(Device *device, DeviceMipmaps *mipmaps, uint64_t bytes) {
  Error err;
  uint64_t address;
  if (device_memory_alloc(device->engine.memory, bytes, ALLOCATION_HEAP, "mipmaps", &address,
                          &err) != OK)
    return DEVICE_OUT_OF_MEMORY;
  device_forget_allocations(device);
  for (uint32_t i = 0; i < mipmaps->count; i++) {
    mipmaps->levels[i]->address += address;
    HASH_ADD_PTR(device->arrays, self, mipmaps->levels[i]);
  }
  mipmaps->self = mipmaps;
  HASH_ADD_PTR(device->mipmaps, self, mipmaps);
  return DEVICE_OK;
}

DeviceError device_mipmaps_create(Device *device, const ArrayShape *shape, uint32_t levels,
                                  DeviceMipmaps **out) {
  uint32_t most = most_levels(shape);
  uint64_t bytes;
  if (!most) return DEVICE_INVALID_VALUE;
  DeviceMipmaps *mipmaps = memory_alloc(sizeof *mipmaps);
  mipmaps->count = !levels ? 1 : levels < most ? levels : most;
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) error = lay_out(mipmaps, shape, &bytes);
  if (!error) error = place(device, mipmaps, bytes);
  device_unlock(device);
  if (error)
    free_levels(mipmaps);
  else
    *out = mipmaps;
  return error;
}

DeviceError device_mipmaps_destroy(Device *device, DeviceMipmaps *mipmaps) {
  Error err;
  if (!mipmaps) return DEVICE_OK;
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) error = device_execute(device);
  mipmaps = error ? NULL : mipmaps_checked(device, mipmaps);
  if (!error && !mipmaps) error = DEVICE_INVALID_HANDLE;
  if (!error) {
    device_memory_free(device->engine.memory, mipmaps->levels[0]->address, &err);
    device_forget_allocations(device);
    for (uint32_t i = 0; i < mipmaps->count; i++) HASH_DEL(device->arrays, mipmaps->levels[i]);
    HASH_DEL(device->mipmaps, mipmaps);
    free_levels(mipmaps);
  }
  device_unlock(device);
  return error;
}

// The levels are arrays and went with these.
void mipmaps_clear(Device *device) {
  DeviceMipmaps *mipmaps, *next;
  HASH_ITER(hh, device->mipmaps, mipmaps, next) {
    HASH_DEL(device->mipmaps, mipmaps);
    memory_free(mipmaps);
  }
}

DeviceError device_mipmaps_level(Device *device, DeviceMipmaps *mipmaps, uint32_t level,
                                 DeviceArray **array) {
  device_lock(device);
  mipmaps = mipmaps_checked(device, mipmaps);
  bool is_there = mipmaps && level < mipmaps->count;
  if (is_there) *array = mipmaps->levels[level];
  device_unlock(device);
  return is_there ? DEVICE_OK : mipmaps ? DEVICE_INVALID_VALUE : DEVICE_INVALID_HANDLE;
}

DeviceError device_mipmaps_texture(Device *device, DeviceMipmaps *mipmaps, Texture *texture) {
  device_lock(device);
  mipmaps = mipmaps_checked(device, mipmaps);
  if (mipmaps) {
    array_texture(mipmaps->levels[0], texture);
    texture->levels = mipmaps->count;
  }
  device_unlock(device);
  return mipmaps ? DEVICE_OK : DEVICE_INVALID_HANDLE;
}
