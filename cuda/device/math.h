// SPDX-License-Identifier: MIT
// Functions of real numbers: libclc's under CUDA's names, and small ones here.
// libclc takes pointers in OpenCL's address spaces only, so functions that
// return through a pointer (sincos, frexp, modf, remquo) are written out.

// CUDA's name, OpenCL's name with its length: sin -> _Z3sinf, _Z3sind.
#define CLC_1(name, clc)                 \
  float _Z##clc##f(float);               \
  double _Z##clc##d(double);             \
  EXPORT float __nv_##name##f(float a) { \
    return _Z##clc##f(a);                \
  }                                      \
  EXPORT double __nv_##name(double a) {  \
    return _Z##clc##d(a);                \
  }
#define CLC_2(name, clc)                          \
  float _Z##clc##ff(float, float);                \
  double _Z##clc##dd(double, double);             \
  EXPORT float __nv_##name##f(float a, float b) { \
    return _Z##clc##ff(a, b);                     \
  }                                               \
  EXPORT double __nv_##name(double a, double b) { \
    return _Z##clc##dd(a, b);                     \
  }
#define CLC_INT(name, clc)                      \
  float _Z##clc##fi(float, int);                \
  double _Z##clc##di(double, int);              \
  EXPORT float __nv_##name##f(float a, int b) { \
    return _Z##clc##fi(a, b);                   \
  }                                             \
  EXPORT double __nv_##name(double a, int b) {  \
    return _Z##clc##di(a, b);                   \
  }

CLC_1(acos, 4acos)
CLC_1(acosh, 5acosh)
CLC_1(asin, 4asin)
CLC_1(asinh, 5asinh)
CLC_1(atan, 4atan)
CLC_1(atanh, 5atanh)
CLC_1(cbrt, 4cbrt)
CLC_1(cos, 3cos)
CLC_1(cosh, 4cosh)
CLC_1(cospi, 5cospi)
CLC_1(erf, 3erf)
CLC_1(exp, 3exp)
CLC_1(exp10, 5exp10)
CLC_1(exp2, 4exp2)
CLC_1(expm1, 5expm1)
CLC_1(lgamma, 6lgamma)
CLC_1(log, 3log)
CLC_1(log10, 5log10)
CLC_1(log1p, 5log1p)
CLC_1(log2, 4log2)
CLC_1(sin, 3sin)
CLC_1(sinh, 4sinh)
CLC_1(sinpi, 5sinpi)
CLC_1(tan, 3tan)
CLC_1(tanh, 4tanh)
CLC_2(atan2, 5atan2)
CLC_2(fmod, 4fmod)
CLC_2(hypot, 5hypot)
CLC_2(nextafter, 9nextafter)
CLC_2(pow, 3pow)
CLC_2(remainder, 9remainder)
CLC_INT(powi, 4pown)

// libclc's erfc of floats is 40 units off where it is small.
double _Z4erfcd(double);
EXPORT double __nv_erfc(double a) {
  return _Z4erfcd(a);
}
EXPORT float __nv_erfcf(float a) {
  return (float)_Z4erfcd(a);
}

#define BUILTIN_1(name)                  \
  EXPORT float __nv_##name##f(float a) { \
    return __builtin_##name##f(a);       \
  }                                      \
  EXPORT double __nv_##name(double a) {  \
    return __builtin_##name(a);          \
  }
#define BUILTIN_2(name)                           \
  EXPORT float __nv_##name##f(float a, float b) { \
    return __builtin_##name##f(a, b);             \
  }                                               \
  EXPORT double __nv_##name(double a, double b) { \
    return __builtin_##name(a, b);                \
  }

BUILTIN_1(ceil)
BUILTIN_1(fabs)
BUILTIN_1(floor)
BUILTIN_1(nearbyint)
BUILTIN_1(rint)
BUILTIN_1(trunc)
BUILTIN_2(copysign)
BUILTIN_2(fmax)
BUILTIN_2(fmin)

EXPORT float __nv_sqrtf(float a) {
  return __nvvm_sqrt_rn_f(a);
}
EXPORT double __nv_sqrt(double a) {
  return __nvvm_sqrt_rn_d(a);
}
EXPORT float __nv_rsqrtf(float a) {
  return __nvvm_rsqrt_approx_f(a);
}
EXPORT double __nv_rsqrt(double a) {
  return 1.0 / __nvvm_sqrt_rn_d(a);
}
EXPORT float __nv_fmaf(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
EXPORT double __nv_fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

// Half away from zero. The fraction of |a| is exact, so no sum can round twice.
EXPORT float __nv_roundf(float a) {
  float whole = __builtin_truncf(a), rest = __builtin_fabsf(a - whole);
  return rest >= 0.5f ? whole + __builtin_copysignf(1.0f, a) : whole;
}
EXPORT double __nv_round(double a) {
  double whole = __builtin_trunc(a), rest = __builtin_fabs(a - whole);
  return rest >= 0.5 ? whole + __builtin_copysign(1.0, a) : whole;
}
EXPORT long long __nv_llroundf(float a) {
  return __nvvm_f2ll_rz(__nv_roundf(a));
}
EXPORT long long __nv_llround(double a) {
  return __nvvm_d2ll_rz(__nv_round(a));
}
EXPORT long long __nv_llrintf(float a) {
  return __nvvm_f2ll_rn(a);
}
EXPORT long long __nv_llrint(double a) {
  return __nvvm_d2ll_rn(a);
}

static inline ull bits_of(double a) {
  ull bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  return bits;
}
static inline double double_of(ull bits) {
  double a;
  __builtin_memcpy(&a, &bits, sizeof a);
  return a;
}
static inline int is_nan(double a) {
  return a != a;
}
static inline int is_infinite(double a) {
  return __builtin_fabs(a) == __builtin_inf();
}

// A float's neighbours are doubles without loss, subnormals included: the float
// variants of what looks at exponents work on doubles.
EXPORT double __nv_frexp(double a, int *exponent) {
  *exponent = 0;
  if (a == 0 || is_nan(a) || is_infinite(a)) return a;
  int shift = 0;
  if (__builtin_fabs(a) < 0x1p-1022) a *= 0x1p54, shift = 54;
  ull bits = bits_of(a);
  *exponent = (int)(bits >> 52 & 0x7ff) - 1022 - shift;
  return double_of((bits & ~(0x7ffull << 52)) | 1022ull << 52);
}
EXPORT float __nv_frexpf(float a, int *exponent) {
  return (float)__nv_frexp(a, exponent);
}

// Steps of what a double can hold; after a step down by less than the whole
// range only the last step can round (a subnormal there would end as zero).
EXPORT double __nv_ldexp(double a, int n) {
  n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
  while (n > 1023) a *= 0x1p1023, n -= 1023;
  while (n < -1022) a *= 0x1p-969, n += 969;
  return a * double_of((ull)(n + 1023) << 52);
}
// A float scaled as a double is exact, or far out of a float's range.
EXPORT float __nv_ldexpf(float a, int n) {
  n = n > 600 ? 600 : n < -600 ? -600 : n;
  return (float)(a * double_of((ull)(n + 1023) << 52));
}
EXPORT double __nv_scalbn(double a, int n) {
  return __nv_ldexp(a, n);
}
EXPORT float __nv_scalbnf(float a, int n) {
  return __nv_ldexpf(a, n);
}

EXPORT int __nv_ilogb(double a) {
  int exponent;
  if (a == 0) return -0x7fffffff - 1;
  if (is_nan(a)) return -0x7fffffff - 1;
  if (is_infinite(a)) return 0x7fffffff;
  __nv_frexp(a, &exponent);
  return exponent - 1;
}
EXPORT int __nv_ilogbf(float a) {
  return __nv_ilogb(a);
}
EXPORT double __nv_logb(double a) {
  if (is_nan(a) || is_infinite(a)) return a * a;
  return a == 0 ? -__builtin_inf() : __nv_ilogb(a);
}
EXPORT float __nv_logbf(float a) {
  return (float)__nv_logb(a);
}

EXPORT double __nv_modf(double a, double *whole) {
  *whole = __builtin_trunc(a);
  return __builtin_copysign(is_infinite(a) ? 0.0 : a - *whole, a);
}
EXPORT float __nv_modff(float a, float *whole) {
  *whole = __builtin_truncf(a);
  return __builtin_copysignf(is_infinite(a) ? 0.0f : a - *whole, a);
}

// The quotient's low bits: what is left of a modulo 8b says which multiple of b
// was taken away.
EXPORT double __nv_remquo(double a, double b, int *quotient) {
  *quotient = 0;
  double rest = __nv_remainder(a, b);
  if (is_nan(rest) || is_infinite(b)) return rest;
  double x = __builtin_fabs(a), y = __builtin_fabs(b);
  if (y < 0x1p1020) x = __nv_fmod(x, 8 * y);
  int low = 0;
  for (int i = 2; i >= 0; i--) {
    double step = y * (double)(1 << i);
    if (x >= step) x -= step, low += 1 << i;
  }
  if (x + x > y || (x + x == y && (low & 1))) low++;
  low &= 7;
  *quotient = (bits_of(a) ^ bits_of(b)) >> 63 ? -low : low;
  return rest;
}
EXPORT float __nv_remquof(float a, float b, int *quotient) {
  return (float)__nv_remquo(a, b, quotient);
}

EXPORT double __nv_fdim(double a, double b) {
  return a <= b ? 0.0 : a - b;
}
EXPORT float __nv_fdimf(float a, float b) {
  return a <= b ? 0.0f : a - b;
}
EXPORT double __nv_rcbrt(double a) {
  return 1.0 / __nv_cbrt(a);
}
EXPORT float __nv_rcbrtf(float a) {
  return (float)(1.0 / __nv_cbrt(a));
}
EXPORT void __nv_sincos(double a, double *s, double *c) {
  *s = __nv_sin(a), *c = __nv_cos(a);
}
EXPORT void __nv_sincosf(float a, float *s, float *c) {
  *s = __nv_sinf(a), *c = __nv_cosf(a);
}
EXPORT void __nv_sincospi(double a, double *s, double *c) {
  *s = __nv_sinpi(a), *c = __nv_cospi(a);
}
EXPORT void __nv_sincospif(float a, float *s, float *c) {
  *s = __nv_sinpif(a), *c = __nv_cospif(a);
}

EXPORT int __nv_isnand(double a) {
  return is_nan(a);
}
EXPORT int __nv_isnanf(float a) {
  return a != a;
}
EXPORT int __nv_isinfd(double a) {
  return is_infinite(a);
}
EXPORT int __nv_isinff(float a) {
  return is_infinite(a);
}
EXPORT int __nv_isfinited(double a) {
  return !is_nan(a) && !is_infinite(a);
}
EXPORT int __nv_finitef(float a) {
  return __nv_isfinited(a);
}
EXPORT int __nv_signbitd(double a) {
  return bits_of(a) >> 63 != 0;
}
EXPORT int __nv_signbitf(float a) {
  return bits_of(a) >> 63 != 0;
}
EXPORT double __nv_nan(const signed char *tag) {
  return (void)tag, __builtin_nan("");
}
EXPORT float __nv_nanf(const signed char *tag) {
  return (void)tag, __builtin_nanf("");
}

// The fast ones: the special function unit, one or two instructions.
EXPORT float __nv_fast_sinf(float a) {
  return __nvvm_sin_approx_f(a);
}
EXPORT float __nv_fast_cosf(float a) {
  return __nvvm_cos_approx_f(a);
}
EXPORT float __nv_fast_fdividef(float a, float b) {
  return __nvvm_div_approx_f(a, b);
}
EXPORT float __nv_fast_tanf(float a) {
  return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a));
}
EXPORT void __nv_fast_sincosf(float a, float *s, float *c) {
  *s = __nvvm_sin_approx_f(a), *c = __nvvm_cos_approx_f(a);
}
EXPORT float __nv_fast_log2f(float a) {
  return __nvvm_lg2_approx_f(a);
}
EXPORT float __nv_fast_logf(float a) {
  return __nvvm_lg2_approx_f(a) * 0x1.62e43p-1f;
}
EXPORT float __nv_fast_log10f(float a) {
  return __nvvm_lg2_approx_f(a) * 0x1.344136p-2f;
}
EXPORT float __nv_fast_expf(float a) {
  return __nvvm_ex2_approx_f(a * 0x1.715476p+0f);
}
EXPORT float __nv_fast_exp10f(float a) {
  return __nvvm_ex2_approx_f(a * 0x1.a934fp+1f);
}
EXPORT float __nv_fast_powf(float a, float b) {
  return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a));
}
