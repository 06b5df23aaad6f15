// SPDX-License-Identifier: MIT
// The executor carries out what the streams have queued. Everything that is ready and no kernel is
// done at once. Kernels that come next in their streams go to the GPU, which runs until one of them
// has completed or another one may begin; what that makes ready joins the kernels that still run.
//
// An operation stays the first of its stream until it is over. Kernels that follow one another are
// handed over together: the GPU keeps their order. The legacy default stream waits for the blocking
// streams and they for it: an operation is ready when no earlier one on the other side is left. The
// sequence number of an operation says which is earlier.
//
// A stream's time is the end of its last operation; an operation begins when its stream, those it
// waits for and the host have reached it. The GPU's clock stands still while no kernel runs.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "device/state.h"

// Kernels of a stream that are handed over together: it bounds the queues of the GPU.
enum { MAX_BATCH = 128 };

// ---- when an operation may begin

// A conditional node is decided when all that was asked for before it is over: programs set
// conditions in kernels that they forget to make it wait for.
static bool is_oldest(const Device *device, const StreamOperation *operation) {
  for (const DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    if (stream->first && stream->first->sequence < operation->sequence) return false;
  return true;
}

// operation: of that stream, and all before it are ready.
static bool is_ready(const Device *device, const DeviceStream *stream,
                     const StreamOperation *operation) {
  const DeviceStream *legacy = device->default_stream;
  if (operation->kind == OPERATION_WAIT && operation->event.event->done < operation->event.sequence)
    return false;
  if (operation->kind == OPERATION_CONDITION && !is_oldest(device, operation)) return false;
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

static double to_nanoseconds(const Device *device, uint64_t cycles) {
  return (double)cycles * 1e3 / device->machine.config.gpu.core_clock_mhz;
}

// The device's time when the GPU's clock is there, and the other way round.
static double time_at(const Device *device, Cycle cycle) {
  return device->busy.time + to_nanoseconds(device, cycle - device->busy.cycle);
}

static Cycle cycle_at(const Device *device, double time) {
  double ahead = (time - device->busy.time) * device->machine.config.gpu.core_clock_mhz / 1e3;
  Cycle cycle = device->busy.cycle + (Cycle)(ahead > 0 ? ahead : 0);
  while (time_at(device, cycle) < time) cycle++;
  return cycle;
}

// ---- what is no kernel

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
static Status perform(Device *device, DeviceStream *stream, Error *err) {
  stream->time = begin_time(device, stream);
  StreamOperation *operation = operation_pop(device, stream);
  Status status = OK;
  switch (operation->kind) {
    case OPERATION_COPY:
      if (operation->copy.to_host) engine_note_host_read(&device->engine);
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
    case OPERATION_CONDITION: status = condition_perform(device, stream, operation, err); break;
    case OPERATION_LAUNCH: break;
  }
  operation_free(device, operation);
  return status;
}

// Repeated until nothing moves: an event recorded in one stream may release another that was
// passed already.
static Status perform_others(Device *device, Error *err) {
  bool again = true;
  while (again) {
    again = false;
    for (DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
      while (stream->first && stream->first->kind != OPERATION_LAUNCH &&
             is_ready(device, stream, stream->first)) {
        TRY(perform(device, stream, err));
        again = true;
      }
  }
  return OK;
}

// ---- kernels

typedef struct ReadyLaunch {
  DeviceStream *stream;
  StreamOperation *operation;
} ReadyLaunch;

// Launches that may begin, each or after those before it in the list.
typedef struct ReadyLaunches {
  ReadyLaunch *items;
  uint32_t count, capacity;
  double next;  // when the first of those begins that are not in the list; or INFINITY
} ReadyLaunches;

// Higher priorities first, then as the host asked.
static int by_priority(const void *a, const void *b) {
  const ReadyLaunch *x = a, *y = b;
  if (x->stream->priority != y->stream->priority)
    return x->stream->priority < y->stream->priority ? -1 : 1;
  return (x->operation->sequence > y->operation->sequence) -
         (x->operation->sequence < y->operation->sequence);
}

static bool has_launch(const Device *device, const DeviceStream *stream) {
  const StreamOperation *first = stream->first;
  return first && first->kind == OPERATION_LAUNCH && !first->is_submitted &&
         is_ready(device, stream, first);
}

// The GPU is idle: its time goes on with the first launch.
static void resume_clock(Device *device) {
  double first = INFINITY;
  for (const DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    if (has_launch(device, stream) && stream->first->is_timed)
      first = fmin(first, begin_time(device, stream));
  device->busy.time = first;
  device->busy.cycle = engine_now(&device->engine);
}

// The launches that a stream begins with, timed or untimed ones. Untimed ones run at once.
static void collect_of(Device *device, DeviceStream *stream, ReadyLaunches *ready) {
  bool is_timed = stream->first->is_timed;
  double begin = is_timed ? begin_time(device, stream) : 0;
  uint32_t count = 0;
  if (is_timed && begin > time_at(device, engine_now(&device->engine))) {
    ready->next = fmin(ready->next, begin);
    return;
  }
  for (StreamOperation *it = stream->first;
       it && it->kind == OPERATION_LAUNCH && it->is_timed == is_timed && count < MAX_BATCH &&
       is_ready(device, stream, it);
       it = it->next, count++) {
    GROW(ready->items, ready->count, ready->capacity);
    ready->items[ready->count++] = (ReadyLaunch){stream, it};
  }
}

// Whether a launch is timed may depend on those before it.
static void decide_again(Device *device) {
  for (DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    for (StreamOperation *it = stream->first; it; it = it->next)
      if (it->kind == OPERATION_LAUNCH && !it->is_submitted)
        it->is_timed = engine_is_timed(&device->engine, it->launch);
}

static void collect_launches(Device *device, ReadyLaunches *ready) {
  if (!device->engine.forwarding.is_over) decide_again(device);
  if (engine_is_idle(&device->engine)) resume_clock(device);
  for (DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    if (has_launch(device, stream)) collect_of(device, stream, ready);
  if (ready->count) qsort(ready->items, ready->count, sizeof *ready->items, by_priority);
}

// Takes one cycle per instruction.
static Status run_untimed(Device *device, DeviceStream *stream, Error *err) {
  stream->time = begin_time(device, stream);
  StreamOperation *operation = operation_pop(device, stream);
  uint64_t before = device->result.total.warp_instructions;
  Status status = engine_run_untimed(&device->engine, operation->launch, err);
  stream->time += to_nanoseconds(device, device->result.total.warp_instructions - before);
  operation_free(device, operation);
  return status;
}

// Takes the cycles that it has, timed or projected.
static Status run_sampled(Device *device, DeviceStream *stream, Error *err) {
  uint64_t cycles = 0;
  stream->time = begin_time(device, stream);
  StreamOperation *operation = operation_pop(device, stream);
  Status status = engine_run_sampled(&device->engine, operation->launch, &cycles, err);
  stream->time += to_nanoseconds(device, cycles);
  operation_free(device, operation);
  return status;
}

// Whether launches can be sampled one after the other: no other stream has any to overlap with.
static bool can_sample(Device *device, const ReadyLaunches *ready) {
  if (!engine_samples(&device->engine) || !engine_is_idle(&device->engine)) return false;
  for (uint32_t i = 1; i < ready->count; i++)
    if (ready->items[i].stream != ready->items[0].stream) return false;
  return true;
}

static Status start_launches(Device *device, const ReadyLaunches *ready, Error *err) {
  bool is_sampled = can_sample(device, ready);
  device->engine.pending_launches = device->pending_launches;
  for (uint32_t i = 0; i < ready->count; i++) {
    StreamOperation *operation = ready->items[i].operation;
    if (operation->is_timed && is_sampled) {
      TRY(run_sampled(device, ready->items[i].stream, err));
    } else if (operation->is_timed) {
      operation->is_submitted = true;
      TRY(engine_submit(&device->engine, operation->launch, err));
    } else if (engine_is_timed(&device->engine, operation->launch)) {
      return OK;  // those before it were the last without timing: all are collected again
    } else {
      TRY(run_untimed(device, ready->items[i].stream, err));
    }
  }
  return OK;
}

static void take_completed(Device *device) {
  for (DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    while (stream->first && stream->first->is_submitted && stream->first->launch->over) {
      stream->time = time_at(device, stream->first->launch->over);
      operation_free(device, operation_pop(device, stream));
    }
}

// Until one of them has completed, or another one may begin.
static Status run_launches(Device *device, double next, Error *err) {
  if (engine_is_idle(&device->engine)) return OK;
  Cycle until = isfinite(next) ? cycle_at(device, next) : NEVER;
  Status status = engine_advance(&device->engine, until, err);
  take_completed(device);
  return status;
}

static DeviceError fail(Device *device, Status status, const Error *err) {
  device->failed_kernels += status == ERR_PROGRAM || status == ERR_DEADLOCK;
  device_fail(device, err);
  return device->sticky = launch_error(status, engine_fault(&device->engine));
}

static void advance_time(Device *device) {
  for (const DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    device->time = later(device->time, stream->time);
}

// Until nothing is left that could begin.
static DeviceError execute_all(Device *device) {
  ReadyLaunches ready = {0};
  Error err = {0};
  Status status;
  bool any;
  do {
    status = perform_others(device, &err);
    if (status != OK) break;
    ready.count = 0;
    ready.next = INFINITY;
    collect_launches(device, &ready);
    any = ready.count || !engine_is_idle(&device->engine);
    status = start_launches(device, &ready, &err);
    if (status == OK) status = run_launches(device, ready.next, &err);
  } while (any && status == OK);
  memory_free(ready.items);
  return status == OK ? DEVICE_OK : fail(device, status, &err);
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
