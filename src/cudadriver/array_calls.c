// SPDX-License-Identifier: MIT
// Arrays, texture and surface objects.
#include <string.h>

#include "cudadriver/objects.h"
#include "cudadriver/textures.h"

// ---- arrays

EXPORT CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *wanted) {
  ArrayShape shape = {0};
  DeviceArray *made = NULL;
  NEED_CONTEXT();
  NEED_VALUE(array && wanted);
  if (wanted->Flags & ~(unsigned)(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_TEXTURE_GATHER |
                                  CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP))
    return api_unsupported("an array for depth or sparse memory");
  NEED_VALUE(wanted->Width <= UINT32_MAX && wanted->Height <= UINT32_MAX &&
             wanted->Depth <= UINT32_MAX);
  NEED_VALUE(api_channels(wanted->Format, wanted->NumChannels, shape.channel_bits, &shape.channel));
  shape.width = (uint32_t)wanted->Width;
  shape.height = (uint32_t)wanted->Height;
  shape.depth = (uint32_t)wanted->Depth;
  shape.is_layered = wanted->Flags & CUDA_ARRAY3D_LAYERED;
  shape.is_cube = wanted->Flags & CUDA_ARRAY3D_CUBEMAP;
  NEED_VALUE(!shape.is_cube || (shape.width == shape.height && shape.depth &&
                                shape.depth % 6 == 0 && (shape.depth == 6 || shape.is_layered)));
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
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: return api_unsupported("a texture over mipmaps");
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

EXPORT CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                  const CUDA_TEXTURE_DESC *how,
                                  const CUDA_RESOURCE_VIEW_DESC *view) {
  Texture texture = {0};
  uint64_t handle = 0;
  NEED_CONTEXT();
  NEED_VALUE(object && resource && how);
  if (view) return api_unsupported("a texture with a resource view");
  NEED(use_resource(&texture, resource));
  NEED(texture_set_up(&texture, how->addressMode, how->filterMode, how->flags));
  NEED(api_result(device_texture_create(api_device(), &texture, &handle)));
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
  object_add(OBJECT_TEXTURE, handle, 0);
  *object = handle;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return cuTexObjectDestroy(object);
}
