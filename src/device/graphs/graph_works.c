// SPDX-License-Identifier: MIT
// What nodes do: keeping it, and queueing it in a stream.
#include <string.h>

#include "base/memory.h"
#include "device/graphs/graph_state.h"

// ---- memory of nodes

static GraphMemory *memory_at(const Device *device, uint64_t address) {
  GraphMemory *found;
  HASH_FIND(hh, device->graph_memory, &address, sizeof address, found);
  return found;
}

bool graph_owns(const Device *device, uint64_t address) {
  return memory_at(device, address);
}

static DeviceError hold_memory(Device *device, GraphWork *work) {
  Error err;
  GraphMemory *memory = work->memory.address ? memory_at(device, work->memory.address) : NULL;
  if (!memory) {
    uint64_t address;
    if (device_memory_alloc(device->engine.memory, work->memory.size_bytes, ALLOCATION_HEAP,
                            "graph", &address, &err) != OK)
      return DEVICE_OUT_OF_MEMORY;
    device_forget_allocations(device);
    memory = memory_alloc(sizeof *memory);
    memory->address = work->memory.address = address;
    memory->size_bytes = work->memory.size_bytes;
    device->graph_bytes += memory->size_bytes;
    if (device->graph_bytes > device->most_graph_bytes)
      device->most_graph_bytes = device->graph_bytes;
    HASH_ADD(hh, device->graph_memory, address, sizeof memory->address, memory);
  }
  memory->holders++;
  return DEVICE_OK;
}

static void release_memory(Device *device, uint64_t address) {
  Error err;
  GraphMemory *memory = memory_at(device, address);
  if (!memory || --memory->holders) return;
  device_memory_free(device->engine.memory, address, &err);
  device_forget_allocations(device);
  device->graph_bytes -= memory->size_bytes;
  HASH_DEL(device->graph_memory, memory);
  memory_free(memory);
}

void device_graph_memory(Device *device, bool forgets_most, uint64_t *bytes, uint64_t *most) {
  device_lock(device);
  if (forgets_most) device->most_graph_bytes = device->graph_bytes;
  *bytes = device->graph_bytes;
  *most = device->most_graph_bytes;
  device_unlock(device);
}

// ---- copies

// The parameter block, and a pointer to each parameter in it.
static DeviceError copy_launch(Device *device, DeviceLaunch *to, const DeviceLaunch *from) {
  if (!from->kernel) return DEVICE_INVALID_FUNCTION;
  DeviceError error = kernel_ready(device, from->kernel);
  if (error) return error;
  const Function *function = from->kernel->function;
  uint8_t *params = memory_alloc(function->param_bytes + 1u);
  error = launch_pack(function, from, params);
  if (error) {
    memory_free(params);
    return error;
  }
  void **arguments = memory_alloc((function->param_count + 1u) * sizeof *arguments);
  for (uint32_t i = 0; i < function->param_count; i++)
    arguments[i] = params + function->params[i].offset;
  *to = *from;
  to->buffer = params;
  to->buffer_bytes = function->param_bytes;
  to->arguments = arguments;
  return DEVICE_OK;
}

DeviceError work_copy(Device *device, GraphWork *to, const GraphWork *from) {
  *to = *from;
  switch (from->kind) {
    case NODE_KERNEL: return copy_launch(device, &to->launch, &from->launch);
    case NODE_GRAPH:
      if (!graph_object_is(device, from->graph, OBJECT_GRAPH)) return DEVICE_INVALID_VALUE;
      return graph_copy(device, from->graph, &to->graph);
    case NODE_ALLOC: return hold_memory(device, to);
    case NODE_FREE:
      return graph_owns(device, from->memory.address) ? DEVICE_OK : DEVICE_INVALID_VALUE;
    case NODE_WAIT:
    case NODE_RECORD: return event_checked(device, from->event) ? DEVICE_OK : DEVICE_INVALID_HANDLE;
    case NODE_CALL: return from->call.function ? DEVICE_OK : DEVICE_INVALID_VALUE;
    case NODE_CONDITIONAL: return conditional_copy(device, &to->conditional, &from->conditional);
    case NODE_COPY: to->copy.is_deferred = true; return DEVICE_OK;
    default: return DEVICE_OK;
  }
}

void work_clear(Device *device, GraphWork *work) {
  if (work->kind == NODE_KERNEL) {
    memory_free((void *)(uintptr_t)work->launch.buffer);
    memory_free((void *)(uintptr_t)work->launch.arguments);
  }
  if (work->kind == NODE_GRAPH) graph_free(device, work->graph);
  if (work->kind == NODE_ALLOC) release_memory(device, work->memory.address);
  if (work->kind == NODE_CONDITIONAL) conditional_clear(device, &work->conditional);
}

// ---- doing it

DeviceError work_queue(Device *device, DeviceStream *stream, const GraphWork *work) {
  switch (work->kind) {
    case NODE_KERNEL: return launch_queue(device, stream, &work->launch);
    case NODE_COPY: return copy_queue(device, stream, &work->copy, true);
    case NODE_FILL: return fill_queue(device, stream, &work->fill);
    case NODE_CALL: {
      StreamOperation *operation = operation_add(device, stream, OPERATION_CALL);
      operation->call.function = work->call.function;
      operation->call.self = work->call.self;
      return DEVICE_OK;
    }
    case NODE_WAIT:
    case NODE_RECORD:
      if (!event_checked(device, work->event)) return DEVICE_INVALID_HANDLE;
      return event_queue(device, stream, work->event,
                         work->kind == NODE_WAIT ? OPERATION_WAIT : OPERATION_RECORD);
    default: return DEVICE_OK;  // an empty node, or memory that is there anyway
  }
}

DeviceError work_submit(Device *device, DeviceStream *stream, const GraphWork *work) {
  return stream->capture ? capture_add(device, stream, work) : work_queue(device, stream, work);
}
