// SPDX-License-Identifier: MIT
// Sums and maxima over the threads of a CTA, of whole warps.
#ifndef WORKLOADS_REDUCE_H
#define WORKLOADS_REDUCE_H

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// `room` has a float for each warp; all threads get the result.
template <class Operation>
__device__ inline float reduce_cta(float x, float *room, Operation operation) {
  for (int distance = 16; distance; distance /= 2)
    x = operation(x, __shfl_xor_sync(~0u, x, distance));
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  float all = room[0];
  for (unsigned i = 1; i < blockDim.x / 32; i++) all = operation(all, room[i]);
  return all;
}

#endif
