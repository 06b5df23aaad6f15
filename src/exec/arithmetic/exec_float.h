// SPDX-License-Identifier: MIT
// What f32 and f64 instructions share: flushing, saturation, canonical NaNs,
// and the macros that make one exec function per combination of suffixes.
//
// A NaN result of an f32 instruction is always 0x7fffffff, as PTX has it; f64
// results are the host's.
#ifndef EXEC_ARITHMETIC_EXEC_FLOAT_H
#define EXEC_ARITHMETIC_EXEC_FLOAT_H

#include <float.h>
#include <math.h>

#include "exec/lanes.h"

#define CANONICAL_NAN_F32 __builtin_nanf("0x3fffff")

// A subnormal number becomes a zero of its sign.
static inline float float_flush(float x) {
  return fabsf(x) < FLT_MIN ? copysignf(0.0f, x) : x;
}

static inline float float_input(float x, bool ftz) {
  return ftz ? float_flush(x) : x;
}

// Values not above zero, and NaNs, become zero.
static inline float float_saturate(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

static inline float float_result(float x, bool ftz, bool sat) {
  if (ftz) x = float_flush(x);
  if (sat) return float_saturate(x);
  return x == x ? x : CANONICAL_NAN_F32;
}

// F32_n(loop, name, expression, before, after): exec functions of n sources, plain and with each
// of .ftz and .sat; before and after stand around the lane loops. F32_TABLE_n lists them.
#define F32_1(loop, name, expression, before, after)    \
  F32_1_AS(loop, name, expression, before, after, 0, 0) \
  F32_1_AS(loop, name, expression, before, after, 1, 0)
#define F32_1_AS(loop, name, expression, before, after, ftz, sat) \
  static inline float name##_lane_##ftz##sat(float a) {           \
    a = float_input(a, ftz);                                      \
    return float_result((expression), ftz, sat);                  \
  }                                                               \
  EXEC(name##_##ftz##sat) {                                       \
    LaneF32 *d = place_at(warp, in->dst[0]);                      \
    const LaneF32 *x = place_at(warp, in->src[0]);                \
    before;                                                       \
    loop(d, mask, name##_lane_##ftz##sat(x[lane]));               \
    after;                                                        \
  }

#define F32_2(loop, name, expression, before, after)    \
  F32_2_AS(loop, name, expression, before, after, 0, 0) \
  F32_2_AS(loop, name, expression, before, after, 0, 1) \
  F32_2_AS(loop, name, expression, before, after, 1, 0) \
  F32_2_AS(loop, name, expression, before, after, 1, 1)
#define F32_2_AS(loop, name, expression, before, after, ftz, sat)                   \
  static inline float name##_lane_##ftz##sat(float a, float b) {                    \
    a = float_input(a, ftz);                                                        \
    b = float_input(b, ftz);                                                        \
    return float_result((expression), ftz, sat);                                    \
  }                                                                                 \
  EXEC(name##_##ftz##sat) {                                                         \
    LaneF32 *d = place_at(warp, in->dst[0]);                                        \
    const LaneF32 *x = place_at(warp, in->src[0]), *y = place_at(warp, in->src[1]); \
    before;                                                                         \
    loop(d, mask, name##_lane_##ftz##sat(x[lane], y[lane]));                        \
    after;                                                                          \
  }

#define F32_3(loop, name, expression, before, after)    \
  F32_3_AS(loop, name, expression, before, after, 0, 0) \
  F32_3_AS(loop, name, expression, before, after, 0, 1) \
  F32_3_AS(loop, name, expression, before, after, 1, 0) \
  F32_3_AS(loop, name, expression, before, after, 1, 1)
#define F32_3_AS(loop, name, expression, before, after, ftz, sat)                   \
  static inline float name##_lane_##ftz##sat(float a, float b, float c) {           \
    a = float_input(a, ftz);                                                        \
    b = float_input(b, ftz);                                                        \
    c = float_input(c, ftz);                                                        \
    return float_result((expression), ftz, sat);                                    \
  }                                                                                 \
  EXEC(name##_##ftz##sat) {                                                         \
    LaneF32 *d = place_at(warp, in->dst[0]);                                        \
    const LaneF32 *x = place_at(warp, in->src[0]), *y = place_at(warp, in->src[1]); \
    const LaneF32 *z = place_at(warp, in->src[2]);                                  \
    before;                                                                         \
    loop(d, mask, name##_lane_##ftz##sat(x[lane], y[lane], z[lane]));               \
    after;                                                                          \
  }

// [ftz][sat]
#define F32_TABLE(name)       \
  {                           \
    {name##_00, name##_01}, { \
      name##_10, name##_11    \
    }                         \
  }

#endif
