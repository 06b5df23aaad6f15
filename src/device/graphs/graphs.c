// SPDX-License-Identifier: MIT
// Graphs, their nodes and edges.
#include "device/graphs/graphs.h"

#include <string.h>

#include "base/memory.h"
#include "device/graphs/graph_state.h"

// ---- handles

void graph_object_add(Device *device, GraphObject *object, GraphObjectKind kind) {
  object->self = object;
  object->kind = kind;
  HASH_ADD_PTR(device->graph_objects, self, object);
}

void graph_object_remove(Device *device, GraphObject *object) {
  HASH_DEL(device->graph_objects, object);
}

bool graph_object_is(const Device *device, const void *handle, GraphObjectKind kind) {
  GraphObject *found;
  HASH_FIND_PTR(device->graph_objects, &handle, found);
  return found && found->kind == kind;
}

// ---- lists of nodes

void node_list_add(NodeList *list, GraphNode *node) {
  for (uint32_t i = 0; i < list->count; i++)
    if (list->nodes[i] == node) return;
  GROW(list->nodes, list->count, list->capacity);
  list->nodes[list->count++] = node;
}

void node_list_remove(NodeList *list, const GraphNode *node) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < list->count; i++)
    if (list->nodes[i] != node) list->nodes[kept++] = list->nodes[i];
  list->count = kept;
}

void node_list_clear(NodeList *list) {
  memory_free(list->nodes);
  *list = (NodeList){0};
}

// ---- graphs

DeviceGraph *graph_new(Device *device) {
  DeviceGraph *graph = memory_alloc(sizeof *graph);
  graph_object_add(device, &graph->object, OBJECT_GRAPH);
  return graph;
}

static void node_free(Device *device, GraphNode *node) {
  work_clear(device, &node->work);
  node_list_clear(&node->before);
  node_list_clear(&node->after);
  graph_object_remove(device, &node->object);
  memory_free(node);
}

void graph_free(Device *device, DeviceGraph *graph) {
  for (uint32_t i = 0; i < graph->nodes.count; i++) node_free(device, graph->nodes.nodes[i]);
  node_list_clear(&graph->nodes);
  graph_object_remove(device, &graph->object);
  memory_free(graph);
}

// ---- nesting

static uint64_t nodes_of(const GraphWork *work) {
  uint32_t count;
  uint64_t total = 1;
  DeviceGraph *const *children = work_children(work, &count);
  for (uint32_t i = 0; i < count; i++) total += children[i]->total;
  return total;
}

// Levels of graphs below the node.
static uint32_t height_of(const GraphWork *work) {
  uint32_t count, height = work->kind == NODE_CONDITIONAL;
  DeviceGraph *const *children = work_children(work, &count);
  for (uint32_t i = 0; i < count; i++)
    if (height <= children[i]->height) height = children[i]->height + 1;
  return height;
}

// The node is part of the graph and of all graphs around it.
static void count_node(const GraphNode *node) {
  uint64_t added = nodes_of(&node->work);
  uint32_t height = height_of(&node->work), count;
  DeviceGraph *const *children = work_children(&node->work, &count);
  for (uint32_t i = 0; i < count; i++) children[i]->owner = (GraphNode *)(uintptr_t)node;
  for (const GraphNode *at = node; at; at = at->graph->owner, height++) {
    at->graph->total += added;
    if (at->graph->height < height) at->graph->height = height;
  }
}

static void uncount_node(const GraphNode *node) {
  uint64_t removed = nodes_of(&node->work);
  for (const GraphNode *at = node; at; at = at->graph->owner) at->graph->total -= removed;
}

DeviceError graph_check_child(Device *device, const DeviceGraph *graph, const GraphWork *work) {
  uint32_t levels = 1;  // the graph's own
  if (work->kind != NODE_GRAPH && work->kind != NODE_CONDITIONAL) return DEVICE_OK;
  if (work->kind == NODE_GRAPH && !graph_object_is(device, work->graph, OBJECT_GRAPH))
    return DEVICE_INVALID_VALUE;
  for (; graph->owner; graph = graph->owner->graph) levels++;
  levels += height_of(work);
  uint64_t total = graph->total + nodes_of(work);
  if (total <= MAX_NESTED_NODES && levels <= MAX_GRAPH_LEVELS) return DEVICE_OK;
  device_print(device,
               "a graph of %llu nodes, with child graphs nested %u deep, is too large: the limits "
               "are %d nodes and %d levels (docs/cuda.md); launch a smaller one several times",
               (unsigned long long)total, levels, MAX_NESTED_NODES, MAX_GRAPH_LEVELS);
  return DEVICE_OUT_OF_MEMORY;
}

static void link_nodes(GraphNode *from, GraphNode *to) {
  node_list_add(&from->after, to);
  node_list_add(&to->before, from);
}

static bool is_node_of(const Device *device, const DeviceGraph *graph, const GraphNode *node) {
  return graph_object_is(device, node, OBJECT_NODE) && node->graph == graph;
}

DeviceError graph_add_node(Device *device, DeviceGraph *graph, const GraphWork *work,
                           GraphNode *const *before, size_t before_count, GraphNode **out) {
  for (size_t i = 0; i < before_count; i++)
    if (!is_node_of(device, graph, before[i])) return DEVICE_INVALID_VALUE;
  GraphWork own;
  DeviceError error = graph_check_child(device, graph, work);
  if (!error) error = work_copy(device, &own, work);
  if (error) return error;
  GraphNode *node = *out = memory_alloc(sizeof *node);
  graph_object_add(device, &node->object, OBJECT_NODE);
  node->graph = graph;
  node->work = own;
  node->index = graph->nodes.count;
  GROW(graph->nodes.nodes, graph->nodes.count, graph->nodes.capacity);
  graph->nodes.nodes[graph->nodes.count++] = node;
  count_node(node);
  for (size_t i = 0; i < before_count; i++) link_nodes(before[i], node);
  return DEVICE_OK;
}

DeviceError graph_copy(Device *device, const DeviceGraph *graph, DeviceGraph **out) {
  DeviceGraph *copy = *out = graph_new(device);
  DeviceError error = DEVICE_OK;
  for (uint32_t i = 0; i < graph->nodes.count && !error; i++) {
    GraphNode *node;
    error = graph_add_node(device, copy, &graph->nodes.nodes[i]->work, NULL, 0, &node);
    if (!error) node->origin = graph->nodes.nodes[i];
  }
  for (uint32_t i = 0; i < graph->nodes.count && !error; i++) {
    const NodeList *before = &graph->nodes.nodes[i]->before;
    for (uint32_t b = 0; b < before->count; b++)
      link_nodes(copy->nodes.nodes[before->nodes[b]->index], copy->nodes.nodes[i]);
  }
  if (error) graph_free(device, copy);
  return error;
}

// ---- interface

DeviceError device_graph_create(Device *device, DeviceGraph **graph) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) *graph = graph_new(device);
  device_unlock(device);
  return error;
}

// Takes the lock if the handle is good.
static DeviceError enter(Device *device, const void *handle, GraphObjectKind kind) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error && !graph_object_is(device, handle, kind)) error = DEVICE_INVALID_VALUE;
  if (error) device_unlock(device);
  return error;
}

static bool is_capturing(const Device *device, const DeviceGraph *graph) {
  for (const DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    if (stream->capture && stream->capture->graph == graph) return true;
  return false;
}

DeviceError device_graph_destroy(Device *device, DeviceGraph *graph) {
  DeviceError error = enter(device, graph, OBJECT_GRAPH);
  if (error) return error;
  // A child graph belongs to its node, which frees it.
  if (graph->owner || is_capturing(device, graph)) error = DEVICE_INVALID_VALUE;
  if (!error) error = device_execute(device);  // memory of its nodes may be in use
  if (!error) graph_free(device, graph);
  device_unlock(device);
  return error;
}

DeviceError device_graph_clone(Device *device, DeviceGraph *graph, DeviceGraph **clone) {
  DeviceError error = enter(device, graph, OBJECT_GRAPH);
  if (error) return error;
  error = graph_copy(device, graph, clone);
  device_unlock(device);
  return error;
}

DeviceError device_graph_add(Device *device, DeviceGraph *graph, const GraphWork *work,
                             GraphNode *const *before, size_t before_count, GraphNode **node) {
  DeviceError error = enter(device, graph, OBJECT_GRAPH);
  if (error) return error;
  error = graph_add_node(device, graph, work, before, before_count, node);
  device_unlock(device);
  return error;
}

DeviceError device_graph_link(Device *device, DeviceGraph *graph, GraphNode *from, GraphNode *to) {
  DeviceError error = enter(device, graph, OBJECT_GRAPH);
  if (error) return error;
  bool is_fine = from != to && is_node_of(device, graph, from) && is_node_of(device, graph, to);
  if (is_fine) link_nodes(from, to);
  device_unlock(device);
  return is_fine ? DEVICE_OK : DEVICE_INVALID_VALUE;
}

DeviceError device_graph_unlink(Device *device, DeviceGraph *graph, GraphNode *from,
                                GraphNode *to) {
  DeviceError error = enter(device, graph, OBJECT_GRAPH);
  if (error) return error;
  bool is_fine = is_node_of(device, graph, from) && is_node_of(device, graph, to);
  if (is_fine) {
    node_list_remove(&from->after, to);
    node_list_remove(&to->before, from);
  }
  device_unlock(device);
  return is_fine ? DEVICE_OK : DEVICE_INVALID_VALUE;
}

static GraphNode *const *listed(Device *device, const NodeList *list, size_t *count) {
  static GraphNode *const nothing[1];
  *count = list->count;
  device_unlock(device);
  return list->count ? list->nodes : nothing;
}

GraphNode *const *device_graph_nodes(Device *device, DeviceGraph *graph, size_t *count) {
  return enter(device, graph, OBJECT_GRAPH) ? NULL : listed(device, &graph->nodes, count);
}

GraphNode *const *device_node_before(Device *device, GraphNode *node, size_t *count) {
  return enter(device, node, OBJECT_NODE) ? NULL : listed(device, &node->before, count);
}

GraphNode *const *device_node_after(Device *device, GraphNode *node, size_t *count) {
  return enter(device, node, OBJECT_NODE) ? NULL : listed(device, &node->after, count);
}

size_t device_node_index(const GraphNode *node) {
  return node->index;
}

const GraphWork *device_node_work(Device *device, GraphNode *node) {
  if (enter(device, node, OBJECT_NODE)) return NULL;
  device_unlock(device);
  return &node->work;
}

DeviceError device_node_set_work(Device *device, GraphNode *node, const GraphWork *work) {
  GraphWork own;
  DeviceError error = enter(device, node, OBJECT_NODE);
  if (error) return error;
  if (node->work.kind != work->kind) error = DEVICE_INVALID_VALUE;
  if (!error) error = graph_check_child(device, node->graph, work);
  if (!error) error = work_copy(device, &own, work);
  if (!error) {
    uncount_node(node);
    work_clear(device, &node->work);
    node->work = own;
    count_node(node);
  }
  device_unlock(device);
  return error;
}

DeviceError device_node_destroy(Device *device, GraphNode *node) {
  DeviceError error = enter(device, node, OBJECT_NODE);
  if (error) return error;
  NodeList *nodes = &node->graph->nodes;
  if (is_capturing(device, node->graph)) {
    device_unlock(device);
    return DEVICE_INVALID_VALUE;
  }
  uncount_node(node);
  node_list_remove(nodes, node);
  for (uint32_t i = 0; i < nodes->count; i++) {
    nodes->nodes[i]->index = i;
    node_list_remove(&nodes->nodes[i]->before, node);
    node_list_remove(&nodes->nodes[i]->after, node);
  }
  node_free(device, node);
  device_unlock(device);
  return error;
}

GraphNode *device_node_in_clone(Device *device, const GraphNode *node, DeviceGraph *clone) {
  GraphNode *found = NULL;
  if (enter(device, clone, OBJECT_GRAPH)) return NULL;
  for (uint32_t i = 0; i < clone->nodes.count; i++)
    if (clone->nodes.nodes[i]->origin == node) found = clone->nodes.nodes[i];
  device_unlock(device);
  return found;
}

static GraphObject *next_of_kind(const Device *device, GraphObjectKind kind) {
  for (GraphObject *it = device->graph_objects; it; it = it->hh.next)
    if (it->kind == kind && (kind != OBJECT_GRAPH || !((DeviceGraph *)it)->owner)) return it;
  return NULL;
}

void graphs_clear(Device *device) {
  GraphObject *it;
  captures_clear(device);
  while ((it = next_of_kind(device, OBJECT_EXECUTION)))
    execution_free(device, (GraphExecution *)it);
  while ((it = next_of_kind(device, OBJECT_GRAPH))) graph_free(device, (DeviceGraph *)it);
  conditions_clear(device);
}
