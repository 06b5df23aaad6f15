// SPDX-License-Identifier: MIT
// C = A B' on tensor cores, in stages of skill. A is M x K and B is N x K, of halves, by rows; C is
// M x N, of floats.
//
//   naive      a warp per 16 x 16 tile of C, fragments straight from global memory (wmma)
//   shared     128 x 128 tiles by way of registers and shared memory, mma.m16n8k16
//   pipeline   the same with four buffers, filled by cp.async while others are multiplied
//   wgmma      128 x 128 tiles by two warp groups, three buffers of 64 columns (Hopper)
//   tma        the same, filled by a warp group of its own with bulk copies (Hopper); with --tile 256,
//              tiles of 128 x 256
//
// Rows of shared tiles are swizzled in chunks of 16 bytes, so that ldmatrix has no bank conflicts.
// test: --stage naive
// test: --stage shared
// test: --group 2 --m 256 --launches 2
// test h100: --stage wgmma --k 256
// test h100: --stage tma --k 256
// test h100: --stage tma --tile 256 --n 256 --k 320
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/tensor_core.h"
#include "common/timer.h"
#include "gemm/hopper.h"
#include "gemm/tile.h"

enum { DEPTH = 32, TILE_THREADS = 128 };

// ---- naive

__global__ void gemm_naive(float *c, const __half *a, const __half *b, int n, int k) {
  int warp = threadIdx.x / 32, row = blockIdx.y * 16, column = (blockIdx.x * 4 + warp) * 16;
  uint32_t fa[8], fb[8];
  float sum[8] = {0};
  for (int at = 0; at < k; at += 16) {
    asm volatile(
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
        : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]), "=r"(fa[4]), "=r"(fa[5]),
          "=r"(fa[6]), "=r"(fa[7])
        : "l"(a + (size_t)row * k + at), "r"(k));
    asm volatile(
        "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
        : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]), "=r"(fb[4]), "=r"(fb[5]),
          "=r"(fb[6]), "=r"(fb[7])
        : "l"(b + (size_t)column * k + at), "r"(k));
    asm volatile(
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
        "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "
        "{%0, %1, %2, %3, %4, %5, %6, %7};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]),
          "+f"(sum[6]), "+f"(sum[7])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fa[4]), "r"(fa[5]), "r"(fa[6]),
          "r"(fa[7]), "r"(fb[0]), "r"(fb[1]), "r"(fb[2]), "r"(fb[3]), "r"(fb[4]), "r"(fb[5]),
          "r"(fb[6]), "r"(fb[7]));
  }
  asm volatile(
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" ::
          "l"(c + (size_t)row * n + column),
      "f"(sum[0]), "f"(sum[1]), "f"(sum[2]), "f"(sum[3]), "f"(sum[4]), "f"(sum[5]), "f"(sum[6]),
      "f"(sum[7]), "r"(n)
      : "memory");
}

// ---- tiles in shared memory

struct Buffer {
  __half a[TILE][DEPTH], b[TILE][DEPTH];
};

// Where chunk `chunk` of a row lies: rows of 64 bytes, two to a line of the banks.
__device__ inline int swizzled(int row, int chunk) { return (chunk ^ (row >> 1 & 3)) * CHUNK; }

// 16 columns of k of what a warp multiplies: 64 x 64 of the tile.
struct Fragments {
  uint32_t a[4][4], b[4][4];

  __device__ void load(const Buffer *buffer, int warp_row, int warp_column, int step, int lane) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int row = warp_row + i * 16 + lane % 16, chunk = step * 2 + lane / 16;
      load_matrices(a[i], shared_address(&buffer->a[row][swizzled(row, chunk)]));
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
      int row = warp_column + j * 16 + lane % 8 + lane / 16 * 8, chunk = step * 2 + lane / 8 % 2;
      load_matrices(b[j], shared_address(&buffer->b[row][swizzled(row, chunk)]));
    }
  }
};

struct WarpTile {
  float sum[4][8][4];

  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 8; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) sum[i][j][e] = 0;
  }

  __device__ void multiply(const Fragments &from) {
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 8; j++)
        multiply_add(sum[i][j], from.a[i], from.b[j / 2][j % 2 * 2], from.b[j / 2][j % 2 * 2 + 1]);
  }

  __device__ void store(float *c, int row, int column, int n, int lane) const {
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 8; j++) {
        float *at = c + (size_t)(row + i * 16 + lane / 4) * n + column + j * 8 + lane % 4 * 2;
        *(float2 *)at = make_float2(sum[i][j][0], sum[i][j][1]);
        *(float2 *)(at + 8 * (size_t)n) = make_float2(sum[i][j][2], sum[i][j][3]);
      }
  }
};

__global__ void __launch_bounds__(TILE_THREADS, 2)
    gemm_shared(float *c, const __half *a, const __half *b, int n, int k, int group) {
  __shared__ __align__(128) Buffer buffer;
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, tile_row, tile_column;
  int warp_row = warp % 2 * 64, warp_column = warp / 2 * 64;
  tile_of(group, &tile_row, &tile_column);
  const __half *from_a = a + (size_t)tile_row * TILE * k, *from_b = b + (size_t)tile_column * TILE * k;
  WarpTile tile;
  Fragments fragments;
  tile.clear();
  for (int at = 0; at < k; at += DEPTH) {
    uint4 chunks[8];
#pragma unroll
    for (int i = 0; i < 8; i++) {
      int row = thread / 4 + i % 4 * 32, chunk = thread % 4;
      chunks[i] = load_16(&(i < 4 ? from_a : from_b)[(size_t)row * k + at + chunk * CHUNK]);
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
      int row = thread / 4 + i % 4 * 32, place = swizzled(row, thread % 4);
      store_16(shared_address(i < 4 ? &buffer.a[row][place] : &buffer.b[row][place]), chunks[i]);
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < DEPTH / 16; step++) {
      fragments.load(&buffer, warp_row, warp_column, step, lane);
      tile.multiply(fragments);
    }
    __syncthreads();
  }
  tile.store(c, tile_row * TILE + warp_row, tile_column * TILE + warp_column, n, lane);
}

// ---- four buffers, or three where shared memory is small, and two of fragments

__device__ inline void fetch(Buffer *buffer, const __half *a, const __half *b, int k, int at,
                             int thread) {
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int row = thread / 4 + i * 32, chunk = thread % 4;
    copy_async(shared_address(&buffer->a[row][swizzled(row, chunk)]),
               &a[(size_t)row * k + at + chunk * CHUNK]);
    copy_async(shared_address(&buffer->b[row][swizzled(row, chunk)]),
               &b[(size_t)row * k + at + chunk * CHUNK]);
  }
}

template <int BUFFERS>
__global__ void __launch_bounds__(TILE_THREADS, 2)
    gemm_pipeline(float *c, const __half *a, const __half *b, int n, int k, int group) {
  extern __shared__ __align__(128) Buffer buffers[];
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, tile_row, tile_column;
  int warp_row = warp % 2 * 64, warp_column = warp / 2 * 64;
  tile_of(group, &tile_row, &tile_column);
  const __half *from_a = a + (size_t)tile_row * TILE * k, *from_b = b + (size_t)tile_column * TILE * k;
  WarpTile tile;
  Fragments fragments[2];
  tile.clear();
  for (int i = 0; i < BUFFERS; i++) {
    if (i * DEPTH < k) fetch(&buffers[i], from_a, from_b, k, i * DEPTH, thread);
    copy_commit();
  }
  copy_wait<BUFFERS - 1>();
  __syncthreads();
  fragments[0].load(&buffers[0], warp_row, warp_column, 0, lane);
  int current = 0;
  for (int at = 0; at < k; at += DEPTH) {
    fragments[1].load(&buffers[current], warp_row, warp_column, 1, lane);
    tile.multiply(fragments[0]);
    // All of the buffer is in registers: it may be filled, and the next one is there.
    copy_wait<BUFFERS - 2>();
    __syncthreads();
    int ahead = at + BUFFERS * DEPTH;
    if (ahead < k) fetch(&buffers[current], from_a, from_b, k, ahead, thread);
    copy_commit();
    current = current + 1 == BUFFERS ? 0 : current + 1;
    if (at + DEPTH < k) fragments[0].load(&buffers[current], warp_row, warp_column, 0, lane);
    tile.multiply(fragments[1]);
  }
  tile.store(c, tile_row * TILE + warp_row, tile_column * TILE + warp_column, n, lane);
}

// ---- host

static std::vector<__half> halves(Random &random, size_t count) {
  std::vector<float> floats = random.floats(count, -1, 1);
  std::vector<__half> values(count);
  for (size_t i = 0; i < count; i++) values[i] = __float2half(floats[i]);
  return values;
}

// Rows of C that are compared: all of a small one, some of a large one.
static void compare(Comparison &comparison, const std::vector<float> &c, const std::vector<__half> &a,
                    const std::vector<__half> &b, int m, int n, int k) {
  int step = m > 512 ? m / 64 : 1;
  std::vector<float> got, wanted, rows_b((size_t)n * k);
  for (size_t i = 0; i < rows_b.size(); i++) rows_b[i] = __half2float(b[i]);
  std::vector<float> row_a(k);
  for (int i = 0; i < m; i += step) {
    for (int s = 0; s < k; s++) row_a[s] = __half2float(a[(size_t)i * k + s]);
    for (int j = 0; j < n; j += step) {
      double sum = 0;
      for (int s = 0; s < k; s++) sum += (double)row_a[s] * rows_b[(size_t)j * k + s];
      wanted.push_back((float)sum);
      got.push_back(c[(size_t)i * n + j]);
    }
  }
  comparison.near("C", got, wanted, 1e-4);
}

template <int BUFFERS>
static void launch_pipeline(dim3 grid, float *c, const __half *a, const __half *b, int n, int k, int group) {
  size_t bytes = BUFFERS * sizeof(Buffer);
  CUDA(cudaFuncSetAttribute(gemm_pipeline<BUFFERS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
  gemm_pipeline<BUFFERS><<<grid, TILE_THREADS, bytes>>>(c, a, b, n, k, group);
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "C = A B' on tensor cores");
  int stage = arguments.choice("stage", {"pipeline", "naive", "shared", "wgmma", "tma"}, "which kernel");
  int m = (int)arguments.multiple("m", TILE, {128, 512, 2048}, TILE, 16384, "rows of A");
  int n = (int)arguments.multiple("n", TILE, {128, 512, 2048}, TILE, 16384, "rows of B");
  int k = (int)arguments.multiple("k", 64, {64, 512, 2048}, 64, 16384, "columns of both");
  int group = (int)arguments.number("group", {0, 0, 0}, 0, 1024, "rows of tiles per group of CTAs, 0: in order");
  int launches = (int)arguments.number("launches", {1, 1, 1}, 1, 1000, "how often; later ones find the operands in the L2");
  bool is_wide = arguments.choice("tile", {"128", "256"}, "columns of a tile; tma alone has 256");
  arguments.done();
  if (is_wide && (stage != 4 || n % 256)) fail(EXIT_INPUT, "--tile 256: --stage tma and n in multiples of 256 are wanted");

  Random random(arguments.seed());
  std::vector<__half> a = halves(random, (size_t)m * k), b = halves(random, (size_t)n * k);
  DeviceArray<__half> device_a(a), device_b(b);
  DeviceArray<float> device_c((size_t)m * n);
  dim3 grid(n / TILE, m / TILE);
  int most_shared;
  CUDA(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  std::vector<CUtensorMap> maps;
  if (stage == 4) maps = {map_of(device_a, m, k, TILE), map_of(device_b, n, k, is_wide ? 256 : TILE)};
  DeviceArray<CUtensorMap> device_maps(maps);
  auto launch = [&]() {
    if (stage == 1)
      gemm_naive<<<dim3(n / 64, m / 16), 128>>>(device_c, device_a, device_b, n, k);
    else if (stage == 2)
      gemm_shared<<<grid, TILE_THREADS>>>(device_c, device_a, device_b, n, k, group);
    else if (stage == 0 && most_shared >= (int)(4 * sizeof(Buffer)))
      launch_pipeline<4>(grid, device_c, device_a, device_b, n, k, group);
    else if (stage == 0)
      launch_pipeline<3>(grid, device_c, device_a, device_b, n, k, group);
    else if (stage == 4 && is_wide)
      launch_tma<256, 4>(device_c, device_maps, m, n, k, group);
    else if (stage == 4)
      launch_tma<128, 3>(device_c, device_maps, m, n, k, group);
    else {
      size_t bytes = GROUP_BUFFERS * sizeof(GroupBuffer);
      want_shared("--stage wgmma", (int)bytes);
      CUDA(cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
      gemm_wgmma<<<grid, THREADS, bytes>>>(device_c, device_a, device_b, n, k, group);
    }
  };
  Timer timer;
  for (int i = 0; i < launches; i++) launch();
  timer.stop("gemm");

  Comparison comparison;
  compare(comparison, device_c.get(), a, b, m, n, k);
  return comparison.verdict();
}
