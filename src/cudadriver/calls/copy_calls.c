// SPDX-License-Identifier: MIT
// Copies: every form becomes a box of bytes with two ends.
#include "cudadriver/api.h"

// ---- runs of bytes

static CUresult copy(uint64_t to, CopySide to_side, uint64_t from, CopySide from_side, size_t bytes,
                     DeviceStream *stream, bool is_async) {
  DeviceCopy wanted = {.to = {to_side, to, bytes, bytes},
                       .from = {from_side, from, bytes, bytes},
                       .width_bytes = bytes,
                       .height = 1,
                       .depth = 1};
  return api_result(device_copy(api_device(), &wanted, stream, is_async));
}

STREAM_CALL(cuMemcpy, _ptds, LIST(CUdeviceptr to, CUdeviceptr from, size_t bytes),
            LIST(to, from, bytes)) {
  return copy(to, SIDE_EITHER, from, SIDE_EITHER, bytes, api_stream(meaning, NULL), false);
}

STREAM_CALL(cuMemcpyAsync, _ptsz,
            LIST(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
            LIST(to, from, bytes, stream)) {
  return copy(to, SIDE_EITHER, from, SIDE_EITHER, bytes, api_stream(meaning, stream), true);
}

STREAM_CALL(cuMemcpyHtoD_v2, _ptds, LIST(CUdeviceptr to, const void *from, size_t bytes),
            LIST(to, from, bytes)) {
  return copy(to, SIDE_DEVICE, address_of(from), SIDE_HOST, bytes, api_stream(meaning, NULL),
              false);
}

STREAM_CALL(cuMemcpyHtoDAsync_v2, _ptsz,
            LIST(CUdeviceptr to, const void *from, size_t bytes, CUstream stream),
            LIST(to, from, bytes, stream)) {
  return copy(to, SIDE_DEVICE, address_of(from), SIDE_HOST, bytes, api_stream(meaning, stream),
              true);
}

STREAM_CALL(cuMemcpyDtoH_v2, _ptds, LIST(void *to, CUdeviceptr from, size_t bytes),
            LIST(to, from, bytes)) {
  return copy(address_of(to), SIDE_HOST, from, SIDE_DEVICE, bytes, api_stream(meaning, NULL),
              false);
}

STREAM_CALL(cuMemcpyDtoHAsync_v2, _ptsz,
            LIST(void *to, CUdeviceptr from, size_t bytes, CUstream stream),
            LIST(to, from, bytes, stream)) {
  return copy(address_of(to), SIDE_HOST, from, SIDE_DEVICE, bytes, api_stream(meaning, stream),
              true);
}

// Without a wait, as on a GPU: what follows in the stream comes after it.
STREAM_CALL(cuMemcpyDtoD_v2, _ptds, LIST(CUdeviceptr to, CUdeviceptr from, size_t bytes),
            LIST(to, from, bytes)) {
  return copy(to, SIDE_DEVICE, from, SIDE_DEVICE, bytes, api_stream(meaning, NULL), true);
}

STREAM_CALL(cuMemcpyDtoDAsync_v2, _ptsz,
            LIST(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
            LIST(to, from, bytes, stream)) {
  return copy(to, SIDE_DEVICE, from, SIDE_DEVICE, bytes, api_stream(meaning, stream), true);
}

// Contexts share the device's memory: a peer is itself.
static CUresult need_contexts(CUcontext to, CUcontext from) {
  return device_context_is_alive(api_device(), (DeviceContext *)to) &&
                 device_context_is_alive(api_device(), (DeviceContext *)from)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_CONTEXT;
}

STREAM_CALL(cuMemcpyPeer, _ptds,
            LIST(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                 size_t bytes),
            LIST(to, to_context, from, from_context, bytes)) {
  NEED(need_contexts(to_context, from_context));
  return copy(to, SIDE_DEVICE, from, SIDE_DEVICE, bytes, api_stream(meaning, NULL), true);
}

STREAM_CALL(cuMemcpyPeerAsync, _ptsz,
            LIST(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                 size_t bytes, CUstream stream),
            LIST(to, to_context, from, from_context, bytes, stream)) {
  NEED(need_contexts(to_context, from_context));
  return copy(to, SIDE_DEVICE, from, SIDE_DEVICE, bytes, api_stream(meaning, stream), true);
}

// ---- runs of an array's first row

static CUresult array_place(CUarray array, size_t offset, size_t bytes, CopyPlace *place) {
  uint32_t texel_bytes;
  DeviceArray *it = (DeviceArray *)array;
  NEED(api_result(device_array_place(api_device(), it, place, &texel_bytes)));
  size_t row = (size_t)device_array_shape(api_device(), it)->width * texel_bytes;
  NEED_VALUE(offset <= row && bytes <= row - offset);
  place->address += offset;
  return CUDA_SUCCESS;
}

static CUresult to_array(CUarray array, size_t offset, CopyPlace from, size_t bytes,
                         DeviceStream *stream, bool is_async) {
  DeviceCopy wanted = {.from = from, .width_bytes = bytes, .height = 1, .depth = 1};
  NEED(array_place(array, offset, bytes, &wanted.to));
  return api_result(device_copy(api_device(), &wanted, stream, is_async));
}

static CUresult from_array(CopyPlace to, CUarray array, size_t offset, size_t bytes,
                           DeviceStream *stream, bool is_async) {
  DeviceCopy wanted = {.to = to, .width_bytes = bytes, .height = 1, .depth = 1};
  NEED(array_place(array, offset, bytes, &wanted.from));
  return api_result(device_copy(api_device(), &wanted, stream, is_async));
}

static CopyPlace host_place(const void *pointer) {
  return (CopyPlace){.side = SIDE_HOST, .address = address_of(pointer)};
}

static CopyPlace device_place(CUdeviceptr pointer) {
  return (CopyPlace){.side = SIDE_DEVICE, .address = pointer};
}

STREAM_CALL(cuMemcpyHtoA_v2, _ptds, LIST(CUarray to, size_t offset, const void *from, size_t bytes),
            LIST(to, offset, from, bytes)) {
  return to_array(to, offset, host_place(from), bytes, api_stream(meaning, NULL), false);
}

STREAM_CALL(cuMemcpyHtoAAsync_v2, _ptsz,
            LIST(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream),
            LIST(to, offset, from, bytes, stream)) {
  return to_array(to, offset, host_place(from), bytes, api_stream(meaning, stream), true);
}

STREAM_CALL(cuMemcpyDtoA_v2, _ptds, LIST(CUarray to, size_t offset, CUdeviceptr from, size_t bytes),
            LIST(to, offset, from, bytes)) {
  return to_array(to, offset, device_place(from), bytes, api_stream(meaning, NULL), true);
}

STREAM_CALL(cuMemcpyAtoH_v2, _ptds, LIST(void *to, CUarray from, size_t offset, size_t bytes),
            LIST(to, from, offset, bytes)) {
  return from_array(host_place(to), from, offset, bytes, api_stream(meaning, NULL), false);
}

STREAM_CALL(cuMemcpyAtoHAsync_v2, _ptsz,
            LIST(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream),
            LIST(to, from, offset, bytes, stream)) {
  return from_array(host_place(to), from, offset, bytes, api_stream(meaning, stream), true);
}

STREAM_CALL(cuMemcpyAtoD_v2, _ptds, LIST(CUdeviceptr to, CUarray from, size_t offset, size_t bytes),
            LIST(to, from, offset, bytes)) {
  return from_array(device_place(to), from, offset, bytes, api_stream(meaning, NULL), true);
}

STREAM_CALL(cuMemcpyAtoA_v2, _ptds,
            LIST(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes),
            LIST(to, to_offset, from, from_offset, bytes)) {
  CopyPlace place;
  NEED(array_place(from, from_offset, bytes, &place));
  return to_array(to, to_offset, place, bytes, api_stream(meaning, NULL), true);
}
