// SPDX-License-Identifier: MIT
// Elements of matrices in registers, and matrices gathered from fragments.
#ifndef EXEC_MATRIX_ELEMENTS_H
#define EXEC_MATRIX_ELEMENTS_H

#include <string.h>

#include "exec/arithmetic/float8.h"
#include "exec/arithmetic/half.h"
#include "exec/lanes.h"
#include "exec/matrix/matrix.h"
#include "exec/warp.h"

// ---- elements

// Of a tf32 the lower 13 bits are not looked at.
static inline double element_value(DataType type, uint64_t bits) {
  union {
    uint32_t bits;
    float value;
  } narrow = {.bits = (uint32_t)bits};
  double wide;
  switch (type) {
    case TYPE_F16: narrow.bits = f32_bits_from_f16((uint16_t)bits); return narrow.value;
    case TYPE_BF16: narrow.bits = (uint32_t)(bits << 16); return narrow.value;
    case TYPE_TF32: narrow.bits &= 0xffffe000u; return narrow.value;
    case TYPE_F32: return narrow.value;
    case TYPE_E4M3:
    case TYPE_E5M2: return float8_value((uint8_t)bits, type);
    default: memcpy(&wide, &bits, sizeof wide); return wide;
  }
}

static inline uint64_t element_bits(DataType type, double value) {
  union {
    float value;
    uint32_t bits;
  } narrow = {.value = (float)value};
  uint64_t bits;
  switch (type) {
    case TYPE_F16: return half_from_double(value, &format_f16);
    case TYPE_F32: return value != value ? 0x7fffffffu : narrow.bits;
    default: memcpy(&bits, &value, sizeof bits); return bits;
  }
}

static inline int32_t element_integer(DataType type, uint64_t bits) {
  switch (type) {
    case TYPE_S8: return (int8_t)bits;
    case TYPE_U8: return (uint8_t)bits;
    case TYPE_S4: return (int32_t)((bits & 15) ^ 8) - 8;
    case TYPE_U4: return (int32_t)(bits & 15);
    default: return (int32_t)bits;
  }
}

// Element e of a register's lane.
static inline uint64_t lane_element(const void *lanes, DataType type, uint32_t lane, uint32_t e) {
  uint32_t bits = (uint32_t)type_bits(type);
  if (bits == 64) return ((const Lane64 *)lanes)[lane];
  uint32_t word = ((const Lane32 *)lanes)[lane] >> (bits * e & 31);
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

static inline void put_element(void *lanes, DataType type, uint32_t lane, uint32_t e,
                               uint64_t bits) {
  uint32_t width = (uint32_t)type_bits(type);
  if (width == 64)
    ((Lane64 *)lanes)[lane] = bits;
  else if (width == 32)
    ((Lane32 *)lanes)[lane] = (uint32_t)bits;
  else if (e == 0)
    ((Lane32 *)lanes)[lane] = (uint32_t)bits;  // clears the others: they follow
  else
    ((Lane32 *)lanes)[lane] |= (uint32_t)bits << width * e;
}

// ---- fragments

// How far the element of a lane lies from that of lane 0, by its group (lane / 4) and its place in
// the group (lane % 4).
typedef struct LaneSteps {
  uint32_t group_row, group_column, thread_row, thread_column;
} LaneSteps;

static inline LaneSteps lane_steps(const Fragment *fragment) {
  uint32_t n = fragment->elements;
  switch (fragment->part) {
    case PART_A: return (LaneSteps){1, 0, 0, n};
    case PART_B: return (LaneSteps){0, 1, n, 0};
    default: return (LaneSteps){1, 0, 0, 2};
  }
}

static inline MatrixPlace lane_place(MatrixPlace first, LaneSteps steps, uint32_t lane) {
  uint32_t group = lane / 4, thread = lane % 4;
  return (MatrixPlace){first.row + group * steps.group_row + thread * steps.thread_row,
                       first.column + group * steps.group_column + thread * steps.thread_column};
}

// Calls with every element of a fragment that is not a repetition: its register, lane, and where
// it stands.
#define EACH_ELEMENT(fragment, work)                                 \
  do {                                                               \
    LaneSteps steps_ = lane_steps(&(fragment));                      \
    for (uint32_t reg = 0; reg < (fragment).distinct; reg++)         \
      for (uint32_t e = 0; e < (fragment).elements; e++) {           \
        MatrixPlace first_ = fragment_place(&(fragment), 0, reg, e); \
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {         \
          MatrixPlace at = lane_place(first_, steps_, lane);         \
          work;                                                      \
        }                                                            \
      }                                                              \
  } while (0)

#endif
