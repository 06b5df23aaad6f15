// SPDX-License-Identifier: MIT
// Graphs made node by node and by capture, launched many times, changed,
// cloned, nested; mistakes in captures.
#include "check.h"

static const int n = 1024;

__global__ void add(int *data, int count, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

__global__ void total(const int *data, int count, int *sum) {
  __shared__ int parts[256];
  int own = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) own += data[i];
  parts[threadIdx.x] = own;
  __syncthreads();
  for (int step = blockDim.x / 2; step; step /= 2) {
    if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = parts[0];
}

static int calls;
static void CUDART_CB on_host(void *data) {
  calls += *(int *)data;
}

static int input[n], *device, *other, *sum, result;
static const int plain_total = n * (n - 1) / 2;

static cudaKernelNodeParams add_node(int **data, int *count, int *value, void **arguments) {
  arguments[0] = data;
  arguments[1] = count;
  arguments[2] = value;
  cudaKernelNodeParams node = {};
  node.func = (void *)add;
  node.gridDim = dim3(n / 256);
  node.blockDim = dim3(256);
  node.kernelParams = arguments;
  return node;
}

static int launch(cudaGraphExec_t instance, cudaStream_t stream) {
  result = 0;
  CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  return result;
}

// input -> device, += 3, sum; beside it other = 0, += 5; both before the host's.
static cudaGraph_t make(cudaGraphNode_t *adding, int *step) {
  cudaGraph_t graph;
  cudaGraphNode_t copy, fill, add_other, reduce, back, host;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(input, sizeof input, n, 1);
  in.dstPtr = make_cudaPitchedPtr(device, sizeof input, n, 1);
  in.extent = make_cudaExtent(sizeof input, 1, 1);
  in.kind = cudaMemcpyHostToDevice;
  CHECK(cudaGraphAddMemcpyNode(&copy, graph, NULL, 0, &in));
  cudaMemsetParams zeros = {};
  zeros.dst = other;
  zeros.elementSize = 4;
  zeros.width = n;
  zeros.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &zeros));
  int count = n, three = 3, five = 5;
  void *arguments[3];
  cudaKernelNodeParams kernel = add_node(&device, &count, &three, arguments);
  CHECK(cudaGraphAddKernelNode(adding, graph, &copy, 1, &kernel));
  kernel = add_node(&other, &count, &five, arguments);
  CHECK(cudaGraphAddKernelNode(&add_other, graph, &fill, 1, &kernel));
  void *reduced[] = {&device, &count, &sum};
  kernel.func = (void *)total;
  kernel.gridDim = dim3(1);
  kernel.kernelParams = reduced;
  CHECK(cudaGraphAddKernelNode(&reduce, graph, adding, 1, &kernel));
  CHECK(cudaGraphAddMemcpyNode1D(&back, graph, &reduce, 1, &result, sum, sizeof(int),
                                 cudaMemcpyDeviceToHost));
  cudaGraphNode_t last[] = {back, add_other};
  cudaHostNodeParams call = {on_host, step};
  CHECK(cudaGraphAddHostNode(&host, graph, last, 2, &call));
  return graph;
}

static void node_by_node(cudaStream_t stream) {
  int step = 7, value;
  cudaGraphNode_t adding, found;
  cudaGraph_t clone, graph = make(&adding, &step);
  size_t count = 0;
  CHECK(cudaGraphGetNodes(graph, NULL, &count));
  EXPECT(count == 7);
  CHECK(cudaGraphGetRootNodes(graph, NULL, &count));
  EXPECT(count == 2);
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphNodeFindInClone(&found, adding, clone));
  cudaKernelNodeParams got;
  CHECK(cudaGraphKernelNodeGetParams(found, &got));
  EXPECT(got.func == (void *)add && got.gridDim.x == 4 && *(int *)got.kernelParams[2] == 3);

  cudaGraphExec_t instance;
  CHECK(cudaGraphInstantiateWithFlags(&instance, graph, 0));
  for (int i = 0; i < 3; i++) EXPECT(launch(instance, stream) == plain_total + 3 * n);
  EXPECT(calls == 21);
  CHECK(cudaMemcpy(&value, other + 9, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(value == 5);

  int all = n, nine = 9;
  void *arguments[3];
  cudaKernelNodeParams kernel = add_node(&device, &all, &nine, arguments);
  CHECK(cudaGraphExecKernelNodeSetParams(instance, adding, &kernel));
  EXPECT(launch(instance, stream) == plain_total + 9 * n);
  CHECK(cudaGraphNodeSetEnabled(instance, adding, 0));
  EXPECT(launch(instance, stream) == plain_total);
  CHECK(cudaGraphExecDestroy(instance));

  // The clone was not changed, and may stand in another graph.
  cudaGraph_t outer;
  cudaGraphNode_t empty, inner;
  CHECK(cudaGraphCreate(&outer, 0));
  CHECK(cudaGraphAddEmptyNode(&empty, outer, NULL, 0));
  CHECK(cudaGraphAddChildGraphNode(&inner, outer, &empty, 1, clone));
  CHECK(cudaGraphInstantiateWithFlags(&instance, outer, 0));
  CHECK(cudaGraphDestroy(clone));
  CHECK(cudaGraphDestroy(graph));
  EXPECT(launch(instance, stream) == plain_total + 3 * n);
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(outer));
}

static cudaGraph_t capture(cudaStream_t stream, cudaStream_t beside, int value) {
  cudaGraph_t graph;
  cudaEvent_t fork, join;
  static int ten = 10;
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(device, input, sizeof input, cudaMemcpyHostToDevice, stream));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(beside, fork, 0));
  CHECK(cudaMemsetAsync(other, 0, sizeof input, beside));
  add<<<n / 256, 256, 0, beside>>>(other, n, 2 * value);
  CHECK(cudaEventRecord(join, beside));
  add<<<n / 256, 256, 0, stream>>>(device, n, value);
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  total<<<1, 256, 0, stream>>>(device, n, sum);
  CHECK(cudaMemcpyAsync(&result, sum, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaLaunchHostFunc(stream, on_host, &ten));
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(beside, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  EXPECT(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
  cudaGetLastError();
  return graph;
}

static void captured(cudaStream_t stream, cudaStream_t beside) {
  int value;
  result = calls = 0;
  cudaGraph_t graph = capture(stream, beside, 4), changed = capture(stream, beside, 6);
  EXPECT(result == 0 && calls == 0);  // nothing has run yet
  cudaGraphExec_t instance;
  CHECK(cudaGraphInstantiateWithFlags(&instance, graph, 0));
  input[0] = 100;  // read when the graph runs
  EXPECT(launch(instance, stream) == plain_total + 4 * n + 100);
  EXPECT(calls == 10);
  input[0] = 0;
  CHECK(cudaMemcpy(&value, other + 1, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(value == 8);
#if CUDART_VERSION >= 12000
  cudaGraphExecUpdateResultInfo outcome;
  CHECK(cudaGraphExecUpdate(instance, changed, &outcome));
  EXPECT(outcome.result == cudaGraphExecUpdateSuccess);
#else
  cudaGraphExecUpdateResult outcome;
  CHECK(cudaGraphExecUpdate(instance, changed, NULL, &outcome));
  EXPECT(outcome == cudaGraphExecUpdateSuccess);
#endif
  EXPECT(launch(instance, stream) == plain_total + 6 * n);
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(changed));
}

// Memory that a graph takes and gives back itself.
static void with_memory(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  int *own;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaMallocAsync((void **)&own, sizeof input, stream));
  CHECK(cudaMemsetAsync(own, 0, sizeof input, stream));
  add<<<n / 256, 256, 0, stream>>>(own, n, 2);
  total<<<1, 256, 0, stream>>>(own, n, sum);
  CHECK(cudaMemcpyAsync(&result, sum, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(own, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&instance, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int i = 0; i < 2; i++) EXPECT(launch(instance, stream) == 2 * n);
  CHECK(cudaGraphExecDestroy(instance));
}

// A stream that took part in a capture may go before the capture ends.
static void streams_that_go(cudaStream_t stream) {
  for (int joins = 0; joins < 2; joins++) {
    cudaGraph_t graph;
    cudaStream_t beside;
    cudaEvent_t fork, join;
    CHECK(cudaStreamCreate(&beside));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, stream));
    CHECK(cudaStreamWaitEvent(beside, fork, 0));
    add<<<1, 32, 0, beside>>>(device, n, 1);
    CHECK(cudaEventRecord(join, beside));
    if (joins) CHECK(cudaStreamWaitEvent(stream, join, 0));
    CHECK(cudaStreamDestroy(beside));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    EXPECT(cudaStreamEndCapture(stream, &graph) ==
           (joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
    if (joins) CHECK(cudaGraphDestroy(graph));
    cudaGetLastError();
  }
}

static void mistakes(cudaStream_t stream, cudaStream_t beside) {
  cudaGraph_t graph;
  cudaEvent_t fork;
  CHECK(cudaEventCreate(&fork));
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorInvalidValue);
  EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) ==
         cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(beside, fork, 0));
  add<<<1, 32, 0, beside>>>(device, n, 1);
  EXPECT(cudaStreamEndCapture(beside, &graph) == cudaErrorStreamCaptureUnmatched);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnjoined);
  CHECK(cudaStreamSynchronize(beside));  // no part of a capture any more

  // A circle cannot be ordered.
  cudaGraphNode_t first, second;
  cudaGraphExec_t instance;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddEmptyNode(&first, graph, NULL, 0));
  CHECK(cudaGraphAddEmptyNode(&second, graph, &first, 1));
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddDependencies(graph, &second, &first, NULL, 1));
#else
  CHECK(cudaGraphAddDependencies(graph, &second, &first, 1));
#endif
  EXPECT(cudaGraphInstantiateWithFlags(&instance, graph, 0) == cudaErrorInvalidValue);
  CHECK(cudaGraphDestroy(graph));
  EXPECT(cudaGraphDestroy(graph) == cudaErrorInvalidValue);
  EXPECT(cudaGraphLaunch((cudaGraphExec_t)graph, stream) == cudaErrorInvalidValue);
  cudaGetLastError();
}

int main() {
  cudaStream_t stream, beside;
  for (int i = 0; i < n; i++) input[i] = i;
  CHECK(cudaMalloc((void **)&device, sizeof input));
  CHECK(cudaMalloc((void **)&other, sizeof input));
  CHECK(cudaMalloc((void **)&sum, sizeof(int)));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
  node_by_node(stream);
  captured(stream, beside);
  with_memory(stream);
  streams_that_go(stream);
  mistakes(stream, beside);
  CHECK(cudaDeviceReset());
  return finish("graphs");
}
