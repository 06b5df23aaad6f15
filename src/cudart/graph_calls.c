// SPDX-License-Identifier: MIT
// Graphs: their form, instances and launches. What nodes do is in node_calls.c.
#include <stdio.h>

#include "cudart/api.h"
#include "device/graphs/graphs.h"

EXPORT int cudaGraphCreate(DeviceGraph **graph, unsigned flags) {
  if (!graph || flags) return api_result(DEVICE_INVALID_VALUE);
  return api_result(device_graph_create(api_device(), graph));
}

EXPORT int cudaGraphDestroy(DeviceGraph *graph) {
  return api_result(device_graph_destroy(api_device(), graph));
}

EXPORT int cudaGraphClone(DeviceGraph **clone, DeviceGraph *graph) {
  if (!clone) return api_result(DEVICE_INVALID_VALUE);
  return api_result(device_graph_clone(api_device(), graph, clone));
}

EXPORT int cudaGraphNodeFindInClone(GraphNode **found, const GraphNode *node, DeviceGraph *clone) {
  if (!found) return api_result(DEVICE_INVALID_VALUE);
  *found = device_node_in_clone(api_device(), node, clone);
  return api_result(*found ? DEVICE_OK : DEVICE_INVALID_VALUE);
}

EXPORT int cudaGraphDestroyNode(GraphNode *node) {
  return api_result(device_node_destroy(api_device(), node));
}

EXPORT int cudaGraphNodeGetType(GraphNode *node, int *type) {
  const GraphWork *work = device_node_work(api_device(), node);
  if (!work || !type) return api_result(DEVICE_INVALID_VALUE);
  *type = (int)work->kind;
  return 0;
}

// ---- lists: without a place for them they are counted

// Remaining capacity of the caller's array.
typedef struct Listing {
  GraphNode **to;
  size_t room, count;
} Listing;

static void list(Listing *listing, GraphNode *node) {
  if (listing->to && listing->count < listing->room) listing->to[listing->count] = node;
  listing->count++;
}

// Entries past the last are NULL.
static int list_end(Listing *listing, size_t *count) {
  for (size_t i = listing->count; listing->to && i < listing->room; i++) listing->to[i] = NULL;
  *count = listing->to && listing->count > listing->room ? listing->room : listing->count;
  return 0;
}

static int list_all(GraphNode *const *nodes, size_t found, GraphNode **to, size_t *count) {
  Listing listing = {to, count && to ? *count : 0, 0};
  if (!nodes || !count) return api_result(DEVICE_INVALID_VALUE);
  for (size_t i = 0; i < found; i++) list(&listing, nodes[i]);
  return list_end(&listing, count);
}

EXPORT int cudaGraphGetNodes(DeviceGraph *graph, GraphNode **to, size_t *count) {
  size_t found = 0;
  GraphNode *const *nodes = device_graph_nodes(api_device(), graph, &found);
  return list_all(nodes, found, to, count);
}

EXPORT int cudaGraphGetRootNodes(DeviceGraph *graph, GraphNode **to, size_t *count) {
  size_t found = 0, before;
  GraphNode *const *nodes = device_graph_nodes(api_device(), graph, &found);
  Listing listing = {to, count && to ? *count : 0, 0};
  if (!nodes || !count) return api_result(DEVICE_INVALID_VALUE);
  for (size_t i = 0; i < found; i++) {
    device_node_before(api_device(), nodes[i], &before);
    if (!before) list(&listing, nodes[i]);
  }
  return list_end(&listing, count);
}

static int dependencies(GraphNode *node, GraphNode **to, size_t *count) {
  size_t found = 0;
  GraphNode *const *nodes = device_node_before(api_device(), node, &found);
  return list_all(nodes, found, to, count);
}

static int dependents(GraphNode *node, GraphNode **to, size_t *count) {
  size_t found = 0;
  GraphNode *const *nodes = device_node_after(api_device(), node, &found);
  return list_all(nodes, found, to, count);
}

static int edges(DeviceGraph *graph, GraphNode **from, GraphNode **to, size_t *count) {
  size_t found = 0, after;
  GraphNode *const *nodes = device_graph_nodes(api_device(), graph, &found);
  if (!nodes || !count || !from != !to) return api_result(DEVICE_INVALID_VALUE);
  Listing first = {from, from ? *count : 0, 0}, second = {to, to ? *count : 0, 0};
  for (size_t i = 0; i < found; i++) {
    GraphNode *const *later = device_node_after(api_device(), nodes[i], &after);
    for (size_t a = 0; a < after; a++) {
      list(&first, nodes[i]);
      list(&second, later[a]);
    }
  }
  list_end(&first, count);
  return list_end(&second, count);
}

static int link_all(DeviceGraph *graph, GraphNode *const *from, GraphNode *const *to, size_t count,
                    DeviceError (*change)(Device *, DeviceGraph *, GraphNode *, GraphNode *)) {
  DeviceError error = DEVICE_OK;
  if (count && (!from || !to)) return api_result(DEVICE_INVALID_VALUE);
  for (size_t i = 0; i < count && !error; i++) error = change(api_device(), graph, from[i], to[i]);
  return api_result(error);
}

// Data of edges came with CUDA 12, as variants of the calls, which are the
// calls themselves since 13. It concerns programmatic launches, which no edge
// here is: it reads as zeros.
static int no_data(int result, void *data, size_t count) {
  char *bytes = data;
  for (size_t i = 0; !result && bytes && i < count * 8; i++) bytes[i] = 0;
  return result;
}

#define EDGE_CALLS(suffix)                                                                       \
  EXPORT int cudaGraphNodeGetDependencies##suffix(GraphNode *node, GraphNode **to, void *data,   \
                                                  size_t *count) {                               \
    int result = dependencies(node, to, count);                                                  \
    return no_data(result, data, result ? 0 : *count);                                           \
  }                                                                                              \
  EXPORT int cudaGraphNodeGetDependentNodes##suffix(GraphNode *node, GraphNode **to, void *data, \
                                                    size_t *count) {                             \
    int result = dependents(node, to, count);                                                    \
    return no_data(result, data, result ? 0 : *count);                                           \
  }                                                                                              \
  EXPORT int cudaGraphGetEdges##suffix(DeviceGraph *graph, GraphNode **from, GraphNode **to,     \
                                       void *data, size_t *count) {                              \
    int result = edges(graph, from, to, count);                                                  \
    return no_data(result, data, result ? 0 : *count);                                           \
  }                                                                                              \
  EXPORT int cudaGraphAddDependencies##suffix(DeviceGraph *graph, GraphNode *const *from,        \
                                              GraphNode *const *to, const void *data,            \
                                              size_t count) {                                    \
    (void)data;                                                                                  \
    return link_all(graph, from, to, count, device_graph_link);                                  \
  }                                                                                              \
  EXPORT int cudaGraphRemoveDependencies##suffix(DeviceGraph *graph, GraphNode *const *from,     \
                                                 GraphNode *const *to, const void *data,         \
                                                 size_t count) {                                 \
    (void)data;                                                                                  \
    return link_all(graph, from, to, count, device_graph_unlink);                                \
  }

#if CUDA_MAJOR >= 13
EDGE_CALLS()
#else
EDGE_CALLS(_v2)

EXPORT int cudaGraphNodeGetDependencies(GraphNode *node, GraphNode **to, size_t *count) {
  return dependencies(node, to, count);
}

EXPORT int cudaGraphNodeGetDependentNodes(GraphNode *node, GraphNode **to, size_t *count) {
  return dependents(node, to, count);
}

EXPORT int cudaGraphGetEdges(DeviceGraph *graph, GraphNode **from, GraphNode **to, size_t *count) {
  return edges(graph, from, to, count);
}

EXPORT int cudaGraphAddDependencies(DeviceGraph *graph, GraphNode *const *from,
                                    GraphNode *const *to, size_t count) {
  return link_all(graph, from, to, count, device_graph_link);
}

EXPORT int cudaGraphRemoveDependencies(DeviceGraph *graph, GraphNode *const *from,
                                       GraphNode *const *to, size_t count) {
  return link_all(graph, from, to, count, device_graph_unlink);
}
#endif

// ---- a drawing of the graph

static const char *kind_name(GraphNodeKind kind) {
  static const char *const names[] = {[NODE_KERNEL] = "kernel",
                                      [NODE_COPY] = "copy",
                                      [NODE_FILL] = "fill",
                                      [NODE_CALL] = "host",
                                      [NODE_GRAPH] = "graph",
                                      [NODE_EMPTY] = "empty",
                                      [NODE_WAIT] = "wait",
                                      [NODE_RECORD] = "record",
                                      [NODE_ALLOC] = "allocate",
                                      [NODE_FREE] = "free",
                                      [NODE_CONDITIONAL] = "conditional"};
  return names[kind];
}

static void draw_node(FILE *file, GraphNode *node) {
  size_t after;
  const GraphWork *work = device_node_work(api_device(), node);
  GraphNode *const *later = device_node_after(api_device(), node, &after);
  const char *kernel = work->kind == NODE_KERNEL ? device_kernel_name(work->launch.kernel) : "";
  fprintf(file, "  node%zu [label=\"%zu %s%s%s\"];\n", device_node_index(node),
          device_node_index(node), kind_name(work->kind), *kernel ? " " : "", kernel);
  for (size_t i = 0; i < after; i++)
    fprintf(file, "  node%zu -> node%zu;\n", device_node_index(node), device_node_index(later[i]));
}

EXPORT int cudaGraphDebugDotPrint(DeviceGraph *graph, const char *path, unsigned flags) {
  size_t count;
  (void)flags;  // verbosity
  GraphNode *const *nodes = device_graph_nodes(api_device(), graph, &count);
  FILE *file = nodes && path ? fopen(path, "w") : NULL;
  if (!file) return api_result(DEVICE_INVALID_VALUE);
  fprintf(file, "digraph graph_ {\n");
  for (size_t i = 0; i < count; i++) draw_node(file, nodes[i]);
  fprintf(file, "}\n");
  return api_result(fclose(file) ? DEVICE_UNKNOWN : DEVICE_OK);
}

// ---- instances

// Memory is freed as it would be at the next launch anyway; uploading is not
// needed; priorities of nodes are those of the stream.
enum { INSTANTIATE_FREES = 1, INSTANTIATE_UPLOADS = 2, INSTANTIATE_ON_DEVICE = 4 };

static int instantiate(GraphExecution **execution, DeviceGraph *graph, uint64_t flags) {
  if (!execution) return api_result(DEVICE_INVALID_VALUE);
  if (flags & INSTANTIATE_ON_DEVICE) return api_unsupported("device-side graph launch");
  return api_result(device_graph_instantiate(api_device(), graph, flags, execution));
}

#if CUDA_MAJOR >= 12
EXPORT int cudaGraphInstantiate(GraphExecution **execution, DeviceGraph *graph,
                                unsigned long long flags) {
  return instantiate(execution, graph, flags);
}
#else
EXPORT int cudaGraphInstantiate(GraphExecution **execution, DeviceGraph *graph, GraphNode **misfit,
                                char *log, size_t log_bytes) {
  if (misfit) *misfit = NULL;
  if (log && log_bytes) *log = '\0';
  return instantiate(execution, graph, 0);
}
#endif

EXPORT int cudaGraphInstantiateWithFlags(GraphExecution **execution, DeviceGraph *graph,
                                         unsigned long long flags) {
  return instantiate(execution, graph, flags);
}

typedef struct InstantiateParameters {
  unsigned long long flags;
  StreamHandle upload;
  GraphNode *misfit;
  int result;  // 0 fine, 1 failed
} InstantiateParameters;

static int instantiate_with(GraphExecution **execution, DeviceGraph *graph,
                            InstantiateParameters *parameters) {
  if (!parameters) return api_result(DEVICE_INVALID_VALUE);
  int result = instantiate(execution, graph, parameters->flags);
  parameters->misfit = NULL;
  parameters->result = result != 0;
  return result;
}

EXPORT int cudaGraphInstantiateWithParams(GraphExecution **execution, DeviceGraph *graph,
                                          InstantiateParameters *parameters) {
  return instantiate_with(execution, graph, parameters);
}

EXPORT int cudaGraphInstantiateWithParams_ptsz(GraphExecution **execution, DeviceGraph *graph,
                                               InstantiateParameters *parameters) {
  return instantiate_with(execution, graph, parameters);
}

EXPORT int cudaGraphExecDestroy(GraphExecution *execution) {
  return api_result(device_execution_destroy(api_device(), execution));
}

EXPORT int cudaGraphExecGetFlags(GraphExecution *execution, unsigned long long *flags) {
  if (!flags || !device_execution_exists(api_device(), execution))
    return api_result(DEVICE_INVALID_VALUE);
  *flags = device_execution_flags(execution);
  return 0;
}

STREAM_CALL(cudaGraphLaunch, _ptsz, LIST(GraphExecution *execution, StreamHandle stream),
            LIST(execution, stream)) {
  return device_execution_launch(api_device(), execution, api_stream(meaning, stream));
}

// There is nothing to upload to: what launching needs is there already.
STREAM_CALL(cudaGraphUpload, _ptsz, LIST(GraphExecution *execution, StreamHandle stream),
            LIST(execution, stream)) {
  if (!device_stream_exists(api_device(), api_stream(meaning, stream)))
    return DEVICE_INVALID_HANDLE;
  return device_execution_exists(api_device(), execution) ? DEVICE_OK : DEVICE_INVALID_VALUE;
}

// cudaGraphExecUpdateResult
enum { UPDATED = 0, UPDATE_ERROR = 1, UPDATE_TOPOLOGY = 2 };

static DeviceError update(GraphExecution *execution, DeviceGraph *graph, GraphNode **misfit,
                          int *result) {
  *misfit = NULL;
  DeviceError error = device_execution_update(api_device(), execution, graph, misfit);
  *result = !error ? UPDATED : error == DEVICE_UPDATE_FAILED ? UPDATE_TOPOLOGY : UPDATE_ERROR;
  return error;
}

typedef struct UpdateInformation {
  int result;
  GraphNode *misfit, *misfit_from;
} UpdateInformation;

static int update_with(GraphExecution *execution, DeviceGraph *graph, UpdateInformation *to) {
  UpdateInformation information = {0};
  DeviceError error = update(execution, graph, &information.misfit, &information.result);
  if (to) *to = information;
  return api_result(error);
}

EXPORT int cudaGraphExecUpdate_v2(GraphExecution *execution, DeviceGraph *graph,
                                  UpdateInformation *to) {
  return update_with(execution, graph, to);
}

#if CUDA_MAJOR >= 12
EXPORT int cudaGraphExecUpdate(GraphExecution *execution, DeviceGraph *graph,
                               UpdateInformation *to) {
  return update_with(execution, graph, to);
}
#else
EXPORT int cudaGraphExecUpdate(GraphExecution *execution, DeviceGraph *graph, GraphNode **misfit,
                               int *result) {
  GraphNode *node;
  int outcome;
  DeviceError error = update(execution, graph, &node, &outcome);
  if (misfit) *misfit = node;
  if (result) *result = outcome;
  return api_result(error);
}
#endif

EXPORT int cudaGraphNodeSetEnabled(GraphExecution *execution, const GraphNode *node,
                                   unsigned is_enabled) {
  return api_result(device_execution_enable(api_device(), execution, node, is_enabled));
}

EXPORT int cudaGraphNodeGetEnabled(GraphExecution *execution, const GraphNode *node,
                                   unsigned *is_enabled) {
  bool enabled = false;
  if (!is_enabled) return api_result(DEVICE_INVALID_VALUE);
  DeviceError error = device_execution_is_enabled(api_device(), execution, node, &enabled);
  *is_enabled = enabled;
  return api_result(error);
}

// ---- memory of graphs; nothing is kept back for later

enum { GRAPH_USED, GRAPH_USED_HIGH, GRAPH_RESERVED, GRAPH_RESERVED_HIGH, GRAPH_ATTRIBUTES };

EXPORT int cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *value) {
  uint64_t now, most;
  if (device) return api_result(DEVICE_INVALID_DEVICE);
  if (!value || attribute < 0 || attribute >= GRAPH_ATTRIBUTES)
    return api_result(DEVICE_INVALID_VALUE);
  device_graph_memory(api_device(), false, &now, &most);
  *value = attribute == GRAPH_USED || attribute == GRAPH_RESERVED ? now : most;
  return 0;
}

EXPORT int cudaDeviceSetGraphMemAttribute(int device, int attribute, const uint64_t *value) {
  uint64_t now, most;
  if (device) return api_result(DEVICE_INVALID_DEVICE);
  if (!value || *value || (attribute != GRAPH_USED_HIGH && attribute != GRAPH_RESERVED_HIGH))
    return api_result(DEVICE_INVALID_VALUE);
  device_graph_memory(api_device(), true, &now, &most);
  return 0;
}

EXPORT int cudaDeviceGraphMemTrim(int device) {
  return api_result(device ? DEVICE_INVALID_DEVICE : DEVICE_OK);
}
