// SPDX-License-Identifier: MIT
// Two halfwords or four bytes of a word at once: lane by lane in an int, which
// holds every intermediate value, then cut to the lane.

static inline int lane_signed(uint word, int lane, int bits) {
  return (int)(word << (32 - bits - lane * bits)) >> (32 - bits);
}
static inline int lane_unsigned(uint word, int lane, int bits) {
  return (int)(word >> (lane * bits) & ((1u << bits) - 1));
}
static inline int clamp(int a, int low, int high) {
  return a < low ? low : a > high ? high : a;
}
static inline int magnitude(int a) {
  return a < 0 ? -a : a;
}

#define LANES(bits, read, value)                                      \
  uint result = 0;                                                    \
  for (int lane = 0; lane < 32 / bits; lane++) {                      \
    int a = read((uint)x, lane, bits), b = read((uint)y, lane, bits); \
    (void)a, (void)b;                                                 \
    result |= ((uint)(value) & ((1u << bits) - 1)) << lane * bits;    \
  }                                                                   \
  return (int)result;
#define SIMD(name, n, bits, read, value)     \
  EXPORT int __nv_v##name##n(int x, int y) { \
    LANES(bits, read, value)                 \
  }
#define SIMD_1(name, n, bits, value)  \
  EXPORT int __nv_v##name##n(int x) { \
    int y = 0;                        \
    LANES(bits, lane_signed, value)   \
  }
#define SIMD_COMPARE(name, n, bits, read, operation)     \
  SIMD(cmp##name, n, bits, read, a operation b ? -1 : 0) \
  SIMD(set##name, n, bits, read, a operation b)
#define SIMD_SAD(name, n, bits, read)                                          \
  EXPORT int __nv_v##name##n(int x, int y) {                                   \
    int sum = 0;                                                               \
    for (int lane = 0; lane < 32 / bits; lane++)                               \
      sum += magnitude(read((uint)x, lane, bits) - read((uint)y, lane, bits)); \
    return sum;                                                                \
  }

#define SIMD_ALL(n, bits)                                                                    \
  SIMD_1(abs, n, bits, magnitude(a))                                                         \
  SIMD_1(absss, n, bits, clamp(magnitude(a), 0, (1 << (bits - 1)) - 1))                      \
  SIMD_1(neg, n, bits, -a)                                                                   \
  SIMD_1(negss, n, bits, clamp(-a, -(1 << (bits - 1)), (1 << (bits - 1)) - 1))               \
  SIMD(absdiffs, n, bits, lane_signed, magnitude(a - b))                                     \
  SIMD(absdiffu, n, bits, lane_unsigned, magnitude(a - b))                                   \
  SIMD(add, n, bits, lane_unsigned, a + b)                                                   \
  SIMD(addss, n, bits, lane_signed, clamp(a + b, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)) \
  SIMD(addus, n, bits, lane_unsigned, clamp(a + b, 0, (1 << bits) - 1))                      \
  SIMD(sub, n, bits, lane_unsigned, a - b)                                                   \
  SIMD(subss, n, bits, lane_signed, clamp(a - b, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)) \
  SIMD(subus, n, bits, lane_unsigned, clamp(a - b, 0, (1 << bits) - 1))                      \
  SIMD(avgs, n, bits, lane_signed, (a + b + (a + b >= 0)) >> 1)                              \
  SIMD(avgu, n, bits, lane_unsigned, (a + b + 1) >> 1)                                       \
  SIMD(haddu, n, bits, lane_unsigned, (a + b) >> 1)                                          \
  SIMD(maxs, n, bits, lane_signed, a > b ? a : b)                                            \
  SIMD(maxu, n, bits, lane_unsigned, a > b ? a : b)                                          \
  SIMD(mins, n, bits, lane_signed, a < b ? a : b)                                            \
  SIMD(minu, n, bits, lane_unsigned, a < b ? a : b)                                          \
  SIMD_COMPARE(eq, n, bits, lane_unsigned, ==)                                               \
  SIMD_COMPARE(ne, n, bits, lane_unsigned, !=)                                               \
  SIMD_COMPARE(ges, n, bits, lane_signed, >=)                                                \
  SIMD_COMPARE(geu, n, bits, lane_unsigned, >=)                                              \
  SIMD_COMPARE(gts, n, bits, lane_signed, >)                                                 \
  SIMD_COMPARE(gtu, n, bits, lane_unsigned, >)                                               \
  SIMD_COMPARE(les, n, bits, lane_signed, <=)                                                \
  SIMD_COMPARE(leu, n, bits, lane_unsigned, <=)                                              \
  SIMD_COMPARE(lts, n, bits, lane_signed, <)                                                 \
  SIMD_COMPARE(ltu, n, bits, lane_unsigned, <)                                               \
  SIMD_SAD(sads, n, bits, lane_signed)                                                       \
  SIMD_SAD(sadu, n, bits, lane_unsigned)

SIMD_ALL(2, 16)
SIMD_ALL(4, 8)
