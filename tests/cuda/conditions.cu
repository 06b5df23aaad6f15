// SPDX-License-Identifier: MIT
// Conditional nodes of graphs: all kinds, nested, with initial values, in clones, captured,
// changed in their bodies; a loop that nothing can end.
#include "check.h"

__global__ void set(cudaGraphConditionalHandle handle, int value) {
  cudaGraphSetConditional(handle, value);
}

__global__ void count_down(int *left, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, --*left != 0);
}

__global__ void add(int *to, int value) {
  *to += value;
}

enum { PICKED, LEFT, FIRST_ROUND, LATER_ROUNDS, END, BESIDE, NUMBERS };
static int *numbers;

template <class... Arguments>
static cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t *before,
                              void (*function)(Arguments...), Arguments... arguments) {
  void *pointers[] = {&arguments...};
  cudaGraphNode_t node;
  cudaGraphNodeParams wanted = {cudaGraphNodeTypeKernel};
  wanted.kernel.func = (void *)function;
  wanted.kernel.gridDim = wanted.kernel.blockDim = 1;
  wanted.kernel.kernelParams = pointers;
  CHECK(cudaGraphAddNode(&node, graph, before, NULL, before ? 1 : 0, &wanted));
  return node;
}

static cudaGraph_t *condition(cudaGraph_t graph, cudaGraphNode_t *before,
                              cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                              unsigned size, cudaGraphNode_t *node) {
  cudaGraphNodeParams wanted = {cudaGraphNodeTypeConditional};
  wanted.conditional.handle = handle;
  wanted.conditional.type = type;
  wanted.conditional.size = size;
  CHECK(cudaGraphAddNode(node, graph, before, NULL, before ? 1 : 0, &wanted));
  return wanted.conditional.phGraph_out;
}

// Picks one of three; then counts down, where the first round differs from the later ones.
static cudaGraph_t make(cudaGraphNode_t *picked) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle which, more, first;
  cudaGraphNode_t choice, loop, inner;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&which, graph));
  CHECK(cudaGraphConditionalHandleCreate(&more, graph, 1, cudaGraphCondAssignDefault));
  CHECK(cudaGraphConditionalHandleCreate(&first, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNode_t setting = kernel(graph, NULL, set, which, 2);
  cudaGraph_t *cases = condition(graph, &setting, which, cudaGraphCondTypeSwitch, 3, &choice);
  for (int i = 0; i < 3; i++) *picked = kernel(cases[i], NULL, add, numbers + PICKED, i + 10);
  cudaGraph_t *body = condition(graph, &choice, more, cudaGraphCondTypeWhile, 1, &loop);
  cudaGraphNode_t counting = kernel(body[0], NULL, count_down, numbers + LEFT, more);
  cudaGraph_t *ways = condition(body[0], &counting, first, cudaGraphCondTypeIf, 2, &inner);
  cudaGraphNode_t adding = kernel(ways[0], NULL, add, numbers + FIRST_ROUND, 7);
  kernel(ways[0], &adding, set, first, 0);
  kernel(ways[1], NULL, add, numbers + LATER_ROUNDS, 1);
  kernel(graph, &loop, add, numbers + END, 1);
  return graph;
}

static void expect_run(cudaGraphExec_t instance, cudaStream_t stream, int rounds, int picked) {
  memset(numbers, 0, NUMBERS * sizeof(int));
  numbers[LEFT] = rounds;
  CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaDeviceSynchronize());
  EXPECT(numbers[PICKED] == picked);
  EXPECT(numbers[LEFT] == 0);
  EXPECT(numbers[FIRST_ROUND] == 7);
  EXPECT(numbers[LATER_ROUNDS] == rounds - 1);
  EXPECT(numbers[END] == 1);
}

// Work that the host asks for later waits for the bodies, too.
static void test_order(cudaGraphExec_t instance, cudaStream_t stream) {
  memset(numbers, 0, NUMBERS * sizeof(int));
  numbers[LEFT] = 4;
  CHECK(cudaGraphLaunch(instance, 0));
  CHECK(cudaMemcpyAsync(numbers + BESIDE, numbers + LATER_ROUNDS, sizeof(int), cudaMemcpyDefault,
                        stream));
  CHECK(cudaDeviceSynchronize());
  EXPECT(numbers[BESIDE] == 3);
}

static void test_change(cudaGraphExec_t instance, cudaGraphNode_t picked, cudaStream_t stream) {
  int *to = numbers + PICKED, value = 50;
  void *pointers[] = {&to, &value};
  cudaKernelNodeParams wanted = {};
  wanted.func = (void *)add;
  wanted.gridDim = wanted.blockDim = dim3(1);
  wanted.kernelParams = pointers;
  CHECK(cudaGraphExecKernelNodeSetParams(instance, picked, &wanted));
  expect_run(instance, stream, 2, 50);
}

// A body that is captured; the condition is what the handle got at the last launch.
static void test_capture(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
  cudaGraph_t *body = condition(graph, NULL, handle, cudaGraphCondTypeIf, 1, &node);
  CHECK(cudaStreamBeginCaptureToGraph(stream, body[0], NULL, NULL, 0,
                                      cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(numbers + PICKED, 1);
  CHECK(cudaStreamEndCapture(stream, NULL));
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  numbers[PICKED] = 0;
  for (int value = 0; value < 2; value++) {
    set<<<1, 1, 0, stream>>>(handle, value);
    CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaDeviceSynchronize());
    EXPECT(numbers[PICKED] == value);
  }
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));
}

// Programs forget the edge from the kernel that sets the condition.
static void test_forgotten_edge(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
  kernel(graph, NULL, set, handle, 1);
  cudaGraph_t *body = condition(graph, NULL, handle, cudaGraphCondTypeIf, 1, &node);
  kernel(body[0], NULL, add, numbers + PICKED, 1);
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  numbers[PICKED] = 0;
  CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaDeviceSynchronize());
  EXPECT(numbers[PICKED] == 1);
}

static void test_endless_loop(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  condition(graph, NULL, handle, cudaGraphCondTypeWhile, 1, &node);
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  CHECK(cudaGraphLaunch(instance, stream));
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
}

static void test_mistakes() {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
  cudaGraphNodeParams wanted = {cudaGraphNodeTypeConditional};
  wanted.conditional.handle = handle;
  wanted.conditional.type = cudaGraphCondTypeWhile;
  wanted.conditional.size = 2;
  EXPECT(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &wanted) == cudaErrorInvalidValue);
  wanted.conditional.size = 1;
  wanted.conditional.handle = 12345;
  EXPECT(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &wanted) == cudaErrorInvalidValue);
  EXPECT(cudaGraphConditionalHandleCreate(&handle, graph, 0, 8) == cudaErrorInvalidValue);
  EXPECT(cudaGraphConditionalHandleCreate(&handle, NULL) == cudaErrorInvalidValue);
  cudaGraph_t *body = condition(graph, NULL, handle, cudaGraphCondTypeIf, 1, &node);
  EXPECT(cudaGraphDestroy(body[0]) == cudaErrorInvalidValue);
  CHECK(cudaGraphDestroy(graph));
}

int main() {
  cudaGraphExec_t instance;
  cudaGraph_t clone;
  cudaGraphNode_t picked;
  cudaStream_t stream;
  CHECK(cudaMallocManaged(&numbers, NUMBERS * sizeof(int)));
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph = make(&picked);
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  CHECK(cudaGraphClone(&clone, graph));
  expect_run(instance, 0, 5, 12);
  expect_run(instance, stream, 1, 12);
  test_order(instance, stream);
  test_change(instance, picked, stream);
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphInstantiate(&instance, clone, 0));
  expect_run(instance, stream, 3, 12);
  test_capture(stream);
  test_mistakes();
  test_forgotten_edge(stream);
  test_endless_loop(stream);
  return finish("conditions");
}
