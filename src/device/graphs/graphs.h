// SPDX-License-Identifier: MIT
// CUDA graphs: work and its dependences, defined once and launched many times.
//
// A graph is built node by node, or by stream capture. An execution (cudaGraphExec_t) is
// a copy of it, with child graphs expanded, that can be launched; independent branches
// run in separate streams, so that they may overlap.
//
// Memory allocated by a node exists while a graph or execution contains the node; freeing
// it earlier has no effect.
#ifndef DEVICE_GRAPHS_GRAPHS_H
#define DEVICE_GRAPHS_GRAPHS_H

#include "device/device.h"

typedef struct DeviceGraph DeviceGraph;
typedef struct GraphNode GraphNode;
typedef struct GraphExecution GraphExecution;

// The numbers of both APIs.
typedef enum GraphNodeKind {
  NODE_KERNEL,
  NODE_COPY,
  NODE_FILL,
  NODE_CALL,
  NODE_GRAPH,
  NODE_EMPTY,
  NODE_WAIT,
  NODE_RECORD,
  NODE_ALLOC = 10,
  NODE_FREE,
  NODE_CONDITIONAL = 13,
} GraphNodeKind;

typedef struct DeviceFill {
  CopyPlace to;
  uint32_t value, value_bytes;
  uint64_t width_bytes, height, depth;
} DeviceFill;

typedef enum ConditionalKind {
  CONDITIONAL_IF,      // the first body if the value is not 0, else the second, if there is one
  CONDITIONAL_WHILE,   // the only body, until the value is 0
  CONDITIONAL_SWITCH,  // the body of that number, if there is one
} ConditionalKind;

typedef struct GraphConditional {
  uint64_t handle;
  ConditionalKind kind;
  uint32_t body_count;
  DeviceGraph **bodies;  // NULL: the node makes empty ones, which it owns
} GraphConditional;

// Work of a node. A graph keeps copies of arguments and of child graphs.
typedef struct GraphWork {
  GraphNodeKind kind;
  union {
    DeviceLaunch launch;  // its stream means nothing
    DeviceCopy copy;
    DeviceFill fill;
    struct {
      void (*function)(void *self);
      void *self;
    } call;
    DeviceGraph *graph;
    DeviceEvent *event;
    struct {
      uint64_t address, size_bytes;
    } memory;
    GraphConditional conditional;
  };
} GraphWork;

DeviceError device_graph_create(Device *device, DeviceGraph **graph);
DeviceError device_graph_destroy(Device *device, DeviceGraph *graph);
DeviceError device_graph_clone(Device *device, DeviceGraph *graph, DeviceGraph **clone);
// NODE_ALLOC allocates immediately: device_node_work returns the address.
DeviceError device_graph_add(Device *device, DeviceGraph *graph, const GraphWork *work,
                             GraphNode *const *before, size_t before_count, GraphNode **node);
DeviceError device_graph_link(Device *device, DeviceGraph *graph, GraphNode *from, GraphNode *to);
DeviceError device_graph_unlink(Device *device, DeviceGraph *graph, GraphNode *from, GraphNode *to);

// Nodes are listed in order of creation. Lists are valid until the graph changes. NULL
// if there is no such graph or node.
GraphNode *const *device_graph_nodes(Device *device, DeviceGraph *graph, size_t *count);
GraphNode *const *device_node_before(Device *device, GraphNode *node, size_t *count);
GraphNode *const *device_node_after(Device *device, GraphNode *node, size_t *count);
const GraphWork *device_node_work(Device *device, GraphNode *node);
// Its place among the nodes of its graph.
size_t device_node_index(const GraphNode *node);
DeviceError device_node_set_work(Device *device, GraphNode *node, const GraphWork *work);
DeviceError device_node_destroy(Device *device, GraphNode *node);
// The clone's copy of a node; NULL if it has none.
GraphNode *device_node_in_clone(Device *device, const GraphNode *node, DeviceGraph *clone);

DeviceError device_graph_instantiate(Device *device, DeviceGraph *graph, uint64_t flags,
                                     GraphExecution **execution);
DeviceError device_execution_destroy(Device *device, GraphExecution *execution);
DeviceError device_execution_launch(Device *device, GraphExecution *execution,
                                    DeviceStream *stream);
bool device_execution_exists(Device *device, GraphExecution *execution);
uint64_t device_execution_flags(const GraphExecution *execution);
// node: of the graph that was instantiated; its execution does this from now on.
DeviceError device_execution_set_work(Device *device, GraphExecution *execution,
                                      const GraphNode *node, const GraphWork *work);
// A node that is not enabled keeps its place in the order and does nothing.
DeviceError device_execution_enable(Device *device, GraphExecution *execution,
                                    const GraphNode *node, bool is_enabled);
DeviceError device_execution_is_enabled(Device *device, GraphExecution *execution,
                                        const GraphNode *node, bool *is_enabled);
// Takes over the work of a graph of the same form; else DEVICE_UPDATE_FAILED,
// and the first node that does not fit (NULL: their number differs).
DeviceError device_execution_update(Device *device, GraphExecution *execution, DeviceGraph *graph,
                                    GraphNode **misfit);

// A handle is the address of a value in device memory, which kernels set
// (cudaGraphSetConditional); it exists until the device is reset. is_assigned: every launch of a
// graph that uses it begins with the initial value.
DeviceError device_conditional_create(Device *device, DeviceGraph *graph, uint32_t initial,
                                      bool is_assigned, uint64_t *handle);

// Memory that nodes hold now, and the most that they have held.
void device_graph_memory(Device *device, bool forgets_most, uint64_t *bytes, uint64_t *most);

// ---- capture (captures.c)

// Until the end of the capture, work submitted to the stream, and to streams that wait
// for events recorded in it, becomes nodes. graph NULL: a new one.
DeviceError device_capture_begin(Device *device, DeviceStream *stream, DeviceGraph *graph,
                                 GraphNode *const *before, size_t before_count);
DeviceError device_capture_end(Device *device, DeviceStream *stream, DeviceGraph **graph);

typedef struct CaptureState {
  bool is_active, is_broken;  // broken: something was asked that no graph can hold
  uint64_t id;
  DeviceGraph *graph;
  GraphNode *const *before;  // dependences of the stream's next node
  size_t before_count;
} CaptureState;
DeviceError device_capture_state(Device *device, DeviceStream *stream, CaptureState *state);
// Adds to the dependences of the next node, or replaces them.
DeviceError device_capture_wait_for(Device *device, DeviceStream *stream, GraphNode *const *before,
                                    size_t before_count, bool replaces);

#endif
