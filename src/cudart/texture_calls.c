// SPDX-License-Identifier: MIT
// Texture and surface objects, and the texture references of CUDA up to 11.
#include <string.h>

#include "cudart/api.h"

static DeviceError use_array(Texture *texture, DeviceArray *array) {
  return device_array_texture(api_device(), array, texture);
}

static DeviceError use_memory(Texture *texture, const void *pointer, const ChannelFormat *format,
                              size_t width, size_t height, size_t pitch) {
  if (!api_channels(format, texture->channel_bits, &texture->channel))
    return DEVICE_INVALID_CHANNEL;
  if (!width || width > UINT32_MAX || height > UINT32_MAX) return DEVICE_INVALID_VALUE;
  texture->address = address_of(pointer);
  texture->width = (uint32_t)width;
  texture->height = (uint32_t)height;
  texture->pitch_bytes = pitch;
  return DEVICE_OK;
}

// Width of a texture over linear memory of this many bytes.
static DeviceError use_bytes(Texture *texture, const void *pointer, const ChannelFormat *format,
                             size_t bytes) {
  size_t texel = (size_t)(format->x + format->y + format->z + format->w) / 8;
  DevicePointer found;
  if (!texel || texel > 16) return DEVICE_INVALID_CHANNEL;
  if (!device_pointer_find(api_device(), address_of(pointer), &found)) return DEVICE_INVALID_VALUE;
  // Programs bind "all there is" with a size that is too large.
  uint64_t room = found.base + found.size_bytes - address_of(pointer);
  if (bytes > room) bytes = room;
  return use_memory(texture, pointer, format, bytes / texel, 0, 0);
}

// ---- texture objects

// As cudaResourceType numbers them.
typedef enum ResourceKind {
  RESOURCE_ARRAY,
  RESOURCE_MIPMAPS,
  RESOURCE_LINEAR,
  RESOURCE_PITCHED
} ResourceKind;

typedef struct ResourceDescription {
  ResourceKind type;
  union {
    DeviceArray *array;
    DeviceMipmaps *mipmaps;
    struct {
      void *pointer;
      ChannelFormat format;
      size_t bytes;
    } linear;
    struct {
      void *pointer;
      ChannelFormat format;
      size_t width, height, pitch;
    } pitched;
  };
} ResourceDescription;

typedef struct TextureDescription {
  int address_modes[3];  // wrap, clamp, mirror, border
  int filter, read_normalized, srgb;
  float border[4];
  int normalized_coordinates;
  unsigned max_anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_min, mipmap_max;
  int no_trilinear_optimization;
#if CUDA_MAJOR >= 12
  int seamless_cubemap;  // accepted: filters stay inside a face
#endif
} TextureDescription;

// The descriptors that an object was created from.
typedef struct TextureNote {
  ResourceDescription resource;
  TextureDescription how;
} TextureNote;

static void use_description(Texture *texture, const TextureDescription *description) {
  for (int d = 0; d < 3; d++)
    texture->addressing[d] = (TextureAddressing)(description->address_modes[d] & 3);
  texture->filter = description->filter ? FILTER_LINEAR : FILTER_POINT;
  texture->normalized_coordinates = description->normalized_coordinates;
  texture->normalized_values = description->read_normalized;
  texture->is_srgb = description->srgb;
  memcpy(texture->border, description->border, sizeof texture->border);
  texture->level_filter = description->mipmap_filter ? FILTER_LINEAR : FILTER_POINT;
  texture->level_bias = description->mipmap_bias;
  texture->level_min = description->mipmap_min;
  texture->level_max = description->mipmap_max;
}

static DeviceError use_resource(Texture *texture, const ResourceDescription *resource) {
  switch (resource->type) {
    case RESOURCE_ARRAY: return use_array(texture, resource->array);
    case RESOURCE_LINEAR:
      return use_bytes(texture, resource->linear.pointer, &resource->linear.format,
                       resource->linear.bytes);
    case RESOURCE_PITCHED:
      return use_memory(texture, resource->pitched.pointer, &resource->pitched.format,
                        resource->pitched.width, resource->pitched.height, resource->pitched.pitch);
    case RESOURCE_MIPMAPS: return device_mipmaps_texture(api_device(), resource->mipmaps, texture);
    default: return DEVICE_INVALID_VALUE;
  }
}

EXPORT int cudaCreateTextureObject(unsigned long long *object, const ResourceDescription *resource,
                                   const TextureDescription *description, const void *view) {
  Texture texture = {0};
  uint64_t handle = 0;
  if (!object || !resource || !description) return api_result(DEVICE_INVALID_VALUE);
  if (view) return api_unsupported("resource views of textures");
  use_description(&texture, description);
  DeviceError error = use_resource(&texture, resource);
  if (!error) error = device_texture_create(api_device(), &texture, &handle);
  if (!error) {
    TextureNote note = {*resource, *description};
    device_texture_note(api_device(), handle, &note, sizeof note);
  }
  *object = handle;
  return api_result(error);
}

EXPORT int cudaCreateTextureObject_v2(unsigned long long *object,
                                      const ResourceDescription *resource,
                                      const TextureDescription *description, const void *view) {
  return cudaCreateTextureObject(object, resource, description, view);
}

EXPORT int cudaDestroyTextureObject(unsigned long long object) {
  return api_result(object ? device_texture_destroy(api_device(), object) : DEVICE_OK);
}

static int describe(unsigned long long object, ResourceDescription *resource,
                    TextureDescription *how) {
  TextureNote note;
  DeviceError error = device_texture_noted(api_device(), object, &note, sizeof note);
  if (!error && resource) *resource = note.resource;
  if (!error && how) *how = note.how;
  return api_result(error);
}

EXPORT int cudaGetTextureObjectResourceDesc(ResourceDescription *resource,
                                            unsigned long long object) {
  return resource ? describe(object, resource, NULL) : api_result(DEVICE_INVALID_VALUE);
}

EXPORT int cudaGetTextureObjectTextureDesc(TextureDescription *how, unsigned long long object) {
  return how ? describe(object, NULL, how) : api_result(DEVICE_INVALID_VALUE);
}

EXPORT int cudaGetTextureObjectTextureDesc_v2(TextureDescription *how, unsigned long long object) {
  return cudaGetTextureObjectTextureDesc(how, object);
}

// No texture has a view here, and one without gives an error.
EXPORT int cudaGetTextureObjectResourceViewDesc(void *view, unsigned long long object) {
  (void)view;
  (void)object;
  return api_result(DEVICE_INVALID_VALUE);
}

EXPORT int cudaGetSurfaceObjectResourceDesc(ResourceDescription *resource,
                                            unsigned long long object) {
  return cudaGetTextureObjectResourceDesc(resource, object);
}

EXPORT int cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const ChannelFormat *format,
                                                int device) {
  (void)format;
  if (!width || device) return api_result(DEVICE_INVALID_VALUE);
  *width = (size_t)1 << 27;
  return 0;
}

// ---- surfaces

EXPORT int cudaCreateSurfaceObject(unsigned long long *object,
                                   const ResourceDescription *resource) {
  Texture surface = {0};
  uint64_t handle = 0;
  if (!object || !resource || resource->type != RESOURCE_ARRAY)
    return api_result(DEVICE_INVALID_VALUE);
  DeviceError error = use_array(&surface, resource->array);
  if (!error) error = device_texture_create(api_device(), &surface, &handle);
  if (!error) {
    TextureNote note = {.resource = *resource};
    device_texture_note(api_device(), handle, &note, sizeof note);
  }
  *object = handle;
  return api_result(error);
}

EXPORT int cudaDestroySurfaceObject(unsigned long long object) {
  return cudaDestroyTextureObject(object);
}

EXPORT int cudaBindSurfaceToArray(const void *reference, DeviceArray *array,
                                  const ChannelFormat *format) {
  (void)format;  // the array knows
  Texture surface = {0};
  DeviceError error = use_array(&surface, array);
  if (!error) error = device_texture_bind(api_device(), reference, &surface);
  return api_result(error);
}

EXPORT int cudaGetSurfaceReference(const void **reference, const void *symbol) {
  if (!reference || !symbol) return api_result(DEVICE_INVALID_VALUE);
  *reference = symbol;
  return 0;
}

// ---- texture references

typedef struct TextureReferenceLayout {
  int normalized_coordinates, filter, address_modes[3];
  ChannelFormat format;
} TextureReferenceLayout;

static Texture texture_of(const TextureReferenceLayout *reference) {
  Texture texture = {.filter = reference->filter ? FILTER_LINEAR : FILTER_POINT,
                     .normalized_coordinates = reference->normalized_coordinates};
  for (int d = 0; d < 3; d++)
    texture.addressing[d] = (TextureAddressing)(reference->address_modes[d] & 3);
  return texture;
}

EXPORT int cudaBindTexture(size_t *offset, const TextureReferenceLayout *reference,
                           const void *pointer, const ChannelFormat *format, size_t bytes) {
  if (!reference || !format) return api_result(DEVICE_INVALID_TEXTURE);
  Texture texture = texture_of(reference);
  DeviceError error = use_bytes(&texture, pointer, format, bytes);
  if (!error) error = device_texture_bind(api_device(), reference, &texture);
  if (offset) *offset = 0;  // any address will do
  return api_result(error);
}

EXPORT int cudaBindTexture2D(size_t *offset, const TextureReferenceLayout *reference,
                             const void *pointer, const ChannelFormat *format, size_t width,
                             size_t height, size_t pitch) {
  if (!reference || !format) return api_result(DEVICE_INVALID_TEXTURE);
  Texture texture = texture_of(reference);
  DeviceError error = use_memory(&texture, pointer, format, width, height, pitch);
  if (!error) error = device_texture_bind(api_device(), reference, &texture);
  if (offset) *offset = 0;
  return api_result(error);
}

EXPORT int cudaBindTextureToArray(const TextureReferenceLayout *reference, DeviceArray *array,
                                  const ChannelFormat *format) {
  (void)format;  // the array knows
  if (!reference) return api_result(DEVICE_INVALID_TEXTURE);
  Texture texture = texture_of(reference);
  DeviceError error = use_array(&texture, array);
  if (!error) error = device_texture_bind(api_device(), reference, &texture);
  return api_result(error);
}

EXPORT int cudaUnbindTexture(const TextureReferenceLayout *reference) {
  return api_result(device_texture_bind(api_device(), reference, NULL));
}

EXPORT int cudaGetTextureAlignmentOffset(size_t *offset, const void *reference) {
  if (!offset || !reference) return api_result(DEVICE_INVALID_TEXTURE);
  *offset = 0;
  return 0;
}

EXPORT int cudaGetTextureReference(const void **reference, const void *symbol) {
  *reference = symbol;
  return 0;
}
