// SPDX-License-Identifier: MIT
// Streams, events and waiting.
#include <stdlib.h>

#include "cudadriver/objects.h"

// ---- streams

EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  DeviceStream *made = NULL;
  NEED_CONTEXT();
  NEED_VALUE(stream && flags <= CU_STREAM_NON_BLOCKING);
  NEED(api_result(
      device_stream_create(api_device(), !(flags & CU_STREAM_NON_BLOCKING), priority, &made)));
  object_add(OBJECT_STREAM, address_of(made), flags);
  *stream = (CUstream)made;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  NEED_CONTEXT();
  if (address_of(stream) <= 2) return CUDA_ERROR_INVALID_HANDLE;
  NEED(api_result(device_stream_destroy(api_device(), (DeviceStream *)stream)));
  object_remove(OBJECT_STREAM, address_of(stream));
  return CUDA_SUCCESS;
}

STREAM_CALL(cuStreamSynchronize, _ptsz, LIST(CUstream stream), LIST(stream)) {
  return api_result(device_stream_synchronize(api_device(), api_stream(meaning, stream)));
}

// A query executes what is queued, so it never returns "not ready".
STREAM_CALL(cuStreamQuery, _ptsz, LIST(CUstream stream), LIST(stream)) {
  return api_result(device_stream_synchronize(api_device(), api_stream(meaning, stream)));
}

STREAM_CALL(cuStreamWaitEvent, _ptsz, LIST(CUstream stream, CUevent event, unsigned flags),
            LIST(stream, event, flags)) {
  NEED_VALUE(flags <= CU_EVENT_WAIT_EXTERNAL);
  return api_result(
      device_stream_wait(api_device(), api_stream(meaning, stream), (DeviceEvent *)event));
}

// ---- asking about streams

static CUresult need_stream(StreamDefault meaning, CUstream stream, const DeviceStream **found) {
  *found = api_stream(meaning, stream);
  return device_stream_exists(api_device(), *found) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

STREAM_CALL(cuStreamGetFlags, _ptsz, LIST(CUstream stream, unsigned *flags), LIST(stream, flags)) {
  const DeviceStream *found;
  NEED_VALUE(flags);
  NEED(need_stream(meaning, stream, &found));
  bool is_default = address_of(stream) <= 2;
  *flags =
      is_default || device_stream_is_blocking(found) ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
  return CUDA_SUCCESS;
}

STREAM_CALL(cuStreamGetPriority, _ptsz, LIST(CUstream stream, int *priority),
            LIST(stream, priority)) {
  const DeviceStream *found;
  NEED_VALUE(priority);
  NEED(need_stream(meaning, stream, &found));
  *priority = device_stream_priority(found);
  return CUDA_SUCCESS;
}

STREAM_CALL(cuStreamGetId, _ptsz, LIST(CUstream stream, unsigned long long *id), LIST(stream, id)) {
  const DeviceStream *found;
  NEED_VALUE(id);
  NEED(need_stream(meaning, stream, &found));
  *id = device_stream_id(found);
  return CUDA_SUCCESS;
}

STREAM_CALL(cuStreamGetDevice, _ptsz, LIST(CUstream stream, CUdevice *device),
            LIST(stream, device)) {
  const DeviceStream *found;
  NEED_VALUE(device);
  NEED(need_stream(meaning, stream, &found));
  *device = 0;
  return CUDA_SUCCESS;
}

STREAM_CALL(cuStreamGetCtx, _ptsz, LIST(CUstream stream, CUcontext *context),
            LIST(stream, context)) {
  const DeviceStream *found;
  Object object;
  NEED_VALUE(context);
  NEED(need_stream(meaning, stream, &found));
  if (address_of(stream) <= 2)
    *context = (CUcontext)device_context_current();
  else if (object_find(OBJECT_STREAM, address_of(stream), &object))
    *context = (CUcontext)object.context;
  else  // the runtime API made it
    *context = (CUcontext)device_context_primary(api_device());
  return CUDA_SUCCESS;
}

// ---- calls into the host

typedef struct Callback {
  CUstreamCallback function;
  CUstream stream;
  void *data;
} Callback;

static void call_back(void *self) {
  Callback callback = *(Callback *)self;
  free(self);
  callback.function(callback.stream, CUDA_SUCCESS, callback.data);
}

STREAM_CALL(cuStreamAddCallback, _ptsz,
            LIST(CUstream stream, CUstreamCallback function, void *data, unsigned flags),
            LIST(stream, function, data, flags)) {
  NEED_VALUE(!flags && function);
  Callback *callback = malloc(sizeof *callback);
  if (!callback) return CUDA_ERROR_OUT_OF_MEMORY;
  *callback = (Callback){function, stream, data};
  DeviceError error =
      device_stream_call(api_device(), api_stream(meaning, stream), call_back, callback);
  if (error) free(callback);
  return api_result(error);
}

STREAM_CALL(cuLaunchHostFunc, _ptsz, LIST(CUstream stream, CUhostFn function, void *data),
            LIST(stream, function, data)) {
  NEED_VALUE(function);
  return api_result(device_stream_call(api_device(), api_stream(meaning, stream), function, data));
}

// ---- events

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags) {
  DeviceEvent *made = NULL;
  NEED_CONTEXT();
  NEED_VALUE(event &&
             flags <= (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
  if (flags & CU_EVENT_INTERPROCESS) return api_unsupported("interprocess events");
  NEED(api_result(device_event_create(api_device(), !(flags & CU_EVENT_DISABLE_TIMING), &made)));
  object_add(OBJECT_EVENT, address_of(made), flags);
  *event = (CUevent)made;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  NEED_CONTEXT();
  NEED(api_result(device_event_destroy(api_device(), (DeviceEvent *)event)));
  object_remove(OBJECT_EVENT, address_of(event));
  return CUDA_SUCCESS;
}

STREAM_CALL(cuEventRecord, _ptsz, LIST(CUevent event, CUstream stream), LIST(event, stream)) {
  return api_result(
      device_event_record(api_device(), (DeviceEvent *)event, api_stream(meaning, stream)));
}

STREAM_CALL(cuEventRecordWithFlags, _ptsz, LIST(CUevent event, CUstream stream, unsigned flags),
            LIST(event, stream, flags)) {
  NEED_VALUE(!flags);
  return api_result(
      device_event_record(api_device(), (DeviceEvent *)event, api_stream(meaning, stream)));
}

EXPORT CUresult cuEventSynchronize(CUevent event) {
  NEED_CONTEXT();
  return api_result(device_event_synchronize(api_device(), (DeviceEvent *)event));
}

EXPORT CUresult cuEventQuery(CUevent event) {
  return cuEventSynchronize(event);
}

#undef cuEventElapsedTime
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  NEED_CONTEXT();
  NEED_VALUE(milliseconds);
  return api_result(
      device_event_elapsed(api_device(), (DeviceEvent *)start, (DeviceEvent *)end, milliseconds));
}
