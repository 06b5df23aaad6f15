// SPDX-License-Identifier: MIT
// Copies of two and three dimensions, which are described by a struct.
#include "cudadriver/descriptions.h"

// One end of a copy as all the structs have it.
typedef struct End {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t x_bytes, y, z, pitch, height;
} End;

static bool fits(size_t at, size_t count, size_t room) {
  return at <= room && count <= room - at;
}

static CUresult find_array(const End *end, const size_t size[3], CopyPlace *place) {
  uint32_t texel_bytes;
  DeviceArray *array = (DeviceArray *)end->array;
  NEED(api_result(device_array_place(api_device(), array, place, &texel_bytes)));
  const ArrayShape *shape = device_array_shape(api_device(), array);
  NEED_VALUE(fits(end->x_bytes, size[0], (size_t)shape->width * texel_bytes));
  NEED_VALUE(fits(end->y, size[1], shape->height ? shape->height : 1));
  NEED_VALUE(fits(end->z, size[2], shape->depth ? shape->depth : 1));
  return CUDA_SUCCESS;
}

static CUresult find_end(const End *end, const size_t size[3], CopyPlace *place) {
  size_t pitch = end->pitch ? end->pitch : end->x_bytes + size[0];
  size_t slice = pitch * (end->height ? end->height : size[1]);
  switch (end->type) {
    case CU_MEMORYTYPE_HOST:
      *place = (CopyPlace){SIDE_HOST, address_of(end->host), pitch, slice};
      break;
    case CU_MEMORYTYPE_DEVICE: *place = (CopyPlace){SIDE_DEVICE, end->device, pitch, slice}; break;
    case CU_MEMORYTYPE_UNIFIED: *place = (CopyPlace){SIDE_EITHER, end->device, pitch, slice}; break;
    case CU_MEMORYTYPE_ARRAY: NEED(find_array(end, size, place)); break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  place->address += end->x_bytes + end->y * place->pitch_bytes + end->z * place->slice_bytes;
  return CUDA_SUCCESS;
}

static CUresult read(const End *to, const End *from, size_t width, size_t height, size_t depth,
                     DeviceCopy *copy) {
  const size_t size[3] = {width, height, depth};
  *copy = (DeviceCopy){.width_bytes = width, .height = height, .depth = depth};
  NEED(find_end(to, size, &copy->to));
  return find_end(from, size, &copy->from);
}

// ---- two dimensions

static CUresult copy_2d(const CUDA_MEMCPY2D *it, DeviceStream *stream, bool is_async) {
  NEED_VALUE(it);
  End to = {it->dstMemoryType,
            it->dstHost,
            it->dstDevice,
            it->dstArray,
            it->dstXInBytes,
            it->dstY,
            0,
            it->dstPitch,
            0};
  End from = {it->srcMemoryType,
              it->srcHost,
              it->srcDevice,
              it->srcArray,
              it->srcXInBytes,
              it->srcY,
              0,
              it->srcPitch,
              0};
  DeviceCopy copy;
  NEED(read(&to, &from, it->WidthInBytes, it->Height, 1, &copy));
  return api_result(device_copy(api_device(), &copy, stream, is_async));
}

STREAM_CALL(cuMemcpy2D_v2, _ptds, LIST(const CUDA_MEMCPY2D *wanted), LIST(wanted)) {
  return copy_2d(wanted, api_stream(meaning, NULL), false);
}

STREAM_CALL(cuMemcpy2DUnaligned_v2, _ptds, LIST(const CUDA_MEMCPY2D *wanted), LIST(wanted)) {
  return copy_2d(wanted, api_stream(meaning, NULL), false);
}

STREAM_CALL(cuMemcpy2DAsync_v2, _ptsz, LIST(const CUDA_MEMCPY2D *wanted, CUstream stream),
            LIST(wanted, stream)) {
  return copy_2d(wanted, api_stream(meaning, stream), true);
}

// ---- three dimensions; levels of mipmaps there are none

CUresult box_read(const CUDA_MEMCPY3D *it, DeviceCopy *copy) {
  NEED_VALUE(it && !it->srcLOD && !it->dstLOD);
  End to = {it->dstMemoryType, it->dstHost, it->dstDevice, it->dstArray, it->dstXInBytes,
            it->dstY,          it->dstZ,    it->dstPitch,  it->dstHeight};
  End from = {it->srcMemoryType, it->srcHost, it->srcDevice, it->srcArray, it->srcXInBytes,
              it->srcY,          it->srcZ,    it->srcPitch,  it->srcHeight};
  return read(&to, &from, it->WidthInBytes, it->Height, it->Depth, copy);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *it, DeviceStream *stream, bool is_async) {
  DeviceCopy copy;
  NEED(box_read(it, &copy));
  return api_result(device_copy(api_device(), &copy, stream, is_async));
}

STREAM_CALL(cuMemcpy3D_v2, _ptds, LIST(const CUDA_MEMCPY3D *wanted), LIST(wanted)) {
  return copy_3d(wanted, api_stream(meaning, NULL), false);
}

STREAM_CALL(cuMemcpy3DAsync_v2, _ptsz, LIST(const CUDA_MEMCPY3D *wanted, CUstream stream),
            LIST(wanted, stream)) {
  return copy_3d(wanted, api_stream(meaning, stream), true);
}

// Contexts share the device's memory, so this is an ordinary copy; the struct differs only in
// the contexts.
static CUresult copy_peer(const CUDA_MEMCPY3D_PEER *it, DeviceStream *stream, bool is_async) {
  _Static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D), "one shape");
  NEED_VALUE(it);
  if (!device_context_is_alive(api_device(), (DeviceContext *)it->dstContext) ||
      !device_context_is_alive(api_device(), (DeviceContext *)it->srcContext))
    return CUDA_ERROR_INVALID_CONTEXT;
  return copy_3d((const CUDA_MEMCPY3D *)(const void *)it, stream, is_async);
}

STREAM_CALL(cuMemcpy3DPeer, _ptds, LIST(const CUDA_MEMCPY3D_PEER *wanted), LIST(wanted)) {
  return copy_peer(wanted, api_stream(meaning, NULL), false);
}

STREAM_CALL(cuMemcpy3DPeerAsync, _ptsz, LIST(const CUDA_MEMCPY3D_PEER *wanted, CUstream stream),
            LIST(wanted, stream)) {
  return copy_peer(wanted, api_stream(meaning, stream), true);
}
