// SPDX-License-Identifier: MIT
// Cooperative groups: blocks, tiles small and large, coalesced threads, and a grid's barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void tiles(int *out) {
  cg::thread_block block = cg::this_thread_block();
  int rank = (int)block.thread_rank();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  out[rank] = cg::reduce(tile, rank, cg::plus<int>());
  out[64 + rank] = (int)(tile.ballot(rank % 2) | tile.meta_group_rank() << 8);
  out[128 + rank] = tile.shfl(rank, 3) + tile.any(rank == 5);
  block.sync();
  out[192 + rank] = -1;
  if (rank % 4 == 1) {
    cg::coalesced_group active = cg::coalesced_threads();
    out[192 + rank] =
        (int)(active.size() * 100 + active.thread_rank() * 1000) + active.shfl(rank, 2) % 32;
  }
  cg::thread_group four = cg::tiled_partition(block, 4);
  out[256 + rank] = (int)(four.size() * 10 + four.thread_rank());
}

// Groups of groups: tiles in tiles, those who agree, sums on the way.
__global__ void parts(int *out) {
  __shared__ int copied[64];
  cg::thread_block block = cg::this_thread_block();
  int rank = (int)block.thread_rank();
  auto warp = cg::tiled_partition<32>(block);
  auto four = cg::tiled_partition<4>(warp);
  out[rank] = (int)(four.meta_group_rank() * 100 + four.meta_group_size());
  auto label = cg::labeled_partition(warp, rank % 3);
  out[64 + rank] = (int)(label.size() * 100 + label.meta_group_rank() * 10) +
                   cg::reduce(label, 1, cg::plus<int>());
  auto side = cg::binary_partition(warp, rank % 32 < 10);
  out[128 + rank] = cg::reduce(side, rank % 32, cg::greater<int>()) * 100 + (int)side.size();
  out[192 + rank] = cg::inclusive_scan(warp, rank % 32) * 1000 + cg::exclusive_scan(side, 1);
  out[256 + rank] = cg::inclusive_scan(four, rank * 7 % 10, cg::greater<int>());
  cg::memcpy_async(block, copied, out, sizeof(int) * 64);
  cg::wait(block);
  out[320 + rank] = copied[63 - rank];
}

// Tiles of several warps, each with its own pace.
__global__ void large_tiles(int *out) {
  __shared__ cg::block_tile_memory<256> memory;
  cg::thread_block block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<128>(block);
  int rank = (int)block.thread_rank();
  if (tile.meta_group_rank() == 1)
    for (int i = 0; i < 3; i++) tile.sync();
  out[rank] = cg::reduce(tile, rank, cg::plus<int>());
  out[256 + rank] = cg::inclusive_scan(tile, 1);
  out[512 + rank] = cg::exclusive_scan(tile, rank % 3, cg::plus<int>());
  out[768 + rank] = tile.shfl(rank, 70) + 1000 * tile.any(rank == 200) + 2000 * tile.all(rank < 128);
  out[1024 + rank] = (int)(tile.thread_rank() + 1000 * tile.size() * tile.meta_group_size());
}

// Tiles of two sizes at the same time: half of the block works in pairs of warps before it
// meets the rest.
__global__ void tiles_in_tiles(int *out) {
  auto whole = cg::tiled_partition<256>(cg::this_thread_block());
  auto pair = cg::tiled_partition<64>(whole);
  int rank = (int)whole.thread_rank(), sum = 0;
  if (rank < 128)
    for (int i = 0; i < 5; i++) sum += cg::reduce(pair, rank + i, cg::plus<int>());
  out[rank] = whole.shfl(sum, 100);
  out[256 + rank] = cg::reduce(whole, sum, cg::greater<int>());
  out[512 + rank] = (int)(pair.meta_group_rank() * 10 + pair.meta_group_size());
  auto again = cg::tiled_partition<256>(cg::this_thread_block());
  out[768 + rank] = again.shfl(rank, 255);
}

__global__ void steps(int *data, int *out) {
  cg::grid_group grid = cg::this_grid();
  int i = (int)grid.thread_rank(), n = (int)grid.size();
  data[i] = i;
  for (int step = 0; step < 3; step++) {
    grid.sync();
    int neighbour = data[(i + 64) % n];
    grid.sync();
    data[i] = neighbour + 1;
  }
  grid.sync();
  out[i] = data[i];
}

static void test_tiles() {
  int out[320], *device;
  CUDA(cudaMalloc(&device, sizeof out));
  tiles<<<1, dim3(16, 4)>>>(device);
  CUDA(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 64; t++) {
    int first = t / 8 * 8;
    CHECK(out[t] == 8 * first + 28, "reduce %d: %d", t, out[t]);
    CHECK(out[64 + t] == (0xaa | t / 8 << 8), "ballot %d: %x", t, out[64 + t]);
    CHECK(out[128 + t] == first + 3 + (first == 0), "shfl %d: %d", t, out[128 + t]);
    CHECK(out[256 + t] == 40 + t % 4, "tile %d: %d", t, out[256 + t]);
    if (t % 4 == 1)
      CHECK(out[192 + t] == 800 + t % 32 / 4 * 1000 + 9, "coalesced %d: %d", t, out[192 + t]);
  }
}

static void test_parts() {
  int out[384], *device;
  CUDA(cudaMalloc(&device, sizeof out));
  parts<<<1, 64>>>(device);
  CUDA(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 64; t++) {
    int lane = t % 32, label = t % 3, first = t / 32 * 32, same = 0, most = 0;
    for (int i = first; i < first + 32; i++) same += i % 3 == label;
    for (int i = t / 4 * 4; i <= t; i++) most = i * 7 % 10 > most ? i * 7 % 10 : most;
    CHECK(out[t] == lane / 4 * 100 + 8, "tiles of tiles %d: %d", t, out[t]);
    int part = (label - first % 3 + 3) % 3;
    CHECK(out[64 + t] == same * 101 + part * 10, "labels %d: %d", t, out[64 + t]);
    CHECK(out[128 + t] == (lane < 10 ? 910 : 3122), "sides %d: %d", t, out[128 + t]);
    CHECK(out[192 + t] == lane * (lane + 1) / 2 * 1000 + (lane < 10 ? lane : lane - 10),
          "scan %d: %d", t, out[192 + t]);
    CHECK(out[256 + t] == most, "greatest so far %d: %d", t, out[256 + t]);
    CHECK(out[320 + t] == out[63 - t], "copy %d: %d", t, out[320 + t]);
  }
}

static void test_large_tiles() {
  int out[1280], *device, sum = 0;
  CUDA(cudaMalloc(&device, sizeof out));
  large_tiles<<<1, dim3(64, 4)>>>(device);
  CUDA(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 256; t++) {
    int first = t / 128 * 128, rank = t - first;
    if (rank == 0) sum = 0;
    CHECK(out[t] == 128 * first + 127 * 64, "reduce %d: %d", t, out[t]);
    CHECK(out[256 + t] == rank + 1, "inclusive %d: %d", t, out[256 + t]);
    CHECK(out[512 + t] == sum, "exclusive %d: %d, not %d", t, out[512 + t], sum);
    CHECK(out[768 + t] == first + 70 + (first ? 1000 : 2000), "shfl %d: %d", t, out[768 + t]);
    CHECK(out[1024 + t] == rank + 256000, "ranks %d: %d", t, out[1024 + t]);
    sum += t % 3;
  }
}

static void test_tiles_in_tiles() {
  int out[1024], *device;
  CUDA(cudaMalloc(&device, sizeof out));
  tiles_in_tiles<<<3, 256>>>(device);
  CUDA(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  // Threads 64 to 127 and the sums that they have, five times.
  const int second = 5 * (64 * 64 + 63 * 32) + 64 * 10;
  for (int t = 0; t < 256; t++) {
    CHECK(out[t] == second, "shfl %d: %d, not %d", t, out[t], second);
    CHECK(out[256 + t] == second, "greatest %d: %d", t, out[256 + t]);
    CHECK(out[512 + t] == t / 64 * 10 + 4, "pair %d: %d", t, out[512 + t]);
    CHECK(out[768 + t] == 255, "again %d: %d", t, out[768 + t]);
  }
}

static void test_grid() {
  int out[256], *data, *device;
  CUDA(cudaMalloc(&data, sizeof out));
  CUDA(cudaMalloc(&device, sizeof out));
  void *arguments[] = {&data, &device};
  CUDA(cudaLaunchCooperativeKernel(steps, dim3(4), dim3(64), arguments));
  CUDA(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 256; i++) CHECK(out[i] == (i + 192) % 256 + 3, "%d: %d", i, out[i]);
}

int main() {
  test_tiles();
  test_parts();
  test_large_tiles();
  test_tiles_in_tiles();
  test_grid();
  return check_end();
}
