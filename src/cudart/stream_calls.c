// SPDX-License-Identifier: MIT
// Streams, events and waiting.
#include <stdlib.h>

#include "cudart/api.h"
#include "device/graphs/graphs.h"

// Flags of streams and events.
enum { STREAM_NON_BLOCKING = 1, EVENT_BLOCKING = 1, EVENT_NO_TIMING = 2, EVENT_INTERPROCESS = 4 };

EXPORT int cudaStreamCreateWithPriority(StreamHandle *stream, unsigned flags, int priority) {
  if (!stream || flags > STREAM_NON_BLOCKING) return api_result(DEVICE_INVALID_VALUE);
  return api_result(device_stream_create(api_device(), !(flags & STREAM_NON_BLOCKING), priority,
                                         (DeviceStream **)stream));
}

EXPORT int cudaStreamCreateWithFlags(StreamHandle *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

EXPORT int cudaStreamCreate(StreamHandle *stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}

EXPORT int cudaStreamDestroy(StreamHandle stream) {
  if (address_of(stream) <= 2) return api_result(DEVICE_INVALID_HANDLE);
  return api_result(device_stream_destroy(api_device(), stream));
}

STREAM_CALL(cudaStreamSynchronize, _ptsz, LIST(StreamHandle stream), LIST(stream)) {
  return device_stream_synchronize(api_device(), api_stream(meaning, stream));
}

// A query executes what is queued, so it never returns "not ready".
STREAM_CALL(cudaStreamQuery, _ptsz, LIST(StreamHandle stream), LIST(stream)) {
  return device_stream_synchronize(api_device(), api_stream(meaning, stream));
}

STREAM_CALL(cudaStreamWaitEvent, _ptsz, LIST(StreamHandle stream, void *event, unsigned flags),
            LIST(stream, event, flags)) {
  (void)flags;
  return device_stream_wait(api_device(), api_stream(meaning, stream), event);
}

static DeviceStream *existing(StreamDefault meaning, StreamHandle stream) {
  DeviceStream *found = api_stream(meaning, stream);
  return device_stream_exists(api_device(), found) ? found : NULL;
}

STREAM_CALL(cudaStreamGetFlags, _ptsz, LIST(StreamHandle stream, unsigned *flags),
            LIST(stream, flags)) {
  const DeviceStream *found = existing(meaning, stream);
  if (!found || !flags) return DEVICE_INVALID_HANDLE;
  bool is_default = address_of(stream) <= 2;
  *flags = is_default || device_stream_is_blocking(found) ? 0 : STREAM_NON_BLOCKING;
  return DEVICE_OK;
}

STREAM_CALL(cudaStreamGetPriority, _ptsz, LIST(StreamHandle stream, int *priority),
            LIST(stream, priority)) {
  const DeviceStream *found = existing(meaning, stream);
  if (!found || !priority) return DEVICE_INVALID_HANDLE;
  *priority = device_stream_priority(found);
  return DEVICE_OK;
}

STREAM_CALL(cudaStreamGetId, _ptsz, LIST(StreamHandle stream, unsigned long long *id),
            LIST(stream, id)) {
  const DeviceStream *found = existing(meaning, stream);
  if (!found || !id) return DEVICE_INVALID_HANDLE;
  *id = device_stream_id(found);
  return DEVICE_OK;
}

STREAM_CALL(cudaStreamGetDevice, _ptsz, LIST(StreamHandle stream, int *device),
            LIST(stream, device)) {
  if (!existing(meaning, stream) || !device) return DEVICE_INVALID_HANDLE;
  *device = 0;
  return DEVICE_OK;
}

// Which lines of the L2 to keep and how the host waits are hints.
enum { ATTRIBUTE_WINDOW = 1, ATTRIBUTE_WAITING = 3 };

STREAM_CALL(cudaStreamSetAttribute, _ptsz,
            LIST(StreamHandle stream, int attribute, const void *value),
            LIST(stream, attribute, value)) {
  if (!existing(meaning, stream) || !value) return DEVICE_INVALID_HANDLE;
  if (attribute == ATTRIBUTE_WINDOW || attribute == ATTRIBUTE_WAITING) return DEVICE_OK;
  return (DeviceError)api_unsupported("this stream attribute");
}

STREAM_CALL(cudaStreamCopyAttributes, _ptsz, LIST(StreamHandle to, StreamHandle from),
            LIST(to, from)) {
  return existing(meaning, to) && existing(meaning, from) ? DEVICE_OK : DEVICE_INVALID_HANDLE;
}

EXPORT int cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = STREAM_PRIORITY_LOWEST;
  if (greatest) *greatest = STREAM_PRIORITY_HIGHEST;
  return 0;
}

// ---- calls into the host

typedef struct Callback {
  void (*function)(StreamHandle stream, int status, void *data);
  StreamHandle stream;
  void *data;
} Callback;

static void call_back(void *self) {
  Callback *callback = self;
  callback->function(callback->stream, 0, callback->data);
  free(callback);
}

STREAM_CALL(cudaStreamAddCallback, _ptsz,
            LIST(StreamHandle stream, void (*function)(StreamHandle, int, void *), void *data,
                 unsigned flags),
            LIST(stream, function, data, flags)) {
  if (flags || !function) return DEVICE_INVALID_VALUE;
  CaptureState state;
  DeviceError captured = device_capture_state(api_device(), api_stream(meaning, stream), &state);
  if (captured) return captured;
  if (state.is_active) return DEVICE_CAPTURE_UNSUPPORTED;
  Callback *callback = malloc(sizeof *callback);
  if (!callback) return DEVICE_OUT_OF_MEMORY;
  *callback = (Callback){function, stream, data};
  DeviceError error =
      device_stream_call(api_device(), api_stream(meaning, stream), call_back, callback);
  if (error) free(callback);
  return error;
}

STREAM_CALL(cudaLaunchHostFunc, _ptsz,
            LIST(StreamHandle stream, void (*function)(void *), void *data),
            LIST(stream, function, data)) {
  if (!function) return DEVICE_INVALID_VALUE;
  return device_stream_call(api_device(), api_stream(meaning, stream), function, data);
}

// ---- events

EXPORT int cudaEventCreateWithFlags(void **event, unsigned flags) {
  if (!event || flags > (EVENT_BLOCKING | EVENT_NO_TIMING | EVENT_INTERPROCESS))
    return api_result(DEVICE_INVALID_VALUE);
  if (flags & EVENT_INTERPROCESS && !(flags & EVENT_NO_TIMING))
    return api_result(DEVICE_INVALID_VALUE);
  return api_result(
      device_event_create(api_device(), !(flags & EVENT_NO_TIMING), (DeviceEvent **)event));
}

EXPORT int cudaEventCreate(void **event) {
  return cudaEventCreateWithFlags(event, 0);
}

EXPORT int cudaEventDestroy(void *event) {
  return api_result(device_event_destroy(api_device(), event));
}

STREAM_CALL(cudaEventRecord, _ptsz, LIST(void *event, StreamHandle stream), LIST(event, stream)) {
  return device_event_record(api_device(), event, api_stream(meaning, stream));
}

STREAM_CALL(cudaEventRecordWithFlags, _ptsz, LIST(void *event, StreamHandle stream, unsigned flags),
            LIST(event, stream, flags)) {
  if (flags) return DEVICE_INVALID_VALUE;
  return device_event_record(api_device(), event, api_stream(meaning, stream));
}

EXPORT int cudaEventSynchronize(void *event) {
  return api_result(device_event_synchronize(api_device(), event));
}

EXPORT int cudaEventQuery(void *event) {
  return cudaEventSynchronize(event);
}

EXPORT int cudaEventElapsedTime(float *milliseconds, void *from, void *to) {
  if (!milliseconds) return api_result(DEVICE_INVALID_VALUE);
  return api_result(device_event_elapsed(api_device(), from, to, milliseconds));
}

EXPORT int cudaEventElapsedTime_v2(float *milliseconds, void *from, void *to) {
  return cudaEventElapsedTime(milliseconds, from, to);
}
