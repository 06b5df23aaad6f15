// SPDX-License-Identifier: MIT
// Weights of a tile of scores, by the largest score and the sum of each query so far.
#ifndef WORKLOADS_ATTENTION_SOFTMAX_H
#define WORKLOADS_ATTENTION_SOFTMAX_H

#include <cstdint>

enum { HEAD = 64 };

__device__ inline float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ inline uint32_t pack(float low, float high) {
  uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

// Of the four lanes that share a row.
__device__ inline float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ inline float row_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

// One of a thread's two queries, of PARTS x 8 keys: scores become weights, what was summed up so
// far shrinks with the largest score.
template <int PARTS>
__device__ inline void weigh(float *score, float *sum, int half, float *most, float *total) {
  const float scale = 0.125f * 1.44269504f;  // scores in powers of two
  float largest = *most;
#pragma unroll
  for (int j = 0; j < PARTS; j++)
    largest = fmaxf(largest, fmaxf(score[4 * j + 2 * half], score[4 * j + 2 * half + 1]) * scale);
  largest = row_max(largest);
  float shrink = power_of_two(*most - largest), added = 0;
  *most = largest;
#pragma unroll
  for (int j = 0; j < PARTS; j++)
#pragma unroll
    for (int e = 4 * j + 2 * half; e < 4 * j + 2 * half + 2; e++) {
      score[e] = power_of_two(score[e] * scale - largest);
      added += score[e];
      if (j < HEAD / 8) sum[e] *= shrink;
    }
  *total = *total * shrink + row_sum(added);
}

#endif
