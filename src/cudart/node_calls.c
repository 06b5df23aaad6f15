// SPDX-License-Identifier: MIT
// Graph nodes. Each kind has a parameter struct, which three calls take: to add a node, to
// change one, and to change it in an executable graph.
#include <string.h>

#include "cudart/api.h"
#include "device/graphs/graphs.h"

// ---- descriptions

typedef struct KernelDescription {
  const void *function;
  Dim3 grid, block;
  unsigned shared_bytes;
  void **arguments, **extra;
} KernelDescription;

typedef struct FillDescription {
  void *to;
  size_t pitch;
  unsigned value, value_bytes;
  size_t width, height;  // width counts values
} FillDescription;

typedef struct CallDescription {
  void (*function)(void *self);
  void *self;
} CallDescription;

typedef struct AllocDescription {
  struct {
    int type, handle_types, where_type, where_device;
    void *security;
#if CUDA_MAJOR >= 12
    size_t most;
    unsigned short usage;
    unsigned char reserved[54];
#else
    unsigned char reserved[64];
#endif
  } pool;
  const void *access;
  size_t access_count, bytes;
  void *address;
} AllocDescription;

static DeviceError kernel_work(const KernelDescription *from, GraphWork *work) {
  if (!from || (!from->arguments && from->extra)) return DEVICE_INVALID_VALUE;
  *work = (GraphWork){.kind = NODE_KERNEL,
                      .launch = {.kernel = device_kernel_find(api_device(), from->function),
                                 .grid = {from->grid.x, from->grid.y, from->grid.z},
                                 .block = {from->block.x, from->block.y, from->block.z},
                                 .dynamic_shared_bytes = from->shared_bytes,
                                 .arguments = from->arguments}};
  return DEVICE_OK;
}

static DeviceError copy_work(const Copy3D *from, GraphWork *work) {
  *work = (GraphWork){.kind = NODE_COPY};
  return from ? api_box(from, &work->copy) : DEVICE_INVALID_VALUE;
}

static DeviceError row_work(void *to, const void *from, size_t bytes, int kind, GraphWork *work) {
  *work = (GraphWork){.kind = NODE_COPY};
  return api_rows(to, bytes, from, bytes, bytes, 1, kind, &work->copy);
}

static DeviceError to_symbol_work(const void *symbol, const void *from, size_t bytes, size_t offset,
                                  int kind, GraphWork *work) {
  void *variable;
  DeviceError error = api_symbol(symbol, offset, bytes, &variable);
  return error ? error : row_work(variable, from, bytes, kind, work);
}

static DeviceError from_symbol_work(void *to, const void *symbol, size_t bytes, size_t offset,
                                    int kind, GraphWork *work) {
  void *variable;
  DeviceError error = api_symbol(symbol, offset, bytes, &variable);
  return error ? error : row_work(to, variable, bytes, kind, work);
}

static DeviceError fill_work(const FillDescription *from, GraphWork *work) {
  if (!from || (from->value_bytes != 1 && from->value_bytes != 2 && from->value_bytes != 4))
    return DEVICE_INVALID_VALUE;
  size_t row = from->width * from->value_bytes;
  *work = (GraphWork){
      .kind = NODE_FILL,
      .fill = {.to = {SIDE_DEVICE, address_of(from->to), from->height > 1 ? from->pitch : row, 0},
               .value = from->value,
               .value_bytes = from->value_bytes,
               .width_bytes = row,
               .height = from->height,
               .depth = 1}};
  return DEVICE_OK;
}

static DeviceError call_work(const CallDescription *from, GraphWork *work) {
  if (!from) return DEVICE_INVALID_VALUE;
  *work = (GraphWork){.kind = NODE_CALL, .call = {from->function, from->self}};
  return DEVICE_OK;
}

static DeviceError event_work(DeviceEvent *event, GraphNodeKind kind, GraphWork *work) {
  *work = (GraphWork){.kind = kind, .event = event};
  return DEVICE_OK;
}

// ---- the three calls

static int add(DeviceError error, const GraphWork *work, GraphNode **node, DeviceGraph *graph,
               GraphNode *const *before, size_t count) {
  if (!error && (!node || (count && !before))) error = DEVICE_INVALID_VALUE;
  if (!error) error = device_graph_add(api_device(), graph, work, before, count, node);
  return api_result(error);
}

// A kernel stays cooperative.
static void keep_attributes(GraphNode *node, GraphWork *work) {
  const GraphWork *old = device_node_work(api_device(), node);
  if (old && old->kind == NODE_KERNEL && work->kind == NODE_KERNEL)
    work->launch.is_cooperative = old->launch.is_cooperative;
}

static int set(DeviceError error, GraphWork *work, GraphNode *node) {
  if (!error) keep_attributes(node, work);
  return api_result(error ? error : device_node_set_work(api_device(), node, work));
}

static int set_instance(DeviceError error, GraphWork *work, GraphExecution *execution,
                        GraphNode *node) {
  if (!error) keep_attributes(node, work);
  return api_result(error ? error : device_execution_set_work(api_device(), execution, node, work));
}

#define NODE_CALLS(added, set_name, instance_name, PARAMETERS, WORK)                 \
  EXPORT int added(GraphNode **node, DeviceGraph *graph, GraphNode *const *before,   \
                   size_t before_count, PARAMETERS) {                                \
    GraphWork work = {0};                                                            \
    return add(WORK, &work, node, graph, before, before_count);                      \
  }                                                                                  \
  EXPORT int set_name(GraphNode *node, PARAMETERS) {                                 \
    GraphWork work = {0};                                                            \
    return set(WORK, &work, node);                                                   \
  }                                                                                  \
  EXPORT int instance_name(GraphExecution *execution, GraphNode *node, PARAMETERS) { \
    GraphWork work = {0};                                                            \
    return set_instance(WORK, &work, execution, node);                               \
  }

NODE_CALLS(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
           LIST(const KernelDescription *from), kernel_work(from, &work))
NODE_CALLS(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
           LIST(const Copy3D *from), copy_work(from, &work))
NODE_CALLS(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D,
           cudaGraphExecMemcpyNodeSetParams1D,
           LIST(void *to, const void *from, size_t bytes, int kind),
           row_work(to, from, bytes, kind, &work))
NODE_CALLS(cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol,
           cudaGraphExecMemcpyNodeSetParamsToSymbol,
           LIST(const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
           to_symbol_work(symbol, from, bytes, offset, kind, &work))
NODE_CALLS(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
           cudaGraphExecMemcpyNodeSetParamsFromSymbol,
           LIST(void *to, const void *symbol, size_t bytes, size_t offset, int kind),
           from_symbol_work(to, symbol, bytes, offset, kind, &work))
NODE_CALLS(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
           LIST(const FillDescription *from), fill_work(from, &work))
NODE_CALLS(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams,
           LIST(const CallDescription *from), call_work(from, &work))
NODE_CALLS(cudaGraphAddEventRecordNode, cudaGraphEventRecordNodeSetEvent,
           cudaGraphExecEventRecordNodeSetEvent, LIST(DeviceEvent *event),
           event_work(event, NODE_RECORD, &work))
NODE_CALLS(cudaGraphAddEventWaitNode, cudaGraphEventWaitNodeSetEvent,
           cudaGraphExecEventWaitNodeSetEvent, LIST(DeviceEvent *event),
           event_work(event, NODE_WAIT, &work))

// ---- nodes that are only added

EXPORT int cudaGraphAddEmptyNode(GraphNode **node, DeviceGraph *graph, GraphNode *const *before,
                                 size_t count) {
  GraphWork work = {.kind = NODE_EMPTY};
  return add(DEVICE_OK, &work, node, graph, before, count);
}

EXPORT int cudaGraphAddChildGraphNode(GraphNode **node, DeviceGraph *graph,
                                      GraphNode *const *before, size_t count, DeviceGraph *child) {
  GraphWork work = {.kind = NODE_GRAPH, .graph = child};
  return add(DEVICE_OK, &work, node, graph, before, count);
}

EXPORT int cudaGraphAddMemAllocNode(GraphNode **node, DeviceGraph *graph, GraphNode *const *before,
                                    size_t count, AllocDescription *wanted) {
  if (!wanted || !wanted->bytes) return api_result(DEVICE_INVALID_VALUE);
  GraphWork work = {.kind = NODE_ALLOC, .memory = {0, wanted->bytes}};
  int result = add(DEVICE_OK, &work, node, graph, before, count);
  if (!result)
    wanted->address = (void *)(uintptr_t)device_node_work(api_device(), *node)->memory.address;
  return result;
}

EXPORT int cudaGraphAddMemFreeNode(GraphNode **node, DeviceGraph *graph, GraphNode *const *before,
                                   size_t count, void *pointer) {
  GraphWork work = {.kind = NODE_FREE, .memory = {address_of(pointer), 0}};
  return add(DEVICE_OK, &work, node, graph, before, count);
}

// ---- any kind

typedef struct NodeDescription {
  int kind, reserved[3];
  union {
    long long size[29];
    KernelDescription kernel;
    struct {
      int flags, reserved[3];
      Copy3D copy;
    } copy;
    FillDescription fill;
    CallDescription call;
    DeviceGraph *graph;
    DeviceEvent *event;
    AllocDescription alloc;
    void *freed;
    struct {
      unsigned long long handle;
      int kind;
      unsigned size;
      DeviceGraph **bodies;  // result
    } conditional;
  };
  long long reserved_too;
} NodeDescription;

static DeviceError any_work(const NodeDescription *from, GraphWork *work) {
  if (!from) return DEVICE_INVALID_VALUE;
  switch (from->kind) {
    case NODE_KERNEL: return kernel_work(&from->kernel, work);
    case NODE_COPY: return copy_work(&from->copy.copy, work);
    case NODE_FILL: return fill_work(&from->fill, work);
    case NODE_CALL: return call_work(&from->call, work);
    case NODE_WAIT: return event_work(from->event, NODE_WAIT, work);
    case NODE_RECORD: return event_work(from->event, NODE_RECORD, work);
    case NODE_EMPTY: work->kind = NODE_EMPTY; return DEVICE_OK;
    case NODE_GRAPH:
      *work = (GraphWork){.kind = NODE_GRAPH, .graph = from->graph};
      return DEVICE_OK;
    case NODE_ALLOC:
      *work = (GraphWork){.kind = NODE_ALLOC, .memory = {0, from->alloc.bytes}};
      return from->alloc.bytes ? DEVICE_OK : DEVICE_INVALID_VALUE;
    case NODE_FREE:
      *work = (GraphWork){.kind = NODE_FREE, .memory = {address_of(from->freed), 0}};
      return DEVICE_OK;
    case NODE_CONDITIONAL:
      *work = (GraphWork){.kind = NODE_CONDITIONAL,
                          .conditional = {.handle = from->conditional.handle,
                                          .kind = (ConditionalKind)from->conditional.kind,
                                          .body_count = from->conditional.size}};
      return DEVICE_OK;
    default: return (DeviceError)api_unsupported("semaphore graph nodes");
  }
}

static int add_any(GraphNode **node, DeviceGraph *graph, GraphNode *const *before, size_t count,
                   NodeDescription *from) {
  GraphWork work = {0};
  int result = add(any_work(from, &work), &work, node, graph, before, count);
  if (!result && from->kind == NODE_ALLOC)
    from->alloc.address = (void *)(uintptr_t)device_node_work(api_device(), *node)->memory.address;
  if (!result && from->kind == NODE_CONDITIONAL)
    from->conditional.bodies = device_node_work(api_device(), *node)->conditional.bodies;
  return result;
}

enum { ASSIGNS_DEFAULT = 1 };

EXPORT int cudaGraphConditionalHandleCreate(unsigned long long *handle, DeviceGraph *graph,
                                            unsigned initial, unsigned flags) {
  uint64_t made = 0;
  if (!handle || flags & ~(unsigned)ASSIGNS_DEFAULT) return api_result(DEVICE_INVALID_VALUE);
  DeviceError error = device_conditional_create(api_device(), graph, initial, flags != 0, &made);
  if (!error) *handle = made;
  return api_result(error);
}

#if CUDA_MAJOR >= 13
EXPORT int cudaGraphAddNode(GraphNode **node, DeviceGraph *graph, GraphNode *const *before,
                            const void *edges, size_t count, NodeDescription *from) {
  (void)edges;
  return add_any(node, graph, before, count, from);
}
#else
EXPORT int cudaGraphAddNode(GraphNode **node, DeviceGraph *graph, GraphNode *const *before,
                            size_t count, NodeDescription *from) {
  return add_any(node, graph, before, count, from);
}

EXPORT int cudaGraphAddNode_v2(GraphNode **node, DeviceGraph *graph, GraphNode *const *before,
                               const void *edges, size_t count, NodeDescription *from) {
  (void)edges;
  return add_any(node, graph, before, count, from);
}
#endif

EXPORT int cudaGraphNodeSetParams(GraphNode *node, const NodeDescription *from) {
  GraphWork work = {0};
  return set(any_work(from, &work), &work, node);
}

EXPORT int cudaGraphExecNodeSetParams(GraphExecution *execution, GraphNode *node,
                                      const NodeDescription *from) {
  GraphWork work = {0};
  return set_instance(any_work(from, &work), &work, execution, node);
}

// ---- questions

static const GraphWork *work_of(GraphNode *node, GraphNodeKind kind) {
  const GraphWork *work = device_node_work(api_device(), node);
  return work && work->kind == kind ? work : NULL;
}

EXPORT int cudaGraphKernelNodeGetParams(GraphNode *node, KernelDescription *to) {
  const GraphWork *work = work_of(node, NODE_KERNEL);
  if (!work || !to) return api_result(DEVICE_INVALID_VALUE);
  const DeviceLaunch *launch = &work->launch;
  *to = (KernelDescription){.function = device_kernel_host(launch->kernel),
                            .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                            .block = {launch->block[0], launch->block[1], launch->block[2]},
                            .shared_bytes = (unsigned)launch->dynamic_shared_bytes,
                            .arguments = (void **)(uintptr_t)launch->arguments};
  return 0;
}

static PitchedPointer pointer_of(const CopyPlace *place, uint64_t height) {
  uint64_t rows = place->pitch_bytes ? place->slice_bytes / place->pitch_bytes : 0;
  return (PitchedPointer){(void *)(uintptr_t)place->address, place->pitch_bytes, place->pitch_bytes,
                          rows ? rows : height};
}

// Arrays are reported as linear memory.
EXPORT int cudaGraphMemcpyNodeGetParams(GraphNode *node, Copy3D *to) {
  static const int kinds[3][3] = {
      [SIDE_HOST] = {COPY_HOST_TO_HOST, COPY_HOST_TO_DEVICE, COPY_DEFAULT},
      [SIDE_DEVICE] = {COPY_DEVICE_TO_HOST, COPY_DEVICE_TO_DEVICE, COPY_DEFAULT},
      [SIDE_EITHER] = {COPY_DEFAULT, COPY_DEFAULT, COPY_DEFAULT}};
  const GraphWork *work = work_of(node, NODE_COPY);
  if (!work || !to) return api_result(DEVICE_INVALID_VALUE);
  const DeviceCopy *copy = &work->copy;
  *to = (Copy3D){.from = pointer_of(&copy->from, copy->height),
                 .to = pointer_of(&copy->to, copy->height),
                 .extent = {copy->width_bytes, copy->height, copy->depth},
                 .kind = kinds[copy->from.side][copy->to.side]};
  return 0;
}

EXPORT int cudaGraphMemsetNodeGetParams(GraphNode *node, FillDescription *to) {
  const GraphWork *work = work_of(node, NODE_FILL);
  if (!work || !to) return api_result(DEVICE_INVALID_VALUE);
  *to = (FillDescription){.to = (void *)(uintptr_t)work->fill.to.address,
                          .pitch = work->fill.to.pitch_bytes,
                          .value = work->fill.value,
                          .value_bytes = work->fill.value_bytes,
                          .width = work->fill.width_bytes / work->fill.value_bytes,
                          .height = work->fill.height};
  return 0;
}

EXPORT int cudaGraphHostNodeGetParams(GraphNode *node, CallDescription *to) {
  const GraphWork *work = work_of(node, NODE_CALL);
  if (!work || !to) return api_result(DEVICE_INVALID_VALUE);
  *to = (CallDescription){work->call.function, work->call.self};
  return 0;
}

EXPORT int cudaGraphEventRecordNodeGetEvent(GraphNode *node, DeviceEvent **event) {
  const GraphWork *work = work_of(node, NODE_RECORD);
  if (!work || !event) return api_result(DEVICE_INVALID_VALUE);
  *event = work->event;
  return 0;
}

EXPORT int cudaGraphEventWaitNodeGetEvent(GraphNode *node, DeviceEvent **event) {
  const GraphWork *work = work_of(node, NODE_WAIT);
  if (!work || !event) return api_result(DEVICE_INVALID_VALUE);
  *event = work->event;
  return 0;
}

EXPORT int cudaGraphChildGraphNodeGetGraph(GraphNode *node, DeviceGraph **graph) {
  const GraphWork *work = work_of(node, NODE_GRAPH);
  if (!work || !graph) return api_result(DEVICE_INVALID_VALUE);
  *graph = work->graph;
  return 0;
}

EXPORT int cudaGraphMemAllocNodeGetParams(GraphNode *node, AllocDescription *to) {
  const GraphWork *work = work_of(node, NODE_ALLOC);
  if (!work || !to) return api_result(DEVICE_INVALID_VALUE);
  memset(to, 0, sizeof *to);
  to->pool.type = to->pool.where_type = 1;  // pinned, on the device
  to->bytes = work->memory.size_bytes;
  to->address = (void *)(uintptr_t)work->memory.address;
  return 0;
}

EXPORT int cudaGraphMemFreeNodeGetParams(GraphNode *node, void **pointer) {
  const GraphWork *work = work_of(node, NODE_FREE);
  if (!work || !pointer) return api_result(DEVICE_INVALID_VALUE);
  *pointer = (void *)(uintptr_t)work->memory.address;
  return 0;
}

// ---- attributes of kernels

enum { ATTRIBUTE_WINDOW = 1, ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_PRIORITY = 8 };

EXPORT int cudaGraphKernelNodeSetAttribute(GraphNode *node, int attribute, const int *value) {
  const GraphWork *work = work_of(node, NODE_KERNEL);
  if (!work || !value) return api_result(DEVICE_INVALID_VALUE);
  if (attribute == ATTRIBUTE_WINDOW || attribute == ATTRIBUTE_PRIORITY) return 0;  // hints
  if (attribute != ATTRIBUTE_COOPERATIVE) return api_unsupported("this kernel node attribute");
  GraphWork changed = *work;
  changed.launch.is_cooperative = *value != 0;
  return api_result(device_node_set_work(api_device(), node, &changed));
}

EXPORT int cudaGraphKernelNodeGetAttribute(GraphNode *node, int attribute, int *value) {
  const GraphWork *work = work_of(node, NODE_KERNEL);
  if (!work || !value) return api_result(DEVICE_INVALID_VALUE);
  if (attribute != ATTRIBUTE_COOPERATIVE) return api_unsupported("this kernel node attribute");
  *value = work->launch.is_cooperative;
  return 0;
}

#if CUDA_MAJOR >= 13
EXPORT int cudaGraphKernelNodeCopyAttributes(GraphNode *to, GraphNode *from) {
#else
EXPORT int cudaGraphKernelNodeCopyAttributes(GraphNode *from, GraphNode *to) {
#endif
  int is_cooperative;
  int result = cudaGraphKernelNodeGetAttribute(from, ATTRIBUTE_COOPERATIVE, &is_cooperative);
  return result ? result
                : cudaGraphKernelNodeSetAttribute(to, ATTRIBUTE_COOPERATIVE, &is_cooperative);
}
