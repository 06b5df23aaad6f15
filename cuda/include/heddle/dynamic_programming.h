// SPDX-License-Identifier: MIT
// The functions of dynamic programming (CUDA 12): maxima and minima of two and three, of sums, not
// below zero (_relu), with what was picked (__vib…); of 32 bits and of two times 16. Device code
// and host code.
#ifndef HEDDLE_DYNAMIC_PROGRAMMING_H
#define HEDDLE_DYNAMIC_PROGRAMMING_H

#define HEDDLE_DPX static __host__ __device__ __forceinline__ __attribute__((unused))

namespace heddle_dpx {

template <class T>
HEDDLE_DPX T most(T a, T b) {
  return a < b ? b : a;
}
template <class T>
HEDDLE_DPX T least(T a, T b) {
  return b < a ? b : a;
}
template <class T>
HEDDLE_DPX T sum(T a, T b) {
  return (T)((unsigned)a + (unsigned)b);
}

// Halves of a word, the lower one first.
template <class T>
HEDDLE_DPX T half(unsigned word, int which) {
  return (T)(unsigned short)(word >> 16 * which);
}
HEDDLE_DPX unsigned join(unsigned low, unsigned high) {
  return (low & 0xffff) | high << 16;
}

}  // namespace heddle_dpx

#define HEDDLE_DPX_WORDS(type, suffix, name, pick)                         \
  HEDDLE_DPX type __vi##name##3_##suffix(type a, type b, type c) {         \
    return heddle_dpx::pick(heddle_dpx::pick(a, b), c);                    \
  }                                                                        \
  HEDDLE_DPX type __viadd##name##_##suffix(type a, type b, type c) {       \
    return heddle_dpx::pick(heddle_dpx::sum(a, b), c);                     \
  }                                                                        \
  HEDDLE_DPX type __vib##name##_##suffix(type a, type b, bool *is_first) { \
    *is_first = heddle_dpx::pick(a, b) == a;                               \
    return heddle_dpx::pick(a, b);                                         \
  }
#define HEDDLE_DPX_HALVES(type, suffix, name, pick)                                       \
  HEDDLE_DPX unsigned __vi##name##3_##suffix(unsigned a, unsigned b, unsigned c) {        \
    unsigned result[2];                                                                   \
    for (int i = 0; i < 2; i++)                                                           \
      result[i] = (unsigned)heddle_dpx::pick(                                             \
          heddle_dpx::pick(heddle_dpx::half<type>(a, i), heddle_dpx::half<type>(b, i)),   \
          heddle_dpx::half<type>(c, i));                                                  \
    return heddle_dpx::join(result[0], result[1]);                                        \
  }                                                                                       \
  HEDDLE_DPX unsigned __viadd##name##_##suffix(unsigned a, unsigned b, unsigned c) {      \
    unsigned result[2];                                                                   \
    for (int i = 0; i < 2; i++)                                                           \
      result[i] = (unsigned)heddle_dpx::pick(                                             \
          heddle_dpx::sum(heddle_dpx::half<type>(a, i), heddle_dpx::half<type>(b, i)),    \
          heddle_dpx::half<type>(c, i));                                                  \
    return heddle_dpx::join(result[0], result[1]);                                        \
  }                                                                                       \
  HEDDLE_DPX unsigned __vib##name##_##suffix(unsigned a, unsigned b, bool *is_first_high, \
                                             bool *is_first_low) {                        \
    unsigned result[2];                                                                   \
    bool is_first[2];                                                                     \
    for (int i = 0; i < 2; i++) {                                                         \
      type x = heddle_dpx::half<type>(a, i),                                              \
           picked = heddle_dpx::pick(x, heddle_dpx::half<type>(b, i));                    \
      is_first[i] = picked == x;                                                          \
      result[i] = (unsigned)picked;                                                       \
    }                                                                                     \
    *is_first_low = is_first[0], *is_first_high = is_first[1];                            \
    return heddle_dpx::join(result[0], result[1]);                                        \
  }
HEDDLE_DPX_WORDS(int, s32, max, most)
HEDDLE_DPX_WORDS(int, s32, min, least)
HEDDLE_DPX_WORDS(unsigned, u32, max, most)
HEDDLE_DPX_WORDS(unsigned, u32, min, least)
HEDDLE_DPX_HALVES(short, s16x2, max, most)
HEDDLE_DPX_HALVES(short, s16x2, min, least)
HEDDLE_DPX_HALVES(unsigned short, u16x2, max, most)
HEDDLE_DPX_HALVES(unsigned short, u16x2, min, least)

// Not below zero.
HEDDLE_DPX unsigned __heddle_relu_s16x2(unsigned a) {
  return heddle_dpx::join((unsigned)heddle_dpx::most<short>(heddle_dpx::half<short>(a, 0), 0),
                          (unsigned)heddle_dpx::most<short>(heddle_dpx::half<short>(a, 1), 0));
}
#define HEDDLE_DPX_RELU(name, pick)                                                    \
  HEDDLE_DPX int __vi##name##_s32_relu(int a, int b) {                                 \
    return heddle_dpx::most(heddle_dpx::pick(a, b), 0);                                \
  }                                                                                    \
  HEDDLE_DPX int __vi##name##3_s32_relu(int a, int b, int c) {                         \
    return heddle_dpx::most(__vi##name##3_s32(a, b, c), 0);                            \
  }                                                                                    \
  HEDDLE_DPX int __viadd##name##_s32_relu(int a, int b, int c) {                       \
    return heddle_dpx::most(__viadd##name##_s32(a, b, c), 0);                          \
  }                                                                                    \
  HEDDLE_DPX unsigned __vi##name##_s16x2_relu(unsigned a, unsigned b) {                \
    return __heddle_relu_s16x2(__vi##name##3_s16x2(a, b, b));                          \
  }                                                                                    \
  HEDDLE_DPX unsigned __vi##name##3_s16x2_relu(unsigned a, unsigned b, unsigned c) {   \
    return __heddle_relu_s16x2(__vi##name##3_s16x2(a, b, c));                          \
  }                                                                                    \
  HEDDLE_DPX unsigned __viadd##name##_s16x2_relu(unsigned a, unsigned b, unsigned c) { \
    return __heddle_relu_s16x2(__viadd##name##_s16x2(a, b, c));                        \
  }
HEDDLE_DPX_RELU(max, most)
HEDDLE_DPX_RELU(min, least)

#undef HEDDLE_DPX_RELU
#undef HEDDLE_DPX_HALVES
#undef HEDDLE_DPX_WORDS
#undef HEDDLE_DPX

#endif
