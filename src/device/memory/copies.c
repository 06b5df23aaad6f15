// SPDX-License-Identifier: MIT
// Copies and fills. Source and destination are checked at the call, so that a bad pointer
// is an error of that call; the bytes are copied in stream order.
//
// Pageable host memory is read at the call, because the host may change it afterwards, and
// written before the call returns. Pinned and managed memory is accessed in stream order,
// as by a GPU.
#include <string.h>

#include "base/memory.h"
#include "device/graphs/graph_state.h"

// Simplified: every copy over the bus takes as long as PCIe 3.0 x16 would, and
// copies inside the device run at ten times that.
#define BUS_BYTES_PER_NANOSECOND 12.0
#define DEVICE_BYTES_PER_NANOSECOND 120.0

double copy_nanoseconds(const Device *device, uint64_t bytes, bool crosses_bus) {
  (void)device;
  return (double)bytes / (crosses_bus ? BUS_BYTES_PER_NANOSECOND : DEVICE_BYTES_PER_NANOSECOND);
}

// Bytes from the first to the last that a box touches; false if they overflow.
static bool box_span(const CopyPlace *place, uint64_t width, uint64_t height, uint64_t depth,
                     uint64_t *span) {
  uint64_t rows, slices;
  if (__builtin_mul_overflow(place->pitch_bytes, height - 1, &rows)) return false;
  if (__builtin_mul_overflow(place->slice_bytes, depth - 1, &slices)) return false;
  return !__builtin_add_overflow(rows, slices, span) && !__builtin_add_overflow(*span, width, span);
}

typedef struct BoundSide {
  BoundPlace place;
  bool is_plain;  // ordinary memory of the host
  uint64_t span;
} BoundSide;

// Whether allocations that follow one another, on both sides, make up so many bytes.
static bool goes_on(const Device *device, const Allocation *it, uint64_t size) {
  while (it->size_bytes < size) {
    const Allocation *next =
        device_memory_find(device->engine.memory, it->address + it->size_bytes);
    if (!next || next->host != it->host + it->size_bytes) return false;
    size -= it->size_bytes;
    it = next;
  }
  return true;
}

// The host memory of one end of a copy.
static DeviceError bind(const Device *device, const CopyPlace *place, uint64_t width,
                        uint64_t height, uint64_t depth, BoundSide *side) {
  if ((height > 1 && place->pitch_bytes < width) ||
      !box_span(place, width, height, depth, &side->span))
    return DEVICE_INVALID_PITCH;
  const Allocation *it = device_memory_find(device->engine.memory, place->address);
  bool is_device = it && it->kind != ALLOCATION_HOST;
  if (place->side == SIDE_HOST && is_device) return DEVICE_INVALID_VALUE;
  if (place->side == SIDE_DEVICE && !it) return DEVICE_INVALID_VALUE;
  side->is_plain = !it;
  side->place =
      (BoundPlace){(uint8_t *)(uintptr_t)place->address, place->pitch_bytes, place->slice_bytes};
  if (!it) return place->address ? DEVICE_OK : DEVICE_INVALID_VALUE;
  uint64_t offset = place->address - it->address;
  // A registered piece of the host's memory may be part of a longer copy.
  if (side->span > it->size_bytes - offset && !goes_on(device, it, offset + side->span))
    return is_device ? DEVICE_INVALID_VALUE : DEVICE_OK;
  side->place.bytes = it->host + offset;
  return DEVICE_OK;
}

void copy_execute(const BoundCopy *copy) {
  const BoundPlace *to = &copy->to, *from = &copy->from;
  for (uint64_t z = 0; z < copy->depth; z++)
    for (uint64_t y = 0; y < copy->height; y++)
      memmove(to->bytes + z * to->slice_bytes + y * to->pitch_bytes,
              from->bytes + z * from->slice_bytes + y * from->pitch_bytes, copy->width_bytes);
}

// Rows that follow one another without a gap are one row.
static void flatten(BoundCopy *copy) {
  if (copy->to.pitch_bytes != copy->width_bytes || copy->from.pitch_bytes != copy->width_bytes)
    return;
  copy->width_bytes *= copy->height;
  copy->height = 1;
}

static void stage(BoundCopy *copy) {
  BoundCopy taken = *copy;
  taken.to = (BoundPlace){memory_alloc(copy->width_bytes * copy->height * copy->depth),
                          copy->width_bytes, copy->width_bytes * copy->height};
  copy_execute(&taken);
  copy->staged = taken.to.bytes;
  copy->from = taken.to;
}

DeviceError copy_queue(Device *device, DeviceStream *stream, const DeviceCopy *copy,
                       bool is_async) {
  BoundSide to, from;
  if (!copy->width_bytes || !copy->height || !copy->depth)
    return is_async ? DEVICE_OK : device_execute(device);
  DeviceError error = bind(device, &copy->to, copy->width_bytes, copy->height, copy->depth, &to);
  if (!error)
    error = bind(device, &copy->from, copy->width_bytes, copy->height, copy->depth, &from);
  if (error) return error;
  BoundCopy bound = {.to = to.place,
                     .from = from.place,
                     .width_bytes = copy->width_bytes,
                     .height = copy->height,
                     .depth = copy->depth,
                     .to_host = to.is_plain || copy->to.side == SIDE_HOST,
                     .crosses_bus = to.is_plain || from.is_plain || copy->to.side == SIDE_HOST ||
                                    copy->from.side == SIDE_HOST};
  flatten(&bound);
  bool must_wait = !is_async || (to.is_plain && !copy->is_deferred);
  if (!must_wait && from.is_plain && !copy->is_deferred) stage(&bound);
  operation_add(device, stream, OPERATION_COPY)->copy = bound;
  return must_wait ? device_execute(device) : DEVICE_OK;
}

DeviceError device_copy(Device *device, const DeviceCopy *copy, DeviceStream *stream,
                        bool is_async) {
  device_lock(device);
  DeviceError error = device_ready(device);
  stream = error ? NULL : stream_checked(device, stream);
  if (!error && !stream) error = DEVICE_INVALID_HANDLE;
  GraphWork work = {.kind = NODE_COPY, .copy = *copy};
  if (!error && stream->capture)
    error = is_async ? work_submit(device, stream, &work) : DEVICE_CAPTURE_UNSUPPORTED;
  else if (!error)
    error = copy_queue(device, stream, copy, is_async);
  device_unlock(device);
  return error;
}

// ---- fills

void fill_execute(const BoundFill *fill) {
  for (uint64_t z = 0; z < fill->depth; z++)
    for (uint64_t y = 0; y < fill->height; y++) {
      uint8_t *row = fill->to.bytes + z * fill->to.slice_bytes + y * fill->to.pitch_bytes;
      if (fill->value_bytes == 1)
        memset(row, (int)fill->value, fill->width_bytes);
      else
        for (uint64_t x = 0; x < fill->width_bytes; x += fill->value_bytes)
          memcpy(row + x, &fill->value, fill->value_bytes);
    }
}

DeviceError fill_queue(Device *device, DeviceStream *stream, const DeviceFill *fill) {
  BoundSide side;
  if (!fill->width_bytes || !fill->height || !fill->depth) return DEVICE_OK;
  DeviceError error = bind(device, &fill->to, fill->width_bytes, fill->height, fill->depth, &side);
  if (error) return error;
  operation_add(device, stream, OPERATION_FILL)->fill =
      (BoundFill){.to = side.place,
                  .value = fill->value,
                  .value_bytes = fill->value_bytes,
                  .width_bytes = fill->width_bytes,
                  .height = fill->height,
                  .depth = fill->depth};
  return DEVICE_OK;
}

DeviceError device_fill(Device *device, const CopyPlace *to, uint32_t value, uint32_t value_bytes,
                        uint64_t width_bytes, uint64_t height, uint64_t depth, DeviceStream *stream,
                        bool is_async) {
  GraphWork work = {.kind = NODE_FILL,
                    .fill = {*to, value, value_bytes, width_bytes, height, depth}};
  device_lock(device);
  DeviceError error = device_ready(device);
  stream = error ? NULL : stream_checked(device, stream);
  if (!error && !stream) error = DEVICE_INVALID_HANDLE;
  if (!error && width_bytes % value_bytes) error = DEVICE_INVALID_VALUE;
  if (!error && stream->capture && !is_async) error = DEVICE_CAPTURE_UNSUPPORTED;
  if (!error) error = work_submit(device, stream, &work);
  if (!error && !is_async) error = device_execute(device);
  device_unlock(device);
  return error;
}
