// SPDX-License-Identifier: MIT
// Tensor maps, with the checks that the driver makes.
#include <string.h>

#include "device/device.h"
#include "exec/memory/tensor_map.h"

enum { MAX_BOX = 256, MAX_BOX_ROW = 256 * 8 };

static bool are_sizes_valid(const DeviceTensorMap *wanted) {
  for (uint32_t d = 0; d < wanted->rank; d++) {
    if (!wanted->size[d] || wanted->size[d] > UINT64_C(1) << 32) return false;
    if (!wanted->box[d] || wanted->box[d] > MAX_BOX) return false;
    if (d && (wanted->stride[d - 1] % 16 || wanted->stride[d - 1] >= UINT64_C(1) << 40))
      return false;
  }
  return true;
}

static bool is_valid(const DeviceTensorMap *wanted) {
  TensorMap probe = {.element = (uint8_t)wanted->element};
  uint32_t element_bytes = (uint32_t)type_bytes(tensor_element(&probe));
  uint32_t row_bytes = wanted->box[0] * element_bytes, swizzle = wanted->swizzle_bytes;
  if (!element_bytes || wanted->address % 16 || !are_sizes_valid(wanted)) return false;
  if (row_bytes % 16 || row_bytes > MAX_BOX_ROW) return false;
  if (swizzle && swizzle != 32 && swizzle != 64 && swizzle != 128) return false;
  return !swizzle || row_bytes <= swizzle;
}

DeviceError device_tensor_map(const DeviceTensorMap *wanted, void *map) {
  if (!is_valid(wanted)) return DEVICE_INVALID_VALUE;
  TensorMap made = {.magic = TENSOR_MAP_MAGIC,
                    .element = (uint8_t)wanted->element,
                    .rank = (uint8_t)wanted->rank,
                    .address = wanted->address};
  for (uint32_t bytes = wanted->swizzle_bytes; bytes > 16; bytes /= 2) made.swizzle++;
  memcpy(made.size, wanted->size, sizeof made.size);
  memcpy(made.stride, wanted->stride, sizeof made.stride);
  memcpy(made.box, wanted->box, sizeof made.box);
  memcpy(map, &made, sizeof made);
  return DEVICE_OK;
}

DeviceError device_tensor_map_move(void *map, uint64_t address) {
  TensorMap made;
  memcpy(&made, map, sizeof made);
  if (made.magic != TENSOR_MAP_MAGIC || address % 16) return DEVICE_INVALID_VALUE;
  made.address = address;
  memcpy(map, &made, sizeof made);
  return DEVICE_OK;
}
