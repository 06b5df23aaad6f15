// SPDX-License-Identifier: MIT
// Copies and fills: every form becomes a box of bytes with two ends.
#include "cudart/api.h"

static bool sides_of(int kind, CopySide *to, CopySide *from) {
  switch (kind) {
    case COPY_HOST_TO_HOST: *to = SIDE_HOST, *from = SIDE_HOST; return true;
    case COPY_HOST_TO_DEVICE: *to = SIDE_DEVICE, *from = SIDE_HOST; return true;
    case COPY_DEVICE_TO_HOST: *to = SIDE_HOST, *from = SIDE_DEVICE; return true;
    case COPY_DEVICE_TO_DEVICE: *to = SIDE_DEVICE, *from = SIDE_DEVICE; return true;
    case COPY_DEFAULT: *to = SIDE_EITHER, *from = SIDE_EITHER; return true;
    default: return false;
  }
}

// A box between two pitched pieces of memory.
DeviceError api_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                     size_t height, int kind, DeviceCopy *copy) {
  *copy = (DeviceCopy){.to = {.address = address_of(to), .pitch_bytes = to_pitch},
                       .from = {.address = address_of(from), .pitch_bytes = from_pitch},
                       .width_bytes = width,
                       .height = height,
                       .depth = 1};
  return sides_of(kind, &copy->to.side, &copy->from.side) ? DEVICE_OK : DEVICE_INVALID_DIRECTION;
}

static DeviceError copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                           size_t width, size_t height, int kind, DeviceStream *stream,
                           bool is_async) {
  DeviceCopy copy;
  DeviceError error = api_rows(to, to_pitch, from, from_pitch, width, height, kind, &copy);
  return error ? error : device_copy(api_device(), &copy, stream, is_async);
}

STREAM_CALL(cudaMemcpy, _ptds, LIST(void *to, const void *from, size_t bytes, int kind),
            LIST(to, from, bytes, kind)) {
  return copy_2d(to, bytes, from, bytes, bytes, 1, kind, api_stream(meaning, NULL), false);
}

STREAM_CALL(cudaMemcpyAsync, _ptsz,
            LIST(void *to, const void *from, size_t bytes, int kind, StreamHandle stream),
            LIST(to, from, bytes, kind, stream)) {
  return copy_2d(to, bytes, from, bytes, bytes, 1, kind, api_stream(meaning, stream), true);
}

STREAM_CALL(cudaMemcpy2D, _ptds,
            LIST(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind),
            LIST(to, to_pitch, from, from_pitch, width, height, kind)) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, api_stream(meaning, NULL),
                 false);
}

STREAM_CALL(cudaMemcpy2DAsync, _ptsz,
            LIST(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind, StreamHandle stream),
            LIST(to, to_pitch, from, from_pitch, width, height, kind, stream)) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, api_stream(meaning, stream),
                 true);
}

// One device: a peer is itself.
EXPORT int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                          size_t bytes) {
  if (to_device || from_device) return api_result(DEVICE_INVALID_DEVICE);
  return cudaMemcpy(to, from, bytes, COPY_DEVICE_TO_DEVICE);
}

EXPORT int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                               size_t bytes, StreamHandle stream) {
  if (to_device || from_device) return api_result(DEVICE_INVALID_DEVICE);
  return cudaMemcpyAsync(to, from, bytes, COPY_DEVICE_TO_DEVICE, stream);
}

// ---- variables

DeviceError api_symbol(const void *symbol, size_t offset, size_t bytes, void **address) {
  uint64_t first, size;
  DeviceError error = device_symbol_find(api_device(), symbol, &first, &size);
  if (error) return error;
  if (offset > size || bytes > size - offset) return DEVICE_INVALID_VALUE;
  *address = (void *)(uintptr_t)(first + offset);
  return DEVICE_OK;
}

static DeviceError copy_symbol(const void *symbol, size_t offset, void *to, const void *from,
                               size_t bytes, int kind, DeviceStream *stream, bool is_async) {
  void *variable;
  DeviceError error = api_symbol(symbol, offset, bytes, &variable);
  if (error) return error;
  return copy_2d(to ? to : variable, bytes, from ? from : variable, bytes, bytes, 1, kind, stream,
                 is_async);
}

STREAM_CALL(cudaMemcpyToSymbol, _ptds,
            LIST(const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
            LIST(symbol, from, bytes, offset, kind)) {
  if (!from) return DEVICE_INVALID_VALUE;
  return copy_symbol(symbol, offset, NULL, from, bytes, kind, api_stream(meaning, NULL), false);
}

STREAM_CALL(cudaMemcpyFromSymbol, _ptds,
            LIST(void *to, const void *symbol, size_t bytes, size_t offset, int kind),
            LIST(to, symbol, bytes, offset, kind)) {
  if (!to) return DEVICE_INVALID_VALUE;
  return copy_symbol(symbol, offset, to, NULL, bytes, kind, api_stream(meaning, NULL), false);
}

STREAM_CALL(cudaMemcpyToSymbolAsync, _ptsz,
            LIST(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                 StreamHandle stream),
            LIST(symbol, from, bytes, offset, kind, stream)) {
  if (!from) return DEVICE_INVALID_VALUE;
  return copy_symbol(symbol, offset, NULL, from, bytes, kind, api_stream(meaning, stream), true);
}

STREAM_CALL(cudaMemcpyFromSymbolAsync, _ptsz,
            LIST(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                 StreamHandle stream),
            LIST(to, symbol, bytes, offset, kind, stream)) {
  if (!to) return DEVICE_INVALID_VALUE;
  return copy_symbol(symbol, offset, to, NULL, bytes, kind, api_stream(meaning, stream), true);
}

// ---- boxes

// One end of a box. Of arrays, x counts texels, else bytes.
static DeviceError box_end(DeviceArray *array, Position at, const PitchedPointer *pointer,
                           CopyPlace *place, uint32_t *texel_bytes) {
  *texel_bytes = 1;
  CopySide side = place->side;
  if (array) {
    DeviceError error = device_array_place(api_device(), array, place, texel_bytes);
    if (error) return error;
  } else {
    *place = (CopyPlace){side, address_of(pointer->pointer), pointer->pitch,
                         pointer->pitch * pointer->height};
  }
  place->address += at.x * *texel_bytes + at.y * place->pitch_bytes + at.z * place->slice_bytes;
  return DEVICE_OK;
}

DeviceError api_box(const Copy3D *wanted, DeviceCopy *copy) {
  *copy = (DeviceCopy){.height = wanted->extent.height, .depth = wanted->extent.depth};
  uint32_t to_texel, from_texel;
  if (!sides_of(wanted->kind, &copy->to.side, &copy->from.side)) return DEVICE_INVALID_DIRECTION;
  DeviceError error = box_end(wanted->to_array, wanted->to_at, &wanted->to, &copy->to, &to_texel);
  if (!error)
    error = box_end(wanted->from_array, wanted->from_at, &wanted->from, &copy->from, &from_texel);
  if (error) return error;
  if (wanted->to_array && wanted->from_array && to_texel != from_texel) return DEVICE_INVALID_VALUE;
  copy->width_bytes = wanted->extent.width * (wanted->to_array ? to_texel : from_texel);
  return DEVICE_OK;
}

static DeviceError copy_3d(const Copy3D *wanted, DeviceStream *stream, bool is_async) {
  DeviceCopy copy;
  DeviceError error = api_box(wanted, &copy);
  return error ? error : device_copy(api_device(), &copy, stream, is_async);
}

STREAM_CALL(cudaMemcpy3D, _ptds, LIST(const Copy3D *wanted), LIST(wanted)) {
  if (!wanted) return DEVICE_INVALID_VALUE;
  return copy_3d(wanted, api_stream(meaning, NULL), false);
}

STREAM_CALL(cudaMemcpy3DAsync, _ptsz, LIST(const Copy3D *wanted, StreamHandle stream),
            LIST(wanted, stream)) {
  if (!wanted) return DEVICE_INVALID_VALUE;
  return copy_3d(wanted, api_stream(meaning, stream), true);
}

// cudaMemcpy3DPeerParms: with one device, a copy inside it.
typedef struct PeerCopy3D {
  DeviceArray *from_array;
  Position from_at;
  PitchedPointer from;
  int from_device;
  DeviceArray *to_array;
  Position to_at;
  PitchedPointer to;
  int to_device;
  Extent extent;
} PeerCopy3D;

static DeviceError copy_3d_peer(const PeerCopy3D *wanted, DeviceStream *stream, bool is_async) {
  if (!wanted) return DEVICE_INVALID_VALUE;
  if (wanted->from_device || wanted->to_device) return DEVICE_INVALID_DEVICE;
  Copy3D copy = {wanted->from_array, wanted->from_at, wanted->from,   wanted->to_array,
                 wanted->to_at,      wanted->to,      wanted->extent, COPY_DEFAULT};
  return copy_3d(&copy, stream, is_async);
}

STREAM_CALL(cudaMemcpy3DPeer, _ptds, LIST(const PeerCopy3D *wanted), LIST(wanted)) {
  return copy_3d_peer(wanted, api_stream(meaning, NULL), false);
}

STREAM_CALL(cudaMemcpy3DPeerAsync, _ptsz, LIST(const PeerCopy3D *wanted, StreamHandle stream),
            LIST(wanted, stream)) {
  return copy_3d_peer(wanted, api_stream(meaning, stream), true);
}

// ---- arrays of two dimensions; x counts bytes here

static DeviceError array_at(DeviceArray *array, size_t x, size_t y, CopyPlace *place) {
  uint32_t texel_bytes;
  DeviceError error = device_array_place(api_device(), array, place, &texel_bytes);
  place->address += x + y * place->pitch_bytes;
  return error;
}

static DeviceError copy_to_array(DeviceArray *array, size_t x, size_t y, const void *from,
                                 size_t pitch, size_t width, size_t height, int kind,
                                 DeviceStream *stream, bool is_async) {
  DeviceCopy copy = {.width_bytes = width, .height = height, .depth = 1};
  CopySide unused;
  if (!sides_of(kind, &unused, &copy.from.side)) return DEVICE_INVALID_DIRECTION;
  DeviceError error = array_at(array, x, y, &copy.to);
  if (error) return error;
  copy.from.address = address_of(from);
  copy.from.pitch_bytes = pitch;
  return device_copy(api_device(), &copy, stream, is_async);
}

static DeviceError copy_from_array(void *to, size_t pitch, DeviceArray *array, size_t x, size_t y,
                                   size_t width, size_t height, int kind, DeviceStream *stream,
                                   bool is_async) {
  DeviceCopy copy = {.width_bytes = width, .height = height, .depth = 1};
  CopySide unused;
  if (!sides_of(kind, &copy.to.side, &unused)) return DEVICE_INVALID_DIRECTION;
  DeviceError error = array_at(array, x, y, &copy.from);
  if (error) return error;
  copy.to.address = address_of(to);
  copy.to.pitch_bytes = pitch;
  return device_copy(api_device(), &copy, stream, is_async);
}

STREAM_CALL(cudaMemcpy2DToArray, _ptds,
            LIST(DeviceArray *array, size_t x, size_t y, const void *from, size_t pitch,
                 size_t width, size_t height, int kind),
            LIST(array, x, y, from, pitch, width, height, kind)) {
  return copy_to_array(array, x, y, from, pitch, width, height, kind, api_stream(meaning, NULL),
                       false);
}

STREAM_CALL(cudaMemcpy2DToArrayAsync, _ptsz,
            LIST(DeviceArray *array, size_t x, size_t y, const void *from, size_t pitch,
                 size_t width, size_t height, int kind, StreamHandle stream),
            LIST(array, x, y, from, pitch, width, height, kind, stream)) {
  return copy_to_array(array, x, y, from, pitch, width, height, kind, api_stream(meaning, stream),
                       true);
}

STREAM_CALL(cudaMemcpy2DFromArray, _ptds,
            LIST(void *to, size_t pitch, DeviceArray *array, size_t x, size_t y, size_t width,
                 size_t height, int kind),
            LIST(to, pitch, array, x, y, width, height, kind)) {
  return copy_from_array(to, pitch, array, x, y, width, height, kind, api_stream(meaning, NULL),
                         false);
}

STREAM_CALL(cudaMemcpy2DFromArrayAsync, _ptsz,
            LIST(void *to, size_t pitch, DeviceArray *array, size_t x, size_t y, size_t width,
                 size_t height, int kind, StreamHandle stream),
            LIST(to, pitch, array, x, y, width, height, kind, stream)) {
  return copy_from_array(to, pitch, array, x, y, width, height, kind, api_stream(meaning, stream),
                         true);
}

STREAM_CALL(cudaMemcpy2DArrayToArray, _ptds,
            LIST(DeviceArray *to, size_t to_x, size_t to_y, DeviceArray *from, size_t from_x,
                 size_t from_y, size_t width, size_t height, int kind),
            LIST(to, to_x, to_y, from, from_x, from_y, width, height, kind)) {
  DeviceCopy copy = {.width_bytes = width, .height = height, .depth = 1};
  (void)kind;
  DeviceError error = array_at(to, to_x, to_y, &copy.to);
  if (!error) error = array_at(from, from_x, from_y, &copy.from);
  return error ? error : device_copy(api_device(), &copy, api_stream(meaning, NULL), false);
}

// A run of bytes that may go over several rows of the array, from (x, y) on:
// the rest of the first row, whole rows, and what is left.
typedef struct Run {
  DeviceArray *array;
  size_t row_bytes, x, y;
} Run;

static DeviceError run_init(Run *run, DeviceArray *array, size_t x, size_t y) {
  CopyPlace place;
  uint32_t texel_bytes;
  DeviceError error = device_array_place(api_device(), array, &place, &texel_bytes);
  if (error) return error;
  *run = (Run){array, (size_t)device_array_shape(api_device(), array)->width * texel_bytes, x, y};
  return x < run->row_bytes ? DEVICE_OK : DEVICE_INVALID_VALUE;
}

static DeviceError copy_run(Run *run, uint8_t *host, size_t bytes, int kind, bool is_to_array,
                            DeviceStream *stream, bool is_async) {
  DeviceError error = DEVICE_OK;
  while (bytes && !error) {
    size_t width = run->row_bytes - run->x, height = 1;
    if (!run->x && bytes >= run->row_bytes) height = bytes / run->row_bytes;
    if (width > bytes) width = bytes;
    error = is_to_array ? copy_to_array(run->array, run->x, run->y, host, width, width, height,
                                        kind, stream, is_async)
                        : copy_from_array(host, width, run->array, run->x, run->y, width, height,
                                          kind, stream, is_async);
    host += width * height;
    bytes -= width * height;
    run->x = 0;
    run->y += height;
  }
  return error;
}

STREAM_CALL(cudaMemcpyToArray, _ptds,
            LIST(DeviceArray *array, size_t x, size_t y, const void *from, size_t bytes, int kind),
            LIST(array, x, y, from, bytes, kind)) {
  Run run;
  DeviceError error = run_init(&run, array, x, y);
  if (error) return error;
  return copy_run(&run, (uint8_t *)(uintptr_t)from, bytes, kind, true, api_stream(meaning, NULL),
                  false);
}

STREAM_CALL(cudaMemcpyFromArray, _ptds,
            LIST(void *to, DeviceArray *array, size_t x, size_t y, size_t bytes, int kind),
            LIST(to, array, x, y, bytes, kind)) {
  Run run;
  DeviceError error = run_init(&run, array, x, y);
  if (error) return error;
  return copy_run(&run, to, bytes, kind, false, api_stream(meaning, NULL), false);
}

STREAM_CALL(cudaMemcpyToArrayAsync, _ptsz,
            LIST(DeviceArray *array, size_t x, size_t y, const void *from, size_t bytes, int kind,
                 StreamHandle stream),
            LIST(array, x, y, from, bytes, kind, stream)) {
  Run run;
  DeviceError error = run_init(&run, array, x, y);
  if (error) return error;
  return copy_run(&run, (uint8_t *)(uintptr_t)from, bytes, kind, true, api_stream(meaning, stream),
                  true);
}

STREAM_CALL(cudaMemcpyFromArrayAsync, _ptsz,
            LIST(void *to, DeviceArray *array, size_t x, size_t y, size_t bytes, int kind,
                 StreamHandle stream),
            LIST(to, array, x, y, bytes, kind, stream)) {
  Run run;
  DeviceError error = run_init(&run, array, x, y);
  if (error) return error;
  return copy_run(&run, to, bytes, kind, false, api_stream(meaning, stream), true);
}

// ---- fills

static DeviceError fill(void *to, size_t pitch, size_t slice, int value, Extent extent,
                        DeviceStream *stream, bool is_async) {
  CopyPlace place = {SIDE_DEVICE, address_of(to), pitch, slice};
  return device_fill(api_device(), &place, (uint8_t)value, 1, extent.width, extent.height,
                     extent.depth, stream, is_async);
}

STREAM_CALL(cudaMemset, _ptds, LIST(void *to, int value, size_t bytes), LIST(to, value, bytes)) {
  return fill(to, bytes, 0, value, (Extent){bytes, 1, 1}, api_stream(meaning, NULL), true);
}

STREAM_CALL(cudaMemsetAsync, _ptsz, LIST(void *to, int value, size_t bytes, StreamHandle stream),
            LIST(to, value, bytes, stream)) {
  return fill(to, bytes, 0, value, (Extent){bytes, 1, 1}, api_stream(meaning, stream), true);
}

STREAM_CALL(cudaMemset2D, _ptds,
            LIST(void *to, size_t pitch, int value, size_t width, size_t height),
            LIST(to, pitch, value, width, height)) {
  return fill(to, pitch, 0, value, (Extent){width, height, 1}, api_stream(meaning, NULL), true);
}

STREAM_CALL(cudaMemset2DAsync, _ptsz,
            LIST(void *to, size_t pitch, int value, size_t width, size_t height,
                 StreamHandle stream),
            LIST(to, pitch, value, width, height, stream)) {
  return fill(to, pitch, 0, value, (Extent){width, height, 1}, api_stream(meaning, stream), true);
}

STREAM_CALL(cudaMemset3D, _ptds, LIST(PitchedPointer to, int value, Extent extent),
            LIST(to, value, extent)) {
  return fill(to.pointer, to.pitch, to.pitch * to.height, value, extent, api_stream(meaning, NULL),
              true);
}

STREAM_CALL(cudaMemset3DAsync, _ptsz,
            LIST(PitchedPointer to, int value, Extent extent, StreamHandle stream),
            LIST(to, value, extent, stream)) {
  return fill(to.pointer, to.pitch, to.pitch * to.height, value, extent,
              api_stream(meaning, stream), true);
}
