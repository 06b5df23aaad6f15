// SPDX-License-Identifier: MIT
// bfloat16, the upper half of a float: __nv_bfloat16 and __nv_bfloat162 and
// conversions; arithmetic, comparisons and functions are in
// heddle/half_functions.h. Sums and products are done in float and rounded.
#ifndef HEDDLE_CUDA_BF16_H
#define HEDDLE_CUDA_BF16_H
#define __CUDA_BF16_H__ 1  // what programs ask for to know that it was read

#include "cuda_runtime.h"
#include "heddle/float_bits.h"

HEDDLE_CALLERS_LINES_BEGIN

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((unused))
#define HEDDLE_DEVICE static __inline__ __device__ __attribute__((unused))

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __align__(2) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
  __host__ __device__ __nv_bfloat16(float a) : __x(convert(a)) {}
  __host__ __device__ __nv_bfloat16(double a) : __x(convert(heddle_float::to_odd(a))) {}
  __host__ __device__ __nv_bfloat16(short a) : __x(convert((float)a)) {}
  __host__ __device__ __nv_bfloat16(unsigned short a) : __x(convert((float)a)) {}
  __host__ __device__ __nv_bfloat16(int a) : __x(convert(heddle_float::to_odd(a))) {}
  __host__ __device__ __nv_bfloat16(unsigned int a) : __x(convert(heddle_float::to_odd(a))) {}
  // Double keeps all the bits that rounding looks at, but for exact halves of long numbers.
  __host__ __device__ __nv_bfloat16(long a) : __x(convert(heddle_float::to_odd((double)a))) {}
  __host__ __device__ __nv_bfloat16(unsigned long a)
      : __x(convert(heddle_float::to_odd((double)a))) {}
  __host__ __device__ __nv_bfloat16(long long a) : __x(convert(heddle_float::to_odd((double)a))) {}
  __host__ __device__ __nv_bfloat16(unsigned long long a)
      : __x(convert(heddle_float::to_odd((double)a))) {}
  __host__ __device__ operator float() const {
    return heddle_float::bits_float((unsigned int)__x << 16);
  }
  __host__ __device__ operator __nv_bfloat16_raw() const {
    __nv_bfloat16_raw raw = {__x};
    return raw;
  }
  // To the nearest, ties to even.
  static __host__ __device__ unsigned short convert(float a) {
#if __CUDA_ARCH__ >= 800
    unsigned short short_float;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(short_float) : "f"(a));
    return short_float;
#else
    unsigned int bits = heddle_float::float_bits(a);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (unsigned short)0x7fffu;
    return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
#endif
  }
};
struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
  __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &raw) {
    x.__x = raw.x;
    y.__x = raw.y;
  }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

HEDDLE_BOTH __nv_bfloat16 __float2bfloat16(float a) {
  return __nv_bfloat16(a);
}
HEDDLE_BOTH __nv_bfloat16 __float2bfloat16_rn(float a) {
  return __nv_bfloat16(a);
}
HEDDLE_BOTH __nv_bfloat16 __float2bfloat16_rz(float a) {
  __nv_bfloat16_raw raw = {(unsigned short)(a != a ? 0x7fffu : heddle_float::float_bits(a) >> 16)};
  return __nv_bfloat16(raw);
}
HEDDLE_BOTH __nv_bfloat16 __double2bfloat16(double a) {
  return __nv_bfloat16(a);
}
HEDDLE_BOTH float __bfloat162float(__nv_bfloat16 a) {
  return (float)a;
}
HEDDLE_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
HEDDLE_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a));
}
HEDDLE_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y));
}
HEDDLE_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) {
  return make_float2((float)a.x, (float)a.y);
}
HEDDLE_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
HEDDLE_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
  return __nv_bfloat162(a, a);
}
HEDDLE_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
HEDDLE_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) {
  return a.x;
}
HEDDLE_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) {
  return a.y;
}
HEDDLE_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) {
  return __nv_bfloat162(a.x, a.x);
}
HEDDLE_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) {
  return __nv_bfloat162(a.y, a.y);
}
HEDDLE_BOTH float __low2float(__nv_bfloat162 a) {
  return (float)a.x;
}
HEDDLE_BOTH float __high2float(__nv_bfloat162 a) {
  return (float)a.y;
}
HEDDLE_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) {
  return __nv_bfloat162(a.y, a.x);
}
HEDDLE_BOTH __nv_bfloat16 __int2bfloat16_rn(int a) {
  return __nv_bfloat16(a);
}
HEDDLE_BOTH __nv_bfloat16 __uint2bfloat16_rn(unsigned int a) {
  return __nv_bfloat16(a);
}
HEDDLE_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16_raw raw = {bits};
  return __nv_bfloat16(raw);
}
HEDDLE_BOTH __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __ushort_as_bfloat16((unsigned short)bits);
}
HEDDLE_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) {
  return a.__x;
}
HEDDLE_BOTH short __bfloat16_as_short(__nv_bfloat16 a) {
  return (short)a.__x;
}
#ifdef __CUDA__
HEDDLE_DEVICE int __bfloat162int_rn(__nv_bfloat16 a) {
  return __float2int_rn((float)a);
}
HEDDLE_DEVICE int __bfloat162int_rz(__nv_bfloat16 a) {
  return __float2int_rz((float)a);
}
HEDDLE_DEVICE unsigned int __bfloat162uint_rn(__nv_bfloat16 a) {
  return __float2uint_rn((float)a);
}
#endif

namespace heddle_bfloat16 {

HEDDLE_BOTH __nv_bfloat16 sum(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16((float)a + (float)b);
}
HEDDLE_BOTH __nv_bfloat16 difference(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16((float)a - (float)b);
}
HEDDLE_BOTH __nv_bfloat16 product(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16((float)a * (float)b);
}
HEDDLE_BOTH __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if __CUDA_ARCH__ >= 800
  __nv_bfloat16 result;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(result.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return result;
#else
  return __nv_bfloat16((double)(float)a * (double)(float)b + (double)(float)c);
#endif
}

}  // namespace heddle_bfloat16
#undef HEDDLE_DEVICE
#undef HEDDLE_BOTH

#define HEDDLE_T __nv_bfloat16
#define HEDDLE_T2 __nv_bfloat162
#define HEDDLE_SUM heddle_bfloat16::sum
#define HEDDLE_DIFFERENCE heddle_bfloat16::difference
#define HEDDLE_PRODUCT heddle_bfloat16::product
#define HEDDLE_FUSED heddle_bfloat16::fused
#include "heddle/half_functions.h"
HEDDLE_CALLERS_LINES_END

#endif
