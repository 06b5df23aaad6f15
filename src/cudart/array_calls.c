// SPDX-License-Identifier: MIT
// Arrays, and those of several levels.
#include "cudart/api.h"

bool api_channels(const ChannelFormat *format, uint8_t bits[TEXTURE_CHANNELS],
                  TextureChannel *channel) {
  static const TextureChannel channels[] = {CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT};
  const int sizes[TEXTURE_CHANNELS] = {format->x, format->y, format->z, format->w};
  if (format->kind < 0 || format->kind > 2) return false;
  for (int c = 0; c < TEXTURE_CHANNELS; c++) {
    if (sizes[c] < 0 || sizes[c] > 32 || sizes[c] % 8) return false;
    bits[c] = (uint8_t)sizes[c];
  }
  *channel = channels[format->kind];
  return bits[0] != 0;
}

EXPORT ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return (ChannelFormat){x, y, z, w, kind};
}

static ChannelFormat format_of(const uint8_t bits[TEXTURE_CHANNELS], TextureChannel channel) {
  static const int kinds[] = {[CHANNEL_SIGNED] = 0, [CHANNEL_UNSIGNED] = 1, [CHANNEL_FLOAT] = 2};
  return (ChannelFormat){bits[0], bits[1], bits[2], bits[3], kinds[channel]};
}

// ---- arrays

enum {
  ARRAY_LAYERED = 1,
  ARRAY_SURFACE = 2,
  ARRAY_CUBEMAP = 4,
  ARRAY_GATHER = 8,
  ARRAY_FLAGS = 15
};

static DeviceError shape_of(const ChannelFormat *format, Extent extent, unsigned flags,
                            ArrayShape *shape) {
  *shape = (ArrayShape){.width = (uint32_t)extent.width,
                        .height = (uint32_t)extent.height,
                        .depth = (uint32_t)extent.depth,
                        .is_layered = flags & ARRAY_LAYERED,
                        .is_cube = flags & ARRAY_CUBEMAP,
                        .flags = flags};
  if (flags > ARRAY_FLAGS) return (DeviceError)api_unsupported("sparse and deferred arrays");
  if (shape->is_cube && (extent.width != extent.height || !extent.depth || extent.depth % 6 ||
                         (extent.depth != 6 && !shape->is_layered)))
    return DEVICE_INVALID_VALUE;
  if (extent.width > UINT32_MAX || extent.height > UINT32_MAX || extent.depth > UINT32_MAX)
    return DEVICE_INVALID_VALUE;
  return api_channels(format, shape->channel_bits, &shape->channel) ? DEVICE_OK
                                                                    : DEVICE_INVALID_CHANNEL;
}

EXPORT int cudaMalloc3DArray(DeviceArray **array, const ChannelFormat *format, Extent extent,
                             unsigned flags) {
  ArrayShape shape;
  if (!array || !format) return api_result(DEVICE_INVALID_VALUE);
  DeviceError error = shape_of(format, extent, flags, &shape);
  if (!error) error = device_array_create(api_device(), &shape, array);
  return api_result(error);
}

EXPORT int cudaMallocArray(DeviceArray **array, const ChannelFormat *format, size_t width,
                           size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, format, (Extent){width, height, 0}, flags);
}

EXPORT int cudaFreeArray(DeviceArray *array) {
  return api_result(device_array_destroy(api_device(), array));
}

EXPORT int cudaArrayGetInfo(ChannelFormat *format, Extent *extent, unsigned *flags,
                            DeviceArray *array) {
  const ArrayShape *shape = device_array_shape(api_device(), array);
  if (!shape) return api_result(DEVICE_INVALID_HANDLE);
  if (format) *format = format_of(shape->channel_bits, shape->channel);
  if (extent) *extent = (Extent){shape->width, shape->height, shape->depth};
  if (flags) *flags = shape->flags;
  return 0;
}

EXPORT int cudaGetChannelDesc(ChannelFormat *format, DeviceArray *array) {
  if (!format) return api_result(DEVICE_INVALID_VALUE);
  return cudaArrayGetInfo(format, NULL, NULL, array);
}

// ---- mipmaps

EXPORT int cudaMallocMipmappedArray(DeviceMipmaps **mipmaps, const ChannelFormat *format,
                                    Extent extent, unsigned levels, unsigned flags) {
  ArrayShape shape;
  if (!mipmaps || !format) return api_result(DEVICE_INVALID_VALUE);
  DeviceError error = shape_of(format, extent, flags, &shape);
  if (!error) error = device_mipmaps_create(api_device(), &shape, levels, mipmaps);
  return api_result(error);
}

EXPORT int cudaFreeMipmappedArray(DeviceMipmaps *mipmaps) {
  return api_result(device_mipmaps_destroy(api_device(), mipmaps));
}

EXPORT int cudaGetMipmappedArrayLevel(DeviceArray **array, DeviceMipmaps *mipmaps, unsigned level) {
  if (!array) return api_result(DEVICE_INVALID_VALUE);
  return api_result(device_mipmaps_level(api_device(), mipmaps, level, array));
}
