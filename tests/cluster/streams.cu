// SPDX-License-Identifier: MIT
// Launches in several streams at once, one after another in each, and in a graph.
#include "check.h"

__global__ void append(int *out, int digit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = out[i] * 10 + digit;
}

int main() {
  enum { STREAMS = 4, COUNT = 33 * 32 };
  cudaStream_t streams[STREAMS];
  std::vector<Array<int> *> arrays;
  for (int s = 0; s < STREAMS; s++) {
    CUDA(cudaStreamCreate(&streams[s]));
    arrays.push_back(new Array<int>(COUNT));
  }
  for (int round = 1; round <= 5; round++)
    for (int s = 0; s < STREAMS; s++)
      append<<<COUNT / 32, 32, 0, streams[s]>>>(*arrays[s], round);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
  append<<<COUNT / 32, 32, 0, streams[0]>>>(*arrays[0], 6);
  CUDA(cudaStreamEndCapture(streams[0], &graph));
#if CUDART_VERSION >= 12000
  CUDA(cudaGraphInstantiate(&executable, graph, 0));
#else
  CUDA(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
#endif
  CUDA(cudaGraphLaunch(executable, streams[0]));
  CUDA(cudaGraphLaunch(executable, streams[0]));
  append<<<COUNT / 32, 32, 0, streams[0]>>>(*arrays[0], 7);
  CUDA(cudaDeviceSynchronize());
  for (int s = 0; s < STREAMS; s++)
    for (int value : arrays[s]->get()) CHECK(value == (s ? 12345 : 12345667));
  for (int s = 0; s < STREAMS; s++) delete arrays[s];
  return verdict();
}
