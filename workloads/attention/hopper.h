// SPDX-License-Identifier: MIT
// Attention for Hopper, after FlashAttention-3 (Shah et al., 2024): a warp group fetches tiles of
// keys and values with bulk copies, two others multiply 64 queries each. Weights stay in registers,
// as the left factor of their product with the values.
#ifndef WORKLOADS_ATTENTION_HOPPER_H
#define WORKLOADS_ATTENTION_HOPPER_H

#include "attention/softmax.h"
#include "common/tensor_core.h"
#include "common/warp_group.h"

enum { WIDE = 128, TMA_THREADS = 384, FETCHING = 128, SLOTS = 2 };

struct WideTile {
  __half rows[WIDE][HEAD];  // of 128 bytes, swizzled as a whole line
};
struct TmaShared {
  WideTile queries, key[SLOTS], value[SLOTS];
};

// One thread fetches; the slots go round.
__device__ inline void fetch_all(TmaShared *shared, uint32_t full, uint32_t empty,
                                 const CUtensorMap *maps, int first_query, int first_key,
                                 int tiles) {
  uint32_t queries = empty + SLOTS * 8;
  barrier_expect(queries, sizeof shared->queries);
  copy_tile(shared_address(&shared->queries), &maps[0], 0, first_query, queries);
  for (int t = 0; t < tiles; t++) {
    int slot = t % SLOTS, row = first_key + t * WIDE;
    barrier_wait(empty + slot * 8, (t / SLOTS & 1) ^ 1);
    barrier_expect(full + slot * 8, 2 * sizeof(WideTile));
    copy_tile(shared_address(&shared->key[slot]), &maps[1], 0, row, full + slot * 8);
    copy_tile(shared_address(&shared->value[slot]), &maps[2], 0, row, full + slot * 8);
  }
}

// 64 queries times 128 keys; then their weights times 128 values.
__device__ inline void score_tile(float score[64], uint32_t queries, uint32_t key) {
#pragma unroll
  for (int i = 0; i < 64; i++) score[i] = 0;
  group_begin();
#pragma unroll
  for (int s = 0; s < HEAD / 16; s++)
    multiply_group(score, descriptor(queries + s * 32), descriptor(key + s * 32));
  group_end();
}
__device__ inline void add_values(float sum[32], const float score[64], uint32_t value) {
  uint32_t weights[8][4];
#pragma unroll
  for (int i = 0; i < 32; i++) weights[i / 4][i % 4] = pack(score[2 * i], score[2 * i + 1]);
  group_begin();
#pragma unroll
  for (int s = 0; s < 8; s++)
    multiply_registers(sum, weights[s], descriptor(value + s * 16 * HEAD * sizeof(__half)));
  group_end();
}

__device__ inline void attend_all(float sum[32], float total[2], TmaShared *shared, uint32_t full,
                                  uint32_t empty, int group, int tiles, bool tells) {
  float most[2] = {-1e30f, -1e30f}, score[64];
  uint32_t queries = shared_address(shared->queries.rows[group * 64]);
  barrier_wait(empty + SLOTS * 8, 0);
  for (int t = 0; t < tiles; t++) {
    int slot = t % SLOTS;
    barrier_wait(full + slot * 8, t / SLOTS & 1);
    score_tile(score, queries, shared_address(&shared->key[slot]));
#pragma unroll
    for (int half = 0; half < 2; half++) weigh<16>(score, sum, half, &most[half], &total[half]);
    add_values(sum, score, shared_address(&shared->value[slot]));
    if (tells) barrier_arrive(empty + slot * 8);
  }
}

// maps: of Q, K and V, as matrices of all heads' rows.
__global__ void __launch_bounds__(TMA_THREADS, 1)
    attention_tma(float *out, const CUtensorMap *maps, int length) {
  extern __shared__ __align__(1024) uint8_t tma_shared[];
  __shared__ uint64_t barriers[2 * SLOTS + 1];
  TmaShared *shared = (TmaShared *)tma_shared;
  int thread = threadIdx.x, lane = thread % 32, first = blockIdx.y * length;
  uint32_t full = shared_address(barriers), empty = full + SLOTS * 8;
  // A thread of each warp that multiplies empties a slot.
  if (thread <= 2 * SLOTS) barrier_init(full + thread * 8, thread / SLOTS == 1 ? 8 : 1);
  __syncthreads();
  if (thread < FETCHING) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (thread == 0)
      fetch_all(shared, full, empty, maps, first + blockIdx.x * WIDE, first, length / WIDE);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  int warp = (thread - FETCHING) / 32;
  float sum[32], total[2] = {0, 0};
#pragma unroll
  for (int i = 0; i < 32; i++) sum[i] = 0;
  attend_all(sum, total, shared, full, empty, warp / 4, length / WIDE, lane == 0);
  float *to =
      out + ((size_t)first + blockIdx.x * WIDE + warp * 16 + lane / 4) * HEAD + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    *(float2 *)(to + j * 8) = make_float2(sum[4 * j] / total[0], sum[4 * j + 1] / total[0]);
    *(float2 *)(to + 8 * HEAD + j * 8) =
        make_float2(sum[4 * j + 2] / total[1], sum[4 * j + 3] / total[1]);
  }
}

static void launch_tma(float *out, const CUtensorMap *maps, int heads, int length) {
  int bytes = (int)sizeof(TmaShared);
  want_shared("--stage tma", bytes);
  CUDA(cudaFuncSetAttribute(attention_tma, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  attention_tma<<<dim3(length / WIDE, heads), TMA_THREADS, bytes>>>(out, maps, length);
}

#endif
