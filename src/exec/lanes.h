// SPDX-License-Identifier: MIT
// Lane loops: macros that make an exec function from the operation of one lane.
//
//   EXEC2(add_u32, u32, u32, u32, a + b)
//
// defines add_u32, an ExecFn whose destination and sources are of the named
// PTX types and whose lanes compute the expression of a and b. The loops are
// meant for the vectoriser: one without a mask for the full warp, one that
// blends. EXEC1, EXEC2 and EXEC3 have one, two and three sources; the _SCALAR variants
// are for operations without vector instructions.
//
// A PTX type t maps to four C types:
//   LANE_t     storage of a register lane
//   VALUE_t    type of a and b in the expression
//   BITS_t     type that a result is truncated to before storing; floats stay floats
//   MODULAR_t  type in which sums and products wrap around without promotion to int
#ifndef EXEC_LANES_H
#define EXEC_LANES_H

#include "exec/warp.h"

// Suppresses warnings about loops that are not vectorised, with sanitizers and on old hosts.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

// Lanes are accessed with the type of each instruction.
typedef uint32_t Lane32 __attribute__((may_alias));
typedef uint64_t Lane64 __attribute__((may_alias));
typedef float LaneF32 __attribute__((may_alias));
typedef double LaneF64 __attribute__((may_alias));

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

#define LANE_u8 Lane32
#define LANE_s8 Lane32
#define LANE_u16 Lane32
#define LANE_s16 Lane32
#define LANE_u32 Lane32
#define LANE_s32 Lane32
#define LANE_u64 Lane64
#define LANE_s64 Lane64
#define LANE_f32 LaneF32
#define LANE_f64 LaneF64

#define VALUE_u8 uint8_t
#define VALUE_s8 int8_t
#define VALUE_u16 uint16_t
#define VALUE_s16 int16_t
#define VALUE_u32 uint32_t
#define VALUE_s32 int32_t
#define VALUE_u64 uint64_t
#define VALUE_s64 int64_t
#define VALUE_f32 float
#define VALUE_f64 double

#define BITS_u8 uint8_t
#define BITS_s8 uint8_t
#define BITS_u16 uint16_t
#define BITS_s16 uint16_t
#define BITS_u32 uint32_t
#define BITS_s32 uint32_t
#define BITS_u64 uint64_t
#define BITS_s64 uint64_t
#define BITS_f32 float
#define BITS_f64 double

#define MODULAR_u16 uint32_t
#define MODULAR_s16 uint32_t
#define MODULAR_u32 uint32_t
#define MODULAR_s32 uint32_t
#define MODULAR_u64 uint64_t
#define MODULAR_s64 uint64_t

// The types that most integer instructions have.
#define FOR_INTEGERS(X) X(u16) X(s16) X(u32) X(s32) X(u64) X(s64)
#define FOR_UNSIGNED(X) X(u16) X(u32) X(u64)
#define FOR_SIGNED(X) X(s16) X(s32) X(s64)

#define EXEC(name)                                                           \
  static void name(__attribute__((unused)) ExecContext *context, Warp *warp, \
                   const Instruction *in, uint32_t mask)

// Sets the lanes of dst that are in mask to an expression of `lane`.
#define LANES_WITH(simd, dst, mask, value)                                     \
  do {                                                                         \
    if ((mask) == FULL_MASK) {                                                 \
      simd for (int lane = 0; lane < WARP_LANES; lane++)(dst)[lane] = (value); \
    } else {                                                                   \
      simd for (int lane = 0; lane < WARP_LANES; lane++)(dst)[lane] =          \
          (mask) >> lane & 1 ? (value) : (dst)[lane];                          \
    }                                                                          \
  } while (0)

#define LANES_SIMD _Pragma("omp simd")
#define LANES(dst, mask, value) LANES_WITH(LANES_SIMD, dst, mask, value)
#define LANES_SCALAR(dst, mask, value) LANES_WITH(, dst, mask, value)

// The mask of lanes for which a condition on `lane` holds.
#define LANES_WHERE(result, condition)                                                      \
  do {                                                                                      \
    uint32_t where_ = 0;                                                                    \
    _Pragma("omp simd reduction(| : where_)") for (int lane = 0; lane < WARP_LANES; lane++) \
        where_ |= (uint32_t)((condition) ? 1 : 0) << lane;                                  \
    (result) = where_;                                                                      \
  } while (0)

#define EXEC1_WITH(loop, name, D, A, expression)    \
  static inline BITS_##D name##_lane(VALUE_##A a) { \
    return (BITS_##D)(expression);                  \
  }                                                 \
  EXEC(name) {                                      \
    LANE_##D *d = place_at(warp, in->dst[0]);       \
    const LANE_##A *x = place_at(warp, in->src[0]); \
    loop(d, mask, name##_lane((VALUE_##A)x[lane])); \
  }

#define EXEC2_WITH(loop, name, D, A, B, expression)                     \
  static inline BITS_##D name##_lane(VALUE_##A a, VALUE_##B b) {        \
    return (BITS_##D)(expression);                                      \
  }                                                                     \
  EXEC(name) {                                                          \
    LANE_##D *d = place_at(warp, in->dst[0]);                           \
    const LANE_##A *x = place_at(warp, in->src[0]);                     \
    const LANE_##B *y = place_at(warp, in->src[1]);                     \
    loop(d, mask, name##_lane((VALUE_##A)x[lane], (VALUE_##B)y[lane])); \
  }

#define EXEC3_WITH(loop, name, D, A, B, C, expression)                                      \
  static inline BITS_##D name##_lane(VALUE_##A a, VALUE_##B b, VALUE_##C c) {               \
    return (BITS_##D)(expression);                                                          \
  }                                                                                         \
  EXEC(name) {                                                                              \
    LANE_##D *d = place_at(warp, in->dst[0]);                                               \
    const LANE_##A *x = place_at(warp, in->src[0]);                                         \
    const LANE_##B *y = place_at(warp, in->src[1]);                                         \
    const LANE_##C *z = place_at(warp, in->src[2]);                                         \
    loop(d, mask, name##_lane((VALUE_##A)x[lane], (VALUE_##B)y[lane], (VALUE_##C)z[lane])); \
  }

#define EXEC1(name, D, A, expression) EXEC1_WITH(LANES, name, D, A, expression)
#define EXEC2(name, D, A, B, expression) EXEC2_WITH(LANES, name, D, A, B, expression)
#define EXEC3(name, D, A, B, C, expression) EXEC3_WITH(LANES, name, D, A, B, C, expression)
#define EXEC1_SCALAR(name, D, A, expression) EXEC1_WITH(LANES_SCALAR, name, D, A, expression)
#define EXEC2_SCALAR(name, D, A, B, expression) EXEC2_WITH(LANES_SCALAR, name, D, A, B, expression)
#define EXEC3_SCALAR(name, D, A, B, C, expression) \
  EXEC3_WITH(LANES_SCALAR, name, D, A, B, C, expression)

// Tables of exec functions by type, for use as initialisers.
#define BY_INTEGER(name)                                                       \
  {                                                                            \
    [TYPE_U16] = name##_u16, [TYPE_S16] = name##_s16, [TYPE_U32] = name##_u32, \
    [TYPE_S32] = name##_s32, [TYPE_U64] = name##_u64, [TYPE_S64] = name##_s64  \
  }
// Where the sign makes no difference.
#define BY_WIDTH(name)                                                         \
  {                                                                            \
    [TYPE_U16] = name##_u16, [TYPE_S16] = name##_u16, [TYPE_U32] = name##_u32, \
    [TYPE_S32] = name##_u32, [TYPE_U64] = name##_u64, [TYPE_S64] = name##_u64  \
  }
#define BY_BITS(name) \
  { [TYPE_B16] = name##_u16, [TYPE_B32] = name##_u32, [TYPE_B64] = name##_u64 }

#endif
