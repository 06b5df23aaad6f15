// SPDX-License-Identifier: MIT
// The executor carries out what the streams have queued. Execution goes in rounds: first all
// operations that are not kernels and that come next in their streams, then the kernels that
// come next in all streams, together; kernels of one stream stay in order. The legacy default
// stream waits for the blocking streams and they for it: an operation is ready when no earlier
// one on the other side is left. The sequence number of an operation says which is earlier. A
// stream's time is the end of its last operation; an operation begins when its stream, those it
// waits for and the host have reached it.
#include <stdlib.h>
#include <unistd.h>

#include "device/state.h"

// Kernels submitted to the GPU together: the maximum of gpu.hardware_queues, as no more can run
// concurrently.
enum { MAX_BATCH = 128 };

// ---- when an operation may begin

// operation: of that stream, and all before it are ready.
static bool is_ready(const Device *device, const DeviceStream *stream,
                     const StreamOperation *operation) {
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

// Without the lock: the function may call the API, which other threads may be using.
static void call_host(Device *device, const StreamOperation *operation) {
  device_unlock(device);
  operation->call.function(operation->call.self);
  device_lock(device);
}

static double fill_nanoseconds(const Device *device, const BoundFill *fill) {
  return copy_nanoseconds(device, fill->width_bytes * fill->height * fill->depth, false);
}

// Executes an operation other than a kernel.
static void perform(Device *device, DeviceStream *stream) {
  stream->time = begin_time(device, stream);
  StreamOperation *operation = operation_pop(device, stream);
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

// Repeated until nothing moves: an event recorded in one stream may release another that was
// passed already.
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
    for (const StreamOperation *next = stream->first;
         next && next->kind == OPERATION_LAUNCH && count < MAX_BATCH &&
         is_ready(device, stream, next);
         next = next->next)
      ready[count++] = (ReadyLaunch){stream, next->sequence};
  qsort(ready, count, sizeof *ready, by_priority);
  for (uint32_t i = 0; i < count; i++) streams[i] = ready[i].stream;
  return count;
}

// All begin at the latest of their begin times: the simulated GPU runs them in one go, and
// cannot be given a kernel while it runs.
static DeviceError run_launches(Device *device, DeviceStream **streams, uint32_t count) {
  StreamOperation *operations[MAX_BATCH];
  double begin = 0;
  for (uint32_t i = 0; i < count; i++) begin = later(begin, begin_time(device, streams[i]));
  for (uint32_t i = 0; i < count; i++) operations[i] = operation_pop(device, streams[i]);
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

// Otherwise output of the program would be appended to the progress line.
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
  if (error) operations_discard(device);
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

DeviceError device_synchronize(Device *device) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) error = device_execute(device);
  device_unlock(device);
  return error;
}
