// SPDX-License-Identifier: MIT
// Arrays, texture and surface objects.
#include <string.h>

#include "cudadriver/objects.h"
#include "cudadriver/textures.h"

// ---- arrays

static CUresult shape_of(const CUDA_ARRAY3D_DESCRIPTOR *wanted, ArrayShape *shape) {
  *shape = (ArrayShape){0};
  if (wanted->Flags & ~(unsigned)(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_TEXTURE_GATHER |
                                  CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP))
    return api_unsupported("depth and sparse arrays");
  NEED_VALUE(wanted->Width <= UINT32_MAX && wanted->Height <= UINT32_MAX &&
             wanted->Depth <= UINT32_MAX);
  NEED_VALUE(
      api_channels(wanted->Format, wanted->NumChannels, shape->channel_bits, &shape->channel));
  shape->width = (uint32_t)wanted->Width;
  shape->height = (uint32_t)wanted->Height;
  shape->depth = (uint32_t)wanted->Depth;
  shape->is_layered = wanted->Flags & CUDA_ARRAY3D_LAYERED;
  shape->is_cube = wanted->Flags & CUDA_ARRAY3D_CUBEMAP;
  NEED_VALUE(!shape->is_cube ||
             (shape->width == shape->height && shape->depth && shape->depth % 6 == 0 &&
              (shape->depth == 6 || shape->is_layered)));
  return CUDA_SUCCESS;
}

EXPORT CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *wanted) {
  ArrayShape shape;
  DeviceArray *made = NULL;
  NEED_CONTEXT();
  NEED_VALUE(array && wanted);
  NEED(shape_of(wanted, &shape));
  NEED(api_result(device_array_create(api_device(), &shape, &made)));
  object_add(OBJECT_ARRAY, address_of(made), wanted->Flags);
  *array = (CUarray)made;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *wanted) {
  NEED_CONTEXT();
  NEED_VALUE(wanted);
  CUDA_ARRAY3D_DESCRIPTOR flat = {.Width = wanted->Width,
                                  .Height = wanted->Height,
                                  .Format = wanted->Format,
                                  .NumChannels = wanted->NumChannels};
  return cuArray3DCreate_v2(array, &flat);
}

EXPORT CUresult cuArrayDestroy(CUarray array) {
  NEED_CONTEXT();
  if (!array) return CUDA_ERROR_INVALID_HANDLE;
  NEED(api_result(device_array_destroy(api_device(), (DeviceArray *)array)));
  object_remove(OBJECT_ARRAY, address_of(array));
  return CUDA_SUCCESS;
}

static CUarray_format format_of(const ArrayShape *shape) {
  bool is_byte = shape->channel_bits[0] == 8, is_short = shape->channel_bits[0] == 16;
  switch (shape->channel) {
    case CHANNEL_SIGNED:
      return is_byte    ? CU_AD_FORMAT_SIGNED_INT8
             : is_short ? CU_AD_FORMAT_SIGNED_INT16
                        : CU_AD_FORMAT_SIGNED_INT32;
    case CHANNEL_UNSIGNED:
      return is_byte    ? CU_AD_FORMAT_UNSIGNED_INT8
             : is_short ? CU_AD_FORMAT_UNSIGNED_INT16
                        : CU_AD_FORMAT_UNSIGNED_INT32;
    default: return is_short ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  }
}

EXPORT CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *to, CUarray array) {
  Object object;
  NEED_CONTEXT();
  NEED_VALUE(to);
  const ArrayShape *shape = device_array_shape(api_device(), (DeviceArray *)array);
  if (!shape) return CUDA_ERROR_INVALID_HANDLE;
  *to = (CUDA_ARRAY3D_DESCRIPTOR){.Width = shape->width,
                                  .Height = shape->height,
                                  .Depth = shape->depth,
                                  .Format = format_of(shape)};
  for (int c = 0; c < TEXTURE_CHANNELS; c++) to->NumChannels += shape->channel_bits[c] != 0;
  to->Flags = object_find(OBJECT_ARRAY, address_of(array), &object) ? object.flags
              : shape->is_layered                                   ? CUDA_ARRAY3D_LAYERED
                                                                    : 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *to, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR all;
  NEED_VALUE(to);
  NEED(cuArray3DGetDescriptor_v2(&all, array));
  *to = (CUDA_ARRAY_DESCRIPTOR){all.Width, all.Height, all.Format, all.NumChannels};
  return CUDA_SUCCESS;
}

// ---- mipmaps

EXPORT CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmaps,
                                       const CUDA_ARRAY3D_DESCRIPTOR *wanted, unsigned levels) {
  ArrayShape shape;
  DeviceMipmaps *made = NULL;
  NEED_CONTEXT();
  NEED_VALUE(mipmaps && wanted);
  NEED(shape_of(wanted, &shape));
  NEED(api_result(device_mipmaps_create(api_device(), &shape, levels, &made)));
  object_add(OBJECT_MIPMAPS, address_of(made), wanted->Flags);
  *mipmaps = (CUmipmappedArray)made;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmaps, unsigned level) {
  NEED_CONTEXT();
  NEED_VALUE(array);
  return api_result(
      device_mipmaps_level(api_device(), (DeviceMipmaps *)mipmaps, level, (DeviceArray **)array));
}

EXPORT CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmaps) {
  NEED_CONTEXT();
  if (!mipmaps) return CUDA_ERROR_INVALID_HANDLE;
  NEED(api_result(device_mipmaps_destroy(api_device(), (DeviceMipmaps *)mipmaps)));
  object_remove(OBJECT_MIPMAPS, address_of(mipmaps));
  return CUDA_SUCCESS;
}

// ---- texture objects

static CUresult use_resource(Texture *texture, const CUDA_RESOURCE_DESC *resource) {
  switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY: return texture_use_array(texture, resource->res.array.hArray);
    case CU_RESOURCE_TYPE_LINEAR:
      return texture_use_memory(texture, resource->res.linear.devPtr,
                                resource->res.linear.sizeInBytes, resource->res.linear.format,
                                resource->res.linear.numChannels);
    case CU_RESOURCE_TYPE_PITCH2D: {
      CUDA_ARRAY_DESCRIPTOR shape = {resource->res.pitch2D.width, resource->res.pitch2D.height,
                                     resource->res.pitch2D.format,
                                     resource->res.pitch2D.numChannels};
      return texture_use_rows(texture, resource->res.pitch2D.devPtr, &shape,
                              resource->res.pitch2D.pitchInBytes);
    }
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      return api_result(device_mipmaps_texture(
          api_device(), (DeviceMipmaps *)resource->res.mipmap.hMipmappedArray, texture));
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

// The descriptors that an object was created from.
typedef struct TextureNote {
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC how;
} TextureNote;

static void note(uint64_t handle, const CUDA_RESOURCE_DESC *resource,
                 const CUDA_TEXTURE_DESC *how) {
  TextureNote note = {.resource = *resource};
  if (how) note.how = *how;
  device_texture_note(api_device(), handle, &note, sizeof note);
}

static CUresult describe(uint64_t handle, CUDA_RESOURCE_DESC *resource, CUDA_TEXTURE_DESC *how) {
  TextureNote note;
  NEED(api_result(device_texture_noted(api_device(), handle, &note, sizeof note)));
  if (resource) *resource = note.resource;
  if (how) *how = note.how;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object) {
  NEED_CONTEXT();
  NEED_VALUE(resource);
  return describe(object, resource, NULL);
}

EXPORT CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *how, CUtexObject object) {
  NEED_CONTEXT();
  NEED_VALUE(how);
  return describe(object, NULL, how);
}

// No texture has a view here, and one without gives an error.
EXPORT CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object) {
  (void)view;
  (void)object;
  NEED_CONTEXT();
  return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object) {
  return cuTexObjectGetResourceDesc(resource, object);
}

EXPORT CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                  const CUDA_TEXTURE_DESC *how,
                                  const CUDA_RESOURCE_VIEW_DESC *view) {
  Texture texture = {0};
  uint64_t handle = 0;
  NEED_CONTEXT();
  NEED_VALUE(object && resource && how);
  if (view) return api_unsupported("resource views of textures");
  NEED(use_resource(&texture, resource));
  NEED(texture_set_up(&texture, how->addressMode, how->filterMode, how->flags));
  texture_set_levels(&texture, how);
  NEED(api_result(device_texture_create(api_device(), &texture, &handle)));
  note(handle, resource, how);
  object_add(OBJECT_TEXTURE, handle, how->flags);
  *object = handle;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuTexObjectDestroy(CUtexObject object) {
  NEED_CONTEXT();
  NEED(api_result(device_texture_destroy(api_device(), object)));
  object_remove(OBJECT_TEXTURE, object);
  return CUDA_SUCCESS;
}

// ---- surface objects

EXPORT CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource) {
  Texture surface = {0};
  uint64_t handle = 0;
  NEED_CONTEXT();
  NEED_VALUE(object && resource && resource->resType == CU_RESOURCE_TYPE_ARRAY);
  NEED(texture_use_array(&surface, resource->res.array.hArray));
  NEED(api_result(device_texture_create(api_device(), &surface, &handle)));
  note(handle, resource, NULL);
  object_add(OBJECT_TEXTURE, handle, 0);
  *object = handle;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return cuTexObjectDestroy(object);
}
