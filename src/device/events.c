// SPDX-License-Identifier: MIT
// Events: recorded in one stream, waited for in others and by the host.
#include "base/memory.h"
#include "device/graphs/graph_state.h"

DeviceEvent *event_checked(Device *device, DeviceEvent *event) {
  DeviceEvent *found;
  HASH_FIND_PTR(device->events, &event, found);
  return found && !found->is_destroyed ? found : NULL;
}

DeviceEvent *event_new(Device *device, bool has_time) {
  DeviceEvent *event = memory_alloc(sizeof *event);
  event->self = event;
  event->has_time = has_time;
  HASH_ADD_PTR(device->events, self, event);
  return event;
}

static void give_back(Device *device, DeviceEvent *event) {
  if (event->uses || !event->is_destroyed) return;
  HASH_DEL(device->events, event);
  memory_free(event->heads.nodes);
  memory_free(event);
}

void event_free(Device *device, DeviceEvent *event) {
  event->is_destroyed = true;
  give_back(device, event);
}

void event_release(Device *device, DeviceEvent *event) {
  event->uses--;
  give_back(device, event);
}

void events_clear(Device *device) {
  DeviceEvent *event, *next;
  HASH_ITER(hh, device->events, event, next) event_free(device, event);
}

DeviceError device_event_create(Device *device, bool has_time, DeviceEvent **event) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) *event = event_new(device, has_time);
  device_unlock(device);
  return error;
}

bool device_event_exists(Device *device, DeviceEvent *event) {
  device_lock(device);
  bool exists = event_checked(device, event);
  device_unlock(device);
  return exists;
}

bool device_event_share(Device *device, DeviceEvent *event) {
  device_lock(device);
  event = event_checked(device, event);
  if (event) event->is_shared = true;
  device_unlock(device);
  return event;
}

DeviceError device_event_destroy(Device *device, DeviceEvent *event) {
  device_lock(device);
  DeviceError error = device_ready(device);
  event = error ? NULL : event_checked(device, event);
  if (!error && !event) error = DEVICE_INVALID_HANDLE;
  if (!error) event_free(device, event);
  device_unlock(device);
  return error;
}

static StreamOperation *add_event(Device *device, DeviceStream *stream, DeviceEvent *event,
                                  OperationKind kind) {
  StreamOperation *operation = operation_add(device, stream, kind);
  operation->event.event = event;
  operation->event.sequence = event->recorded;
  event->uses++;
  return operation;
}

DeviceError event_queue(Device *device, DeviceStream *stream, DeviceEvent *event,
                        OperationKind kind) {
  if (kind == OPERATION_RECORD) {
    event->recorded = add_event(device, stream, event, kind)->sequence;
    event->was_recorded = true;
  } else if (event->was_recorded) {
    add_event(device, stream, event, kind);
  }
  return DEVICE_OK;
}

// Whether a captured stream or event makes it part of a capture.
static bool is_captured(const DeviceStream *stream, const DeviceEvent *event, OperationKind kind) {
  return stream->capture || (kind == OPERATION_WAIT && event->capture);
}

static DeviceError event_operation(Device *device, DeviceEvent *event, DeviceStream *stream,
                                   OperationKind kind) {
  device_lock(device);
  DeviceError error = device_ready(device);
  stream = error ? NULL : stream_checked(device, stream);
  event = error ? NULL : event_checked(device, event);
  if (!error && (!stream || !event)) error = DEVICE_INVALID_HANDLE;
  if (!error && is_captured(stream, event, kind)) {
    error = kind == OPERATION_RECORD ? capture_record(device, stream, event)
                                     : capture_wait(device, stream, event);
  } else if (!error) {
    if (kind == OPERATION_RECORD) capture_forget_event(event);
    error = event_queue(device, stream, event, kind);
    if (!error && kind == OPERATION_RECORD && event->is_shared) error = device_execute(device);
  }
  device_unlock(device);
  return error;
}

DeviceError device_event_record(Device *device, DeviceEvent *event, DeviceStream *stream) {
  return event_operation(device, event, stream, OPERATION_RECORD);
}

DeviceError device_stream_wait(Device *device, DeviceStream *stream, DeviceEvent *event) {
  return event_operation(device, event, stream, OPERATION_WAIT);
}

DeviceError device_event_synchronize(Device *device, DeviceEvent *event) {
  device_lock(device);
  DeviceError error = device_ready(device);
  event = error ? NULL : event_checked(device, event);
  if (!error && !event) error = DEVICE_INVALID_HANDLE;
  if (!error && event->capture) error = DEVICE_CAPTURE_UNSUPPORTED;
  if (!error && event->done < event->recorded) error = device_execute(device);
  device_unlock(device);
  return error;
}

DeviceError device_event_elapsed(Device *device, DeviceEvent *from, DeviceEvent *to, float *ms) {
  device_lock(device);
  DeviceError error = device_ready(device);
  from = error ? NULL : event_checked(device, from);
  to = error ? NULL : event_checked(device, to);
  if (!error && (!from || !to || !from->has_time || !to->has_time || !from->was_recorded ||
                 !to->was_recorded))
    error = DEVICE_INVALID_HANDLE;
  if (!error && (from->done < from->recorded || to->done < to->recorded)) error = DEVICE_NOT_READY;
  if (!error) *ms = (float)((to->time - from->time) / 1e6);
  device_unlock(device);
  return error;
}
