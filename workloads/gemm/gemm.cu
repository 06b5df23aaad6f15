// SPDX-License-Identifier: MIT
// C = A B' on tensor cores, in stages of skill. A is M x K and B is N x K, of halves, by rows; C is
// M x N, of floats.
//
//   naive      a warp per 16 x 16 tile of C, fragments straight from global memory (wmma)
//   shared     128 x 128 tiles by way of registers and shared memory, mma.m16n8k16
//   pipeline   the same with three buffers, filled by cp.async while others are multiplied
//   wgmma      128 x 128 tiles by two warp groups, two buffers of 64 columns (Hopper)
//
// Rows of shared tiles are swizzled in chunks of 16 bytes, so that ldmatrix has no bank conflicts.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/tensor_core.h"
#include "common/timer.h"

enum { TILE = 128, DEPTH = 32, THREADS = 256, CHUNK = 8, WARP_M = 64, WARP_N = 32 };

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

// What a warp multiplies: 64 x 32 of the tile.
struct WarpTile {
  float sum[4][4][4];

  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) sum[i][j][e] = 0;
  }

  __device__ void multiply(const Buffer *buffer, int warp_row, int warp_column, int lane) {
#pragma unroll
    for (int step = 0; step < DEPTH / 16; step++) {
      uint32_t a[4][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        int row = warp_row + i * 16 + lane % 16, chunk = step * 2 + lane / 16;
        load_matrices(a[i], shared_address(&buffer->a[row][swizzled(row, chunk)]));
      }
#pragma unroll
      for (int j = 0; j < 2; j++) {
        int row = warp_column + j * 16 + lane % 8 + lane / 16 * 8, chunk = step * 2 + lane / 8 % 2;
        load_matrices(b[j], shared_address(&buffer->b[row][swizzled(row, chunk)]));
      }
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          multiply_add(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }

  __device__ void store(float *c, int row, int column, int n, int lane) const {
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) {
        float *at = c + (size_t)(row + i * 16 + lane / 4) * n + column + j * 8 + lane % 4 * 2;
        *(float2 *)at = make_float2(sum[i][j][0], sum[i][j][1]);
        *(float2 *)(at + 8 * (size_t)n) = make_float2(sum[i][j][2], sum[i][j][3]);
      }
  }
};

// The tile of C that a CTA computes. With a group, CTAs go down `group` rows of tiles before the
// next column: what runs at the same time needs fewer tiles of B, which stay in the L2.
__device__ inline void tile_of(int group, int *tile_row, int *tile_column) {
  int rows = gridDim.y, columns = gridDim.x, linear = blockIdx.y * columns + blockIdx.x;
  if (!group) {
    *tile_row = blockIdx.y;
    *tile_column = blockIdx.x;
    return;
  }
  int per_group = group * columns, first = linear / per_group * group;
  int height = min(rows - first, group), within = linear % per_group;
  *tile_row = first + within % height;
  *tile_column = within / height;
}

__global__ void __launch_bounds__(THREADS, 2)
    gemm_shared(float *c, const __half *a, const __half *b, int n, int k, int group) {
  __shared__ __align__(128) Buffer buffer;
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, tile_row, tile_column;
  int warp_row = warp % 2 * WARP_M, warp_column = warp / 2 * WARP_N;
  tile_of(group, &tile_row, &tile_column);
  const __half *from_a = a + (size_t)tile_row * TILE * k, *from_b = b + (size_t)tile_column * TILE * k;
  WarpTile tile;
  tile.clear();
  for (int at = 0; at < k; at += DEPTH) {
    uint4 chunks[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int row = thread / 4 + i % 2 * 64, chunk = thread % 4;
      chunks[i] = load_16(&(i < 2 ? from_a : from_b)[(size_t)row * k + at + chunk * CHUNK]);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int row = thread / 4 + i % 2 * 64, place = swizzled(row, thread % 4);
      store_16(shared_address(i < 2 ? &buffer.a[row][place] : &buffer.b[row][place]), chunks[i]);
    }
    __syncthreads();
    tile.multiply(&buffer, warp_row, warp_column, lane);
    __syncthreads();
  }
  tile.store(c, tile_row * TILE + warp_row, tile_column * TILE + warp_column, n, lane);
}

// ---- three buffers

enum { BUFFERS = 3 };

__device__ inline void fetch(Buffer *buffer, const __half *a, const __half *b, int k, int at,
                             int thread) {
#pragma unroll
  for (int i = 0; i < 2; i++) {
    int row = thread / 4 + i * 64, chunk = thread % 4;
    copy_async(shared_address(&buffer->a[row][swizzled(row, chunk)]),
               &a[(size_t)row * k + at + chunk * CHUNK]);
    copy_async(shared_address(&buffer->b[row][swizzled(row, chunk)]),
               &b[(size_t)row * k + at + chunk * CHUNK]);
  }
}

__global__ void __launch_bounds__(THREADS, 2)
    gemm_pipeline(float *c, const __half *a, const __half *b, int n, int k, int group) {
  __shared__ __align__(128) Buffer buffers[BUFFERS];
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, tile_row, tile_column;
  int warp_row = warp % 2 * WARP_M, warp_column = warp / 2 * WARP_N;
  tile_of(group, &tile_row, &tile_column);
  const __half *from_a = a + (size_t)tile_row * TILE * k, *from_b = b + (size_t)tile_column * TILE * k;
  WarpTile tile;
  tile.clear();
  for (int i = 0; i < BUFFERS - 1; i++) {
    if (i * DEPTH < k) fetch(&buffers[i], from_a, from_b, k, i * DEPTH, thread);
    copy_commit();
  }
  int next = BUFFERS - 1, current = 0;
  for (int at = 0; at < k; at += DEPTH) {
    copy_wait<BUFFERS - 2>();
    __syncthreads();
    int ahead = at + (BUFFERS - 1) * DEPTH;
    if (ahead < k) fetch(&buffers[next], from_a, from_b, k, ahead, thread);
    copy_commit();
    tile.multiply(&buffers[current], warp_row, warp_column, lane);
    next = next + 1 == BUFFERS ? 0 : next + 1;
    current = current + 1 == BUFFERS ? 0 : current + 1;
  }
  tile.store(c, tile_row * TILE + warp_row, tile_column * TILE + warp_column, n, lane);
}

// ---- warp groups

enum { GROUP_DEPTH = 64, GROUP_BUFFERS = 3 };

struct GroupBuffer {
  __half a[TILE][GROUP_DEPTH], b[TILE][GROUP_DEPTH];  // rows of 128 bytes, swizzled as a whole line
};

__device__ inline uint64_t descriptor(uint32_t address) {
  return (address & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

#define SUMS8(x, i) "+f"(x[i]), "+f"(x[i + 1]), "+f"(x[i + 2]), "+f"(x[i + 3]), "+f"(x[i + 4]), \
                    "+f"(x[i + 5]), "+f"(x[i + 6]), "+f"(x[i + 7])

__device__ inline void multiply_group(float d[64], uint64_t a, uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
      "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "
      "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 0;}"
      : SUMS8(d, 0), SUMS8(d, 8), SUMS8(d, 16), SUMS8(d, 24), SUMS8(d, 32), SUMS8(d, 40),
        SUMS8(d, 48), SUMS8(d, 56)
      : "l"(a), "l"(b)
      : "memory");
}

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

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "C = A B' on tensor cores");
  int stage = arguments.choice("stage", {"pipeline", "naive", "shared", "wgmma"}, "which kernel");
  int m = (int)arguments.multiple("m", TILE, {128, 512, 2048}, TILE, 16384, "rows of A");
  int n = (int)arguments.multiple("n", TILE, {128, 512, 2048}, TILE, 16384, "rows of B");
  int k = (int)arguments.multiple("k", 64, {64, 512, 2048}, 64, 16384, "columns of both");
  int group = (int)arguments.number("group", {0, 0, 0}, 0, 1024, "rows of tiles per group of CTAs, 0: in order");
  arguments.done();

  Random random(arguments.seed());
  std::vector<__half> a = halves(random, (size_t)m * k), b = halves(random, (size_t)n * k);
  DeviceArray<__half> device_a(a), device_b(b);
  DeviceArray<float> device_c((size_t)m * n);
  dim3 grid(n / TILE, m / TILE);
  Timer timer;
  if (stage == 1)
    gemm_naive<<<dim3(n / 64, m / 16), 128>>>(device_c, device_a, device_b, n, k);
  else if (stage == 2)
    gemm_shared<<<grid, THREADS>>>(device_c, device_a, device_b, n, k, group);
  else if (stage == 0)
    gemm_pipeline<<<grid, THREADS>>>(device_c, device_a, device_b, n, k, group);
  else {
    size_t bytes = GROUP_BUFFERS * sizeof(GroupBuffer);
    CUDA(cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    gemm_wgmma<<<grid, THREADS, bytes>>>(device_c, device_a, device_b, n, k, group);
  }
  timer.stop("gemm");

  Comparison comparison;
  compare(comparison, device_c.get(), a, b, m, n, k);
  return comparison.verdict();
}
