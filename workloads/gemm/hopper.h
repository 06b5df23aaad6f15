// SPDX-License-Identifier: MIT
// The stages of gemm.cu for Hopper: warp groups that multiply from shared memory, with cp.async and
// with bulk copies of tiles.
#ifndef WORKLOADS_GEMM_HOPPER_H
#define WORKLOADS_GEMM_HOPPER_H

#include "common/device_array.h"
#include "common/tensor_core.h"
#include "common/warp_group.h"
#include "gemm/tile.h"

// ---- warp groups

enum { GROUP_DEPTH = GROUP_COLUMNS, GROUP_BUFFERS = 3 };

struct GroupBuffer {
  __half a[TILE][GROUP_DEPTH], b[TILE][GROUP_DEPTH];  // rows of 128 bytes, swizzled as a whole line
};

__device__ inline void fetch_group(GroupBuffer *buffer, const __half *a, const __half *b, int k,
                                   int at, int thread) {
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int row = thread / 8 + i * 32, chunk = thread % 8, place = (chunk ^ row % 8) * CHUNK;
    copy_async(shared_address(&buffer->a[row][place]), &a[(size_t)row * k + at + chunk * CHUNK]);
    copy_async(shared_address(&buffer->b[row][place]), &b[(size_t)row * k + at + chunk * CHUNK]);
  }
}

__global__ void __launch_bounds__(THREADS, 2)
    gemm_wgmma(float *c, const __half *a, const __half *b, int n, int k, int group) {
  extern __shared__ __align__(1024) GroupBuffer group_buffers[];
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, tile_row, tile_column;
  tile_of(group, &tile_row, &tile_column);
  const __half *from_a = a + (size_t)tile_row * TILE * k, *from_b = b + (size_t)tile_column * TILE * k;
  float sum[64];
#pragma unroll
  for (int i = 0; i < 64; i++) sum[i] = 0;
  for (int i = 0; i < GROUP_BUFFERS - 1; i++) {
    if (i * GROUP_DEPTH < k) fetch_group(&group_buffers[i], from_a, from_b, k, i * GROUP_DEPTH, thread);
    copy_commit();
  }
  int next = GROUP_BUFFERS - 1, current = 0;
  for (int at = 0; at < k; at += GROUP_DEPTH) {
    copy_wait<GROUP_BUFFERS - 2>();
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint32_t address_a = shared_address(&group_buffers[current].a[warp / 4 * 64][0]);
    uint32_t address_b = shared_address(&group_buffers[current].b[0][0]);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < GROUP_DEPTH / 16; step++)
      multiply_group(sum, descriptor(address_a + step * 32), descriptor(address_b + step * 32));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    int ahead = at + (GROUP_BUFFERS - 1) * GROUP_DEPTH;
    if (ahead < k) {
      // The buffer that is filled now was read in the step before.
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      __syncthreads();
      fetch_group(&group_buffers[next], from_a, from_b, k, ahead, thread);
    }
    copy_commit();
    next = next + 1 == GROUP_BUFFERS ? 0 : next + 1;
    current = current + 1 == GROUP_BUFFERS ? 0 : current + 1;
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  int row = tile_row * TILE + warp * 16 + lane / 4, column = tile_column * TILE + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 64; i += 4) {
    float *at = c + (size_t)row * n + column + i * 2;
    *(float2 *)at = make_float2(sum[i], sum[i + 1]);
    *(float2 *)(at + 8 * (size_t)n) = make_float2(sum[i + 2], sum[i + 3]);
  }
}

// ---- a warp group that fetches, two that multiply

enum { TMA_THREADS = 384, FETCHING = 128 };

template <int N>
struct TmaBuffer {
  __half a[TILE][GROUP_DEPTH], b[N][GROUP_DEPTH];
};

__device__ inline void multiply_group_256(float d[128], uint64_t a, uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
      "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "
      "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, "
      "%74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, "
      "%92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "
      "%108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, "
      "%123, %124, %125, %126, %127}, %128, %129, p, 1, 1, 0, 0;}"
      : SUMS8(d, 0), SUMS8(d, 8), SUMS8(d, 16), SUMS8(d, 24), SUMS8(d, 32), SUMS8(d, 40),
        SUMS8(d, 48), SUMS8(d, 56), SUMS8(d, 64), SUMS8(d, 72), SUMS8(d, 80), SUMS8(d, 88),
        SUMS8(d, 96), SUMS8(d, 104), SUMS8(d, 112), SUMS8(d, 120)
      : "l"(a), "l"(b)
      : "memory");
}
template <int N>
__device__ inline void multiply_tile(float *d, uint64_t a, uint64_t b) {
  if (N == 256)
    multiply_group_256(d, a, b);
  else
    multiply_group(d, a, b);
}

template <int N>
__device__ inline void fetch_tiles(TmaBuffer<N> *buffer, uint32_t full, const CUtensorMap *map_a,
                                   const CUtensorMap *map_b, int at, int row, int column) {
  barrier_expect(full, sizeof *buffer);
  copy_tile(shared_address(buffer->a), map_a, at, row, full);
  copy_tile(shared_address(buffer->b), map_b, at, column, full);
}

// One thread of the first warp group fetches; the buffers go round.
template <int N, int COUNT>
__device__ inline void fetch_all(TmaBuffer<N> *buffers, uint32_t full, uint32_t empty,
                                 const CUtensorMap *map_a, const CUtensorMap *map_b, int k, int row,
                                 int column) {
  for (int step = 0; step * GROUP_DEPTH < k; step++) {
    int slot = step % COUNT;
    barrier_wait(empty + slot * 8, (step / COUNT & 1) ^ 1);
    fetch_tiles(&buffers[slot], full + slot * 8, map_a, map_b, step * GROUP_DEPTH, row, column);
  }
}

template <int N, int COUNT>
__device__ inline void multiply_all(float *sum, TmaBuffer<N> *buffers, uint32_t full, uint32_t empty,
                                    int k, int group, bool tells) {
  int slot = 0, last = 0;
  for (int step = 0; step * GROUP_DEPTH < k; step++) {
    slot = step % COUNT;
    barrier_wait(full + slot * 8, step / COUNT & 1);
    uint32_t a = shared_address(buffers[slot].a[group * 64]), b = shared_address(buffers[slot].b);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < GROUP_DEPTH / 16; i++)
      multiply_tile<N>(sum, descriptor(a + i * 32), descriptor(b + i * 32));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    // The buffer of the step before is free when its products are over.
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (step && tells) barrier_arrive(empty + last * 8);
    last = slot;
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

template <int N, int COUNT>
__global__ void __launch_bounds__(TMA_THREADS, N == 256 ? 1 : 2)
    gemm_tma(float *c, const CUtensorMap *map_a, const CUtensorMap *map_b, int n, int k, int group) {
  extern __shared__ __align__(1024) uint8_t tma_buffers[];
  __shared__ uint64_t barriers[2 * COUNT];
  TmaBuffer<N> *buffers = (TmaBuffer<N> *)tma_buffers;
  int thread = threadIdx.x, lane = thread % 32, tile_row, tile_column;
  uint32_t full = shared_address(barriers), empty = full + COUNT * 8;
  tile_of(group, &tile_row, &tile_column);
  if (thread < COUNT) {
    barrier_init(full + thread * 8, 1);
    barrier_init(empty + thread * 8, 8);  // a thread of each warp that multiplies
  }
  __syncthreads();
  if (thread < FETCHING) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (thread == 0)
      fetch_all<N, COUNT>(buffers, full, empty, map_a, map_b, k, tile_row * TILE, tile_column * N);
    return;
  }
  if (N == 256)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  else
    asm volatile("setmaxnreg.inc.sync.aligned.u32 104;");
  int warp = (thread - FETCHING) / 32;
  float sum[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; i++) sum[i] = 0;
  multiply_all<N, COUNT>(sum, buffers, full, empty, k, warp / 4, lane == 0);
  int row = tile_row * TILE + warp * 16 + lane / 4, column = tile_column * N + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < N / 2; i += 4) {
    float *at = c + (size_t)row * n + column + i * 2;
    *(float2 *)at = make_float2(sum[i], sum[i + 1]);
    *(float2 *)(at + 8 * (size_t)n) = make_float2(sum[i + 2], sum[i + 3]);
  }
}

template <int N, int COUNT>
static void launch_tma(float *c, const CUtensorMap *maps, int m, int n, int k, int group) {
  int bytes = COUNT * (int)sizeof(TmaBuffer<N>);
  want_shared("--stage tma", bytes);
  CUDA(cudaFuncSetAttribute(gemm_tma<N, COUNT>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  gemm_tma<N, COUNT><<<dim3(n / N, m / TILE), TMA_THREADS, bytes>>>(c, maps, maps + 1, n, k, group);
}

#endif
