// SPDX-License-Identifier: MIT
// Products of f16 by wmma, for Volta, which has neither ldmatrix nor cp.async. A block computes a
// tile of 64 by 64 elements, four warps a quarter each, in steps of 32 along the sum. Factors keep
// their order in shared memory: wmma reads both.
#include <mma.h>
#include <stdint.h>

#include "epilogue.h"
#include "tensor.h"

namespace {

namespace wmma = nvcuda::wmma;

enum { SIDE = 64, DEPTH = 32, THREADS = 128, PADDING = 8, HALF = SIDE / 2 };

struct Factor {
  const __half *matrix;
  long long ld;
  int lines, depth;

  // Whether a tile is inside, and begins with multiples of 16 bytes.
  __device__ bool is_whole(int line, int deep) const {
    return line + SIDE <= lines && deep + DEPTH <= depth && ld % 8 == 0 &&
           reinterpret_cast<uintptr_t>(matrix) % 16 == 0;
  }
};

template <typename TileOf>
__device__ __forceinline__ void fetch(TileOf &tile, const Factor &f, int line, int deep) {
  if (f.is_whole(line, deep))
    tile.fetch_chunks(f, line, deep);
  else
    tile.fetch(f, line, deep);
}

// Neighbours in memory are neighbours along the lines, or along the sum.
template <bool IS_ALONG>
struct Tile {
  enum { WIDTH = IS_ALONG ? SIDE : DEPTH, ROWS = SIDE * DEPTH / WIDTH, LD = WIDTH + PADDING };
  __align__(16) __half items[ROWS * LD];

  // Elements outside are zero; in their place, the first is read, so that no load waits for another.
  __device__ __forceinline__ void fetch(const Factor &f, int line, int deep) {
#pragma unroll
    for (int i = 0; i < SIDE * DEPTH / THREADS; i++) {
      int at = threadIdx.x + i * THREADS, row = at / WIDTH, column = at % WIDTH;
      int l = line + (IS_ALONG ? column : row), d = deep + (IS_ALONG ? row : column);
      bool is_inside = l < f.lines && d < f.depth;
      long long place = IS_ALONG ? l + d * f.ld : d + l * f.ld;
      __half item = f.matrix[is_inside ? place : 0];
      items[row * LD + column] = is_inside ? item : __half(0.0f);
    }
  }
  // Eight elements at a time, all of them inside.
  __device__ __forceinline__ void fetch_chunks(const Factor &f, int line, int deep) {
    enum { ROW_CHUNKS = WIDTH / 8, EACH = SIDE * DEPTH / 8 / THREADS };
    const __half *first = f.matrix + (IS_ALONG ? line + deep * f.ld : deep + line * f.ld);
    uint4 chunks[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      int id = threadIdx.x + i * THREADS;
      const __half *from = first + id / ROW_CHUNKS * f.ld + id % ROW_CHUNKS * 8;
      chunks[i] = *reinterpret_cast<const uint4 *>(from);
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      int id = threadIdx.x + i * THREADS;
      __half *target = &items[id / ROW_CHUNKS * LD + id % ROW_CHUNKS * 8];
      *reinterpret_cast<uint4 *>(target) = chunks[i];
    }
  }
  __device__ const __half *at(int line, int deep) const {
    return items + (IS_ALONG ? deep * LD + line : line * LD + deep);
  }
};

template <bool IS_COLUMN>
struct Layout {
  typedef wmma::row_major Type;
};
template <>
struct Layout<true> {
  typedef wmma::col_major Type;
};

// A is by columns where neighbours are along its lines, B where they are along the sum.
template <bool ALONG_A, bool ALONG_B>
struct Tiles {
  Tile<ALONG_A> a;
  Tile<ALONG_B> b;
};
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> Sums;

template <bool ALONG_A, bool ALONG_B>
__device__ void multiply_tiles(const Tiles<ALONG_A, ALONG_B> &tiles, Sums (&sums)[2][2], int row,
                               int column) {
  typedef typename Layout<ALONG_A>::Type LayoutA;
  typedef typename Layout<!ALONG_B>::Type LayoutB;
#pragma unroll
  for (int deep = 0; deep < DEPTH; deep += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, LayoutA> a[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, LayoutB> b[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
      wmma::load_matrix_sync(a[i], tiles.a.at(row + i * 16, deep), Tile<ALONG_A>::LD);
      wmma::load_matrix_sync(b[i], tiles.b.at(column + i * 16, deep), Tile<ALONG_B>::LD);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
      wmma::mma_sync(sums[i / 2][i % 2], a[i / 2], b[i % 2], sums[i / 2][i % 2]);
  }
}

template <typename Out>
__device__ void write_sums(const Product &p, const float *staging, int batch, int row, int column,
                           float factor, float old) {
  const Out *c = matrix_of<Out>(p.c, batch);
  Out *d = const_cast<Out *>(matrix_of<Out>(p.d, batch));
#pragma unroll 1
  for (int at = threadIdx.x; at < SIDE * SIDE; at += THREADS)
    write_element<Out>(p, c, d, batch, row + at % SIDE, column + at / SIDE, staging[at], factor,
                       old);
}

template <bool ALONG_A, bool ALONG_B>
__global__ void __launch_bounds__(THREADS)
    multiply_by_wmma(Product p, Scalar<float> alpha, Scalar<float> beta) {
  __shared__ union Shared {
    Tiles<ALONG_A, ALONG_B> tiles;
    float staging[SIDE * SIDE];
    __device__ Shared() {}
  } shared;
  int row = blockIdx.x * SIDE, column = blockIdx.y * SIDE, warp = threadIdx.x / 32;
  int warp_row = warp % 2 * HALF, warp_column = warp / 2 * HALF;
  float factor = factor_of(alpha), old = factor_of(beta);
  for (int batch = blockIdx.z; batch < p.count; batch += gridDim.z) {
    Factor a = {matrix_of<__half>(p.a, batch), p.a.ld, p.m, p.k};
    Factor b = {matrix_of<__half>(p.b, batch), p.b.ld, p.n, p.k};
    Sums sums[2][2];
#pragma unroll
    for (int i = 0; i < 4; i++) wmma::fill_fragment(sums[i / 2][i % 2], 0.0f);
    for (int deep = 0; factor != 0 && deep < p.k; deep += DEPTH) {
      fetch(shared.tiles.a, a, row, deep);
      fetch(shared.tiles.b, b, column, deep);
      __syncthreads();
      multiply_tiles(shared.tiles, sums, warp_row, warp_column);
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
      wmma::store_matrix_sync(
          &shared.staging[warp_row + i / 2 * 16 + (warp_column + i % 2 * 16) * SIDE],
          sums[i / 2][i % 2], SIDE, wmma::mem_col_major);
    __syncthreads();
    if (p.has_narrow_result)
      write_sums<__half>(p, shared.staging, batch, row, column, factor, old);
    else
      write_sums<float>(p, shared.staging, batch, row, column, factor, old);
    __syncthreads();
  }
}

template <bool ALONG_A, bool ALONG_B>
cublasStatus_t launch(const Product &p, Scalar<float> alpha, Scalar<float> beta,
                      cudaStream_t stream) {
  dim3 grid(blocks_for(p.m, SIDE), blocks_for(p.n, SIDE), p.count < 65535 ? p.count : 65535);
  multiply_by_wmma<ALONG_A, ALONG_B><<<grid, THREADS, 0, stream>>>(p, alpha, beta);
  return launched();
}

}  // namespace

cublasStatus_t multiply_f16_on_volta(const Product &p, Scalar<float> alpha, Scalar<float> beta,
                                     cudaStream_t stream) {
  if (p.transpose_a)
    return p.transpose_b ? launch<false, true>(p, alpha, beta, stream)
                         : launch<false, false>(p, alpha, beta, stream);
  return p.transpose_b ? launch<true, true>(p, alpha, beta, stream)
                       : launch<true, false>(p, alpha, beta, stream);
}
