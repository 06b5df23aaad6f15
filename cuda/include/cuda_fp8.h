// SPDX-License-Identifier: MIT
// Floats of eight bits: __nv_fp8_e4m3 and __nv_fp8_e5m2, in twos and fours, and
// conversions. There is no arithmetic on them; conversions are done in integers.
#ifndef HEDDLE_CUDA_FP8_H
#define HEDDLE_CUDA_FP8_H
#define __CUDA_FP8_H__ 1  // what programs ask for to know that it was read

#include "cuda_bf16.h"
#include "cuda_fp16.h"

HEDDLE_CALLERS_LINES_BEGIN

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((unused))

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace heddle_fp8 {

// The number in steps of its last place, rounded to even, stands behind its
// exponent: what it overflows into is the next exponent.
HEDDLE_BOTH unsigned char encode(float a, __nv_saturation_t saturation,
                                 __nv_fp8_interpretation_t kind) {
  int bits_behind = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
  int largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
  unsigned int bits = heddle_float::float_bits(a), sign = bits >> 24 & 0x80u;
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) return 0x7f;
  int exponent = (int)(bits >> 23) - 127, code = largest + 1;
  if (exponent < 1 - bias) exponent = 1 - bias;
  if (exponent < 16) {
    unsigned int scale = (unsigned int)(127 + bits_behind - exponent) << 23;
    float steps = heddle_float::bits_float(bits) * heddle_float::bits_float(scale);
    code = ((exponent + bias - 1) << bits_behind) + (int)((steps + 0x1p23f) - 0x1p23f);
  }
  if (code > largest) code = saturation == __NV_SATFINITE ? largest : largest + 1;
  return (unsigned char)(sign | (unsigned int)code);
}

HEDDLE_BOTH float decode(unsigned char code, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2) return (float)__ushort_as_half((unsigned short)(code << 8));
  unsigned int sign = (code & 0x80u) << 24, rest = code & 0x7fu;
  if (rest == 0x7f) return heddle_float::bits_float(0x7fffffffu);
  float size =
      rest < 8 ? (float)rest * 0x1p-9f : heddle_float::bits_float((rest << 20) + (120u << 23));
  return heddle_float::bits_float(sign | heddle_float::float_bits(size));
}

}  // namespace heddle_fp8

HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float a, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t kind) {
  return heddle_fp8::encode(a, saturation, kind);
}
HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double a, __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t kind) {
  return heddle_fp8::encode(heddle_float::to_odd(a), saturation, kind);
}
HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw a, __nv_saturation_t saturation,
                                                       __nv_fp8_interpretation_t kind) {
  return heddle_fp8::encode((float)__half(a), saturation, kind);
}
HEDDLE_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw a,
                                                           __nv_saturation_t saturation,
                                                           __nv_fp8_interpretation_t kind) {
  return heddle_fp8::encode((float)__nv_bfloat16(a), saturation, kind);
}
HEDDLE_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 a, __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t kind) {
  return (unsigned short)(heddle_fp8::encode(a.x, saturation, kind) |
                          heddle_fp8::encode(a.y, saturation, kind) << 8);
}
HEDDLE_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t a,
                                               __nv_fp8_interpretation_t kind) {
  return __half(heddle_fp8::decode(a, kind));
}
HEDDLE_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t a,
                                                   __nv_fp8_interpretation_t kind) {
  __half2_raw pair = {__half(heddle_fp8::decode((unsigned char)a, kind)).__x,
                      __half(heddle_fp8::decode((unsigned char)(a >> 8), kind)).__x};
  return pair;
}

#define HEDDLE_FROM(T, number)             \
  __host__ __device__ explicit T(number a) \
      : __x(heddle_fp8::encode((float)a, __NV_SATFINITE, kind)) {}
#define HEDDLE_FROM_LONG(T, number)        \
  __host__ __device__ explicit T(number a) \
      : __x(heddle_fp8::encode(heddle_float::to_odd((double)a), __NV_SATFINITE, kind)) {}
#define HEDDLE_FP8(T, interpretation)                                                             \
  struct T {                                                                                      \
    __nv_fp8_storage_t __x;                                                                       \
    static const __nv_fp8_interpretation_t kind = interpretation;                                 \
    T() = default;                                                                                \
    HEDDLE_FROM(T, float)                                                                         \
    HEDDLE_FROM(T, __half)                                                                        \
    HEDDLE_FROM(T, __nv_bfloat16)                                                                 \
    HEDDLE_FROM(T, short)                                                                         \
    HEDDLE_FROM(T, unsigned short)                                                                \
    HEDDLE_FROM_LONG(T, double)                                                                   \
    HEDDLE_FROM_LONG(T, int)                                                                      \
    HEDDLE_FROM_LONG(T, unsigned int)                                                             \
    HEDDLE_FROM_LONG(T, long)                                                                     \
    HEDDLE_FROM_LONG(T, unsigned long)                                                            \
    HEDDLE_FROM_LONG(T, long long)                                                                \
    HEDDLE_FROM_LONG(T, unsigned long long)                                                       \
    __host__ __device__ explicit operator float() const { return heddle_fp8::decode(__x, kind); } \
    __host__ __device__ explicit operator double() const { return (float)*this; }                 \
    __host__ __device__ explicit operator __half() const { return __half((float)*this); }         \
    __host__ __device__ explicit operator __nv_bfloat16() const {                                 \
      return __nv_bfloat16((float)*this);                                                         \
    }                                                                                             \
    __host__ __device__ explicit operator int() const { return (int)(float)*this; }               \
    __host__ __device__ explicit operator bool() const { return (__x & 0x7fu) != 0; }             \
  };
HEDDLE_FP8(__nv_fp8_e4m3, __NV_E4M3)
HEDDLE_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef HEDDLE_FP8
#undef HEDDLE_FROM_LONG
#undef HEDDLE_FROM

#define HEDDLE_FP8X2(T, interpretation)                                            \
  struct __align__(2) T {                                                          \
    __nv_fp8x2_storage_t __x;                                                      \
    static const __nv_fp8_interpretation_t kind = interpretation;                  \
    T() = default;                                                                 \
    __host__ __device__ explicit T(float2 a)                                       \
        : __x(__nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, kind)) {}                \
    __host__ __device__ explicit T(__half2 a) : T(__half22float2(a)) {}            \
    __host__ __device__ explicit T(__nv_bfloat162 a) : T(__bfloat1622float2(a)) {} \
    __host__ __device__ explicit operator float2() const {                         \
      return make_float2(heddle_fp8::decode((unsigned char)__x, kind),             \
                         heddle_fp8::decode((unsigned char)(__x >> 8), kind));     \
    }                                                                              \
    __host__ __device__ explicit operator __half2() const {                        \
      return __float22half2_rn((float2) * this);                                   \
    }                                                                              \
  };
HEDDLE_FP8X2(__nv_fp8x2_e4m3, __NV_E4M3)
HEDDLE_FP8X2(__nv_fp8x2_e5m2, __NV_E5M2)
#undef HEDDLE_FP8X2

#define HEDDLE_FP8X4(T, Pair)                                                    \
  struct __align__(4) T {                                                        \
    __nv_fp8x4_storage_t __x;                                                    \
    T() = default;                                                               \
    __host__ __device__ explicit T(float4 a)                                     \
        : __x(both(Pair(make_float2(a.x, a.y)), Pair(make_float2(a.z, a.w)))) {} \
    __host__ __device__ explicit T(__half2 low, __half2 high)                    \
        : __x(both(Pair(low), Pair(high))) {}                                    \
    __host__ __device__ explicit T(__nv_bfloat162 low, __nv_bfloat162 high)      \
        : __x(both(Pair(low), Pair(high))) {}                                    \
    __host__ __device__ explicit operator float4() const {                       \
      Pair low, high;                                                            \
      low.__x = (unsigned short)__x;                                             \
      high.__x = (unsigned short)(__x >> 16);                                    \
      float2 a = (float2)low, b = (float2)high;                                  \
      return make_float4(a.x, a.y, b.x, b.y);                                    \
    }                                                                            \
    static __host__ __device__ unsigned int both(Pair low, Pair high) {          \
      return low.__x | (unsigned int)high.__x << 16;                             \
    }                                                                            \
  };
HEDDLE_FP8X4(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3)
HEDDLE_FP8X4(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2)
#undef HEDDLE_FP8X4
#undef HEDDLE_BOTH
HEDDLE_CALLERS_LINES_END

#endif
