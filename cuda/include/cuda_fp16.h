// SPDX-License-Identifier: MIT
// Half precision: __half and __half2 and conversions; arithmetic, comparisons and
// functions are in heddle/half_functions.h. From sm_53 on arithmetic is one
// instruction; before, and on the host, it is done in float and rounded.
#ifndef HEDDLE_CUDA_FP16_H
#define HEDDLE_CUDA_FP16_H
#define __CUDA_FP16_H__ 1  // what programs ask for to know that it was read

#include "cuda_runtime.h"
#include "heddle/float_bits.h"

HEDDLE_CALLERS_LINES_BEGIN

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((unused))
#define HEDDLE_DEVICE static __inline__ __device__ __attribute__((unused))

namespace heddle_half {

using heddle_float::bits_float;
using heddle_float::float_bits;

// To the nearest, ties to even: below 2^-14 by a sum that leaves the wanted bits
// at the end, above by hand.
HEDDLE_BOTH unsigned short from_float(float a) {
  unsigned int bits = float_bits(a), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return (unsigned short)0x7fffu;
  if (rest >= 0x47800000u) return (unsigned short)(sign | 0x7c00u);
  if (rest < 0x38800000u)
    return (unsigned short)(sign | (float_bits(bits_float(rest) + 0.5f) - 0x3f000000u));
  unsigned int rounded = rest - 0x38000000u + 0xfffu + (rest >> 13 & 1);
  return (unsigned short)(sign | rounded >> 13);
}
HEDDLE_BOTH float to_float(unsigned short half) {
  unsigned int sign = (half & 0x8000u) << 16, rest = half & 0x7fffu;
  if (rest >= 0x7c00u) return bits_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  return bits_float(sign | float_bits((float)bits_float(rest << 13) * 0x1p112f));
}

}  // namespace heddle_half

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

struct __align__(2) __half {
  unsigned short __x;
  __half() = default;
  __host__ __device__ __half(const __half_raw &raw) : __x(raw.x) {}
  __host__ __device__ __half(float a) : __x(convert(a)) {}
  __host__ __device__ __half(double a) : __x(convert(heddle_float::to_odd(a))) {}
  __host__ __device__ __half(short a) : __x(convert((float)a)) {}
  __host__ __device__ __half(unsigned short a) : __x(convert((float)a)) {}
  __host__ __device__ __half(int a) : __x(convert(heddle_float::to_odd(a))) {}
  __host__ __device__ __half(unsigned int a) : __x(convert(heddle_float::to_odd(a))) {}
  // Beyond 65520 all is infinite, so the bits that double drops do not matter.
  __host__ __device__ __half(long a) : __x(convert(heddle_float::to_odd((double)a))) {}
  __host__ __device__ __half(unsigned long a) : __x(convert(heddle_float::to_odd((double)a))) {}
  __host__ __device__ __half(long long a) : __x(convert(heddle_float::to_odd((double)a))) {}
  __host__ __device__ __half(unsigned long long a)
      : __x(convert(heddle_float::to_odd((double)a))) {}
  __host__ __device__ operator float() const {
#ifdef __CUDA_ARCH__
    float a;
    asm("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(__x));
    return a;
#else
    return heddle_half::to_float(__x);
#endif
  }
  __host__ __device__ operator __half_raw() const {
    __half_raw raw = {__x};
    return raw;
  }
  static __host__ __device__ unsigned short convert(float a) {
#ifdef __CUDA_ARCH__
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(a));
    return half;
#else
    return heddle_half::from_float(a);
#endif
  }
};
struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(const __half &a, const __half &b) : x(a), y(b) {}
  __host__ __device__ __half2(const __half2_raw &raw) {
    x.__x = raw.x;
    y.__x = raw.y;
  }
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

HEDDLE_BOTH __half __float2half(float a) {
  return __half(a);
}
HEDDLE_BOTH __half __float2half_rn(float a) {
  return __half(a);
}
HEDDLE_BOTH __half __double2half(double a) {
  return __half(a);
}
HEDDLE_BOTH float __half2float(__half a) {
  return (float)a;
}
HEDDLE_BOTH __half2 __floats2half2_rn(float a, float b) {
  return __half2(__half(a), __half(b));
}
HEDDLE_BOTH __half2 __float2half2_rn(float a) {
  return __half2(__half(a), __half(a));
}
HEDDLE_BOTH __half2 __float22half2_rn(float2 a) {
  return __half2(__half(a.x), __half(a.y));
}
HEDDLE_BOTH float2 __half22float2(__half2 a) {
  return make_float2((float)a.x, (float)a.y);
}
HEDDLE_BOTH __half2 __halves2half2(__half a, __half b) {
  return __half2(a, b);
}
HEDDLE_BOTH __half2 __half2half2(__half a) {
  return __half2(a, a);
}
HEDDLE_BOTH __half2 make_half2(__half a, __half b) {
  return __half2(a, b);
}
HEDDLE_BOTH __half __low2half(__half2 a) {
  return a.x;
}
HEDDLE_BOTH __half __high2half(__half2 a) {
  return a.y;
}
HEDDLE_BOTH __half2 __low2half2(__half2 a) {
  return __half2(a.x, a.x);
}
HEDDLE_BOTH __half2 __high2half2(__half2 a) {
  return __half2(a.y, a.y);
}
HEDDLE_BOTH __half2 __lows2half2(__half2 a, __half2 b) {
  return __half2(a.x, b.x);
}
HEDDLE_BOTH __half2 __highs2half2(__half2 a, __half2 b) {
  return __half2(a.y, b.y);
}
HEDDLE_BOTH float __low2float(__half2 a) {
  return (float)a.x;
}
HEDDLE_BOTH float __high2float(__half2 a) {
  return (float)a.y;
}
HEDDLE_BOTH __half2 __lowhigh2highlow(__half2 a) {
  return __half2(a.y, a.x);
}
HEDDLE_BOTH __half __int2half_rn(int a) {
  return __half(a);
}
HEDDLE_BOTH __half __uint2half_rn(unsigned int a) {
  return __half(a);
}
HEDDLE_BOTH __half __short2half_rn(short a) {
  return __half(a);
}
HEDDLE_BOTH __half __ushort2half_rn(unsigned short a) {
  return __half(a);
}
HEDDLE_BOTH __half __ll2half_rn(long long a) {
  return __half(a);
}
HEDDLE_BOTH __half __ull2half_rn(unsigned long long a) {
  return __half(a);
}
HEDDLE_BOTH __half __ushort_as_half(unsigned short bits) {
  __half_raw raw = {bits};
  return __half(raw);
}
HEDDLE_BOTH __half __short_as_half(short bits) {
  return __ushort_as_half((unsigned short)bits);
}
HEDDLE_BOTH unsigned short __half_as_ushort(__half a) {
  return a.__x;
}
HEDDLE_BOTH short __half_as_short(__half a) {
  return (short)a.__x;
}
#ifdef __CUDA__
HEDDLE_DEVICE int __half2int_rn(__half a) {
  return __float2int_rn((float)a);
}
HEDDLE_DEVICE int __half2int_rz(__half a) {
  return __float2int_rz((float)a);
}
HEDDLE_DEVICE int __half2int_rd(__half a) {
  return __float2int_rd((float)a);
}
HEDDLE_DEVICE int __half2int_ru(__half a) {
  return __float2int_ru((float)a);
}
HEDDLE_DEVICE unsigned int __half2uint_rn(__half a) {
  return __float2uint_rn((float)a);
}
HEDDLE_DEVICE unsigned int __half2uint_rz(__half a) {
  return __float2uint_rz((float)a);
}
HEDDLE_DEVICE short __half2short_rn(__half a) {
  return (short)__float2int_rn((float)a);
}
HEDDLE_DEVICE unsigned short __half2ushort_rn(__half a) {
  return (unsigned short)__float2uint_rn((float)a);
}
HEDDLE_DEVICE long long __half2ll_rn(__half a) {
  return __float2ll_rn((float)a);
}
HEDDLE_DEVICE __half __float2half_rz(float a) {
  __half half;
  asm("cvt.rz.f16.f32 %0, %1;" : "=h"(half.__x) : "f"(a));
  return half;
}
#endif

namespace heddle_half {

#if __CUDA_ARCH__ >= 530
#define HEDDLE_HALF_2(name, operation, expression)                                    \
  HEDDLE_BOTH __half name(__half a, __half b) {                                       \
    __half result;                                                                    \
    asm(operation ".rn.f16 %0, %1, %2;" : "=h"(result.__x) : "h"(a.__x), "h"(b.__x)); \
    return result;                                                                    \
  }
#else
#define HEDDLE_HALF_2(name, operation, expression) \
  HEDDLE_BOTH __half name(__half x, __half y) {    \
    float a = (float)x, b = (float)y;              \
    return __half(expression);                     \
  }
#endif
HEDDLE_HALF_2(sum, "add", a + b)
HEDDLE_HALF_2(difference, "sub", a - b)
HEDDLE_HALF_2(product, "mul", a *b)
#undef HEDDLE_HALF_2

// A product of two halves is exact in double, and so is the sum but for what
// rounding to odd keeps.
HEDDLE_BOTH __half fused(__half a, __half b, __half c) {
#if __CUDA_ARCH__ >= 530
  __half result;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(result.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return result;
#else
  return __half((double)(float)a * (double)(float)b + (double)(float)c);
#endif
}

}  // namespace heddle_half
#undef HEDDLE_DEVICE
#undef HEDDLE_BOTH

#define HEDDLE_T __half
#define HEDDLE_T2 __half2
#define HEDDLE_SUM heddle_half::sum
#define HEDDLE_DIFFERENCE heddle_half::difference
#define HEDDLE_PRODUCT heddle_half::product
#define HEDDLE_FUSED heddle_half::fused
#include "heddle/half_functions.h"
HEDDLE_CALLERS_LINES_END

#endif
