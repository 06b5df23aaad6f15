// SPDX-License-Identifier: MIT
// Streams, events, and executing what is queued.
//
// Execution goes in rounds: every stream's next operations that are no kernels
// are done, then the kernels that come next in all streams run together, those
// of one stream in their order.
// The legacy default stream waits for the blocking streams and they for it: an
// operation is ready when none that was asked for before it, on the other
// side, is left.
//
// A stream's time is when its last operation ended; an operation begins when
// its stream, those it waits for and the host have come to it.
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "device/graph_state.h"

enum { MAX_QUEUED = 4096, MAX_BATCH = 128 };

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

Task *operation_add(Device *device, DeviceStream *stream, OperationKind kind) {
  limit_queue(device);
  Task *operation = memory_alloc(sizeof *operation);
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

static void event_release(Device *device, DeviceEvent *event) {
  if (event->uses || !event->is_destroyed) return;
  HASH_DEL(device->events, event);
  memory_free(event->heads.nodes);
  memory_free(event);
}

void operation_free(Device *device, Task *operation) {
  if (operation->kind == OPERATION_COPY) memory_free(operation->copy.staged);
  if (operation->kind == OPERATION_LAUNCH) {
    Error err;
    memory_free(operation->launch.params);
    if (operation->launch.workspace && device->engine.memory) {
      device_memory_free(device->engine.memory, operation->launch.workspace, &err);
      device_forget_allocations(device);
    }
  }
  if (operation->kind == OPERATION_RECORD || operation->kind == OPERATION_WAIT) {
    operation->event.event->uses--;
    event_release(device, operation->event.event);
  }
  memory_free(operation);
}

static Task *pop(Device *device, DeviceStream *stream) {
  Task *operation = stream->first;
  stream->first = operation->next;
  if (!stream->first) stream->last = NULL;
  device->queued--;
  return operation;
}

static void discard_all(Device *device) {
  for (DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    while (stream->first) operation_free(device, pop(device, stream));
}

void streams_clear(Device *device) {
  DeviceStream *stream, *next_stream;
  DeviceEvent *event, *next_event;
  discard_all(device);
  graphs_clear(device);
  HASH_ITER(hh, device->streams, stream, next_stream) stream_free(device, stream);
  HASH_ITER(hh, device->events, event, next_event) {
    event->is_destroyed = true;
    event_release(device, event);
  }
  device->default_stream = NULL;
}

// ---- when an operation may begin

// operation: of that stream, and all before it are ready.
static bool is_ready(const Device *device, const DeviceStream *stream, const Task *operation) {
  const DeviceStream *legacy = device->default_stream;
  if (operation->kind == OPERATION_WAIT && operation->event.event->done < operation->event.sequence)
    return false;
  if (stream == legacy) {
    for (const DeviceStream *other = device->streams; other; other = other->hh.next)
      if (other->is_blocking && other->first && other->first->sequence < operation->sequence)
        return false;
  } else if (stream->is_blocking && legacy && legacy->first) {
    return legacy->first->sequence > operation->sequence;
  }
  return true;
}

static double later(double a, double b) {
  return a > b ? a : b;
}

static double begin_time(const Device *device, const DeviceStream *stream) {
  const DeviceStream *legacy = device->default_stream;
  double time = later(stream->time, stream->first->issued);
  if (stream->is_blocking && legacy) time = later(time, legacy->time);
  for (const DeviceStream *other = device->streams; other && stream == legacy;
       other = other->hh.next)
    if (other->is_blocking) time = later(time, other->time);
  return time;
}

// ---- execution

static void call_host(Device *device, const Task *operation) {
  device_unlock(device);
  operation->call.function(operation->call.self);
  device_lock(device);
}

static double fill_nanoseconds(const Device *device, const BoundFill *fill) {
  return copy_nanoseconds(device, fill->width_bytes * fill->height * fill->depth, false);
}

// One that is no kernel.
static void perform(Device *device, DeviceStream *stream) {
  stream->time = begin_time(device, stream);
  Task *operation = pop(device, stream);
  switch (operation->kind) {
    case OPERATION_COPY:
      copy_execute(&operation->copy);
      stream->time += copy_nanoseconds(
          device, operation->copy.width_bytes * operation->copy.height * operation->copy.depth,
          operation->copy.crosses_bus);
      break;
    case OPERATION_FILL:
      fill_execute(&operation->fill);
      stream->time += fill_nanoseconds(device, &operation->fill);
      break;
    case OPERATION_RECORD:
      operation->event.event->time = stream->time;
      operation->event.event->done = operation->sequence;
      break;
    case OPERATION_WAIT: stream->time = later(stream->time, operation->event.event->time); break;
    case OPERATION_CALL: call_host(device, operation); break;
    case OPERATION_FREE: free_device(device, operation->freed); break;
    case OPERATION_LAUNCH: break;
  }
  operation_free(device, operation);
}

static bool perform_others(Device *device) {
  bool any = false, again = true;
  while (again) {
    again = false;
    for (DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
      while (stream->first && stream->first->kind != OPERATION_LAUNCH &&
             is_ready(device, stream, stream->first)) {
        perform(device, stream);
        any = again = true;
      }
  }
  return any;
}

typedef struct ReadyLaunch {
  DeviceStream *stream;
  uint64_t sequence;
} ReadyLaunch;

// Higher priorities first, then as the host asked.
static int by_priority(const void *a, const void *b) {
  const ReadyLaunch *x = a, *y = b;
  if (x->stream->priority != y->stream->priority)
    return x->stream->priority < y->stream->priority ? -1 : 1;
  return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

// The stream of every launch that may begin now or after those before it.
static uint32_t collect_launches(Device *device, DeviceStream **streams) {
  ReadyLaunch ready[MAX_BATCH];
  uint32_t count = 0;
  for (DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    for (const Task *next = stream->first;
         next && next->kind == OPERATION_LAUNCH && count < MAX_BATCH && is_ready(device, stream, next);
         next = next->next)
      ready[count++] = (ReadyLaunch){stream, next->sequence};
  qsort(ready, count, sizeof *ready, by_priority);
  for (uint32_t i = 0; i < count; i++) streams[i] = ready[i].stream;
  return count;
}

static DeviceError run_launches(Device *device, DeviceStream **streams, uint32_t count) {
  Task *operations[MAX_BATCH];
  double begin = 0;
  for (uint32_t i = 0; i < count; i++) begin = later(begin, begin_time(device, streams[i]));
  for (uint32_t i = 0; i < count; i++) operations[i] = pop(device, streams[i]);
  DeviceError error = launches_run(device, operations, streams, count, begin);
  for (uint32_t i = 0; i < count; i++) operation_free(device, operations[i]);
  return error;
}

static void advance_time(Device *device) {
  for (const DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    device->time = later(device->time, stream->time);
}

static DeviceError execute_all(Device *device) {
  DeviceStream *streams[MAX_BATCH];
  for (;;) {
    bool any = perform_others(device);
    uint32_t count = collect_launches(device, streams);
    if (!count && !any) return DEVICE_OK;
    DeviceError error = count ? run_launches(device, streams, count) : DEVICE_OK;
    if (error) return device->sticky = error;
  }
}

// What the program prints next would stand in the line of progress.
static void leave_terminal_to_program(Device *device) {
  if (device->progress.is_visible && isatty(STDOUT_FILENO)) progress_hide(&device->progress);
}

DeviceError device_execute(Device *device) {
  // A callback that waits for its own stream would wait for ever.
  if (device->is_executing && pthread_equal(device->executor, pthread_self())) return DEVICE_OK;
  while (device->is_executing) {
    pthread_cond_wait(&device->idle, &device->mutex);
    device_note_holder(device);
  }
  if (device->sticky) return device->sticky;
  device->is_executing = true;
  device->executor = pthread_self();
  DeviceError error = execute_all(device);
  advance_time(device);
  if (error) discard_all(device);
  device->is_executing = false;
  pthread_cond_broadcast(&device->idle);
  leave_terminal_to_program(device);
  if (device->main_has_left && device->engine.gpu) gpu_end_threads(device->engine.gpu);
  void (*then)(void) = !error                        ? NULL
                       : device->stop                ? device->when_stopped
                       : device->status == ERR_LIMIT ? device->when_limited
                                                     : NULL;
  if (then) {
    device_unlock(device);
    then();
    device_lock(device);
  }
  return error;
}

// ---- waiting

DeviceError device_synchronize(Device *device) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) error = device_execute(device);
  device_unlock(device);
  return error;
}

// Executing more than was asked for changes no result, and lets kernels of
// other streams run beside this one's.
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

// ---- events

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

void event_free(Device *device, DeviceEvent *event) {
  event->is_destroyed = true;
  event_release(device, event);
}

DeviceError device_event_create(Device *device, bool has_time, DeviceEvent **event) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) *event = event_new(device, has_time);
  device_unlock(device);
  return error;
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

static Task *add_event(Device *device, DeviceStream *stream, DeviceEvent *event,
                       OperationKind kind) {
  Task *operation = operation_add(device, stream, kind);
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
