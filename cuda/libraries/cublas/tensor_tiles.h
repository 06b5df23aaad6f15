// SPDX-License-Identifier: MIT
// Products by mma.sync, from Turing on. A block computes a tile of SIDE by SIDE elements, four
// warps a quarter each, in steps of 64 bytes along the sum. Tiles wait in several buffers, which
// are filled by cp.async (by way of registers on Turing) while others are multiplied.
//
// All factors are treated as bytes: a product of fragments takes 16 rows of 32 bytes of A and 8
// of B, whatever their type. Where neighbours in memory are not neighbours along the sum (LINES),
// 16-bit factors are transposed by ldmatrix, others when they are written to shared memory.
//
// Simplified: the sum is not split among blocks; tiles are computed in the order of blocks.
#ifndef CUBLAS_TENSOR_TILES_H
#define CUBLAS_TENSOR_TILES_H

#include <stdint.h>

#include "epilogue.h"
#include "tensor.h"

namespace {

enum Order { DEEP, LINES, EITHER };  // what neighbours in memory are neighbours along
enum { WARPS = 4, THREADS = 32 * WARPS, CHUNK = 16, ROW = 64, STEP = 32 };

__device__ __forceinline__ uint32_t shared_address(const void *pointer) {
  return (uint32_t)__cvta_generic_to_shared(pointer);
}

// ---- engines: the types, and D += A B of fragments

#define MMA(shape, types, d, a, b, constraint)                                          \
  asm volatile("mma.sync.aligned." shape ".row.col." types                              \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"       \
               : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]),      \
                 "+" constraint(d[3])                                                   \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"((b)[0]), "r"((b)[1]))

struct HalfEngine {
  typedef __half Factor;
  typedef float Sum;
  static const bool has_async = true;
  static __device__ void multiply(float d[4], const uint32_t a[4], const uint32_t *b) {
    MMA("m16n8k16", "f32.f16.f16.f32", d, a, b, "f");
  }
};
struct BfloatEngine {
  typedef __nv_bfloat16 Factor;
  typedef float Sum;
  static const bool has_async = true;
  static __device__ void multiply(float d[4], const uint32_t a[4], const uint32_t *b) {
    MMA("m16n8k16", "f32.bf16.bf16.f32", d, a, b, "f");
  }
};
// Factors are rounded to nearest: instructions ignore their low bits, which makes sums too small.
struct Tf32Engine {
  typedef float Factor;
  typedef float Sum;
  static const bool has_async = true;
  static __device__ uint32_t rounded(uint32_t factor) {
    uint32_t nearest;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(nearest) : "f"(__uint_as_float(factor)));
    return nearest;
  }
  static __device__ void multiply(float d[4], const uint32_t a[4], const uint32_t *b) {
    uint32_t x[4] = {rounded(a[0]), rounded(a[1]), rounded(a[2]), rounded(a[3])};
    uint32_t y[2] = {rounded(b[0]), rounded(b[1])};
    MMA("m16n8k8", "f32.tf32.tf32.f32", d, x, y, "f");
  }
};
struct ByteEngine {
  typedef signed char Factor;
  typedef int Sum;
  static const bool has_async = true;
  static __device__ void multiply(int d[4], const uint32_t a[4], const uint32_t *b) {
    MMA("m16n8k32", "s32.s8.s8.s32", d, a, b, "r");
  }
};
// Turing multiplies 16 bytes along the sum.
struct TuringHalfEngine {
  typedef __half Factor;
  typedef float Sum;
  static const bool has_async = false;
  static __device__ void multiply(float d[4], const uint32_t a[4], const uint32_t *b) {
#pragma unroll
    for (int i = 0; i < 2; i++)
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, "
                   "{%6}, {%0, %1, %2, %3};"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                   : "r"(a[2 * i]), "r"(a[2 * i + 1]), "r"(b[i]));
  }
};
struct TuringByteEngine {
  typedef signed char Factor;
  typedef int Sum;
  static const bool has_async = false;
  static __device__ void multiply(int d[4], const uint32_t a[4], const uint32_t *b) {
#pragma unroll
    for (int i = 0; i < 4; i++)
      asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                   : "+r"(d[i % 2 * 2]), "+r"(d[i % 2 * 2 + 1])
                   : "r"(a[i]), "r"(b[i / 2]));
  }
};

// ---- copies to shared memory

// The first `bytes` of 16, zeros for the rest.
__device__ __forceinline__ void copy_async(uint32_t target, const void *from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(from), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void store_16(uint32_t target, uint4 v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(target), "r"(v.x), "r"(v.y),
               "r"(v.z), "r"(v.w)
               : "memory");
}
// COUNT chunks of 16 bytes, `step` elements apart, of which those within `left` rows have
// `bytes` bytes and the others none. Without asynchronous copies all are there, and all are read
// before one is waited for.
template <bool HAS_ASYNC, int COUNT, int APART, typename T>
__device__ __forceinline__ void copy_chunks(uint32_t target, uint32_t target_step, const T *from,
                                            long long step, int left, int bytes) {
  uint4 chunks[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; i++) {
    if (HAS_ASYNC)
      copy_async(target + i * target_step, from + i * step, i * APART < left ? bytes : 0);
    else
      chunks[i] = *reinterpret_cast<const uint4 *>(from + i * step);
  }
#pragma unroll
  for (int i = 0; i < COUNT && !HAS_ASYNC; i++) store_16(target + i * target_step, chunks[i]);
}
template <bool HAS_ASYNC>
__device__ __forceinline__ void commit() {
  if (HAS_ASYNC) asm volatile("cp.async.commit_group;" ::: "memory");
}
template <bool HAS_ASYNC, int LEFT>
__device__ __forceinline__ void wait() {
  if (HAS_ASYNC) asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

template <int BYTES>
struct Bits;
template <>
struct Bits<1> {
  typedef uint8_t Type;
};
template <>
struct Bits<2> {
  typedef uint16_t Type;
};
template <>
struct Bits<4> {
  typedef uint32_t Type;
};

// Elements `step` apart, as many as there are, zeros for the rest.
template <typename T>
__device__ __forceinline__ void copy_items(uint32_t target, const T *from, long long step, int count) {
  const auto *items = reinterpret_cast<const typename Bits<sizeof(T)>::Type *>(from);
  uint32_t words[4] = {0, 0, 0, 0};
#pragma unroll
  for (int i = 0; i < CHUNK / (int)sizeof(T); i++)
    if (i < count)
      words[i * sizeof(T) / 4] |= (uint32_t)items[i * step] << i * sizeof(T) % 4 * 8;
  store_16(target, make_uint4(words[0], words[1], words[2], words[3]));
}

// A factor in global memory: `lines` rows or columns of the result, `depth` along the sum.
template <typename T>
struct Source {
  const T *matrix;
  long long line_step, deep_step;  // from one element to the next
  int lines, depth;
  bool is_aligned;  // 16 bytes may be copied at once

  __device__ const T *at(int line, int deep) const {
    return matrix + line * line_step + deep * deep_step;
  }
};

template <typename T>
__device__ __forceinline__ int clamped(int count) {
  const int most = CHUNK / (int)sizeof(T);
  return count < 0 ? 0 : count > most ? most : count;
}

// Results that are not of the type of the scalars have that of 16-bit factors.
template <typename T, typename Scale, bool IS_NARROW = sizeof(T) == 2>
struct Narrow {
  typedef Scale Type;
};
template <typename T, typename Scale>
struct Narrow<T, Scale, true> {
  typedef T Type;
};

// ---- a tile of a factor in shared memory, by its address there

// SIDE lines of 64 bytes along the sum.
template <typename T, int SIDE, Order ORDER>
struct Tile {
  enum { BYTES = SIDE * ROW };
  enum { PER = CHUNK / sizeof(T), ROW_CHUNKS = ROW / CHUNK, APART = THREADS / ROW_CHUNKS };
  // Two rows to a line of the banks: chunks of eight neighbouring rows are in different banks.
  static __device__ int place(int row, int chunk) {
    return row * ROW + (chunk ^ (row >> 1 & 3)) * CHUNK;
  }
  // Rows of a thread are equally far apart, so that most of each address is computed once.
  template <bool HAS_ASYNC>
  static __device__ __forceinline__ void fetch_chunks(uint32_t tile, const Source<T> &s, int line, int deep) {
    int row = threadIdx.x / ROW_CHUNKS, chunk = threadIdx.x % ROW_CHUNKS, at = deep + chunk * PER;
    int left = s.lines - line - row, size = clamped<T>(s.depth - at) * (int)sizeof(T);
    const T *from = s.matrix + (line + row) * s.line_step + at;
    uint32_t target = tile + place(row, chunk);
    copy_chunks<HAS_ASYNC, SIDE / APART, APART>(target, APART * ROW, from, APART * s.line_step,
                                                left, size);
  }
  // Neighbouring threads take neighbours in memory.
  static __device__ __forceinline__ void fetch(uint32_t tile, const Source<T> &s, int line, int deep) {
    bool is_deep = ORDER == DEEP || s.deep_step == 1;
#pragma unroll 1
    for (int id = threadIdx.x; id < SIDE * ROW_CHUNKS; id += THREADS) {
      int row = is_deep ? id / ROW_CHUNKS : id % SIDE, chunk = is_deep ? id % ROW_CHUNKS : id / SIDE;
      int at = deep + chunk * PER, count = line + row < s.lines ? clamped<T>(s.depth - at) : 0;
      copy_items(tile + place(row, chunk), s.at(line + row, at), s.deep_step, count);
    }
  }
  // Four matrices of 8 by 16 bytes: rows first, then along the sum, or the other way round.
  template <bool IS_DEEP_FIRST>
  static __device__ __forceinline__ void load(uint32_t tile, uint32_t r[4], int line, int step,
                                              int lane) {
    int high = lane / 16, low = lane / 8 % 2;
    int row = line + lane % 8 + (IS_DEEP_FIRST ? high : low) * 8;
    int chunk = step * 2 + (IS_DEEP_FIRST ? low : high);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(tile + place(row, chunk))
                 : "memory");
  }
};

// 16-bit factors, neighbours along the lines: 32 rows of SIDE of them.
template <int SIDE>
struct TurnedTile {
  enum { BYTES = SIDE * ROW };
  enum { PER = CHUNK / 2, ROW_CHUNKS = SIDE / PER, ROWS = ROW / 2, APART = THREADS / ROW_CHUNKS };
  static __device__ int place(int row, int chunk) {
    return (row * ROW_CHUNKS + (chunk ^ (row & 7))) * CHUNK;
  }
  template <bool HAS_ASYNC, typename T>
  static __device__ __forceinline__ void fetch_chunks(uint32_t tile, const Source<T> &s, int line, int deep) {
    int row = threadIdx.x / ROW_CHUNKS, chunk = threadIdx.x % ROW_CHUNKS, at = line + chunk * PER;
    int left = s.depth - deep - row, size = clamped<T>(s.lines - at) * (int)sizeof(T);
    const T *from = s.matrix + (deep + row) * s.deep_step + at;
    uint32_t target = tile + place(row, chunk);
    copy_chunks<HAS_ASYNC, ROWS / APART, APART>(target, APART * ROW_CHUNKS * CHUNK, from,
                                                APART * s.deep_step, left, size);
  }
  template <typename T>
  static __device__ __forceinline__ void fetch(uint32_t tile, const Source<T> &s, int line, int deep) {
#pragma unroll 1
    for (int id = threadIdx.x; id < ROWS * ROW_CHUNKS; id += THREADS) {
      int row = id / ROW_CHUNKS, chunk = id % ROW_CHUNKS, at = line + chunk * PER;
      int count = deep + row < s.depth ? clamped<T>(s.lines - at) : 0;
      copy_items(tile + place(row, chunk), s.at(at, deep + row), 1, count);
    }
  }
  template <bool IS_DEEP_FIRST>
  static __device__ __forceinline__ void load(uint32_t tile, uint32_t r[4], int line, int step,
                                              int lane) {
    int high = lane / 16, low = lane / 8 % 2;
    int row = step * 16 + lane % 8 + (IS_DEEP_FIRST ? low : high) * 8;
    int chunk = line / PER + (IS_DEEP_FIRST ? high : low);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(tile + place(row, chunk))
                 : "memory");
  }
};
template <int SIDE>
struct Tile<__half, SIDE, LINES> : TurnedTile<SIDE> {};
template <int SIDE>
struct Tile<__nv_bfloat16, SIDE, LINES> : TurnedTile<SIDE> {};

// ---- the product

// Types other than those of 16 bits are transposed on the way, by elements.
template <typename T>
__device__ __forceinline__ Source<T> source_of(const Operand &operand, int batch, int lines, int depth,
                               bool is_deep) {
  const T *matrix = matrix_of<T>(operand, batch);
  bool is_aligned = (uintptr_t)matrix % CHUNK == 0 && operand.ld * sizeof(T) % CHUNK == 0;
  return Source<T>{matrix, is_deep ? operand.ld : 1, is_deep ? 1 : operand.ld, lines, depth,
                   is_aligned && (is_deep || sizeof(T) == 2)};
}

// IS_QUICK: in chunks of 16 bytes.
template <typename TileOf, bool IS_QUICK, bool HAS_ASYNC, int SIDE, typename T>
__device__ __forceinline__ void fetch_tile(uint32_t tile, const Source<T> &s, int line, int deep) {
  bool is_whole = line + SIDE <= s.lines && deep + ROW / (int)sizeof(T) <= s.depth;
  if (IS_QUICK && (HAS_ASYNC || is_whole))
    TileOf::template fetch_chunks<HAS_ASYNC>(tile, s, line, deep);
  else
    TileOf::fetch(tile, s, line, deep);
}

// What a warp multiplies at once: SIDE / 2 lines of both factors, 32 bytes along the sum.
template <int SIDE>
struct Fragments {
  enum { PARTS = SIDE / 32 };
  uint32_t a[PARTS][4], b[PARTS][4];
  template <typename BufferOf>
  __device__ __forceinline__ void load(uint32_t buffer, int row, int column, int step, int lane) {
#pragma unroll
    for (int i = 0; i < PARTS; i++)
      BufferOf::A::template load<false>(buffer, a[i], row + i * 16, step, lane);
#pragma unroll
    for (int j = 0; j < PARTS; j++)
      BufferOf::B::template load<true>(buffer + BufferOf::A::BYTES, b[j], column + j * 16, step, lane);
  }
};

template <typename E, int SIDE>
struct WarpSums {
  enum { PARTS = SIDE / 32 };
  typename E::Sum sum[PARTS][2 * PARTS][4];
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < PARTS * PARTS * 8; i++)
      sum[i / (8 * PARTS)][i / 4 % (2 * PARTS)][i % 4] = 0;
  }
  __device__ __forceinline__ void multiply(const Fragments<SIDE> &f) {
#pragma unroll
    for (int i = 0; i < PARTS; i++)
#pragma unroll
      for (int j = 0; j < 2 * PARTS; j++) E::multiply(sum[i][j], f.a[i], &f.b[j / 2][j % 2 * 2]);
  }
};

// A tile of A, then one of B.
template <typename E, Order ORDER_A, Order ORDER_B, int SIDE>
struct Buffer {
  typedef Tile<typename E::Factor, SIDE, ORDER_A> A;
  typedef Tile<typename E::Factor, SIDE, ORDER_B> B;
  enum { BYTES = A::BYTES + B::BYTES };
};

// Results go through shared memory, 32 columns of a warp at a time: there neighbouring lanes have
// neighbouring rows, and the code of the epilogue is short. The padding avoids bank conflicts.
template <int SIDE>
struct Strip {
  enum { HEIGHT = SIDE / 2, WIDTH = 32, LD = HEIGHT + 4, ITEMS = LD * WIDTH };
};

// A strip without epilogue or C: a lane writes some rows of it.
template <int SIDE, typename Out, typename Sum, typename Scale>
__device__ __forceinline__ void write_plain(const Product &p, const Sum *staging, Out *d, int row,
                                            int column, Scale factor) {
  typedef Strip<SIDE> S;
  int columns = p.n - column < S::WIDTH ? p.n - column : S::WIDTH;
#pragma unroll
  for (int x = threadIdx.x % 32; x < S::HEIGHT; x += 32) {
    Out *target = d + row + x + column * p.d.ld;
#pragma unroll 4
    for (int y = 0; y < columns && row + x < p.m; y++, target += p.d.ld)
      *target = to<Out>(factor * (Scale)staging[x + y * S::LD]);
  }
}

template <int SIDE, typename Out, typename Sum, typename Scale>
__device__ __forceinline__ void write_strip(const Product &p, const Sum *staging, const Out *c,
                                            Out *d, int batch, int row, int column, Scale factor,
                                            Scale old) {
  typedef Strip<SIDE> S;
#pragma unroll 1
  for (int at = threadIdx.x % 32; at < S::HEIGHT * S::WIDTH; at += 32) {
    int x = at % S::HEIGHT, y = at / S::HEIGHT;
    write_element<Out>(p, c, d, batch, row + x, column + y, staging[x + y * S::LD], factor, old);
  }
}

template <typename Out, typename E, int SIDE, typename Scale>
__device__ __forceinline__ void write_sums(const Product &p, const WarpSums<E, SIDE> &sums,
                                           typename E::Sum *staging, int batch, int row,
                                           int column, Scale factor, Scale old) {
  typedef Strip<SIDE> S;
  const Out *c = matrix_of<Out>(p.c, batch);
  Out *d = const_cast<Out *>(matrix_of<Out>(p.d, batch));
  bool is_plain = old == Scale(0) && !p.epilogue.bias && p.epilogue.activation == NO_ACTIVATION;
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int first = 0; first < SIDE / 2; first += S::WIDTH) {
    __syncwarp();
#pragma unroll
    for (int i = 0; i < S::HEIGHT / 16 * 4 * 4; i++) {
      int part = i / 16, j = i / 4 % 4, e = i % 4;
      int x = part * 16 + lane / 4 + e / 2 * 8, y = j * 8 + lane % 4 * 2 + e % 2;
      staging[x + y * S::LD] = sums.sum[part][first / 8 + j][e];
    }
    __syncwarp();
    if (is_plain)
      write_plain<SIDE>(p, staging, d, row, column + first, factor);
    else
      write_strip<SIDE>(p, staging, c, d, batch, row, column + first, factor, old);
  }
}

template <typename BufferOf, bool IS_QUICK, int BUFFERS, typename E, int SIDE, typename T>
__device__ __forceinline__ void multiply_tile(uint32_t buffers, const Source<T> &a,
                                              const Source<T> &b, int row, int column,
                                              WarpSums<E, SIDE> &sums) {
  enum { DEPTH = ROW / sizeof(T) };
  const bool has_async = E::has_async;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, k = a.depth;
  int warp_row = warp % 2 * (SIDE / 2), warp_column = warp / 2 * (SIDE / 2);
  auto fetch = [&](int buffer, int deep) __attribute__((always_inline)) {
    typedef typename BufferOf::A A;
    typedef typename BufferOf::B B;
    uint32_t at = buffers + buffer * BufferOf::BYTES;
    if (deep < k) {
      fetch_tile<A, IS_QUICK, has_async, SIDE>(at, a, row, deep);
      fetch_tile<B, IS_QUICK, has_async, SIDE>(at + A::BYTES, b, column, deep);
    }
    commit<has_async>();
  };
  Fragments<SIDE> fragments[2];
  auto load = [&](int which, int buffer) __attribute__((always_inline)) {
    fragments[which].template load<BufferOf>(buffers + buffer * BufferOf::BYTES, warp_row,
                                             warp_column, which, lane);
  };
#pragma unroll 1
  for (int i = 0; i < BUFFERS; i++) fetch(i, i * DEPTH);
  wait<has_async, BUFFERS - 1>();
  __syncthreads();
  load(0, 0);
  int current = 0;
  for (int deep = 0; deep < k; deep += DEPTH) {
    load(1, current);
    sums.multiply(fragments[0]);
    // All of the buffer is in registers: it may be filled, and the next one is there.
    wait<has_async, BUFFERS - 2>();
    __syncthreads();
    fetch(current, deep + BUFFERS * DEPTH);
    current = current + 1 == BUFFERS ? 0 : current + 1;
    if (deep + DEPTH < k) load(0, current);
    sums.multiply(fragments[1]);
  }
  wait<has_async, 0>();
  __syncthreads();
}

__device__ __forceinline__ bool is_deep(Order order, bool otherwise) {
  return order == EITHER ? otherwise : order == DEEP;
}

template <typename E, Order A, Order B, int SIDE, typename Scale>
__global__ void __launch_bounds__(THREADS, SIDE == 128 ? 2 : 4)
    multiply_on_tensor_cores(Product p, Scalar<Scale> alpha, Scalar<Scale> beta) {
  enum { BUFFERS = SIDE == 128 ? 3 : 4 };
  typedef Buffer<E, A, B, SIDE> BufferOf;
  __shared__ __align__(128) unsigned char shared[BUFFERS * BufferOf::BYTES];
  typedef typename E::Factor T;
  typedef typename E::Sum Sum;
  int row = blockIdx.x * SIDE, column = blockIdx.y * SIDE, warp = threadIdx.x / 32;
  Scale factor = factor_of(alpha), old = factor_of(beta);
  for (int batch = blockIdx.z; batch < p.count; batch += gridDim.z) {
    WarpSums<E, SIDE> sums;
    sums.clear();
    Source<T> a = source_of<T>(p.a, batch, p.m, p.k, is_deep(A, p.transpose_a));
    Source<T> b = source_of<T>(p.b, batch, p.n, p.k, is_deep(B, !p.transpose_b));
    if (factor != Scale(0) && a.is_aligned && b.is_aligned)
      multiply_tile<BufferOf, true, BUFFERS>(shared_address(shared), a, b, row, column, sums);
    else if (factor != Scale(0))
      multiply_tile<BufferOf, false, BUFFERS>(shared_address(shared), a, b, row, column, sums);
    Sum *staging = reinterpret_cast<Sum *>(shared) + warp * Strip<SIDE>::ITEMS;
    int x = row + warp % 2 * (SIDE / 2), y = column + warp / 2 * (SIDE / 2);
    if (sizeof(T) == 2 && p.has_narrow_result)
      write_sums<typename Narrow<T, Scale>::Type>(p, sums, staging, batch, x, y, factor, old);
    else
      write_sums<Scale>(p, sums, staging, batch, x, y, factor, old);
    __syncthreads();
  }
}

// ---- launches

template <typename E, Order A, Order B, int SIDE, typename Scale>
cublasStatus_t launch_side(const Product &p, Scalar<Scale> alpha, Scalar<Scale> beta,
                           cudaStream_t stream) {
  dim3 grid(blocks_for(p.m, SIDE), blocks_for(p.n, SIDE), p.count < 65535 ? p.count : 65535);
  multiply_on_tensor_cores<E, A, B, SIDE><<<grid, THREADS, 0, stream>>>(p, alpha, beta);
  return launched();
}

// Large tiles where there is one for each SM.
template <typename E, Order A, Order B, typename Scale>
cublasStatus_t launch_ordered(const Product &p, Scalar<Scale> alpha, Scalar<Scale> beta,
                              cudaStream_t stream) {
  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  long long tiles = (long long)blocks_for(p.m, 128) * blocks_for(p.n, 128) * p.count;
  return tiles >= sms ? launch_side<E, A, B, 128>(p, alpha, beta, stream)
                      : launch_side<E, A, B, 64>(p, alpha, beta, stream);
}

// 16-bit factors.
template <typename E, typename Scale>
cublasStatus_t launch_halves(const Product &p, Scalar<Scale> alpha, Scalar<Scale> beta,
                             cudaStream_t stream) {
  if (p.transpose_a)
    return p.transpose_b ? launch_ordered<E, DEEP, LINES>(p, alpha, beta, stream)
                         : launch_ordered<E, DEEP, DEEP>(p, alpha, beta, stream);
  return p.transpose_b ? launch_ordered<E, LINES, LINES>(p, alpha, beta, stream)
                       : launch_ordered<E, LINES, DEEP>(p, alpha, beta, stream);
}

template <typename E, typename Scale>
cublasStatus_t launch_others(const Product &p, Scalar<Scale> alpha, Scalar<Scale> beta,
                             cudaStream_t stream) {
  return launch_ordered<E, EITHER, EITHER>(p, alpha, beta, stream);
}

}  // namespace

#endif
