// SPDX-License-Identifier: MIT
// Copies to shared memory that threads wait for in every way that CUDA has:
// cuda::barrier, cooperative groups, cuda::pipeline; and warps with different work.
// nvcc: -arch=compute_90 -std=c++17
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "check.h"

namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> Barrier;
#pragma nv_diag_suppress static_var_with_dynamic_init

enum { THREADS = 256, COUNT = 1024 };

// All of them turn each piece of THREADS elements round.
__global__ void with_barrier(const int *from, int *to) {
  __shared__ alignas(16) int s[THREADS];
  __shared__ Barrier barrier;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  for (int i = 0; i < COUNT; i += THREADS) {
    cuda::memcpy_async(block, s, from + i, cuda::aligned_size_t<16>(sizeof s), barrier);
    barrier.arrive_and_wait();
    to[i + threadIdx.x] = s[THREADS - 1 - threadIdx.x];
    barrier.arrive_and_wait();
  }
}

__global__ void with_group(const int *from, int *to) {
  __shared__ int s[THREADS];
  auto block = cg::this_thread_block();
  for (int i = 0; i < COUNT; i += THREADS) {
    cg::memcpy_async(block, s, from + i, sizeof s);
    cg::wait(block);
    to[i + threadIdx.x] = s[THREADS - 1 - threadIdx.x];
    block.sync();
  }
}

__global__ void with_pipeline(const int *from, int *to) {
  enum { STAGES = 2, TILES = COUNT / THREADS };
  __shared__ int s[STAGES][THREADS];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int tile = 0, next = 0; tile < TILES; tile++) {
    for (; next < TILES && next < tile + STAGES; next++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[next % STAGES], from + next * THREADS, sizeof s[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    to[tile * THREADS + threadIdx.x] = s[tile % STAGES][THREADS - 1 - threadIdx.x];
    pipe.consumer_release();
  }
}

__global__ void with_own_pipeline(const int *from, int *to) {
  __shared__ int s[THREADS];
  auto pipe = cuda::make_pipeline();
  for (int i = 0; i < COUNT; i += THREADS) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[threadIdx.x], &from[i + threadIdx.x], sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    to[i + threadIdx.x] = s[THREADS - 1 - threadIdx.x];
    __syncthreads();
    pipe.consumer_release();
  }
}

// Half of the warps read, the others write; some leave for good.
__global__ void with_roles(const int *from, int *to) {
  enum { HALF = THREADS / 2 };
  __shared__ Barrier full, empty, last;
  __shared__ int s[HALF];
  if (threadIdx.x == 0) {
    init(&full, THREADS);
    init(&empty, THREADS);
    init(&last, THREADS);
  }
  __syncthreads();
  if (threadIdx.x < HALF) {
    for (int i = 0; i < COUNT; i += HALF) {
      empty.arrive_and_wait();
      s[threadIdx.x] = from[i + threadIdx.x];
      (void)full.arrive();
    }
    last.arrive_and_drop();
    return;
  }
  int t = (int)threadIdx.x - HALF;
  (void)empty.arrive();
  for (int i = 0; i < COUNT; i += HALF) {
    full.arrive_and_wait();
    to[i / THREADS * THREADS + THREADS - 1 - (i % THREADS + t)] = s[t];
    (void)empty.arrive();
  }
  last.arrive_and_wait();
  last.arrive_and_wait();
}

int main() {
  typedef void (*Kernel)(const int *, int *);
  static const Kernel kernels[] = {with_barrier, with_group, with_pipeline, with_own_pipeline, with_roles};
  int *from, *to;
  CHECK(cudaMallocManaged(&from, COUNT * sizeof *from));
  CHECK(cudaMallocManaged(&to, COUNT * sizeof *to));
  for (int i = 0; i < COUNT; i++) from[i] = i * 3 + 1;
  for (Kernel kernel : kernels) {
    memset(to, 0, COUNT * sizeof *to);
    kernel<<<1, THREADS>>>(from, to);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
      EXPECT(to[i] == from[i / THREADS * THREADS + THREADS - 1 - i % THREADS]);
  }
  return finish("pipelines");
}
