// SPDX-License-Identifier: MIT
// Half precision: __half and __half2, conversions, arithmetic, comparisons. From
// sm_53 on arithmetic is one instruction; before, and on the host, it is done in
// float and rounded, which for sums, products and quotients is the same.
//
// Left out: bfloat16, atomics, and functions other than those at the end.
#ifndef HEDDLE_CUDA_FP16_H
#define HEDDLE_CUDA_FP16_H

#include "cuda_runtime.h"

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((unused))
#define HEDDLE_DEVICE static __inline__ __device__ __attribute__((unused))

namespace heddle_half {

HEDDLE_BOTH unsigned int float_bits(float a) {
  unsigned int bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  return bits;
}
HEDDLE_BOTH float bits_float(unsigned int bits) {
  float a;
  __builtin_memcpy(&a, &bits, sizeof a);
  return a;
}

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
  __host__ __device__ __half(double a) : __x(convert((float)a)) {}
  __host__ __device__ __half(int a) : __x(convert((float)a)) {}
  __host__ __device__ __half(unsigned int a) : __x(convert((float)a)) {}
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
};
typedef __half half;
typedef __half2 half2;

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
  return __half((float)a);
}
HEDDLE_BOTH __half __uint2half_rn(unsigned int a) {
  return __half((float)a);
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
HEDDLE_DEVICE unsigned int __half2uint_rn(__half a) {
  return __float2uint_rn((float)a);
}

#if __CUDA_ARCH__ >= 530
#define HEDDLE_HALF_2(name, operation, expression)                                 \
  HEDDLE_DEVICE __half name(__half a, __half b) {                                  \
    __half result;                                                                 \
    asm(operation ".f16 %0, %1, %2;" : "=h"(result.__x) : "h"(a.__x), "h"(b.__x)); \
    return result;                                                                 \
  }
#else
#define HEDDLE_HALF_2(name, operation, expression) \
  HEDDLE_DEVICE __half name(__half x, __half y) {  \
    float a = (float)x, b = (float)y;              \
    return __half(expression);                     \
  }
#endif
#define HEDDLE_HALF2_2(name, scalar)                    \
  HEDDLE_DEVICE __half2 name(__half2 a, __half2 b) {    \
    return __half2(scalar(a.x, b.x), scalar(a.y, b.y)); \
  }
HEDDLE_HALF_2(__hadd, "add.rn", a + b)
HEDDLE_HALF_2(__hsub, "sub.rn", a - b)
HEDDLE_HALF_2(__hmul, "mul.rn", a *b)
HEDDLE_DEVICE __half __hdiv(__half a, __half b) {
  return __half((float)a / (float)b);
}
HEDDLE_DEVICE __half __hfma(__half a, __half b, __half c) {
#if __CUDA_ARCH__ >= 530
  __half result;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(result.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return result;
#else
  return __half((float)fma((double)(float)a, (double)(float)b, (double)(float)c));
#endif
}
HEDDLE_HALF2_2(__hadd2, __hadd)
HEDDLE_HALF2_2(__hsub2, __hsub)
HEDDLE_HALF2_2(__hmul2, __hmul)
HEDDLE_HALF2_2(__h2div, __hdiv)
HEDDLE_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
HEDDLE_DEVICE __half __hneg(__half a) {
  return __ushort_as_half((unsigned short)(a.__x ^ 0x8000u));
}
HEDDLE_DEVICE __half __habs(__half a) {
  return __ushort_as_half((unsigned short)(a.__x & 0x7fffu));
}
HEDDLE_DEVICE __half2 __hneg2(__half2 a) {
  return __half2(__hneg(a.x), __hneg(a.y));
}
HEDDLE_DEVICE __half2 __habs2(__half2 a) {
  return __half2(__habs(a.x), __habs(a.y));
}
HEDDLE_DEVICE __half __hmin(__half a, __half b) {
  return __half(fminf((float)a, (float)b));
}
HEDDLE_DEVICE __half __hmax(__half a, __half b) {
  return __half(fmaxf((float)a, (float)b));
}
HEDDLE_HALF2_2(__hmin2, __hmin)
HEDDLE_HALF2_2(__hmax2, __hmax)
#undef HEDDLE_HALF2_2
#undef HEDDLE_HALF_2

#define HEDDLE_COMPARE(name, operation)         \
  HEDDLE_DEVICE bool name(__half a, __half b) { \
    return (float)a operation(float) b;         \
  }
HEDDLE_COMPARE(__heq, ==)
HEDDLE_COMPARE(__hne, !=)
HEDDLE_COMPARE(__hlt, <)
HEDDLE_COMPARE(__hle, <=)
HEDDLE_COMPARE(__hgt, >)
HEDDLE_COMPARE(__hge, >=)
#undef HEDDLE_COMPARE
HEDDLE_DEVICE bool __hisnan(__half a) {
  return (float)a != (float)a;
}

HEDDLE_DEVICE __half operator+(__half a, __half b) {
  return __hadd(a, b);
}
HEDDLE_DEVICE __half operator-(__half a, __half b) {
  return __hsub(a, b);
}
HEDDLE_DEVICE __half operator*(__half a, __half b) {
  return __hmul(a, b);
}
HEDDLE_DEVICE __half operator/(__half a, __half b) {
  return __hdiv(a, b);
}
HEDDLE_DEVICE __half operator-(__half a) {
  return __hneg(a);
}
HEDDLE_DEVICE __half &operator+=(__half &a, __half b) {
  return a = __hadd(a, b);
}
HEDDLE_DEVICE __half &operator-=(__half &a, __half b) {
  return a = __hsub(a, b);
}
HEDDLE_DEVICE __half &operator*=(__half &a, __half b) {
  return a = __hmul(a, b);
}
HEDDLE_DEVICE bool operator<(__half a, __half b) {
  return __hlt(a, b);
}
HEDDLE_DEVICE bool operator>(__half a, __half b) {
  return __hgt(a, b);
}
HEDDLE_DEVICE bool operator<=(__half a, __half b) {
  return __hle(a, b);
}
HEDDLE_DEVICE bool operator>=(__half a, __half b) {
  return __hge(a, b);
}
HEDDLE_DEVICE bool operator==(__half a, __half b) {
  return __heq(a, b);
}
HEDDLE_DEVICE bool operator!=(__half a, __half b) {
  return __hne(a, b);
}
HEDDLE_DEVICE __half2 operator+(__half2 a, __half2 b) {
  return __hadd2(a, b);
}
HEDDLE_DEVICE __half2 operator-(__half2 a, __half2 b) {
  return __hsub2(a, b);
}
HEDDLE_DEVICE __half2 operator*(__half2 a, __half2 b) {
  return __hmul2(a, b);
}

#define HEDDLE_FUNCTION(name, function)         \
  HEDDLE_DEVICE __half h##name(__half a) {      \
    return __half(function((float)a));          \
  }                                             \
  HEDDLE_DEVICE __half2 h2##name(__half2 a) {   \
    return __half2(h##name(a.x), h##name(a.y)); \
  }
HEDDLE_FUNCTION(sqrt, sqrtf)
HEDDLE_FUNCTION(rsqrt, rsqrtf)
HEDDLE_FUNCTION(exp, expf)
HEDDLE_FUNCTION(exp2, exp2f)
HEDDLE_FUNCTION(log, logf)
HEDDLE_FUNCTION(log2, log2f)
HEDDLE_FUNCTION(sin, sinf)
HEDDLE_FUNCTION(cos, cosf)
HEDDLE_FUNCTION(floor, floorf)
HEDDLE_FUNCTION(ceil, ceilf)
HEDDLE_FUNCTION(trunc, truncf)
HEDDLE_FUNCTION(rint, rintf)
#undef HEDDLE_FUNCTION
HEDDLE_DEVICE __half hrcp(__half a) {
  return __half(1.0f / (float)a);
}
#endif
#undef HEDDLE_DEVICE
#undef HEDDLE_BOTH

#endif
