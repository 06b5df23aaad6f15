// SPDX-License-Identifier: MIT
// A graph made node by node, and one captured from a stream, launched often.
#include "check_driver.h"

static const int n = 256;

#if CUDA_VERSION >= 12000
static CUresult instantiate(CUgraphExec *execution, CUgraph graph) {
  return cuGraphInstantiate(execution, graph, 0);
}
#else
static CUresult instantiate(CUgraphExec *execution, CUgraph graph) {
  return cuGraphInstantiate(execution, graph, NULL, NULL, 0);
}
#endif

static void count(void *calls) {
  ++*(int *)calls;
}

// fill a, fill b -> add -> copy to the host -> call
static void by_hand(CUcontext context, CUfunction function, CUdeviceptr a, CUdeviceptr b,
                    CUdeviceptr c) {
  CUgraph graph;
  CUgraphNode fills[2], kernel, copied, called;
  CUgraphExec execution;
  CUgraphNodeType type;
  std::vector<float> host(n);
  int size = n, calls = 0;
  void *arguments[] = {&a, &b, &c, &size};
  CHECK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill = {};
  fill.dst = a;
  fill.value = 0x40000000;  // 2
  fill.elementSize = 4;
  fill.width = n;
  fill.height = 1;
  CHECK(cuGraphAddMemsetNode(&fills[0], graph, NULL, 0, &fill, context));
  fill.dst = b;
  fill.value = 0x40400000;  // 3
  CHECK(cuGraphAddMemsetNode(&fills[1], graph, NULL, 0, &fill, context));
  CUDA_KERNEL_NODE_PARAMS launch = {};
  launch.func = function;
  launch.gridDimX = n / 64;
  launch.blockDimX = 64;
  launch.gridDimY = launch.gridDimZ = launch.blockDimY = launch.blockDimZ = 1;
  launch.kernelParams = arguments;
  CHECK(cuGraphAddKernelNode(&kernel, graph, fills, 2, &launch));
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = c;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = host.data();
  copy.WidthInBytes = n * 4;
  copy.Height = copy.Depth = 1;
  CHECK(cuGraphAddMemcpyNode(&copied, graph, &kernel, 1, &copy, context));
  CUDA_HOST_NODE_PARAMS call = {};
  call.fn = count;
  call.userData = &calls;
  CHECK(cuGraphAddHostNode(&called, graph, &copied, 1, &call));
  CHECK(cuGraphNodeGetType(kernel, &type));
  EXPECT(type == CU_GRAPH_NODE_TYPE_KERNEL);
  size_t nodes = 0;
  CHECK(cuGraphGetNodes(graph, NULL, &nodes));
  EXPECT(nodes == 5);
  CHECK(instantiate(&execution, graph));
  for (int i = 0; i < 3; i++) CHECK(cuGraphLaunch(execution, NULL));
  CHECK(cuCtxSynchronize());
  EXPECT(calls == 3);
  for (float value : host) EXPECT(value == 5);
  CHECK(cuGraphExecDestroy(execution));
  CHECK(cuGraphDestroy(graph));
}

static void captured(CUfunction function, CUdeviceptr a, CUdeviceptr b) {
  CUgraph graph;
  CUgraphExec execution;
  CUstream stream;
  CUstreamCaptureStatus status;
  int size = n;
  void *arguments[] = {&a, &b, &a, &size};  // a += b
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuMemsetD32(a, 0, n));
  CHECK(cuMemsetD32(b, 0x3f800000, n));  // 1
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(cuLaunchKernel(function, n / 64, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
  CHECK(cuStreamIsCapturing(stream, &status));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(cuStreamEndCapture(stream, &graph));
  CHECK(instantiate(&execution, graph));
  for (int i = 0; i < 7; i++) CHECK(cuGraphLaunch(execution, stream));
  CHECK(cuStreamSynchronize(stream));
  for (float value : download<float>(a, n)) EXPECT(value == 7);
  CHECK(cuGraphExecDestroy(execution));
  EXPECT(cuGraphLaunch(execution, stream) != CUDA_SUCCESS);
  CHECK(cuGraphDestroy(graph));
  CHECK(cuStreamDestroy(stream));
}

int main(int argc, char **argv) {
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdevice device = first_device();
  CHECK(create_context(&context, 0, device));
  CHECK(cuModuleLoad(&module, argc > 1 ? argv[1] : "kernels.ptx"));
  CHECK(cuModuleGetFunction(&function, module, "vector_add"));
  std::vector<float> zeros(n);
  CUdeviceptr a = upload(zeros), b = upload(zeros), c = upload(zeros);
  by_hand(context, function, a, b, c);
  captured(function, a, b);
  CHECK(cuCtxDestroy(context));
  return finish("graphs");
}
