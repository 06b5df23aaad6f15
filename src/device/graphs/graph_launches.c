// SPDX-License-Identifier: MIT
// Launching executions: their steps become operations of streams, those in the bodies of
// conditional nodes when the executor has come to the node.
#include "device/graphs/graph_state.h"

static DeviceError queue_step(Device *device, const GraphExecution *execution,
                              const GraphStep *step, DeviceStream *first) {
  DeviceStream *stream = step->lane ? execution->lanes[step->lane] : first;
  for (uint32_t i = 0; i < step->before_count; i++) {
    const GraphStep *earlier = &execution->steps[step->before[i]];
    if (earlier->lane != step->lane) event_queue(device, stream, earlier->done, OPERATION_WAIT);
  }
  DeviceError error = DEVICE_OK;
  if (step->work.kind == NODE_CONDITIONAL)
    operation_add(device, stream, OPERATION_CONDITION)->condition = step;
  else if (step->is_enabled)
    error = work_queue(device, stream, &step->work);
  if (!error && step->done) error = event_queue(device, stream, step->done, OPERATION_RECORD);
  return error;
}

static DeviceError launch(Device *device, const GraphExecution *execution, DeviceStream *stream) {
  bool has_lanes = execution->lane_count > 1;
  DeviceError error = conditions_assign(device, execution, stream);
  if (has_lanes) event_queue(device, stream, execution->ended[0], OPERATION_RECORD);
  for (uint32_t l = 1; l < execution->lane_count; l++)
    event_queue(device, execution->lanes[l], execution->ended[0], OPERATION_WAIT);
  for (uint32_t s = 0; s < execution->count && !error; s++)
    error = queue_step(device, execution, &execution->steps[s], stream);
  for (uint32_t l = 1; l < execution->lane_count; l++) {
    event_queue(device, execution->lanes[l], execution->ended[l], OPERATION_RECORD);
    event_queue(device, stream, execution->ended[l], OPERATION_WAIT);
  }
  return error;
}

// As device_stream_call.
static bool calls_the_host(const GraphExecution *execution) {
  for (uint32_t s = 0; s < execution->count; s++)
    if (execution->steps[s].work.kind == NODE_CALL) return true;
  return false;
}

DeviceError device_execution_launch(Device *device, GraphExecution *execution,
                                    DeviceStream *stream) {
  DeviceError error = execution_enter(device, execution);
  if (error) return error;
  stream = stream_checked(device, stream);
  if (!stream) error = DEVICE_INVALID_HANDLE;
  if (!error && stream->capture) error = DEVICE_CAPTURE_UNSUPPORTED;
  if (!error) error = launch(device, execution, stream);
  if (!error && calls_the_host(execution)) error = device_execute(device);
  device_unlock(device);
  return error;
}

// ---- bodies of conditional nodes

static const GraphExecution *chosen(const GraphStep *step, uint32_t value) {
  const GraphConditional *conditional = &step->work.conditional;
  uint32_t body = value;
  if (conditional->kind == CONDITIONAL_IF) body = value == 0;
  if (conditional->kind == CONDITIONAL_WHILE) body = value ? 0 : UINT32_MAX;
  return body < conditional->body_count ? step->bodies[body] : NULL;
}

// Whether it runs kernels, which alone can end a loop.
static bool has_kernels(const GraphExecution *execution) {
  for (uint32_t s = 0; s < execution->count; s++) {
    const GraphStep *step = &execution->steps[s];
    if (step->work.kind == NODE_KERNEL && step->is_enabled) return true;
    for (uint32_t i = 0; step->bodies && i < step->work.conditional.body_count; i++)
      if (has_kernels(step->bodies[i])) return true;
  }
  return false;
}

// Branches of a body run one after the other, in the stream of the node. A loop is tested again
// behind them.
static DeviceError queue_body(Device *device, DeviceStream *stream, const GraphStep *step,
                              const GraphExecution *body) {
  DeviceError error = DEVICE_OK;
  for (uint32_t s = 0; s < body->count && !error; s++)
    error = queue_step(device, body, &body->steps[s], stream);
  if (!error && step->work.conditional.kind == CONDITIONAL_WHILE)
    operation_add(device, stream, OPERATION_CONDITION)->condition = step;
  return error;
}

Status condition_perform(Device *device, DeviceStream *stream, const StreamOperation *operation,
                         Error *err) {
  const GraphStep *step = operation->condition;
  uint32_t value;
  TRY(device_memory_read(device->engine.memory, step->work.conditional.handle, &value, sizeof value,
                         err));
  const GraphExecution *body = chosen(step, value);
  if (!body) return OK;
  if (step->work.conditional.kind == CONDITIONAL_WHILE && !has_kernels(body))
    return error_set(err, ERR_DEADLOCK,
                     "a conditional node of a graph loops for ever: no kernel in its body could "
                     "set its condition");
  StreamOperation *rest = stream->first, *last = stream->last;
  stream->first = stream->last = NULL;
  DeviceError error = queue_body(device, stream, step, body);
  // The host asked for all of it when it launched the graph.
  for (StreamOperation *it = stream->first; it; it = it->next) {
    it->sequence = operation->sequence;
    it->issued = operation->issued;
  }
  if (stream->last)
    stream->last->next = rest;
  else
    stream->first = rest;
  if (rest) stream->last = last;
  return error ? error_set(err, ERR_PROGRAM,
                           "a kernel in the body of a conditional node cannot "
                           "be launched (error %d)",
                           (int)error)
               : OK;
}
