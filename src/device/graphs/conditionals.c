// SPDX-License-Identifier: MIT
// Conditional nodes: their handles, and the bodies that they own.
#include "base/memory.h"
#include "device/graphs/graph_state.h"

static GraphCondition *condition_at(const Device *device, uint64_t handle) {
  GraphCondition *found;
  HASH_FIND(hh, device->graph_conditions, &handle, sizeof handle, found);
  return found;
}

static DeviceError create(Device *device, uint32_t initial, bool is_assigned, uint64_t *handle) {
  Error err;
  if (device_memory_alloc(device->engine.memory, sizeof initial, ALLOCATION_HEAP, "condition",
                          handle, &err) != OK)
    return DEVICE_OUT_OF_MEMORY;
  device_forget_allocations(device);
  GraphCondition *condition = memory_alloc(sizeof *condition);
  condition->handle = *handle;
  condition->initial = initial;
  condition->is_assigned = is_assigned;
  HASH_ADD(hh, device->graph_conditions, handle, sizeof condition->handle, condition);
  return DEVICE_OK;
}

DeviceError device_conditional_create(Device *device, DeviceGraph *graph, uint32_t initial,
                                      bool is_assigned, uint64_t *handle) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error && !graph_object_is(device, graph, OBJECT_GRAPH)) error = DEVICE_INVALID_VALUE;
  if (!error) error = create(device, initial, is_assigned, handle);
  device_unlock(device);
  return error;
}

// Their memory goes with the rest of the device's.
void conditions_clear(Device *device) {
  GraphCondition *condition, *next;
  HASH_ITER(hh, device->graph_conditions, condition, next) {
    HASH_DEL(device->graph_conditions, condition);
    memory_free(condition);
  }
}

// ---- what nodes keep

DeviceGraph *const *work_children(const GraphWork *work, uint32_t *count) {
  bool has_bodies = work->kind == NODE_CONDITIONAL && work->conditional.bodies;
  *count = work->kind == NODE_GRAPH ? 1 : has_bodies ? work->conditional.body_count : 0;
  return work->kind == NODE_GRAPH ? &work->graph : work->conditional.bodies;
}

static bool is_valid(const Device *device, const GraphConditional *conditional) {
  uint32_t most = conditional->kind == CONDITIONAL_IF      ? 2
                  : conditional->kind == CONDITIONAL_WHILE ? 1
                                                           : MAX_NESTED_NODES;
  return condition_at(device, conditional->handle) && conditional->kind <= CONDITIONAL_SWITCH &&
         conditional->body_count && conditional->body_count <= most;
}

DeviceError conditional_copy(Device *device, GraphConditional *to, const GraphConditional *from) {
  DeviceError error = DEVICE_OK;
  if (!is_valid(device, from)) return DEVICE_INVALID_VALUE;
  to->bodies = memory_alloc(from->body_count * sizeof *to->bodies);
  for (uint32_t i = 0; i < from->body_count && !error; i++) {
    if (from->bodies)
      error = graph_copy(device, from->bodies[i], &to->bodies[i]);
    else
      to->bodies[i] = graph_new(device);
    if (error) to->bodies[i] = NULL;
  }
  if (error) conditional_clear(device, to);
  return error;
}

void conditional_clear(Device *device, GraphConditional *conditional) {
  for (uint32_t i = 0; conditional->bodies && i < conditional->body_count; i++)
    if (conditional->bodies[i]) graph_free(device, conditional->bodies[i]);
  memory_free(conditional->bodies);
}

// ---- values at launch

DeviceError conditions_assign(Device *device, const GraphExecution *execution,
                              DeviceStream *stream) {
  DeviceError error = DEVICE_OK;
  for (uint32_t s = 0; s < execution->count && !error; s++) {
    const GraphStep *step = &execution->steps[s];
    if (step->work.kind != NODE_CONDITIONAL) continue;
    const GraphConditional *conditional = &step->work.conditional;
    const GraphCondition *condition = condition_at(device, conditional->handle);
    DeviceFill fill = {.to = {.side = SIDE_DEVICE, .address = conditional->handle},
                       .value_bytes = sizeof condition->initial,
                       .width_bytes = sizeof condition->initial,
                       .height = 1,
                       .depth = 1};
    fill.value = condition->initial;
    if (condition->is_assigned) error = fill_queue(device, stream, &fill);
    for (uint32_t i = 0; i < conditional->body_count && !error; i++)
      error = conditions_assign(device, step->bodies[i], stream);
  }
  return error;
}
