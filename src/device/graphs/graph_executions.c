// SPDX-License-Identifier: MIT
// Executions of graphs: steps in topological order, each with a lane. Lane 0 is the stream
// that the graph is launched into; branches get separate lanes, as streams of the
// execution, synchronised by events. graph_launches.c launches them.
#include "base/memory.h"
#include "device/graphs/graph_state.h"

// ---- steps

static uint32_t add_step(GraphExecution *execution, const GraphNode *origin) {
  GROW(execution->steps, execution->count, execution->capacity);
  execution->steps[execution->count] =
      (GraphStep){.work = {.kind = NODE_EMPTY}, .origin = origin, .is_enabled = true};
  return execution->count++;
}

static void wait_for(GraphExecution *execution, uint32_t step, uint32_t earlier) {
  GraphStep *it = &execution->steps[step];
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

// A conditional node: a step with an execution of each body.
static DeviceError add_bodies(Device *device, GraphExecution *execution, const GraphNode *node,
                              uint32_t step) {
  const GraphConditional *conditional = &node->work.conditional;
  DeviceError error = DEVICE_OK;
  GraphStep *it = &execution->steps[step];
  execution->has_conditionals = true;
  it->work = (GraphWork){.kind = NODE_CONDITIONAL, .conditional = *conditional};
  it->work.conditional.bodies = NULL;
  it->bodies = memory_alloc(conditional->body_count * sizeof *it->bodies);
  for (uint32_t i = 0; i < conditional->body_count && !error; i++) {
    it->bodies[i] = memory_alloc(sizeof **it->bodies);
    error = add_graph(device, it->bodies[i], conditional->bodies[i], 0, false);
  }
  return error;
}

static DeviceError add_node(Device *device, GraphExecution *execution, GraphNode *node,
                            uint32_t begin, bool has_begin) {
  uint32_t step = node->step = add_step(execution, node);
  for (uint32_t i = 0; i < node->before.count; i++)
    wait_for(execution, step, node->before.nodes[i]->step);
  if (!node->before.count && has_begin) wait_for(execution, step, begin);
  if (node->work.kind == NODE_GRAPH)
    return add_child(device, execution, node->work.graph, step, &node->step);
  if (node->work.kind == NODE_CONDITIONAL) return add_bodies(device, execution, node, step);
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
static void choose_lane(GraphExecution *execution, GraphStep *step) {
  for (uint32_t i = 0; i < step->before_count; i++) {
    GraphStep *earlier = &execution->steps[step->before[i]];
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
    const GraphStep *step = &execution->steps[s];
    for (uint32_t i = 0; i < step->before_count; i++) {
      GraphStep *earlier = &execution->steps[step->before[i]];
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

static void bodies_free(Device *device, GraphStep *step) {
  for (uint32_t i = 0; step->bodies && i < step->work.conditional.body_count; i++)
    if (step->bodies[i]) execution_free(device, step->bodies[i]);
  memory_free(step->bodies);
}

void execution_free(Device *device, GraphExecution *execution) {
  for (uint32_t s = 0; s < execution->count; s++) {
    GraphStep *step = &execution->steps[s];
    bodies_free(device, step);
    work_clear(device, &step->work);
    memory_free(step->before);
    if (step->done) event_free(device, step->done);
  }
  for (uint32_t l = 0; l < execution->lane_count && execution->ended[l]; l++) {
    event_free(device, execution->ended[l]);
    if (l) stream_free(device, execution->lanes[l]);
  }
  memory_free(execution->steps);
  if (execution->object.self) graph_object_remove(device, &execution->object);
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

DeviceError execution_enter(Device *device, const GraphExecution *execution) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error && !graph_object_is(device, execution, OBJECT_EXECUTION)) error = DEVICE_INVALID_VALUE;
  if (error) device_unlock(device);
  return error;
}

DeviceError device_execution_destroy(Device *device, GraphExecution *execution) {
  DeviceError error = execution_enter(device, execution);
  if (error) return error;
  error = device_execute(device);
  execution_free(device, execution);
  device_unlock(device);
  return error;
}

bool device_execution_exists(Device *device, GraphExecution *execution) {
  if (execution_enter(device, execution)) return false;
  device_unlock(device);
  return true;
}

uint64_t device_execution_flags(const GraphExecution *execution) {
  return execution->flags;
}

// ---- changing

// Also in the bodies of conditional nodes.
static GraphStep *step_of(const GraphExecution *execution, const GraphNode *node) {
  GraphStep *found = NULL;
  for (uint32_t s = 0; s < execution->count && node && !found; s++) {
    GraphStep *step = &execution->steps[s];
    if (step->origin == node) return step;
    for (uint32_t i = 0; step->bodies && i < step->work.conditional.body_count && !found; i++)
      found = step_of(step->bodies[i], node);
  }
  return found;
}

// Bodies are queued when their turn comes: with the work that they had when the graph was
// launched.
static DeviceError settle(Device *device, const GraphExecution *execution) {
  return execution->has_conditionals ? device_execute(device) : DEVICE_OK;
}

static void replace_work(Device *device, GraphStep *step, GraphWork own) {
  work_clear(device, &step->work);
  step->work = own;
}

DeviceError device_execution_set_work(Device *device, GraphExecution *execution,
                                      const GraphNode *node, const GraphWork *work) {
  GraphWork own;
  DeviceError error = execution_enter(device, execution);
  if (error) return error;
  GraphStep *step = step_of(execution, node);
  if (!step || step->work.kind != work->kind || work->kind == NODE_CONDITIONAL)
    error = DEVICE_INVALID_VALUE;
  if (!error) error = settle(device, execution);
  if (!error) error = work_copy(device, &own, work);
  if (!error) replace_work(device, step, own);
  device_unlock(device);
  return error;
}

DeviceError device_execution_enable(Device *device, GraphExecution *execution,
                                    const GraphNode *node, bool is_enabled) {
  DeviceError error = execution_enter(device, execution);
  if (error) return error;
  GraphStep *step = step_of(execution, node);
  bool may = step && step->work.kind <= NODE_FILL && !settle(device, execution);
  if (may) step->is_enabled = is_enabled;
  device_unlock(device);
  return may ? DEVICE_OK : DEVICE_INVALID_VALUE;
}

DeviceError device_execution_is_enabled(Device *device, GraphExecution *execution,
                                        const GraphNode *node, bool *is_enabled) {
  DeviceError error = execution_enter(device, execution);
  if (error) return error;
  const GraphStep *step = step_of(execution, node);
  if (step) *is_enabled = step->is_enabled;
  device_unlock(device);
  return step ? DEVICE_OK : DEVICE_INVALID_VALUE;
}

static bool is_like(const GraphStep *a, const GraphStep *b) {
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
    GraphExecution **bodies = execution->steps[s].bodies;
    execution->steps[s].bodies = other->steps[s].bodies;
    other->steps[s].bodies = bodies;
  }
  return DEVICE_OK;
}

DeviceError device_execution_update(Device *device, GraphExecution *execution, DeviceGraph *graph,
                                    GraphNode **misfit) {
  GraphExecution *other;
  DeviceError error = execution_enter(device, execution);
  if (error) return error;
  if (!graph_object_is(device, graph, OBJECT_GRAPH)) error = DEVICE_INVALID_VALUE;
  if (!error) error = settle(device, execution);
  if (!error) error = make(device, graph, &other);
  if (!error) {
    error = take_works(execution, other, misfit);
    execution_free(device, other);
  }
  device_unlock(device);
  return error;
}
