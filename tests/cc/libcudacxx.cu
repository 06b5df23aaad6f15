// SPDX-License-Identifier: MIT
// libcu++: barriers, pipelines and atomics, in shared memory where they have constructors.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/tuple>

#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;
enum { THREADS = 128, BATCHES = 8, STAGES = 2 };

// Batches pass through shared memory in two stages, each in reversed order.
__global__ void staged(const int *in, int *out) {
  auto block = cg::this_thread_block();
  __shared__ int buffer[STAGES][THREADS];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int taken = 0, copied = 0; taken < BATCHES; taken++) {
    for (; copied < BATCHES && copied < taken + STAGES; copied++) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, buffer[copied % STAGES], in + copied * THREADS, sizeof buffer[0],
                         pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    out[taken * THREADS + threadIdx.x] = buffer[taken % STAGES][THREADS - 1 - threadIdx.x];
    block.sync();
    pipeline.consumer_release();
  }
}

// A copy that a barrier waits for; a sum by an atomic of the device.
__global__ void awaited(const int *in, int *out, int *sum) {
  __shared__ alignas(16) int values[THREADS];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, values, in, cuda::aligned_size_t<16>(sizeof values), barrier);
  barrier.wait(barrier.arrive());
  cuda::std::array<int, 2> pair{values[THREADS - 1 - threadIdx.x], 1};
  out[threadIdx.x] = pair[0] + pair[1];
  cuda::atomic_ref<int, cuda::thread_scope_device> total(*sum);
  auto parts = cuda::std::make_tuple(pair[0], 2.0f);
  total.fetch_add(cuda::std::get<0>(parts), cuda::memory_order_relaxed);
}

int main() {
  int *in, *out, *sum;
  CUDA(cudaMallocManaged(&in, BATCHES * THREADS * sizeof(int)));
  CUDA(cudaMallocManaged(&out, BATCHES * THREADS * sizeof(int)));
  CUDA(cudaMallocManaged(&sum, sizeof(int)));
  for (int i = 0; i < BATCHES * THREADS; i++) in[i] = i * 3;
  staged<<<1, THREADS>>>(in, out);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < BATCHES * THREADS; i++) {
    int other = i / THREADS * THREADS + THREADS - 1 - i % THREADS;
    CHECK(out[i] == in[other], "%d: %d", i, out[i]);
  }
  *sum = 0;
  awaited<<<2, THREADS>>>(in, out, sum);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < THREADS; i++) CHECK(out[i] == in[THREADS - 1 - i] + 1, "%d: %d", i, out[i]);
  CHECK(*sum == 2 * 3 * (THREADS - 1) * THREADS / 2, "sum %d", *sum);
  return check_end();
}
