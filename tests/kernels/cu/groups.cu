// SPDX-License-Identifier: MIT
// Cooperative groups, warp primitives and barriers that count.
//
// alloc: out s32 256
//
// run: tiles
// launch: tiles 1 1 1 64 1 1 $out
// expect: out[0..63] == i / 8 * 64 + 28
// expect: out[64..127] == i - 64 - (i - 64) % 4
// expect: out[128..191] == 2016
//
// run: coalesced threads
// launch: coalesced 1 1 1 32 1 1 $out
// expect: out[0..31] == i % 3 == 0 ? 11 + i / 3 * 100 : 0
//
// run: barriers that count
// launch: counting 1 1 1 96 1 1 $out
// expect: out[0..95] == 48 + 1000 * 0 + 10000
//
// run: votes and matches
// launch: warp_words 1 1 1 32 1 1 $out
// expect: out[0..31] == 16 + 100 + (popc(0xaaaaaaaa & ((1 << i) - 1))) * 1000
// expect: out[32..63] == 8
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void tiles(int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  int i = block.thread_rank(), sum = i;
  for (int d = tile.size() / 2; d > 0; d /= 2) sum += tile.shfl_xor(sum, d);
  out[i] = sum;
  auto four = cg::tiled_partition<4>(tile);
  out[64 + i] = four.shfl(i, 0);
  __shared__ int total;
  if (i == 0) total = 0;
  block.sync();
  int part = cg::reduce(cg::tiled_partition<32>(block), i, cg::plus<int>());
  if (i % 32 == 0) atomicAdd(&total, part);
  block.sync();
  out[128 + i] = total;
}

extern "C" __global__ void coalesced(int *out) {
  int i = threadIdx.x;
  out[i] = 0;
  if (i % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    out[i] = (int)active.size() + (int)active.thread_rank() * 100;
    active.sync();
  }
}

extern "C" __global__ void counting(int *out) {
  int i = threadIdx.x;
  int count = __syncthreads_count(i % 2);
  int all = __syncthreads_and(i < 50), any = __syncthreads_or(i == 95);
  out[i] = count + 1000 * all + 10000 * any;
}

extern "C" __global__ void warp_words(int *out) {
  int i = threadIdx.x;
  unsigned ballot = __ballot_sync(0xffffffffu, i & 1);
  int all = __all_sync(0xffffffffu, i < 32), any = __any_sync(0xffffffffu, i > 31);
  out[i] = __popc(ballot) + 100 * all + 10 * any + 1000 * __popc(ballot & ((1u << i) - 1));
  out[32 + i] = __popc(__match_any_sync(0xffffffffu, i % 4));
}
