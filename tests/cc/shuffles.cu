// SPDX-License-Identifier: MIT
// Lanes of a group exchange values of any trivially copyable type.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>

#include "check.h"

namespace cg = cooperative_groups;

// 11 bytes: neither a word nor a whole number of them.
struct __attribute__((packed)) Odd {
  double number;
  short half;
  char letter;
};

struct Complex {
  float re, im;
  Complex() = default;
  __device__ Complex(float r, float i) : re(r), im(i) {}
};
__device__ Complex operator+(Complex a, Complex b) {
  return Complex(a.re + b.re, a.im + b.im);
}

__global__ void exchange(uint4 *vectors, Odd *odds, Complex *sums, float *plain, __half *halves) {
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned int lane = tile.thread_rank();
  vectors[lane] = tile.shfl_xor(make_uint4(lane, lane * 10, lane * 100, lane + 7), 1);
  Odd odd = {lane + 0.5, (short)(lane * -3), (char)('a' + lane % 26)};
  odds[lane] = tile.shfl_down(odd, 2);
  odds[32 + lane] = tile.shfl_up(odd, 3);
  odds[64 + lane] = tile.shfl(odd, 9);
  sums[lane] = cg::reduce(cg::tiled_partition<8>(tile), Complex((float)lane, 1), cg::plus<Complex>());
  plain[lane] = tile.shfl_xor((float)lane, 16);
  halves[lane] = tile.shfl_xor(__half((float)lane), 2);
  if (lane % 2) {
    cg::coalesced_group active = cg::coalesced_threads();
    odds[96 + lane] = active.shfl(odd, 15);
  }
}

__device__ int first_of(int value) { return __shfl_sync(0xffffffffu, value, 0); }

// Only the first lane has a value to pass on, and only it may add.
__global__ void pass_on(int *next, int *starts, int *ranked) {
  int start, rank, lane = threadIdx.x % 32;
  if (lane == 0) start = atomicAdd(next, 32);
  starts[threadIdx.x] = first_of(start);
  cg::coalesced_group active = cg::coalesced_threads();
  if (active.thread_rank() == 0) rank = lane + 5;
  ranked[threadIdx.x] = active.shfl(rank, 0);
}

static void check_passing() {
  int *next, *starts, *ranked, seen = 0;
  CUDA(cudaMallocManaged(&next, sizeof *next));
  CUDA(cudaMallocManaged(&starts, 64 * sizeof *starts));
  CUDA(cudaMallocManaged(&ranked, 64 * sizeof *ranked));
  *next = 0;
  pass_on<<<1, 64>>>(next, starts, ranked);
  CUDA(cudaDeviceSynchronize());
  CHECK(*next == 64, "%d", *next);
  for (int i = 0; i < 64; i++) {
    CHECK(starts[i] == starts[i / 32 * 32] && ranked[i] == 5, "%d: %d %d", i, starts[i], ranked[i]);
    seen += starts[i];
  }
  CHECK(seen == 32 * 32, "%d", seen);
}

static void check_odd(const Odd &odd, int lane, const char *what) {
  CHECK(odd.number == lane + 0.5 && odd.half == (short)(lane * -3) && odd.letter == 'a' + lane % 26,
        "%s: %g %d %c, wanted that of lane %d", what, odd.number, odd.half, odd.letter, lane);
}

int main() {
  check_passing();
  uint4 *vectors;
  Odd *odds;
  Complex *sums;
  float *plain;
  __half *halves;
  CUDA(cudaMallocManaged(&vectors, 32 * sizeof *vectors));
  CUDA(cudaMallocManaged(&odds, 128 * sizeof *odds));
  CUDA(cudaMallocManaged(&sums, 32 * sizeof *sums));
  CUDA(cudaMallocManaged(&plain, 32 * sizeof *plain));
  CUDA(cudaMallocManaged(&halves, 32 * sizeof *halves));
  exchange<<<1, 32>>>(vectors, odds, sums, plain, halves);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) {
    unsigned int other = i ^ 1u;
    CHECK(vectors[i].x == other && vectors[i].y == other * 10 && vectors[i].z == other * 100 &&
              vectors[i].w == other + 7,
          "%d: %u %u %u %u", i, vectors[i].x, vectors[i].y, vectors[i].z, vectors[i].w);
    check_odd(odds[i], i < 30 ? i + 2 : i, "down");
    check_odd(odds[32 + i], i >= 3 ? i - 3 : i, "up");
    check_odd(odds[64 + i], 9, "one");
    if (i % 2) check_odd(odds[96 + i], 31, "of those active");
    CHECK(sums[i].re == (float)(i / 8 * 64 + 28) && sums[i].im == 8, "%d: %g %g", i, sums[i].re,
          sums[i].im);
    CHECK(plain[i] == (float)(i ^ 16), "%d: %g", i, plain[i]);
    CHECK((float)halves[i] == (float)(i ^ 2), "%d: %g", i, (float)halves[i]);
  }
  return check_end();
}
