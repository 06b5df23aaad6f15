// SPDX-License-Identifier: MIT
// Tensor cores through mma.h: every shape and type against a product on the
// host, and a tiled product through shared memory.
// nvcc: -arch=compute_80
#include <mma.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include "check.h"

using namespace nvcuda;

template <class T> struct Storage { typedef T type; };
template <> struct Storage<wmma::precision::tf32> { typedef float type; };

template <int M, int N, int K, class T, class S, class LA, class LB>
__global__ void product(const typename Storage<T>::type *a, const typename Storage<T>::type *b, const S *c,
                        S *d, int lda, int ldb, wmma::layout_t layout, int ldc) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, S> fc, twice;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, ldc, layout);
  for (int i = 0; i < fc.num_elements; i++) twice.x[i] = fc.x[i] + fc.x[i];
  wmma::mma_sync(fc, fa, fb, twice);
  wmma::store_matrix_sync(d, fc, ldc, layout);
}

static unsigned seed = 1;
static int small() {
  seed = seed * 1664525u + 1013904223u;
  return (int)(seed >> 20) % 17 - 8;
}

// Small integers are exact in every type. The lines are three chunks of 16 bytes apart.
template <int M, int N, int K, class T, class S, class LA, class LB>
static void try_shape(wmma::layout_t layout) {
  typedef typename Storage<T>::type Element;
  const bool a_by_row = std::is_same<LA, wmma::row_major>::value;
  const bool b_by_row = std::is_same<LB, wmma::row_major>::value;
  const int lda = (a_by_row ? K : M) + 48 / (int)sizeof(Element), ldb = (b_by_row ? N : K) + 48 / (int)sizeof(Element);
  const bool c_by_row = layout == wmma::mem_row_major;
  const int ldc = (c_by_row ? N : M) + 32 / (int)sizeof(S);
  Element *a, *b;
  S *c, *d;
  CHECK(cudaMallocManaged(&a, 4096 * sizeof *a));
  CHECK(cudaMallocManaged(&b, 4096 * sizeof *b));
  CHECK(cudaMallocManaged(&c, 4096 * sizeof *c));
  CHECK(cudaMallocManaged(&d, 4096 * sizeof *d));
  static int va[4096], vb[4096], vc[4096];
  bool is_unsigned = (Element)-1 > (Element)0;
  for (int i = 0; i < 4096; i++) {
    va[i] = is_unsigned ? small() + 8 : small();
    vb[i] = is_unsigned ? small() + 8 : small();
    vc[i] = small();
    a[i] = (Element)(float)va[i];
    b[i] = (Element)(float)vb[i];
    c[i] = (S)(float)vc[i];
    d[i] = (S)(float)-77;
  }
  product<M, N, K, T, S, LA, LB><<<1, 32>>>(a, b, c, d, lda, ldb, layout, ldc);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      int at = c_by_row ? i * ldc + j : j * ldc + i, sum = 2 * vc[at];
      for (int k = 0; k < K; k++)
        sum += va[a_by_row ? i * lda + k : k * lda + i] * vb[b_by_row ? k * ldb + j : j * ldb + k];
      EXPECT((float)d[at] == (float)sum);
    }
  int lines = c_by_row ? M : N, along = c_by_row ? N : M;
  for (int line = 0; line < lines; line++)
    for (int i = along; i < ldc; i++) EXPECT((float)d[line * ldc + i] == -77);
  cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

template <int M, int N, int K, class T, class S> static void try_layouts() {
  try_shape<M, N, K, T, S, wmma::row_major, wmma::col_major>(wmma::mem_row_major);
  try_shape<M, N, K, T, S, wmma::col_major, wmma::row_major>(wmma::mem_col_major);
  try_shape<M, N, K, T, S, wmma::row_major, wmma::row_major>(wmma::mem_row_major);
  try_shape<M, N, K, T, S, wmma::col_major, wmma::col_major>(wmma::mem_col_major);
}

template <class T, class S> static void try_shapes() {
  try_layouts<16, 16, 16, T, S>();
  try_layouts<32, 8, 16, T, S>();
  try_layouts<8, 32, 16, T, S>();
}

// Packed elements, A by rows and B by columns: eight integers of four bits or 32 single bits a word.
template <class A, class B>
__device__ void multiply(wmma::fragment<wmma::accumulator, 8, 8, 32, int> &sum, const A &a, const B &b, int way) {
  wmma::mma_sync(sum, a, b, sum, way != 0);
}
template <class A, class B>
__device__ void multiply(wmma::fragment<wmma::accumulator, 8, 8, 128, int> &sum, const A &a, const B &b, int way) {
  wmma::bmma_sync(sum, a, b, sum, way ? wmma::experimental::bmmaBitOpAND : wmma::experimental::bmmaBitOpXOR);
}

template <int K, class T>
__global__ void packed_product(const unsigned *a, const unsigned *b, const int *c, int *d, int way) {
  wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, K, int> sum;
  wmma::load_matrix_sync(fa, (const void *)a, K);
  wmma::load_matrix_sync(fb, (const void *)b, K);
  wmma::load_matrix_sync(sum, c, 8, wmma::mem_row_major);
  multiply(sum, fa, fb, way);
  wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}

// Element i of packed words, and the product of two.
static int packed_at(const unsigned *words, int i, int bits, bool is_signed) {
  int v = (int)(words[i * bits / 32] >> i * bits % 32 & ((1u << bits) - 1));
  return is_signed && v >= 8 ? v - 16 : v;
}

static unsigned random_word() {
  seed = seed * 1664525u + 1013904223u;
  return seed ^ seed >> 15;
}

// Half of the sums are near the largest integer: `way` 1 clamps them, of single bits it is AND.
template <int K, class T> static void try_packed(int bits, bool is_signed, int way) {
  unsigned *a, *b;
  int *c, *d;
  CHECK(cudaMallocManaged(&a, 256));
  CHECK(cudaMallocManaged(&b, 256));
  CHECK(cudaMallocManaged(&c, 256));
  CHECK(cudaMallocManaged(&d, 256));
  for (int i = 0; i < 64; i++) {
    a[i] = random_word();
    b[i] = random_word();
    c[i] = i % 2 && bits == 4 ? 0x7fffffff - i : small();
  }
  packed_product<K, T><<<1, 32>>>(a, b, c, d, way);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++) {
    long long sum = c[i];
    for (int k = 0; k < K; k++) {
      int x = packed_at(a, i / 8 * K + k, bits, is_signed), y = packed_at(b, i % 8 * K + k, bits, is_signed);
      sum += bits == 1 && !way ? x ^ y : x * y;
    }
    if (way && bits == 4 && sum > 0x7fffffff) sum = 0x7fffffff;
    EXPECT(d[i] == (int)sum);
  }
  cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

// A block of four warps multiplies 32 x 32 tiles that it keeps in shared memory.
enum { SIZE = 64, TILE = 32 };

__global__ void gemm(const half *a, const half *b, float *c) {
  __shared__ half sa[TILE][TILE + 8], sb[TILE][TILE + 8];
  int row = blockIdx.y * TILE, column = blockIdx.x * TILE, warp = threadIdx.x / 32;
  int warp_row = warp / 2 * 16, warp_column = warp % 2 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < SIZE; k += TILE) {
    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
      sa[i / TILE][i % TILE] = a[(row + i / TILE) * SIZE + k + i % TILE];
      sb[i / TILE][i % TILE] = b[(k + i / TILE) * SIZE + column + i % TILE];
    }
    __syncthreads();
    for (int step = 0; step < TILE; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::load_matrix_sync(fa, &sa[warp_row][step], TILE + 8);
      wmma::load_matrix_sync(fb, &sb[step][warp_column], TILE + 8);
      wmma::mma_sync(sum, fa, fb, sum);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(c + (row + warp_row) * SIZE + column + warp_column, sum, SIZE, wmma::mem_row_major);
}

static void try_gemm() {
  half *a, *b;
  float *c;
  CHECK(cudaMallocManaged(&a, SIZE * SIZE * sizeof *a));
  CHECK(cudaMallocManaged(&b, SIZE * SIZE * sizeof *b));
  CHECK(cudaMallocManaged(&c, SIZE * SIZE * sizeof *c));
  for (int i = 0; i < SIZE * SIZE; i++) {
    a[i] = (half)((float)small() / 7);
    b[i] = (half)((float)small() / 11);
  }
  gemm<<<dim3(SIZE / TILE, SIZE / TILE), 128>>>(a, b, c);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) {
      double sum = 0;
      for (int k = 0; k < SIZE; k++) sum += (double)(float)a[i * SIZE + k] * (double)(float)b[k * SIZE + j];
      EXPECT(close_to(c[i * SIZE + j], (float)sum));
    }
}

int main() {
  try_shapes<half, float>();
  try_shapes<half, half>();
  try_shapes<__nv_bfloat16, float>();
  try_shapes<signed char, int>();
  try_shapes<unsigned char, int>();
  try_layouts<16, 16, 8, wmma::precision::tf32, float>();
  try_layouts<8, 8, 4, double, double>();
  for (int way = 0; way < 2; way++) {
    try_packed<32, wmma::experimental::precision::s4>(4, true, way);
    try_packed<32, wmma::experimental::precision::u4>(4, false, way);
    try_packed<128, wmma::experimental::precision::b1>(1, false, way);
  }
  try_gemm();
  return finish("tensor");
}
