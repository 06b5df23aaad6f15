// SPDX-License-Identifier: MIT
// What __half and __nv_bfloat16 have in common: arithmetic, comparisons,
// functions, shuffles, pairs. cuda_fp16.h and cuda_bf16.h include it once each
// and say what the types are called, and how a float and a sum are rounded:
//
//   HEDDLE_T, HEDDLE_T2      the number and the pair
//   HEDDLE_SUM HEDDLE_PRODUCT HEDDLE_DIFFERENCE HEDDLE_FUSED   a function each, of T
//
// Sums, products, quotients and roots that are computed in float and rounded
// again are right: float has more than twice the bits.

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((unused))
#define HEDDLE_DEVICE static __inline__ __device__ __attribute__((unused))

HEDDLE_BOTH HEDDLE_T __hadd(HEDDLE_T a, HEDDLE_T b) {
  return HEDDLE_SUM(a, b);
}
HEDDLE_BOTH HEDDLE_T __hsub(HEDDLE_T a, HEDDLE_T b) {
  return HEDDLE_DIFFERENCE(a, b);
}
HEDDLE_BOTH HEDDLE_T __hmul(HEDDLE_T a, HEDDLE_T b) {
  return HEDDLE_PRODUCT(a, b);
}
HEDDLE_BOTH HEDDLE_T __hdiv(HEDDLE_T a, HEDDLE_T b) {
  return HEDDLE_T((float)a / (float)b);
}
HEDDLE_BOTH HEDDLE_T __hfma(HEDDLE_T a, HEDDLE_T b, HEDDLE_T c) {
  return HEDDLE_FUSED(a, b, c);
}
HEDDLE_BOTH HEDDLE_T __hneg(HEDDLE_T a) {
  a.__x = (unsigned short)(a.__x ^ 0x8000u);
  return a;
}
HEDDLE_BOTH HEDDLE_T __habs(HEDDLE_T a) {
  a.__x = (unsigned short)(a.__x & 0x7fffu);
  return a;
}
HEDDLE_BOTH bool __hisnan(HEDDLE_T a) {
  return (float)a != (float)a;
}
HEDDLE_BOTH int __hisinf(HEDDLE_T a) {
  return (float)a == __builtin_inff() ? 1 : (float)a == -__builtin_inff() ? -1 : 0;
}
HEDDLE_BOTH HEDDLE_T __hmin(HEDDLE_T a, HEDDLE_T b) {
  return __hisnan(a) || (float)b < (float)a ? b : a;
}
HEDDLE_BOTH HEDDLE_T __hmax(HEDDLE_T a, HEDDLE_T b) {
  return __hisnan(a) || (float)b > (float)a ? b : a;
}

// Between 0 and 1, with 0 for what is no number; not below 0.
HEDDLE_BOTH HEDDLE_T heddle_saturated(HEDDLE_T a) {
  return (float)a >= 0 ? ((float)a > 1 ? HEDDLE_T(1.0f) : a) : HEDDLE_T(0.0f);
}
HEDDLE_BOTH HEDDLE_T __hadd_sat(HEDDLE_T a, HEDDLE_T b) {
  return heddle_saturated(__hadd(a, b));
}
HEDDLE_BOTH HEDDLE_T __hsub_sat(HEDDLE_T a, HEDDLE_T b) {
  return heddle_saturated(__hsub(a, b));
}
HEDDLE_BOTH HEDDLE_T __hmul_sat(HEDDLE_T a, HEDDLE_T b) {
  return heddle_saturated(__hmul(a, b));
}
HEDDLE_BOTH HEDDLE_T __hfma_sat(HEDDLE_T a, HEDDLE_T b, HEDDLE_T c) {
  return heddle_saturated(__hfma(a, b, c));
}
HEDDLE_BOTH HEDDLE_T __hfma_relu(HEDDLE_T a, HEDDLE_T b, HEDDLE_T c) {
  HEDDLE_T result = __hfma(a, b, c);
  return (float)result < 0 ? HEDDLE_T(0.0f) : result;
}
HEDDLE_BOTH HEDDLE_T __hadd_rn(HEDDLE_T a, HEDDLE_T b) {
  return __hadd(a, b);
}
HEDDLE_BOTH HEDDLE_T __hsub_rn(HEDDLE_T a, HEDDLE_T b) {
  return __hsub(a, b);
}
HEDDLE_BOTH HEDDLE_T __hmul_rn(HEDDLE_T a, HEDDLE_T b) {
  return __hmul(a, b);
}

// ---- pairs

HEDDLE_BOTH HEDDLE_T2 __hfma2(HEDDLE_T2 a, HEDDLE_T2 b, HEDDLE_T2 c) {
  return HEDDLE_T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
HEDDLE_BOTH HEDDLE_T2 __hfma2_sat(HEDDLE_T2 a, HEDDLE_T2 b, HEDDLE_T2 c) {
  return HEDDLE_T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
HEDDLE_BOTH HEDDLE_T2 __hfma2_relu(HEDDLE_T2 a, HEDDLE_T2 b, HEDDLE_T2 c) {
  return HEDDLE_T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
HEDDLE_BOTH HEDDLE_T2 __hneg2(HEDDLE_T2 a) {
  return HEDDLE_T2(__hneg(a.x), __hneg(a.y));
}
HEDDLE_BOTH HEDDLE_T2 __habs2(HEDDLE_T2 a) {
  return HEDDLE_T2(__habs(a.x), __habs(a.y));
}
HEDDLE_BOTH HEDDLE_T2 __hisnan2(HEDDLE_T2 a) {
  return HEDDLE_T2(HEDDLE_T(__hisnan(a.x) ? 1.0f : 0.0f), HEDDLE_T(__hisnan(a.y) ? 1.0f : 0.0f));
}
#define HEDDLE_PAIR(name, scalar)                         \
  HEDDLE_BOTH HEDDLE_T2 name(HEDDLE_T2 a, HEDDLE_T2 b) {  \
    return HEDDLE_T2(scalar(a.x, b.x), scalar(a.y, b.y)); \
  }
HEDDLE_PAIR(__hadd2, __hadd)
HEDDLE_PAIR(__hsub2, __hsub)
HEDDLE_PAIR(__hmul2, __hmul)
HEDDLE_PAIR(__hadd2_rn, __hadd)
HEDDLE_PAIR(__hsub2_rn, __hsub)
HEDDLE_PAIR(__hmul2_rn, __hmul)
HEDDLE_PAIR(__hadd2_sat, __hadd_sat)
HEDDLE_PAIR(__hsub2_sat, __hsub_sat)
HEDDLE_PAIR(__hmul2_sat, __hmul_sat)
HEDDLE_PAIR(__h2div, __hdiv)
HEDDLE_PAIR(__hmin2, __hmin)
HEDDLE_PAIR(__hmax2, __hmax)
#undef HEDDLE_PAIR

// ---- comparisons: of numbers; of pairs as 1.0 and 0.0, and of both at once

// The forms with a u are true for what cannot be compared.
#define HEDDLE_COMPARE(name, operation)                               \
  HEDDLE_BOTH bool __h##name(HEDDLE_T a, HEDDLE_T b) {                \
    return (float)a operation(float) b;                               \
  }                                                                   \
  HEDDLE_BOTH bool __h##name##u(HEDDLE_T a, HEDDLE_T b) {             \
    return __hisnan(a) || __hisnan(b) || (float)a operation(float) b; \
  }                                                                   \
  HEDDLE_BOTH HEDDLE_T2 __h##name##2(HEDDLE_T2 a, HEDDLE_T2 b) {      \
    return HEDDLE_T2(HEDDLE_T(__h##name(a.x, b.x) ? 1.0f : 0.0f),     \
                     HEDDLE_T(__h##name(a.y, b.y) ? 1.0f : 0.0f));    \
  }                                                                   \
  HEDDLE_BOTH bool __hb##name##2(HEDDLE_T2 a, HEDDLE_T2 b) {          \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                \
  }                                                                   \
  HEDDLE_BOTH bool operator operation(HEDDLE_T a, HEDDLE_T b) {       \
    return __h##name(a, b);                                           \
  }                                                                   \
  HEDDLE_BOTH bool operator operation(HEDDLE_T2 a, HEDDLE_T2 b) {     \
    return __hb##name##2(a, b);                                       \
  }
HEDDLE_COMPARE(eq, ==)
HEDDLE_COMPARE(ne, !=)
HEDDLE_COMPARE(lt, <)
HEDDLE_COMPARE(le, <=)
HEDDLE_COMPARE(gt, >)
HEDDLE_COMPARE(ge, >=)
#undef HEDDLE_COMPARE

// ---- operators

#define HEDDLE_OPERATOR(sign, scalar, pair)                            \
  HEDDLE_BOTH HEDDLE_T operator sign(HEDDLE_T a, HEDDLE_T b) {         \
    return scalar(a, b);                                               \
  }                                                                    \
  HEDDLE_BOTH HEDDLE_T2 operator sign(HEDDLE_T2 a, HEDDLE_T2 b) {      \
    return pair(a, b);                                                 \
  }                                                                    \
  HEDDLE_BOTH HEDDLE_T &operator sign##=(HEDDLE_T &a, HEDDLE_T b) {    \
    return a = scalar(a, b);                                           \
  }                                                                    \
  HEDDLE_BOTH HEDDLE_T2 &operator sign##=(HEDDLE_T2 &a, HEDDLE_T2 b) { \
    return a = pair(a, b);                                             \
  }
HEDDLE_OPERATOR(+, __hadd, __hadd2)
HEDDLE_OPERATOR(-, __hsub, __hsub2)
HEDDLE_OPERATOR(*, __hmul, __hmul2)
HEDDLE_OPERATOR(/, __hdiv, __h2div)
#undef HEDDLE_OPERATOR
HEDDLE_BOTH HEDDLE_T operator-(HEDDLE_T a) {
  return __hneg(a);
}
HEDDLE_BOTH HEDDLE_T operator+(HEDDLE_T a) {
  return a;
}
HEDDLE_BOTH HEDDLE_T2 operator-(HEDDLE_T2 a) {
  return __hneg2(a);
}
HEDDLE_BOTH HEDDLE_T &operator++(HEDDLE_T &a) {
  return a += HEDDLE_T(1.0f);
}
HEDDLE_BOTH HEDDLE_T operator++(HEDDLE_T &a, int) {
  HEDDLE_T before = a;
  a += HEDDLE_T(1.0f);
  return before;
}
HEDDLE_BOTH HEDDLE_T &operator--(HEDDLE_T &a) {
  return a -= HEDDLE_T(1.0f);
}

// ---- in kernels only

#ifdef __CUDA__
#define HEDDLE_FUNCTION(name, function)           \
  HEDDLE_DEVICE HEDDLE_T h##name(HEDDLE_T a) {    \
    return HEDDLE_T(function((float)a));          \
  }                                               \
  HEDDLE_DEVICE HEDDLE_T2 h2##name(HEDDLE_T2 a) { \
    return HEDDLE_T2(h##name(a.x), h##name(a.y)); \
  }
HEDDLE_FUNCTION(sqrt, sqrtf)
HEDDLE_FUNCTION(rsqrt, rsqrtf)
HEDDLE_FUNCTION(rcp, 1.0f /)
HEDDLE_FUNCTION(exp, expf)
HEDDLE_FUNCTION(exp2, exp2f)
HEDDLE_FUNCTION(exp10, exp10f)
HEDDLE_FUNCTION(log, logf)
HEDDLE_FUNCTION(log2, log2f)
HEDDLE_FUNCTION(log10, log10f)
HEDDLE_FUNCTION(sin, sinf)
HEDDLE_FUNCTION(cos, cosf)
HEDDLE_FUNCTION(tanh, tanhf)
HEDDLE_FUNCTION(floor, floorf)
HEDDLE_FUNCTION(ceil, ceilf)
HEDDLE_FUNCTION(trunc, truncf)
HEDDLE_FUNCTION(rint, rintf)
#undef HEDDLE_FUNCTION

#define HEDDLE_SHUFFLE(name, Lane)                                                          \
  HEDDLE_DEVICE HEDDLE_T name(unsigned int mask, HEDDLE_T a, Lane lane, int width = 32) {   \
    a.__x = (unsigned short)name(mask, (unsigned int)a.__x, lane, width);                   \
    return a;                                                                               \
  }                                                                                         \
  HEDDLE_DEVICE HEDDLE_T2 name(unsigned int mask, HEDDLE_T2 a, Lane lane, int width = 32) { \
    unsigned int both = name(mask, (unsigned int)a.y.__x << 16 | a.x.__x, lane, width);     \
    a.x.__x = (unsigned short)both;                                                         \
    a.y.__x = (unsigned short)(both >> 16);                                                 \
    return a;                                                                               \
  }
HEDDLE_SHUFFLE(__shfl_sync, int)
HEDDLE_SHUFFLE(__shfl_up_sync, unsigned int)
HEDDLE_SHUFFLE(__shfl_down_sync, unsigned int)
HEDDLE_SHUFFLE(__shfl_xor_sync, int)
#undef HEDDLE_SHUFFLE

// With cache hints, as the integers of the same size.
#define HEDDLE_LOAD(name)                                 \
  HEDDLE_DEVICE HEDDLE_T name(const HEDDLE_T *from) {     \
    HEDDLE_T a;                                           \
    a.__x = name(&from->__x);                             \
    return a;                                             \
  }                                                       \
  HEDDLE_DEVICE HEDDLE_T2 name(const HEDDLE_T2 *from) {   \
    unsigned int both = name((const unsigned int *)from); \
    HEDDLE_T2 a;                                          \
    a.x.__x = (unsigned short)both;                       \
    a.y.__x = (unsigned short)(both >> 16);               \
    return a;                                             \
  }
HEDDLE_LOAD(__ldg)
HEDDLE_LOAD(__ldca)
HEDDLE_LOAD(__ldcg)
HEDDLE_LOAD(__ldcs)
HEDDLE_LOAD(__ldlu)
HEDDLE_LOAD(__ldcv)
#undef HEDDLE_LOAD
#define HEDDLE_STORE(name)                                           \
  HEDDLE_DEVICE void name(HEDDLE_T *to, HEDDLE_T a) {                \
    name(&to->__x, a.__x);                                           \
  }                                                                  \
  HEDDLE_DEVICE void name(HEDDLE_T2 *to, HEDDLE_T2 a) {              \
    name((unsigned int *)to, (unsigned int)a.y.__x << 16 | a.x.__x); \
  }
HEDDLE_STORE(__stwb)
HEDDLE_STORE(__stcg)
HEDDLE_STORE(__stcs)
HEDDLE_STORE(__stwt)
#undef HEDDLE_STORE

// One word at a time, as a pair; the half beside it stays as it is.
HEDDLE_DEVICE HEDDLE_T atomicAdd(HEDDLE_T *to, HEDDLE_T value) {
  unsigned int *word = (unsigned int *)((unsigned long long)to & ~3ull), seen, wanted = *word;
  int shift = (unsigned long long)to & 2 ? 16 : 0;
  HEDDLE_T before;
  do {
    seen = wanted;
    before.__x = (unsigned short)(seen >> shift);
    wanted =
        atomicCAS(word, seen,
                  (seen & ~(0xffffu << shift)) | (unsigned int)__hadd(before, value).__x << shift);
  } while (wanted != seen);
  return before;
}
HEDDLE_DEVICE HEDDLE_T2 atomicAdd(HEDDLE_T2 *to, HEDDLE_T2 value) {
  return HEDDLE_T2(atomicAdd(&to->x, value.x), atomicAdd(&to->y, value.y));
}
#endif
#undef HEDDLE_DEVICE
#undef HEDDLE_BOTH
#undef HEDDLE_T
#undef HEDDLE_T2
#undef HEDDLE_SUM
#undef HEDDLE_DIFFERENCE
#undef HEDDLE_PRODUCT
#undef HEDDLE_FUSED
