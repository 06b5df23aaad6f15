// SPDX-License-Identifier: MIT
// Arrays. An array is rows in device memory, whole blocks of them with
// gpu.arrays_in_blocks (exec/texture/texture.h).
#include <string.h>

#include "base/memory.h"
#include "device/state.h"

#define MAX_ARRAY_SIDE (1u << 27)

static uint64_t at_least_one(uint32_t size) {
  return size ? size : 1;
}

static uint64_t rows_of(const DeviceArray *array) {
  uint64_t rows = at_least_one(array->shape.height);
  return array->in_blocks ? (rows + BLOCK_ROWS - 1) / BLOCK_ROWS * BLOCK_ROWS : rows;
}

static DeviceArray *array_checked(Device *device, const DeviceArray *array) {
  DeviceArray *found;
  HASH_FIND_PTR(device->arrays, &array, found);
  return found;
}

DeviceError array_lay_out(DeviceArray *array) {
  const ArrayShape *shape = &array->shape;
  uint32_t bits = 0;
  for (int c = 0; c < TEXTURE_CHANNELS; c++) bits += shape->channel_bits[c];
  array->texel_bytes = bits / 8;
  if (!array->texel_bytes || bits % 8 || array->texel_bytes > 16) return DEVICE_INVALID_CHANNEL;
  if (!shape->width || shape->width > MAX_ARRAY_SIDE || shape->height > MAX_ARRAY_SIDE ||
      shape->depth > MAX_ARRAY_SIDE)
    return DEVICE_INVALID_VALUE;
  array->pitch_bytes = texture_row_bytes(shape->width, array->texel_bytes);
  array->slice_bytes = array->pitch_bytes * rows_of(array);
  return array->slice_bytes > UINT64_MAX / 2 / at_least_one(shape->depth) ? DEVICE_OUT_OF_MEMORY
                                                                          : DEVICE_OK;
}

DeviceError device_array_create(Device *device, const ArrayShape *shape, DeviceArray **out) {
  Error err;
  DeviceArray array = {.shape = *shape};
  device_lock(device);
  DeviceError error = device_ready(device);
  array.in_blocks = device->machine.config.gpu.arrays_in_blocks && shape->height > 1;
  if (!error) error = array_lay_out(&array);
  if (!error &&
      device_memory_alloc(device->engine.memory, array.slice_bytes * at_least_one(shape->depth),
                          ALLOCATION_HEAP, "array", &array.address, &err) != OK)
    error = DEVICE_OUT_OF_MEMORY;
  if (!error) {
    device_forget_allocations(device);
    DeviceArray *added = *out = memory_alloc(sizeof array);
    *added = array;
    added->self = added;
    HASH_ADD_PTR(device->arrays, self, added);
  }
  device_unlock(device);
  return error;
}

DeviceError device_array_destroy(Device *device, DeviceArray *array) {
  Error err;
  if (!array) return DEVICE_OK;
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) error = device_execute(device);
  array = error ? NULL : array_checked(device, array);
  if (!error && (!array || array->is_level)) error = DEVICE_INVALID_HANDLE;
  if (!error) {
    device_memory_free(device->engine.memory, array->address, &err);
    device_forget_allocations(device);
    HASH_DEL(device->arrays, array);
    memory_free(array);
  }
  device_unlock(device);
  return error;
}

void arrays_clear(Device *device) {
  DeviceArray *array, *next;
  HASH_ITER(hh, device->arrays, array, next) {
    HASH_DEL(device->arrays, array);
    memory_free(array);
  }
}

const ArrayShape *device_array_shape(Device *device, DeviceArray *array) {
  device_lock(device);
  array = array_checked(device, array);
  device_unlock(device);
  return array ? &array->shape : NULL;
}

DeviceError device_array_place(Device *device, DeviceArray *array, CopyPlace *place,
                               uint32_t *texel_bytes) {
  device_lock(device);
  array = array_checked(device, array);
  device_unlock(device);
  if (!array) return DEVICE_INVALID_HANDLE;
  *place = (CopyPlace){SIDE_DEVICE, array->address, array->pitch_bytes, array->slice_bytes};
  *texel_bytes = array->texel_bytes;
  return DEVICE_OK;
}

void array_texture(const DeviceArray *array, Texture *texture) {
  const ArrayShape *shape = &array->shape;
  bool has_layers = shape->is_layered || shape->is_cube;
  texture->address = array->address;
  texture->width = shape->width;
  texture->height = shape->height;
  texture->depth = has_layers ? 0 : shape->depth;
  texture->layers = has_layers ? shape->depth : 0;
  texture->pitch_bytes = array->pitch_bytes;
  texture->slice_bytes = array->slice_bytes;
  texture->in_blocks = array->in_blocks;
  memcpy(texture->channel_bits, shape->channel_bits, sizeof texture->channel_bits);
  texture->channel = shape->channel;
}

DeviceError device_array_texture(Device *device, DeviceArray *array, Texture *texture) {
  device_lock(device);
  array = array_checked(device, array);
  if (array) array_texture(array, texture);
  device_unlock(device);
  return array ? DEVICE_OK : DEVICE_INVALID_HANDLE;
}
