// SPDX-License-Identifier: MIT
// Graphs: made node by node or by capturing a stream, instantiated, launched.
// Nodes that allocate, that signal semaphores or that branch, and changes of
// nodes other than kernels, are in unsupported.def.
#include "device/graphs/graphs.h"

#include "cudadriver/descriptions.h"

static DeviceGraph *graph_of(CUgraph graph) {
  return (DeviceGraph *)graph;
}

static GraphNode *node_of(CUgraphNode node) {
  return (GraphNode *)node;
}

// ---- making

EXPORT CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  NEED_INITIALIZED();
  NEED_VALUE(graph && !flags);
  return api_result(device_graph_create(api_device(), (DeviceGraph **)graph));
}

EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  NEED_INITIALIZED();
  return api_result(device_graph_destroy(api_device(), graph_of(graph)));
}

EXPORT CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
  NEED_INITIALIZED();
  NEED_VALUE(clone);
  return api_result(device_graph_clone(api_device(), graph_of(graph), (DeviceGraph **)clone));
}

static CUresult add(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                    const GraphWork *work) {
  NEED_INITIALIZED();
  NEED_VALUE(node && (before || !count));
  return api_result(device_graph_add(api_device(), graph_of(graph), work,
                                     (GraphNode *const *)(const void *)before, count,
                                     (GraphNode **)node));
}

static CUresult kernel_work(CUfunction function, const CUDA_KERNEL_NODE_PARAMS_v1 *from,
                            GraphWork *work) {
  *work = (GraphWork){.kind = NODE_KERNEL,
                      .launch = {.kernel = kernel_of(function),
                                 .grid = {from->gridDimX, from->gridDimY, from->gridDimZ},
                                 .block = {from->blockDimX, from->blockDimY, from->blockDimZ},
                                 .dynamic_shared_bytes = from->sharedMemBytes}};
  if (!work->launch.kernel) return CUDA_ERROR_INVALID_HANDLE;
  return launch_set_arguments(&work->launch, from->kernelParams, from->extra);
}

EXPORT CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                     size_t count, const CUDA_KERNEL_NODE_PARAMS_v1 *from) {
  GraphWork work;
  NEED_VALUE(from);
  NEED(kernel_work(from->func, from, &work));
  return add(node, graph, before, count, &work);
}

// The second form begins as the first, and may name a kernel in place of a function.
static CUresult kernel_work_v2(const CUDA_KERNEL_NODE_PARAMS_v2 *from, GraphWork *work) {
  NEED_VALUE(from);
  CUDA_KERNEL_NODE_PARAMS_v1 first = {
      from->func,      from->gridDimX,  from->gridDimY,       from->gridDimZ,     from->blockDimX,
      from->blockDimY, from->blockDimZ, from->sharedMemBytes, from->kernelParams, from->extra};
  return kernel_work(from->func ? from->func : (CUfunction)from->kern, &first, work);
}

EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                        size_t count, const CUDA_KERNEL_NODE_PARAMS_v2 *from) {
  GraphWork work;
  NEED(kernel_work_v2(from, &work));
  return add(node, graph, before, count, &work);
}

EXPORT CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                              const CUDA_KERNEL_NODE_PARAMS_v2 *from) {
  GraphWork work;
  NEED(kernel_work_v2(from, &work));
  return api_result(device_node_set_work(api_device(), node_of(node), &work));
}

EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec execution, CUgraphNode node,
                                                  const CUDA_KERNEL_NODE_PARAMS_v2 *from) {
  GraphWork work;
  NEED(kernel_work_v2(from, &work));
  return api_result(
      device_execution_set_work(api_device(), (GraphExecution *)execution, node_of(node), &work));
}

EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                     size_t count, const CUDA_MEMCPY3D *from, CUcontext context) {
  GraphWork work = {.kind = NODE_COPY};
  (void)context;
  NEED(box_read(from, &work.copy));
  return add(node, graph, before, count, &work);
}

EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                     size_t count, const CUDA_MEMSET_NODE_PARAMS *from,
                                     CUcontext context) {
  (void)context;
  NEED_VALUE(from);
  NEED_VALUE(from->elementSize == 1 || from->elementSize == 2 || from->elementSize == 4);
  size_t row = from->width * from->elementSize;
  GraphWork work = {
      .kind = NODE_FILL,
      .fill = {.to = {SIDE_DEVICE, from->dst, from->height > 1 ? from->pitch : row, 0},
               .value = from->value,
               .value_bytes = from->elementSize,
               .width_bytes = row,
               .height = from->height,
               .depth = 1}};
  return add(node, graph, before, count, &work);
}

EXPORT CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                   size_t count, const CUDA_HOST_NODE_PARAMS *from) {
  NEED_VALUE(from && from->fn);
  GraphWork work = {.kind = NODE_CALL, .call = {from->fn, from->userData}};
  return add(node, graph, before, count, &work);
}

EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                    size_t count) {
  return add(node, graph, before, count, &(GraphWork){.kind = NODE_EMPTY});
}

EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                         const CUgraphNode *before, size_t count, CUgraph child) {
  return add(node, graph, before, count,
             &(GraphWork){.kind = NODE_GRAPH, .graph = graph_of(child)});
}

EXPORT CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                          const CUgraphNode *before, size_t count, CUevent event) {
  return add(node, graph, before, count,
             &(GraphWork){.kind = NODE_RECORD, .event = (DeviceEvent *)event});
}

EXPORT CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                        size_t count, CUevent event) {
  return add(node, graph, before, count,
             &(GraphWork){.kind = NODE_WAIT, .event = (DeviceEvent *)event});
}

EXPORT CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                       const CUgraphNode *to, size_t count) {
  NEED_INITIALIZED();
  NEED_VALUE(!count || (from && to));
  for (size_t i = 0; i < count; i++)
    NEED(api_result(
        device_graph_link(api_device(), graph_of(graph), node_of(from[i]), node_of(to[i]))));
  return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphDestroyNode(CUgraphNode node) {
  NEED_INITIALIZED();
  return api_result(device_node_destroy(api_device(), node_of(node)));
}

// ---- questions

EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  NEED_INITIALIZED();
  const GraphWork *work = device_node_work(api_device(), node_of(node));
  NEED_VALUE(work && type);
  *type = (CUgraphNodeType)work->kind;
  return CUDA_SUCCESS;
}

// Without a place for the nodes they are counted.
EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *to, size_t *count) {
  size_t found = 0;
  NEED_INITIALIZED();
  GraphNode *const *nodes = device_graph_nodes(api_device(), graph_of(graph), &found);
  NEED_VALUE(nodes && count);
  for (size_t i = 0; to && i < *count; i++) to[i] = i < found ? (CUgraphNode)nodes[i] : NULL;
  if (!to || *count > found) *count = found;
  return CUDA_SUCCESS;
}

// ---- instances

EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *execution, CUgraph graph,
                                            unsigned long long flags) {
  NEED_INITIALIZED();
  NEED_VALUE(execution);
  if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
    return api_unsupported("device-side graph launch");
  return api_result(
      device_graph_instantiate(api_device(), graph_of(graph), flags, (GraphExecution **)execution));
}

EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *execution, CUgraph graph, CUgraphNode *misfit,
                                      char *log, size_t bytes) {
  if (misfit) *misfit = NULL;
  if (log && bytes) *log = '\0';
  return cuGraphInstantiateWithFlags(execution, graph, 0);
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec execution) {
  NEED_INITIALIZED();
  return api_result(device_execution_destroy(api_device(), (GraphExecution *)execution));
}

STREAM_CALL(cuGraphLaunch, _ptsz, LIST(CUgraphExec execution, CUstream stream),
            LIST(execution, stream)) {
  return api_result(device_execution_launch(api_device(), (GraphExecution *)execution,
                                            api_stream(meaning, stream)));
}

// There is nothing to upload to: what launching needs is there already.
STREAM_CALL(cuGraphUpload, _ptsz, LIST(CUgraphExec execution, CUstream stream),
            LIST(execution, stream)) {
  if (!device_stream_exists(api_device(), api_stream(meaning, stream)))
    return CUDA_ERROR_INVALID_HANDLE;
  NEED_VALUE(device_execution_exists(api_device(), (GraphExecution *)execution));
  return CUDA_SUCCESS;
}

// ---- capture; nothing is unsafe here, so the modes do not differ

STREAM_CALL(cuStreamBeginCapture_v2, _ptsz, LIST(CUstream stream, CUstreamCaptureMode mode),
            LIST(stream, mode)) {
  NEED_VALUE((unsigned)mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
  return api_result(device_capture_begin(api_device(), api_stream(meaning, stream), NULL, NULL, 0));
}

STREAM_CALL(cuStreamEndCapture, _ptsz, LIST(CUstream stream, CUgraph *graph), LIST(stream, graph)) {
  DeviceGraph *unwanted;  // captured into the caller's own graph
  return api_result(device_capture_end(api_device(), api_stream(meaning, stream),
                                       graph ? (DeviceGraph **)graph : &unwanted));
}

STREAM_CALL(cuStreamIsCapturing, _ptsz, LIST(CUstream stream, CUstreamCaptureStatus *status),
            LIST(stream, status)) {
  CaptureState state;
  NEED_VALUE(status);
  NEED(api_result(device_capture_state(api_device(), api_stream(meaning, stream), &state)));
  *status = state.is_broken   ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
            : state.is_active ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                              : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
