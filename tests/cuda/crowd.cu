// SPDX-License-Identifier: MIT
// Host threads that use different parts of the runtime at the same time: streams
// and events, captured graphs, textures, symbols and printf, host functions,
// pools and queries. Each checks its own results; a sanitizer looks for races.
#include <pthread.h>

#include "check.h"

enum { N = 512, ROUNDS = 6 };

__device__ int offset;

__global__ void add(int *data, int value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += value;
}
__global__ void add_offset(int *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] += offset;
  if (i == 0) printf("offset %d\n", offset);
}
__global__ void sample(cudaTextureObject_t texture, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1Dfetch<int>(texture, i);
}

// Whether all of the device's numbers are that one, or count up from it.
static bool holds(const int *data, int first, int step) {
  int host[N];
  CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i++)
    if (host[i] != first + i * step) return false;
  return true;
}

static int *numbers(cudaStream_t stream) {
  int *data;
  CHECK(cudaMalloc((void **)&data, N * sizeof(int)));
  CHECK(cudaMemsetAsync(data, 0, N * sizeof(int), stream));
  return data;
}

static bool use_events(int round) {
  cudaStream_t stream;
  cudaEvent_t start, stop;
  float milliseconds = -1;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  int *data = numbers(stream);
  CHECK(cudaEventRecord(start, stream));
  for (int i = 0; i < 3; i++) add<<<N / 64, 64, 0, stream>>>(data, round);
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  bool is_right = holds(data, 3 * round, 0) && milliseconds >= 0;
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(data));
  return is_right;
}

static bool use_graphs(int round) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t execution;
  CHECK(cudaStreamCreate(&stream));
  int *data = numbers(stream);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 2; i++) add<<<N / 64, 64, 0, stream>>>(data, round);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&execution, graph, 0));
  for (int i = 0; i < 2; i++) CHECK(cudaGraphLaunch(execution, stream));
  CHECK(cudaStreamSynchronize(stream));
  bool is_right = holds(data, 4 * round, 0);
  CHECK(cudaGraphExecDestroy(execution));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(data));
  return is_right;
}

static bool use_textures(int round) {
  int host[N], *in = numbers(0), *out = numbers(0);
  for (int i = 0; i < N; i++) host[i] = round + i;
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = sizeof host;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
  sample<<<N / 64, 64>>>(texture, out);
  bool is_right = holds(out, round, 1);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return is_right;
}

// No other thread uses the symbol.
static bool use_symbols(int round) {
  int *data = numbers(0), read = -1;
  CHECK(cudaMemcpyToSymbol(offset, &round, sizeof round));
  add_offset<<<N / 64, 64>>>(data);
  CHECK(cudaMemcpyFromSymbol(&read, offset, sizeof read));
  bool is_right = holds(data, round, 0) && read == round;
  CHECK(cudaFree(data));
  return is_right;
}

static void count(void *counter) {
  ++*(int *)counter;
}

static bool use_host_functions(int round) {
  cudaStream_t stream;
  int called = 0;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  int *data = numbers(stream);
  for (int i = 0; i < 3; i++) {
    add<<<N / 64, 64, 0, stream>>>(data, round);
    CHECK(cudaLaunchHostFunc(stream, count, &called));
  }
  while (cudaStreamQuery(stream) == cudaErrorNotReady) continue;
  bool is_right = called == 3 && holds(data, 3 * round, 0);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(data));
  return is_right;
}

static bool use_pools(int round) {
  cudaStream_t stream;
  int *data, blocks = 0;
  size_t free_bytes = 0, total_bytes = 0;
  cudaFuncAttributes attributes;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocAsync((void **)&data, N * sizeof(int), stream));
  CHECK(cudaMemsetAsync(data, 0, N * sizeof(int), stream));
  add<<<N / 64, 64, 0, stream>>>(data, round);
  CHECK(cudaStreamSynchronize(stream));
  bool is_right = holds(data, round, 0);
  CHECK(cudaFreeAsync(data, stream));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 64, 0));
  CHECK(cudaFuncGetAttributes(&attributes, add));
  CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  CHECK(cudaStreamDestroy(stream));
  return is_right && blocks > 0 && free_bytes < total_bytes;
}

typedef bool (*Use)(int round);
static const Use uses[] = {use_events,  use_graphs,         use_textures,
                           use_symbols, use_host_functions, use_pools};
enum { USES = sizeof uses / sizeof *uses };

static void *work(void *argument) {
  long wrong = 0;
  for (int round = 1; round <= ROUNDS; round++) wrong += !(*(const Use *)argument)(round);
  return (void *)wrong;
}

int main() {
  pthread_t threads[USES];
  for (int t = 0; t < USES; t++) pthread_create(&threads[t], NULL, work, (void *)&uses[t]);
  for (int t = 0; t < USES; t++) {
    void *wrong;
    pthread_join(threads[t], &wrong);
    EXPECT(!wrong);
  }
  return finish("crowd");
}
