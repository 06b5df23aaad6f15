// SPDX-License-Identifier: MIT
// Executions of graphs: steps in topological order, each with a lane. Lane 0 is the stream
// that the graph is launched into; branches get separate lanes, as streams of the
// execution, synchronised by events.
#include "base/memory.h"
#include "device/graphs/graph_state.h"

// More lanes than hardware queues would not increase concurrency; further branches share lanes
// and are serialised.
enum { MAX_LANES = 32 };

typedef struct Step {
  GraphWork work;
  const GraphNode *origin;  // NULL: the begin or end of a child graph
  uint32_t *before, before_count, before_capacity;
  uint32_t lane;
  bool is_continued;  // a later step of its lane waits for it
  bool is_enabled;
  DeviceEvent *done;  // for steps of other lanes; NULL: none waits
} Step;

struct GraphExecution {
  GraphObject object;
  Step *steps;
  uint32_t count, capacity;
  DeviceStream *lanes[MAX_LANES];  // but the first
  DeviceEvent *ended[MAX_LANES];   // of each lane; of the first: when it began
  uint32_t lane_count;
  uint64_t flags;
};

// ---- steps

static uint32_t add_step(GraphExecution *execution, const GraphNode *origin) {
  GROW(execution->steps, execution->count, execution->capacity);
  execution->steps[execution->count] =
      (Step){.work = {.kind = NODE_EMPTY}, .origin = origin, .is_enabled = true};
  return execution->count++;
}

static void wait_for(GraphExecution *execution, uint32_t step, uint32_t earlier) {
  Step *it = &execution->steps[step];
  GROW(it->before, it->before_count, it->before_capacity);
  it->before[it->before_count++] = earlier;
}

static DeviceError add_graph(Device *device, GraphExecution *execution, const DeviceGraph *graph,
                             uint32_t begin, bool has_begin);

// A child graph: a step that its first nodes wait for, they, and a step that
// waits for its last.
static DeviceError add_child(Device *device, GraphExecution *execution, const DeviceGraph *child,
                             uint32_t begin, uint32_t *end) {
  DeviceError error = add_graph(device, execution, child, begin, true);
  if (error) return error;
  *end = add_step(execution, NULL);
  wait_for(execution, *end, begin);
  for (uint32_t i = 0; i < child->nodes.count; i++)
    if (!child->nodes.nodes[i]->after.count) wait_for(execution, *end, child->nodes.nodes[i]->step);
  return DEVICE_OK;
}

static DeviceError add_node(Device *device, GraphExecution *execution, GraphNode *node,
                            uint32_t begin, bool has_begin) {
  uint32_t step = node->step = add_step(execution, node);
  for (uint32_t i = 0; i < node->before.count; i++)
    wait_for(execution, step, node->before.nodes[i]->step);
  if (!node->before.count && has_begin) wait_for(execution, step, begin);
  if (node->work.kind == NODE_GRAPH)
    return add_child(device, execution, node->work.graph, step, &node->step);
  GraphWork own;
  DeviceError error = work_copy(device, &own, &node->work);
  if (!error) execution->steps[step].work = own;
  return error;
}

// In the order in which the nodes were made, as far as their edges allow.
static DeviceError add_graph(Device *device, GraphExecution *execution, const DeviceGraph *graph,
                             uint32_t begin, bool has_begin) {
  const NodeList *nodes = &graph->nodes;
  uint32_t done = 0, before;
  for (uint32_t i = 0; i < nodes->count; i++)
    nodes->nodes[i]->waiting = nodes->nodes[i]->before.count + 1;
  do {
    before = done;
    for (uint32_t i = 0; i < nodes->count; i++) {
      GraphNode *node = nodes->nodes[i];
      if (node->waiting != 1) continue;
      DeviceError error = add_node(device, execution, node, begin, has_begin);
      if (error) return error;
      node->waiting = 0;
      done++;
      for (uint32_t a = 0; a < node->after.count; a++) node->after.nodes[a]->waiting--;
    }
  } while (done > before);
  return done == nodes->count ? DEVICE_OK : DEVICE_INVALID_VALUE;  // else: a circle
}

// ---- lanes

// A step continues the lane of one of its dependences, if no other step does.
static void choose_lane(GraphExecution *execution, Step *step) {
  for (uint32_t i = 0; i < step->before_count; i++) {
    Step *earlier = &execution->steps[step->before[i]];
    if (earlier->is_continued) continue;
    earlier->is_continued = true;
    step->lane = earlier->lane;
    return;
  }
  step->lane = execution->lane_count < MAX_LANES ? execution->lane_count++
                                                 : (uint32_t)(step - execution->steps) % MAX_LANES;
}

// Events only between lanes: within a lane the stream keeps the order.
static void choose_lanes(Device *device, GraphExecution *execution) {
  for (uint32_t s = 0; s < execution->count; s++) choose_lane(execution, &execution->steps[s]);
  for (uint32_t s = 0; s < execution->count; s++) {
    const Step *step = &execution->steps[s];
    for (uint32_t i = 0; i < step->before_count; i++) {
      Step *earlier = &execution->steps[step->before[i]];
      if (earlier->lane != step->lane && !earlier->done) earlier->done = event_new(device, false);
    }
  }
  if (execution->lane_count < 2) return;
  for (uint32_t l = 0; l < execution->lane_count; l++) {
    if (l) execution->lanes[l] = stream_new(device, false, STREAM_PRIORITY_LOWEST);
    execution->ended[l] = event_new(device, false);
  }
}

// ---- making and ending

static DeviceError make(Device *device, const DeviceGraph *graph, GraphExecution **out) {
  GraphExecution *execution = *out = memory_alloc(sizeof *execution);
  graph_object_add(device, &execution->object, OBJECT_EXECUTION);
  DeviceError error = add_graph(device, execution, graph, 0, false);
  if (error) execution_free(device, execution);
  return error;
}

void execution_free(Device *device, GraphExecution *execution) {
  for (uint32_t s = 0; s < execution->count; s++) {
    Step *step = &execution->steps[s];
    work_clear(device, &step->work);
    memory_free(step->before);
    if (step->done) event_free(device, step->done);
  }
  for (uint32_t l = 0; l < execution->lane_count && execution->ended[l]; l++) {
    event_free(device, execution->ended[l]);
    if (l) stream_free(device, execution->lanes[l]);
  }
  memory_free(execution->steps);
  graph_object_remove(device, &execution->object);
  memory_free(execution);
}

DeviceError device_graph_instantiate(Device *device, DeviceGraph *graph, uint64_t flags,
                                     GraphExecution **execution) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error && !graph_object_is(device, graph, OBJECT_GRAPH)) error = DEVICE_INVALID_VALUE;
  if (!error) error = make(device, graph, execution);
  if (!error) {
    (*execution)->flags = flags;
    choose_lanes(device, *execution);
  }
  device_unlock(device);
  return error;
}

static DeviceError enter(Device *device, const GraphExecution *execution) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error && !graph_object_is(device, execution, OBJECT_EXECUTION)) error = DEVICE_INVALID_VALUE;
  if (error) device_unlock(device);
  return error;
}

DeviceError device_execution_destroy(Device *device, GraphExecution *execution) {
  DeviceError error = enter(device, execution);
  if (error) return error;
  error = device_execute(device);
  execution_free(device, execution);
  device_unlock(device);
  return error;
}

bool device_execution_exists(Device *device, GraphExecution *execution) {
  if (enter(device, execution)) return false;
  device_unlock(device);
  return true;
}

uint64_t device_execution_flags(const GraphExecution *execution) {
  return execution->flags;
}

// ---- launching

static DeviceError queue_step(Device *device, const GraphExecution *execution, const Step *step,
                              DeviceStream *first) {
  DeviceStream *stream = step->lane ? execution->lanes[step->lane] : first;
  for (uint32_t i = 0; i < step->before_count; i++) {
    const Step *earlier = &execution->steps[step->before[i]];
    if (earlier->lane != step->lane) event_queue(device, stream, earlier->done, OPERATION_WAIT);
  }
  DeviceError error = step->is_enabled ? work_queue(device, stream, &step->work) : DEVICE_OK;
  if (!error && step->done) error = event_queue(device, stream, step->done, OPERATION_RECORD);
  return error;
}

static DeviceError launch(Device *device, const GraphExecution *execution, DeviceStream *stream) {
  bool has_lanes = execution->lane_count > 1;
  DeviceError error = DEVICE_OK;
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
  DeviceError error = enter(device, execution);
  if (error) return error;
  stream = stream_checked(device, stream);
  if (!stream) error = DEVICE_INVALID_HANDLE;
  if (!error && stream->capture) error = DEVICE_CAPTURE_UNSUPPORTED;
  if (!error) error = launch(device, execution, stream);
  if (!error && calls_the_host(execution)) error = device_execute(device);
  device_unlock(device);
  return error;
}

// ---- changing

static Step *step_of(const GraphExecution *execution, const GraphNode *node) {
  for (uint32_t s = 0; s < execution->count && node; s++)
    if (execution->steps[s].origin == node) return &execution->steps[s];
  return NULL;
}

static void replace_work(Device *device, Step *step, GraphWork own) {
  work_clear(device, &step->work);
  step->work = own;
}

DeviceError device_execution_set_work(Device *device, GraphExecution *execution,
                                      const GraphNode *node, const GraphWork *work) {
  GraphWork own;
  DeviceError error = enter(device, execution);
  if (error) return error;
  Step *step = step_of(execution, node);
  if (!step || step->work.kind != work->kind) error = DEVICE_INVALID_VALUE;
  if (!error) error = work_copy(device, &own, work);
  if (!error) replace_work(device, step, own);
  device_unlock(device);
  return error;
}

DeviceError device_execution_enable(Device *device, GraphExecution *execution,
                                    const GraphNode *node, bool is_enabled) {
  DeviceError error = enter(device, execution);
  if (error) return error;
  Step *step = step_of(execution, node);
  bool may = step && step->work.kind <= NODE_FILL;
  if (may) step->is_enabled = is_enabled;
  device_unlock(device);
  return may ? DEVICE_OK : DEVICE_INVALID_VALUE;
}

DeviceError device_execution_is_enabled(Device *device, GraphExecution *execution,
                                        const GraphNode *node, bool *is_enabled) {
  DeviceError error = enter(device, execution);
  if (error) return error;
  const Step *step = step_of(execution, node);
  if (step) *is_enabled = step->is_enabled;
  device_unlock(device);
  return step ? DEVICE_OK : DEVICE_INVALID_VALUE;
}

static bool is_like(const Step *a, const Step *b) {
  if (a->work.kind != b->work.kind || a->before_count != b->before_count) return false;
  for (uint32_t i = 0; i < a->before_count; i++)
    if (a->before[i] != b->before[i]) return false;
  return true;
}

// Exchanges the works of two executions of the same form.
static DeviceError take_works(GraphExecution *execution, GraphExecution *other,
                              GraphNode **misfit) {
  *misfit = NULL;
  if (execution->count != other->count) return DEVICE_UPDATE_FAILED;
  for (uint32_t s = 0; s < other->count; s++) {
    if (is_like(&execution->steps[s], &other->steps[s])) continue;
    *misfit = (GraphNode *)(uintptr_t)other->steps[s].origin;
    return DEVICE_UPDATE_FAILED;
  }
  for (uint32_t s = 0; s < other->count; s++) {
    GraphWork old = execution->steps[s].work;
    execution->steps[s].work = other->steps[s].work;
    execution->steps[s].origin = other->steps[s].origin;
    other->steps[s].work = old;
  }
  return DEVICE_OK;
}

DeviceError device_execution_update(Device *device, GraphExecution *execution, DeviceGraph *graph,
                                    GraphNode **misfit) {
  GraphExecution *other;
  DeviceError error = enter(device, execution);
  if (error) return error;
  if (!graph_object_is(device, graph, OBJECT_GRAPH)) error = DEVICE_INVALID_VALUE;
  if (!error) error = make(device, graph, &other);
  if (!error) {
    error = take_works(execution, other, misfit);
    execution_free(device, other);
  }
  device_unlock(device);
  return error;
}
