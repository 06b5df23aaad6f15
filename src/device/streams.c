// SPDX-License-Identifier: MIT
// Streams: their handles, and the operations queued in them (executor.c
// executes these).
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "device/graphs/graph_state.h"

// Bounds the memory of programs that launch millions of kernels without synchronising.
enum { MAX_QUEUED = 4096 };

// ---- streams

DeviceStream *stream_new(Device *device, bool is_blocking, int priority) {
  DeviceStream *stream = memory_alloc(sizeof *stream);
  stream->self = stream;
  stream->is_blocking = is_blocking;
  stream->priority = priority;
  stream->id = device->next_stream_id++;
  HASH_ADD_PTR(device->streams, self, stream);
  return stream;
}

void stream_free(Device *device, DeviceStream *stream) {
  HASH_DEL(device->streams, stream);
  memory_free(stream->heads.nodes);
  memory_free(stream);
}

static DeviceStream *default_stream(Device *device) {
  if (!device->default_stream) device->default_stream = stream_new(device, false, 0);
  return device->default_stream;
}

DeviceStream *device_default_stream(Device *device) {
  device_lock(device);
  DeviceStream *stream = default_stream(device);
  device_unlock(device);
  return stream;
}

DeviceStream *device_thread_stream(Device *device) {
  uint64_t thread = (uint64_t)syscall(SYS_gettid);
  device_lock(device);
  DeviceStream *stream = device->streams;
  while (stream && stream->thread != thread) stream = stream->hh.next;
  if (!stream) stream = stream_new(device, true, 0);
  stream->thread = thread;
  device_unlock(device);
  return stream;
}

DeviceStream *stream_checked(Device *device, DeviceStream *stream) {
  DeviceStream *found;
  if (!stream) return default_stream(device);
  HASH_FIND_PTR(device->streams, &stream, found);
  return found;
}

DeviceError device_stream_create(Device *device, bool is_blocking, int priority,
                                 DeviceStream **stream) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (priority > STREAM_PRIORITY_LOWEST) priority = STREAM_PRIORITY_LOWEST;
  if (priority < STREAM_PRIORITY_HIGHEST) priority = STREAM_PRIORITY_HIGHEST;
  if (!error) *stream = stream_new(device, is_blocking, priority);
  device_unlock(device);
  return error;
}

bool device_stream_exists(Device *device, const DeviceStream *stream) {
  DeviceStream *found;
  device_lock(device);
  HASH_FIND_PTR(device->streams, &stream, found);
  device_unlock(device);
  return found;
}

bool device_stream_is_blocking(const DeviceStream *stream) {
  return stream->is_blocking;
}

int device_stream_priority(const DeviceStream *stream) {
  return stream->priority;
}

uint64_t device_stream_id(const DeviceStream *stream) {
  return stream->id;
}

// ---- operations

// The queues may not grow without end: a host that never waits does so here.
static void limit_queue(Device *device) {
  if (device->queued >= MAX_QUEUED && !device->is_executing) device_execute(device);
}

// The sequence number orders operations of different streams where CUDA does (the default
// stream).
StreamOperation *operation_add(Device *device, DeviceStream *stream, OperationKind kind) {
  limit_queue(device);
  StreamOperation *operation = memory_alloc(sizeof *operation);
  operation->kind = kind;
  operation->sequence = ++device->next_sequence;
  operation->issued = device->time;
  if (stream->last)
    stream->last->next = operation;
  else
    stream->first = operation;
  stream->last = operation;
  device->queued++;
  return operation;
}

void operation_free(Device *device, StreamOperation *operation) {
  if (operation->kind == OPERATION_COPY) memory_free(operation->copy.staged);
  if (operation->kind == OPERATION_LAUNCH) launch_unbind(device, operation->launch);
  if (operation->kind == OPERATION_RECORD || operation->kind == OPERATION_WAIT)
    event_release(device, operation->event.event);
  memory_free(operation);
}

StreamOperation *operation_pop(Device *device, DeviceStream *stream) {
  StreamOperation *operation = stream->first;
  stream->first = operation->next;
  if (!stream->first) stream->last = NULL;
  device->queued--;
  return operation;
}

void operations_discard(Device *device) {
  for (DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    while (stream->first) operation_free(device, operation_pop(device, stream));
}

void streams_clear(Device *device) {
  DeviceStream *stream, *next_stream;
  operations_discard(device);
  graphs_clear(device);
  HASH_ITER(hh, device->streams, stream, next_stream) stream_free(device, stream);
  events_clear(device);
  device->default_stream = NULL;
}

// ---- waiting

// Executing more than requested does not change results, and lets kernels of other streams
// overlap.
DeviceError device_stream_synchronize(Device *device, DeviceStream *stream) {
  device_lock(device);
  DeviceError error = device_ready(device);
  stream = error ? NULL : stream_checked(device, stream);
  if (!error && !stream) error = DEVICE_INVALID_HANDLE;
  if (!error && stream->capture) error = DEVICE_CAPTURE_UNSUPPORTED;
  if (!error) error = device_execute(device);
  device_unlock(device);
  return error;
}

DeviceError device_stream_destroy(Device *device, DeviceStream *stream) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error && (!stream || stream == device->default_stream || !stream_checked(device, stream)))
    error = DEVICE_INVALID_HANDLE;
  if (!error && stream->capture) error = capture_drop_stream(stream);
  if (!error) error = device_execute(device);
  if (!error) stream_free(device, stream);
  device_unlock(device);
  return error;
}

// The host may wait for the function in ways that we do not see, so that it is
// called now rather than at the next call that waits.
DeviceError device_stream_call(Device *device, DeviceStream *stream, void (*call)(void *self),
                               void *self) {
  device_lock(device);
  DeviceError error = device_ready(device);
  stream = error ? NULL : stream_checked(device, stream);
  if (!error && !stream) error = DEVICE_INVALID_HANDLE;
  GraphWork work = {.kind = NODE_CALL, .call = {call, self}};
  if (!error) error = work_submit(device, stream, &work);
  if (!error && !stream->capture) error = device_execute(device);
  device_unlock(device);
  return error;
}
