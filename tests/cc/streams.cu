// SPDX-License-Identifier: MIT
// Streams, pinned and managed memory, pitched rows, occupancy, errors.
#include "check.h"

__global__ void scale(int *data, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}

__global__ void transpose(const float *in, size_t pitch, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[x * height + y] = ((const float *)((const char *)in + y * pitch))[x];
}

static void test_streams() {
  const int n = 1024;
  int *host, *device;
  cudaStream_t streams[4];
  CUDA(cudaMallocHost(&host, 4 * n * sizeof(int)));
  CUDA(cudaMalloc(&device, 4 * n * sizeof(int)));
  for (int i = 0; i < 4 * n; i++) host[i] = i;
  for (int s = 0; s < 4; s++) {
    CUDA(cudaStreamCreate(&streams[s]));
    CUDA(cudaMemcpyAsync(device + s * n, host + s * n, n * sizeof(int), cudaMemcpyHostToDevice,
                         streams[s]));
    scale<<<n / 128, 128, 0, streams[s]>>>(device + s * n, n, s + 2);
    CUDA(cudaMemcpyAsync(host + s * n, device + s * n, n * sizeof(int), cudaMemcpyDeviceToHost,
                         streams[s]));
  }
  for (int s = 0; s < 4; s++) {
    CUDA(cudaStreamSynchronize(streams[s]));
    CUDA(cudaStreamDestroy(streams[s]));
  }
  for (int i = 0; i < 4 * n; i++) CHECK(host[i] == i * (i / n + 2), "%d: %d", i, host[i]);
  CUDA(cudaFreeHost(host));
  CUDA(cudaFree(device));
}

static void test_managed() {
  int *data;
  CUDA(cudaMallocManaged(&data, 256 * sizeof(int)));
  for (int i = 0; i < 256; i++) data[i] = i;
  scale<<<1, 256>>>(data, 256, 5);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 256; i++) CHECK(data[i] == 5 * i, "%d: %d", i, data[i]);
  CUDA(cudaFree(data));
}

static void test_pitch() {
  enum { W = 37, H = 21 };
  float in[H][W], out[W][H], *din, *dout;
  size_t pitch;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) in[y][x] = y * 100.0f + x;
  CUDA(cudaMallocPitch(&din, &pitch, W * sizeof(float), H));
  CUDA(cudaMalloc(&dout, sizeof out));
  CUDA(cudaMemcpy2D(din, pitch, in, sizeof in[0], sizeof in[0], H, cudaMemcpyHostToDevice));
  transpose<<<dim3(3, 2), dim3(16, 16)>>>(din, pitch, dout, W, H);
  CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) CHECK(out[x][y] == in[y][x], "%d %d: %g", x, y, out[x][y]);
}

// What calls without a stream mean: the thread's own with -default-stream per-thread.
static void test_default_stream() {
  unsigned long long plain, own;
  CUDA(cudaStreamGetId(0, &plain));
  CUDA(cudaStreamGetId(cudaStreamPerThread, &own));
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  CHECK(plain == own, "streams %llu and %llu", plain, own);
  cudaGraph_t graph;
  size_t nodes = 0;
  CUDA(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal));
  scale<<<1, 1>>>(NULL, 0, 0);
  CUDA(cudaStreamEndCapture(cudaStreamPerThread, &graph));
  CUDA(cudaGraphGetNodes(graph, NULL, &nodes));
  CHECK(nodes == 1, "%zu launches were captured", nodes);
#else
  CHECK(plain != own, "streams %llu and %llu", plain, own);
#endif
}

static void test_launch_with_attributes() {
  int *data;
  CUDA(cudaMallocManaged(&data, 64 * sizeof(int)));
  for (int i = 0; i < 64; i++) data[i] = i;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA(cudaLaunchKernelEx(&config, scale, data, 64, short(3)));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++) CHECK(data[i] == 3 * i, "%d: %d", i, data[i]);
  CUDA(cudaFree(data));
}

int main() {
  test_default_stream();
  test_launch_with_attributes();
  cudaDeviceProp properties;
  int count, grid, block, blocks;
  CUDA(cudaGetDeviceCount(&count));
  CUDA(cudaGetDeviceProperties(&properties, 0));
  CHECK(count >= 1 && properties.warpSize == 32 && properties.multiProcessorCount > 0, "%d", count);
  CHECK(properties.maxThreadsPerBlock >= 512 && properties.totalGlobalMem > 1 << 20, "%d",
        properties.maxThreadsPerBlock);
  test_streams();
  test_managed();
  test_pitch();
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 128, 0));
  CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale));
  CHECK(blocks > 0 && block >= 64 && grid >= properties.multiProcessorCount, "%d %d %d", blocks,
        block, grid);
  scale<<<1, 5000>>>(NULL, 0, 0);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration, "a block of 5000 threads ran");
  CHECK(cudaGetLastError() == cudaSuccess, "the error stayed");
  return check_end();
}
