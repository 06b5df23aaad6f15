// SPDX-License-Identifier: MIT
// The inside of graphs, for the files of this room. Functions here expect the
// lock to be held.
#ifndef DEVICE_GRAPHS_GRAPH_STATE_H
#define DEVICE_GRAPHS_GRAPH_STATE_H

#include "device/graphs/graphs.h"
#include "device/state.h"

// Kinds of objects behind a handle.
typedef enum GraphObjectKind { OBJECT_GRAPH, OBJECT_NODE, OBJECT_EXECUTION } GraphObjectKind;

// The first field of each of them: programs may hand over stale handles.
typedef struct GraphObject {
  const void *self;  // key: its own address
  GraphObjectKind kind;
  UT_hash_handle hh;
} GraphObject;

struct GraphNode {
  GraphObject object;
  DeviceGraph *graph;
  GraphWork work;
  NodeList before, after;
  const GraphNode *origin;  // that it is a copy of
  uint32_t index;           // among the graph's nodes
  uint32_t step;            // while a graph is instantiated: its place there
  uint32_t waiting;         // ... and how many nodes it still waits for
};

struct DeviceGraph {
  GraphObject object;
  NodeList nodes;
  GraphNode *owner;  // of a child graph: the node that has it; NULL: the program's own
  uint64_t total;    // nodes, with those of child graphs
  uint32_t height;   // levels of child graphs below; not reduced when nodes are destroyed
};

// A node keeps a copy of its child graph, so that graphs which contain the previous one twice
// double with every call. Larger or deeper ones are out of memory.
enum { MAX_NESTED_NODES = 1 << 18, MAX_GRAPH_LEVELS = 128 };

// An allocation of a node, held by every copy of the node.
typedef struct GraphMemory {
  uint64_t address;  // key
  uint64_t size_bytes;
  uint32_t holders;
  UT_hash_handle hh;
} GraphMemory;

// More lanes than hardware queues would not increase concurrency; further branches share lanes
// and are serialised.
enum { MAX_LANES = 32 };

struct GraphStep {
  GraphWork work;           // of a conditional node: without its bodies, which are
  GraphExecution **bodies;  // ... here
  const GraphNode *origin;  // NULL: the begin or end of a child graph
  uint32_t *before, before_count, before_capacity;
  uint32_t lane;
  bool is_continued;  // a later step of its lane waits for it
  bool is_enabled;
  DeviceEvent *done;  // for steps of other lanes; NULL: none waits
};

struct GraphExecution {
  GraphObject object;  // of a body: not a handle
  GraphStep *steps;
  uint32_t count, capacity;
  DeviceStream *lanes[MAX_LANES];  // but the first
  DeviceEvent *ended[MAX_LANES];   // of each lane; of the first: when it began
  uint32_t lane_count;
  uint64_t flags;
  bool has_conditionals;
};

// A handle of conditional nodes.
typedef struct GraphCondition {
  uint64_t handle;  // key
  uint32_t initial;
  bool is_assigned;
  UT_hash_handle hh;
} GraphCondition;

struct Capture {
  DeviceGraph *graph;
  DeviceStream *origin;
  uint64_t id;
  NodeList left;      // what streams that are gone had not joined when they went
  bool is_new_graph;  // made for the capture
  bool is_broken;
};

void graph_object_add(Device *device, GraphObject *object, GraphObjectKind kind);
void graph_object_remove(Device *device, GraphObject *object);
bool graph_object_is(const Device *device, const void *handle, GraphObjectKind kind);

void node_list_add(NodeList *list, GraphNode *node);  // unless it is there
void node_list_remove(NodeList *list, const GraphNode *node);
void node_list_clear(NodeList *list);

// Deep copy.
DeviceError work_copy(Device *device, GraphWork *to, const GraphWork *from);
void work_clear(Device *device, GraphWork *work);
// Queues it, or adds it to the graph that the stream is captured into.
DeviceError work_submit(Device *device, DeviceStream *stream, const GraphWork *work);
DeviceError work_queue(Device *device, DeviceStream *stream, const GraphWork *work);

// Whether a child graph may be added to a graph; reports on stderr if not.
DeviceError graph_check_child(Device *device, const DeviceGraph *graph, const GraphWork *work);
// The child graph of a node, or its bodies; none: *count is 0.
DeviceGraph *const *work_children(const GraphWork *work, uint32_t *count);
DeviceError conditional_copy(Device *device, GraphConditional *to, const GraphConditional *from);
void conditional_clear(Device *device, GraphConditional *conditional);
void conditions_clear(Device *device);
// Sets the values that a launch of the execution begins with.
DeviceError conditions_assign(Device *device, const GraphExecution *execution,
                              DeviceStream *stream);
DeviceGraph *graph_new(Device *device);
void graph_free(Device *device, DeviceGraph *graph);
DeviceError graph_copy(Device *device, const DeviceGraph *graph, DeviceGraph **copy);
DeviceError graph_add_node(Device *device, DeviceGraph *graph, const GraphWork *work,
                           GraphNode *const *before, size_t before_count, GraphNode **node);

// Whether the address is memory owned by a graph, which only the graph frees.
bool graph_owns(const Device *device, uint64_t address);
void execution_free(Device *device, GraphExecution *execution);
// The handle's execution, with the lock taken.
DeviceError execution_enter(Device *device, const GraphExecution *execution);
void graphs_clear(Device *device);

DeviceError capture_add(Device *device, DeviceStream *stream, const GraphWork *work);
DeviceError capture_record(Device *device, DeviceStream *stream, DeviceEvent *event);
DeviceError capture_wait(Device *device, DeviceStream *stream, DeviceEvent *event);
// The stream is about to be destroyed; it is not the one that started the capture.
DeviceError capture_drop_stream(DeviceStream *stream);
void capture_forget_event(DeviceEvent *event);
void captures_clear(Device *device);

#endif
