// SPDX-License-Identifier: MIT
// Tensor cores: nvcuda::wmma. On clang's builtins, which become one wmma
// instruction each; a fragment's elements stand in the order of its registers.
//
// Four-bit integers and single bits (wmma::experimental) are in words of 32 bits.
#ifndef HEDDLE_MMA_H
#define HEDDLE_MMA_H
#define __CUDA_MMA_H__ 1  // what programs ask for to know that it was read

#include "cuda_bf16.h"
#include "cuda_fp16.h"

HEDDLE_CALLERS_LINES_BEGIN

#define HEDDLE_MEMBER static __device__ __forceinline__

namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision {
struct tf32 {};
}  // namespace precision
namespace experimental {
namespace precision {
struct s4 {};
struct u4 {};
struct b1 {};
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

namespace details {

template <class T>
struct stored {
  typedef T type;
};
template <>
struct stored<precision::tf32> {
  typedef float type;
};

// What several elements are stored in.
template <>
struct stored<experimental::precision::s4> {
  typedef int type;
};
template <>
struct stored<experimental::precision::u4> {
  typedef unsigned type;
};
template <>
struct stored<experimental::precision::b1> {
  typedef unsigned type;
};
template <class T>
struct element {
  typedef typename stored<T>::type source;  // what load_matrix_sync reads
  enum { bits = sizeof(source) * 8 };
};
template <int width>
struct packed {
  typedef void source;
  enum { bits = width };
};
template <>
struct element<experimental::precision::s4> : packed<4> {};
template <>
struct element<experimental::precision::u4> : packed<4> {};
template <>
struct element<experimental::precision::b1> : packed<1> {};

// A warp's share of a matrix of so many elements. Those of half are there twice.
template <class Use, int m, int n, int k, class T>
struct share {
  enum { count = m * n / 32 };
};
template <int m, int n, int k, class T>
struct share<matrix_a, m, n, k, T> {
  enum { count = m * k / 32 };
};
template <int m, int n, int k, class T>
struct share<matrix_b, m, n, k, T> {
  enum { count = n * k / 32 };
};
template <int m, int n, int k>
struct share<matrix_a, m, n, k, __half> {
  enum { count = 16 };
};
template <int m, int n, int k>
struct share<matrix_b, m, n, k, __half> {
  enum { count = 16 };
};

template <class Layout>
struct is_column {
  enum { value = 0 };
};
template <>
struct is_column<col_major> {
  enum { value = 1 };
};

// What a shape and a type have: reading a and b, reading and writing c, products.
template <int m, int n, int k, class T>
struct operands;
template <int m, int n, int k, class S>
struct sums;
template <int m, int n, int k, class T, class D, class C>
struct products;

#define HEDDLE_OPERANDS(m, n, k, T, Word, read_a, read_b)                    \
  template <>                                                                \
  struct operands<m, n, k, T> {                                              \
    template <int column>                                                    \
    HEDDLE_MEMBER void load(matrix_a, void *to, const void *p, unsigned s) { \
      read_a((Word *)to, (const Word *)p, s, column);                        \
    }                                                                        \
    template <int column>                                                    \
    HEDDLE_MEMBER void load(matrix_b, void *to, const void *p, unsigned s) { \
      read_b((Word *)to, (const Word *)p, s, column);                        \
    }                                                                        \
  };
#define HEDDLE_SUMS(m, n, k, S, Word, read, write)                    \
  template <>                                                         \
  struct sums<m, n, k, S> {                                           \
    template <int column>                                             \
    HEDDLE_MEMBER void load(void *to, const void *p, unsigned s) {    \
      read((Word *)to, (const Word *)p, s, column);                   \
    }                                                                 \
    template <int column>                                             \
    HEDDLE_MEMBER void store(void *p, const void *from, unsigned s) { \
      write((Word *)p, (Word *)const_cast<void *>(from), s, column);  \
    }                                                                 \
  };
#define HEDDLE_PRODUCTS(m, n, k, T, D, C, Word, WordD, WordC, multiply)                     \
  template <>                                                                               \
  struct products<m, n, k, T, D, C> {                                                       \
    template <int columns>                                                                  \
    HEDDLE_MEMBER void run(void *d, const void *a, const void *b, const void *c) {          \
      multiply((WordD *)d, (const Word *)a, (const Word *)b, (const WordC *)c, columns, 0); \
    }                                                                                       \
  };

#define HEDDLE_SHAPE(m, n, k, name)                                                                \
  HEDDLE_OPERANDS(m, n, k, __half, int, __hmma_##name##_ld_a, __hmma_##name##_ld_b)                \
  HEDDLE_SUMS(m, n, k, __half, int, __hmma_##name##_ld_c_f16, __hmma_##name##_st_c_f16)            \
  HEDDLE_SUMS(m, n, k, float, float, __hmma_##name##_ld_c_f32, __hmma_##name##_st_c_f32)           \
  HEDDLE_PRODUCTS(m, n, k, __half, __half, __half, int, int, int, __hmma_##name##_mma_f16f16)      \
  HEDDLE_PRODUCTS(m, n, k, __half, __half, float, int, int, float, __hmma_##name##_mma_f16f32)     \
  HEDDLE_PRODUCTS(m, n, k, __half, float, __half, int, float, int, __hmma_##name##_mma_f32f16)     \
  HEDDLE_PRODUCTS(m, n, k, __half, float, float, int, float, float, __hmma_##name##_mma_f32f32)    \
  HEDDLE_OPERANDS(m, n, k, __nv_bfloat16, int, __mma_bf16_##name##_ld_a, __mma_bf16_##name##_ld_b) \
  HEDDLE_PRODUCTS(m, n, k, __nv_bfloat16, float, float, int, float, float,                         \
                  __mma_bf16_##name##_mma_f32)                                                     \
  HEDDLE_OPERANDS(m, n, k, signed char, int, __imma_##name##_ld_a_s8, __imma_##name##_ld_b_s8)     \
  HEDDLE_OPERANDS(m, n, k, unsigned char, int, __imma_##name##_ld_a_u8, __imma_##name##_ld_b_u8)   \
  HEDDLE_SUMS(m, n, k, int, int, __imma_##name##_ld_c, __imma_##name##_st_c_i32)                   \
  HEDDLE_INTEGER_PRODUCTS(m, n, k, signed char, __imma_##name##_mma_s8)                            \
  HEDDLE_INTEGER_PRODUCTS(m, n, k, unsigned char, __imma_##name##_mma_u8)
// With saturation: sums that do not fit are the largest or smallest integer.
#define HEDDLE_INTEGER_PRODUCTS(m, n, k, T, multiply)                                    \
  template <>                                                                            \
  struct products<m, n, k, T, int, int> {                                                \
    template <int columns>                                                               \
    HEDDLE_MEMBER void run(int *d, const void *a, const void *b, const int *c) {         \
      multiply(d, (const int *)a, (const int *)b, c, columns, 0);                        \
    }                                                                                    \
    template <int columns>                                                               \
    HEDDLE_MEMBER void run_clamped(int *d, const void *a, const void *b, const int *c) { \
      multiply(d, (const int *)a, (const int *)b, c, columns, 1);                        \
    }                                                                                    \
  };
HEDDLE_SHAPE(16, 16, 16, m16n16k16)
HEDDLE_SHAPE(32, 8, 16, m32n8k16)
HEDDLE_SHAPE(8, 32, 16, m8n32k16)
HEDDLE_OPERANDS(16, 16, 8, precision::tf32, int, __mma_tf32_m16n16k8_ld_a, __mma_tf32_m16n16k8_ld_b)
HEDDLE_SUMS(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
HEDDLE_PRODUCTS(16, 16, 8, precision::tf32, float, float, int, float, float,
                __mma_tf32_m16n16k8_mma_f32)
HEDDLE_OPERANDS(8, 8, 4, double, double, __dmma_m8n8k4_ld_a, __dmma_m8n8k4_ld_b)
HEDDLE_SUMS(8, 8, 4, double, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
HEDDLE_PRODUCTS(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)
// A by rows, B by columns.
HEDDLE_OPERANDS(8, 8, 32, experimental::precision::s4, int, __imma_m8n8k32_ld_a_s4,
                __imma_m8n8k32_ld_b_s4)
HEDDLE_OPERANDS(8, 8, 32, experimental::precision::u4, int, __imma_m8n8k32_ld_a_u4,
                __imma_m8n8k32_ld_b_u4)
HEDDLE_OPERANDS(8, 8, 128, experimental::precision::b1, int, __bmma_m8n8k128_ld_a_b1,
                __bmma_m8n8k128_ld_b_b1)
HEDDLE_SUMS(8, 8, 32, int, int, __imma_m8n8k32_ld_c, __imma_m8n8k32_st_c_i32)
HEDDLE_SUMS(8, 8, 128, int, int, __bmma_m8n8k128_ld_c, __bmma_m8n8k128_st_c_i32)
HEDDLE_INTEGER_PRODUCTS(8, 8, 32, experimental::precision::s4, __imma_m8n8k32_mma_s4)
HEDDLE_INTEGER_PRODUCTS(8, 8, 32, experimental::precision::u4, __imma_m8n8k32_mma_u4)
#undef HEDDLE_INTEGER_PRODUCTS
#undef HEDDLE_SHAPE
#undef HEDDLE_PRODUCTS
#undef HEDDLE_SUMS
#undef HEDDLE_OPERANDS

}  // namespace details

template <class Use, int m, int n, int k, class T, class Layout = void>
struct __align__(8) fragment {
  typedef typename details::stored<T>::type element_type;
  typedef element_type storage_element_type;
  enum { num_elements = details::share<Use, m, n, k, T>::count };
  enum {
    num_storage_elements = num_elements * details::element<T>::bits / (sizeof(element_type) * 8)
  };
  element_type x[num_storage_elements];
};

template <class Use, int m, int n, int k, class T, class Layout>
HEDDLE_MEMBER void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &to,
                                    const typename details::element<T>::source *from,
                                    unsigned int stride) {
  details::operands<m, n, k, T>::template load<details::is_column<Layout>::value>(Use(), to.x, from,
                                                                                  stride);
}
template <int m, int n, int k, class S>
HEDDLE_MEMBER void load_matrix_sync(fragment<accumulator, m, n, k, S> &to, const S *from,
                                    unsigned int stride, layout_t layout) {
  if (layout == mem_row_major)
    details::sums<m, n, k, S>::template load<0>(to.x, from, stride);
  else
    details::sums<m, n, k, S>::template load<1>(to.x, from, stride);
}
template <int m, int n, int k, class S>
HEDDLE_MEMBER void store_matrix_sync(S *to, const fragment<accumulator, m, n, k, S> &from,
                                     unsigned int stride, layout_t layout) {
  if (layout == mem_row_major)
    details::sums<m, n, k, S>::template store<0>(to, from.x, stride);
  else
    details::sums<m, n, k, S>::template store<1>(to, from.x, stride);
}
template <class Use, int m, int n, int k, class T, class Layout>
HEDDLE_MEMBER void fill_fragment(fragment<Use, m, n, k, T, Layout> &to,
                                 const typename details::stored<T>::type &value) {
  for (int i = 0; i < to.num_elements; i++) to.x[i] = value;
}
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D, class C>
HEDDLE_MEMBER void mma_sync(fragment<accumulator, m, n, k, D> &d,
                            const fragment<matrix_a, m, n, k, T, LayoutA> &a,
                            const fragment<matrix_b, m, n, k, T, LayoutB> &b,
                            const fragment<accumulator, m, n, k, C> &c) {
  details::products<m, n, k, T, D, C>::template run<details::is_column<LayoutA>::value * 2 +
                                                    details::is_column<LayoutB>::value>(d.x, a.x,
                                                                                        b.x, c.x);
}

template <int m, int n, int k, class T, class LayoutA, class LayoutB>
HEDDLE_MEMBER void mma_sync(fragment<accumulator, m, n, k, int> &d,
                            const fragment<matrix_a, m, n, k, T, LayoutA> &a,
                            const fragment<matrix_b, m, n, k, T, LayoutB> &b,
                            const fragment<accumulator, m, n, k, int> &c, bool is_clamped) {
  typedef details::products<m, n, k, T, int, int> Products;
  enum { columns = details::is_column<LayoutA>::value * 2 + details::is_column<LayoutB>::value };
  if (is_clamped)
    Products::template run_clamped<columns>(d.x, a.x, b.x, c.x);
  else
    Products::template run<columns>(d.x, a.x, b.x, c.x);
}

typedef fragment<accumulator, 8, 8, 128, int> heddle_bit_sums;
HEDDLE_MEMBER void bmma_sync(
    heddle_bit_sums &d,
    const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
    const heddle_bit_sums &c, experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  if (operation == experimental::bmmaBitOpAND)
    __bmma_m8n8k128_mma_and_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
  else
    __bmma_m8n8k128_mma_xor_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
}

HEDDLE_MEMBER float __float_to_tf32(float a) {
  unsigned int bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(a));
  return __uint_as_float(bits);
}

}  // namespace wmma
}  // namespace nvcuda
#undef HEDDLE_MEMBER
HEDDLE_CALLERS_LINES_END

#endif
