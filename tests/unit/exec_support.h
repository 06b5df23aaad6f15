// SPDX-License-Identifier: MIT
// A warp put together by hand, and a runner that tries one form on a million
// values against an oracle.
//
// The oracle says what one lane must hold, from the lanes of the sources as
// they stand in their registers. It runs in the host's rounding mode that the
// form asks for. Every other warp has a partial mask, whose other lanes must
// not change; every fourth has its destination in the place of a source.
#ifndef UNIT_EXEC_SUPPORT_H
#define UNIT_EXEC_SUPPORT_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "exec/execute.h"

enum { RIG_REGISTERS = 12, RIG_REGISTER_BYTES = 256, RIG_POOL = 1024 };

// Sanitizers make everything ten times slower.
#if defined(__SANITIZE_ADDRESS__)
enum { TRIAL_VALUES = 50000 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { TRIAL_VALUES = 50000 };
#else
enum { TRIAL_VALUES = 1000000 };
#endif
#else
enum { TRIAL_VALUES = 1000000 };
#endif

typedef struct Rig {
  _Alignas(64) uint8_t frame[RIG_REGISTERS][RIG_REGISTER_BYTES];
  ExecContext context;
  Warp warp;
  Cta cta;
  Launch launch;
  Function kernel;
  SimtEntry stack[1];
  Instruction in;
  uint64_t random;
  uint64_t pool[4][RIG_POOL];  // values that the runner draws sources from
} Rig;

static inline Place rig_place(int index) {
  return index * RIG_REGISTER_BYTES;
}

static inline void rig_init(Rig *rig) {
  memset(rig, 0, sizeof *rig);
  rig->random = UINT64_C(0x9e3779b97f4a7c15);
  rig->warp.base[0] = rig->frame[0];
  rig->warp.base[1] = rig->frame[0];
  rig->warp.stack = rig->stack;
  rig->warp.stack_depth = 1;
  rig->warp.cta = &rig->cta;
  rig->cta.launch = &rig->launch;
  rig->launch.kernel = &rig->kernel;
  for (int k = 0; k < 3; k++)
    rig->launch.grid[k] = rig->launch.block[k] = rig->launch.cluster[k] = 1;
  for (int k = 0; k < MAX_DESTINATIONS; k++) rig->in.dst[k] = NO_PLACE;
  for (int k = 0; k < MAX_SOURCES; k++) rig->in.src[k] = NO_PLACE;
  rig->in.guard = NO_PLACE;
}

static inline uint64_t rig_get(const Rig *rig, int index, int bytes, int lane) {
  uint32_t narrow;
  uint64_t wide;
  memcpy(&narrow, rig->frame[index] + 4 * lane, sizeof narrow);
  memcpy(&wide, rig->frame[index] + (bytes == 8 ? 8 * lane : 0), sizeof wide);
  return bytes == 8 ? wide : narrow;
}

static inline void rig_set(Rig *rig, int index, int bytes, int lane, uint64_t value) {
  uint32_t narrow = (uint32_t)value;
  if (bytes == 8)
    memcpy(rig->frame[index] + 8 * lane, &value, sizeof value);
  else
    memcpy(rig->frame[index] + 4 * lane, &narrow, sizeof narrow);
}

static inline uint32_t rig_predicate(const Rig *rig, int index) {
  uint32_t value;
  memcpy(&value, rig->frame[index], sizeof value);
  return value;
}

static inline void rig_set_predicate(Rig *rig, int index, uint32_t value) {
  memcpy(rig->frame[index], &value, sizeof value);
}

static inline uint64_t rig_random(Rig *rig) {
  rig->random ^= rig->random << 13;
  rig->random ^= rig->random >> 7;
  rig->random ^= rig->random << 17;
  return rig->random * UINT64_C(0x2545f4914f6cdd1d);
}

// -- bits and values

static inline float f32_of(uint64_t bits) {
  uint32_t narrow = (uint32_t)bits;
  float value;
  memcpy(&value, &narrow, sizeof value);
  return value;
}

static inline double f64_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t bits_of_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint64_t bits_of_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// f16 and bf16 by moving their bits into an f32.
static inline double half_value(uint64_t bits, DataType type) {
  if (type == TYPE_BF16 || type == TYPE_BF16X2) return (double)f32_of(bits << 16);
  uint64_t sign = (bits & 0x8000) << 16;
  if ((bits & 0x7c00) == 0x7c00) return (double)f32_of(sign | 0x7f800000 | (bits & 0x3ff) << 13);
  return (double)f32_of(sign | (bits & 0x7fff) << 13) * 0x1p112;
}

static inline int64_t signed_of(uint64_t bits, int width) {
  return (int64_t)(bits << (64 - width)) >> (64 - width);
}

// -- random values that hit the corners

static inline uint64_t random_integer(Rig *rig, int bits) {
  static const uint64_t corners[] = {0, 1, 2, 3, 0xff, 7, 31, 32, 33, 63, 64, 65};
  uint64_t r = rig_random(rig), value = rig_random(rig);
  switch (r & 7) {
    case 0: value = corners[(r >> 8) % (sizeof corners / sizeof *corners)]; break;
    case 1: value = 0 - corners[(r >> 8) % (sizeof corners / sizeof *corners)]; break;
    case 2: value = (UINT64_C(1) << (r >> 8) % 64) - (r >> 16 & 1); break;  // 2^n, 2^n - 1
    case 3: value >>= (r >> 8) % 64; break;
    default: break;
  }
  return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

// A float of so many exponent and fraction bits.
static inline uint64_t random_float(Rig *rig, int exponent_bits, int fraction_bits) {
  uint64_t r = rig_random(rig), top = (UINT64_C(1) << exponent_bits) - 1;
  uint64_t sign = r >> 63, exponent = (r >> 8) % (top + 1), bias = top / 2;
  uint64_t fraction = rig_random(rig) & ((UINT64_C(1) << fraction_bits) - 1);
  switch (r & 15) {
    case 0: exponent = 0; break;                                  // subnormal
    case 1: exponent = top; break;                                // mostly NaN
    case 2: exponent = (r >> 40 & 1) * top, fraction = 0; break;  // 0 or infinity
    case 3: fraction = 0; break;                                  // a power of two
    case 4: fraction = (UINT64_C(1) << fraction_bits) - 1; break;
    case 5: exponent = top - 1 - (r >> 40 & 3); break;  // near overflow
    case 6: exponent = 1 + (r >> 40 & 3); break;        // near underflow
    case 7: fraction &= fraction << (r >> 40) % (uint64_t)fraction_bits; break;
    case 8: exponent = bias + (uint64_t)fraction_bits - (r >> 40 & 3); break;  // near integers
    case 9:
    case 10:
    case 11:
    case 12: exponent = bias - 4 + (r >> 40 & 7); break;
    default: break;
  }
  return sign << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

static inline uint64_t random_value(Rig *rig, DataType type) {
  switch (type) {
    case TYPE_F16: return random_float(rig, 5, 10);
    case TYPE_BF16: return random_float(rig, 8, 7);
    case TYPE_F32: return random_float(rig, 8, 23);
    case TYPE_F64: return random_float(rig, 11, 52);
    case TYPE_F16X2: return random_float(rig, 5, 10) << 16 | random_float(rig, 5, 10);
    case TYPE_BF16X2: return random_float(rig, 8, 7) << 16 | random_float(rig, 8, 7);
    case TYPE_F32X2: return random_float(rig, 8, 23) << 32 | random_float(rig, 8, 23);
    default: return random_integer(rig, type_bits(type));
  }
}

// -- the runner

typedef uint64_t (*Oracle)(const Form *form, const uint64_t *x);

typedef struct Trial {
  ExecFn (*find)(const Form *form);
  Form form;
  DataType dst;
  DataType src[4];  // ends with TYPE_NONE
  Oracle oracle;
  int64_t offset;
  bool any_nan;                  // any NaN of type dst will do where a NaN is expected
  double tolerance;              // relative, of f32 and f64 results; 0 = exact bits
  int values;                    // 0 = TRIAL_VALUES
  uint8_t dst_bytes, src_bytes;  // of registers wider than the types; 0 = they are not
} Trial;

static inline int lane_bytes(DataType type) {
  return type_bits(type) == 64 ? 8 : 4;
}

static inline int host_rounding(Rounding rounding) {
  switch (rounding) {
    case ROUND_ZERO: return FE_TOWARDZERO;
    case ROUND_DOWN: return FE_DOWNWARD;
    case ROUND_UP: return FE_UPWARD;
    default: return FE_TONEAREST;
  }
}

static inline bool trial_agrees(const Trial *trial, uint64_t wanted, uint64_t got) {
  if (wanted == got) return true;
  bool wide = trial->dst == TYPE_F64;
  double w = wide ? f64_of(wanted) : (double)f32_of(wanted);
  double g = wide ? f64_of(got) : (double)f32_of(got);
  if (trial->any_nan && isnan(w) && isnan(g)) return true;
  return trial->tolerance > 0 && fabs(g - w) <= trial->tolerance * fabs(w);
}

static inline void trial_fail(const Trial *trial, const uint64_t *x, uint64_t wanted, uint64_t got,
                              int lane, uint32_t mask) {
  const Form *f = &trial->form;
  fail_msg(
      "%s type %d.%d round %d ftz %d sat %d mode %d: lane %d mask %08x\n  sources %llx %llx "
      "%llx %llx\n  wanted %llx got %llx",
      opcode_info[f->op].name, f->type, f->type2, f->rounding, f->ftz, f->sat, f->mode, lane, mask,
      (unsigned long long)x[0], (unsigned long long)x[1], (unsigned long long)x[2],
      (unsigned long long)x[3], (unsigned long long)wanted, (unsigned long long)got);
}

// A register wider than its type holds anything above it.
static inline uint64_t trial_source(Rig *rig, const Trial *trial, DataType type, uint64_t value) {
  int bits = type_bits(type), register_bits = 8 * trial->src_bytes;
  if (register_bits <= bits) return value;
  value |= rig_random(rig) << bits;
  return register_bits == 64 ? value : value & ((UINT64_C(1) << register_bits) - 1);
}

// Values for the 32 lanes of source k. One source alone gets new ones; with more
// of them each warp renews a part of the pools, and draws new combinations.
static inline void trial_draw(Rig *rig, const Trial *trial, int k, int round, uint64_t *values) {
  int renewed = trial->src[1] && round ? 8 : round ? WARP_LANES : RIG_POOL;
  for (int i = 0; i < renewed; i++)
    rig->pool[k][(round * renewed + i) % RIG_POOL] = random_value(rig, trial->src[k]);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    int at = trial->src[1] ? (int)(rig_random(rig) >> 32) : round * renewed + lane;
    values[lane] = rig->pool[k][(unsigned)at % RIG_POOL];
  }
}

// One warp: registers 0 to 3 are sources, 4 is the destination unless it is one of them.
static inline void trial_warp(Rig *rig, const Trial *trial, ExecFn exec, int round) {
  uint64_t x[WARP_LANES][4] = {{0}}, wanted[WARP_LANES], before[WARP_LANES];
  uint32_t mask = round & 1 ? (uint32_t)rig_random(rig) | 1u << (round & 31) : FULL_MASK;
  int sources = 0, to = 4, bytes = trial->dst_bytes == 8 ? 8 : lane_bytes(trial->dst);
  for (; sources < 4 && trial->src[sources]; sources++) {
    DataType type = trial->src[sources];
    int src_bytes = trial->src_bytes == 8 ? 8 : lane_bytes(type);
    uint64_t drawn[WARP_LANES];
    rig->in.src[sources] = rig_place(sources);
    trial_draw(rig, trial, sources, round, drawn);
    for (int lane = 0; lane < WARP_LANES; lane++) {
      x[lane][sources] = drawn[lane];
      rig_set(rig, sources, src_bytes, lane, trial_source(rig, trial, type, x[lane][sources]));
    }
    if (round % 4 == 3 && src_bytes == bytes) to = sources;
  }
  rig->in.dst[0] = rig_place(to);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    if (to == 4) rig_set(rig, to, bytes, lane, rig_random(rig));
    before[lane] = rig_get(rig, to, bytes, lane);
  }
  exec(&rig->context, &rig->warp, &rig->in, mask);
  fesetround(host_rounding((Rounding)trial->form.rounding));
  for (int lane = 0; lane < WARP_LANES; lane++) wanted[lane] = trial->oracle(&trial->form, x[lane]);
  fesetround(FE_TONEAREST);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    uint64_t got = rig_get(rig, to, bytes, lane);
    bool active = mask >> lane & 1;
    if (active ? !trial_agrees(trial, wanted[lane], got) : got != before[lane])
      trial_fail(trial, x[lane], active ? wanted[lane] : before[lane], got, lane, mask);
  }
}

static inline void trial_run(const Trial *trial) {
  Rig rig;
  rig_init(&rig);
  rig.in.form = trial->form;
  rig.in.offset = trial->offset;
  rig.in.dst_bytes = trial->dst_bytes;
  rig.in.src_bytes = trial->src_bytes;
  ExecFn exec = trial->find(&trial->form);
  if (!exec)
    fail_msg("%s type %d.%d is refused", opcode_info[trial->form.op].name, trial->form.type,
             trial->form.type2);
  int values = trial->values && trial->values < TRIAL_VALUES ? trial->values : TRIAL_VALUES;
  for (int round = 0; round * WARP_LANES < values; round++) trial_warp(&rig, trial, exec, round);
}

#endif
