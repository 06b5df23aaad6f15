// SPDX-License-Identifier: MIT
// The CUDA device runtime (dynamic parallelism): kernels launch kernels, create streams and
// events, and wait for their children, with the API of both generations.
#include "runtime/device_runtime.h"

#include <string.h>
#include <utlist.h>

#include "base/memory.h"
#include "runtime/runtime_tables.h"

void device_runtime_settle(DeviceRuntime *runtime, DeviceMemory *memory) {
  for (uint32_t i = 0; i < runtime->made_count; i++) {
    Launch *child = runtime->made[i];
    if (!child->params_address) continue;
    uint32_t bytes = child->kernel->param_bytes;
    uint8_t *params = memory_alloc(bytes + 1u);
    // The buffer was ours to begin with; a kernel that freed it gets zeros.
    if (device_memory_read(memory, child->params_address, params, bytes, NULL) == OK)
      device_memory_free(memory, child->params_address, NULL);
    child->params = params;
    child->params_address = 0;
  }
}

bool cta_child_completed(Cta *cta) {
  if (!cta->open_children || --cta->open_children) return false;
  for (uint32_t w = 0; w < cta->warp_count; w++)
    if (cta->warps[w].state == WARP_AT_CHILDREN) cta->warps[w].state = WARP_RUNNING;
  return true;
}

// ---- streams, events and errors

RuntimeStream *runtime_stream(DeviceRuntime *runtime, uint64_t number) {
  RuntimeStream *stream;
  HASH_FIND(hh, runtime->streams, &number, sizeof number, stream);
  return stream;
}

static RuntimeGrid *find_grid(DeviceRuntime *runtime, uint64_t number) {
  RuntimeGrid *grid;
  HASH_FIND(hh, runtime->grids, &number, sizeof number, grid);
  return grid;
}

static RuntimeGrid *make_grid(DeviceRuntime *runtime, uint64_t number) {
  RuntimeGrid *grid = find_grid(runtime, number);
  if (grid) return grid;
  grid = memory_alloc(sizeof *grid);
  *grid = (RuntimeGrid){.grid = number};
  HASH_ADD(hh, runtime->grids, grid, sizeof grid->grid, grid);
  return grid;
}

RuntimeStream *runtime_stream_add(DeviceRuntime *runtime, uint64_t grid) {
  RuntimeStream *stream = memory_alloc(sizeof *stream);
  RuntimeGrid *owner = make_grid(runtime, grid);
  stream->number = FIRST_DEVICE_STREAM + runtime->stream_count++;
  stream->grid = grid;
  DL_PREPEND2(owner->streams, stream, previous, next);
  HASH_ADD(hh, runtime->streams, number, sizeof stream->number, stream);
  return stream;
}

void runtime_stream_remove(DeviceRuntime *runtime, RuntimeStream *stream) {
  RuntimeGrid *owner = find_grid(runtime, stream->grid);
  DL_DELETE2(owner->streams, stream, previous, next);
  HASH_DEL(runtime->streams, stream);
  memory_free(stream->waits);
  memory_free(stream);
}

RuntimeEvent *runtime_event(DeviceRuntime *runtime, uint64_t handle) {
  RuntimeEvent *event;
  HASH_FIND(hh, runtime->events, &handle, sizeof handle, event);
  return event;
}

RuntimeEvent *runtime_event_add(DeviceRuntime *runtime, uint64_t grid) {
  RuntimeEvent *event = memory_alloc(sizeof *event);
  RuntimeGrid *owner = make_grid(runtime, grid);
  event->handle = FIRST_DEVICE_STREAM + runtime->stream_count++;
  event->grid = grid;
  DL_PREPEND2(owner->events, event, previous, next);
  HASH_ADD(hh, runtime->events, handle, sizeof event->handle, event);
  return event;
}

void runtime_event_remove(DeviceRuntime *runtime, RuntimeEvent *event) {
  RuntimeGrid *owner = find_grid(runtime, event->grid);
  DL_DELETE2(owner->events, event, previous, next);
  HASH_DEL(runtime->events, event);
  memory_free(event);
}

void device_runtime_end_grid(DeviceRuntime *runtime, uint64_t number) {
  RuntimeGrid *grid = find_grid(runtime, number);
  if (!grid) return;
  while (grid->streams) runtime_stream_remove(runtime, grid->streams);
  while (grid->events) runtime_event_remove(runtime, grid->events);
  HASH_DEL(runtime->grids, grid);
  memory_free(grid);
}

static ThreadKey make_key(uint64_t grid, uint64_t cta, uint32_t thread) {
  ThreadKey key;
  memset(&key, 0, sizeof key);
  key.grid = grid;
  key.cta = cta;
  key.thread = thread;
  return key;
}

static ThreadKey key_of(const Warp *warp, int lane) {
  return make_key(warp->cta->launch->grid_id, warp->cta->linear,
                  warp->index * WARP_LANES + (uint32_t)lane);
}

void device_runtime_end_cta(DeviceRuntime *runtime, const Launch *launch, uint64_t cta) {
  uint32_t threads = runtime->errors ? launch_threads_per_cta(launch) : 0;
  for (uint32_t t = 0; t < threads; t++) {
    ThreadKey key = make_key(launch->grid_id, cta, t);
    ThreadError *error;
    HASH_FIND(hh, runtime->errors, &key, sizeof key, error);
    if (!error) continue;
    HASH_DEL(runtime->errors, error);
    memory_free(error);
  }
}

void runtime_set_error(DeviceRuntime *runtime, const Warp *warp, int lane, uint32_t code) {
  ThreadKey key = key_of(warp, lane);
  ThreadError *error;
  HASH_FIND(hh, runtime->errors, &key, sizeof key, error);
  if (!error) {
    error = memory_alloc(sizeof *error);
    error->key = key;
    HASH_ADD(hh, runtime->errors, key, sizeof error->key, error);
  }
  error->code = code;
}

uint32_t runtime_last_error(DeviceRuntime *runtime, const Warp *warp, int lane, bool clear) {
  ThreadKey key = key_of(warp, lane);
  ThreadError *error;
  HASH_FIND(hh, runtime->errors, &key, sizeof key, error);
  if (!error) return 0;
  uint32_t code = error->code;
  if (clear) {
    HASH_DEL(runtime->errors, error);
    memory_free(error);
  }
  return code;
}

void runtime_note_refusal(DeviceRuntime *runtime, const Warp *warp, uint32_t code) {
  const Function *kernel = warp->cta->launch->kernel;
  for (uint32_t i = 0; i < runtime->refused_count; i++) {
    RefusedLaunches *refused = &runtime->refused[i];
    if (refused->kernel != kernel || refused->code != code) continue;
    refused->count++;
    return;
  }
  GROW(runtime->refused, runtime->refused_count, runtime->refused_capacity);
  runtime->refused[runtime->refused_count++] =
      (RefusedLaunches){.kernel = kernel, .code = code, .count = 1};
}

void device_runtime_clear(DeviceRuntime *runtime) {
  ParameterBuffer *buffer, *next_buffer;
  RuntimeGrid *grid, *next_grid;
  ThreadError *error, *next_error;
  for (uint32_t i = 0; i < runtime->made_count; i++) launch_destroy(runtime->made[i]);
  memory_free(runtime->made);
  HASH_ITER(hh, runtime->buffers, buffer, next_buffer) {
    HASH_DEL(runtime->buffers, buffer);
    memory_free(buffer);
  }
  HASH_ITER(hh, runtime->grids, grid, next_grid) device_runtime_end_grid(runtime, grid->grid);
  ErrorText *text, *next_text;
  HASH_ITER(hh, runtime->texts, text, next_text) {
    HASH_DEL(runtime->texts, text);
    memory_free(text);
  }
  HASH_ITER(hh, runtime->errors, error, next_error) {
    HASH_DEL(runtime->errors, error);
    memory_free(error);
  }
  memory_free(runtime->refused);
  runtime->made = NULL;
  runtime->refused = NULL;
  runtime->made_count = runtime->made_capacity = runtime->pending_count = 0;
  runtime->refused_count = runtime->refused_capacity = 0;
}
