// SPDX-License-Identifier: MIT
// Defaults are an A100's (Sun et al., TPDS 2023, table 3).
#include "sm/units/tensor.h"

#include "exec/matrix/group.h"
#include "exec/matrix/matrix.h"

enum { PIECE_BITS = 16 * 8 * 128, MAX_CYCLES = 1000 };

// clang-format off
const Param tensor_params[] = {
    PARAM(TensorConfig, latency, 17, 1, MAX_CYCLES, "product of a piece, 16 x 8 by 128 bits along k: latency in cycles"),
    PARAM(TensorConfig, latency_step, 7, 0, MAX_CYCLES, "product: further cycles of latency per further piece"),
    PARAM(TensorConfig, interval, 4, 1, MAX_CYCLES, "product of a piece: initiation interval in cycles"),
    PARAM(TensorConfig, interval_step, 4, 0, MAX_CYCLES, "product: further cycles of the interval per further piece"),
    PARAM(TensorConfig, sparse_interval, 0, 0, MAX_CYCLES, "mma.sp, piece of the compressed A: initiation interval in cycles; 0 = interval"),
    PARAM(TensorConfig, sparse_interval_step, 0, 0, MAX_CYCLES, "mma.sp: further cycles of the interval per further piece; 0 = interval_step"),
    PARAM(TensorConfig, wide_sum_factor, 1, 1, 16, "products of floats with sums in f32: interval times this (GeForce: 2)"),
    PARAM(TensorConfig, int4_latency, 0, 0, MAX_CYCLES, "product of 4-bit integers, piece: latency in cycles where they are emulated (Hopper); 0 = they are not"),
    PARAM(TensorConfig, int4_interval, 0, 0, MAX_CYCLES, "product of 4-bit integers, piece: interval in cycles where they are emulated"),
    PARAM(TensorConfig, narrow_cycles, 0, 0, MAX_CYCLES, "products of 4-bit and 1-bit integers: further cycles of latency and interval"),
    PARAM(TensorConfig, f64_latency, 26, 1, MAX_CYCLES, "product of f64, piece (m8n8k4): latency in cycles"),
    PARAM(TensorConfig, f64_interval, 16, 1, MAX_CYCLES, "product of f64, piece: initiation interval in cycles, per piece"),
    PARAM(TensorConfig, group_fmas, 0, 0, 1 << 16, "wgmma: multiply-adds of 16-bit elements per cycle and unit; 0 = no wgmma"),
    PARAM(TensorConfig, group_latency, 0, 0, MAX_CYCLES, "wgmma: cycles from the last piece entering the unit to the result"),
    PARAM(TensorConfig, group_bytes, 128, 1, 1 << 16, "wgmma: bytes of factors read from shared memory per cycle and SM"),
    {0}};
// clang-format on

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static uint32_t or_else(uint32_t cycles, uint32_t otherwise) {
  return cycles ? cycles : otherwise;
}

// wmma.mma on f16 names only the sums.
static DataType factor_type(const Form *form) {
  bool is_short = form->op == OP_WMMA && !form->type3;
  return is_short ? TYPE_F16 : (DataType)form->type2;
}

uint32_t tensor_fmas(const Form *form) {
  if (form->op == OP_WGMMA) return 16u * form->group_n * form->group_k;
  ShapeSize size = shape_size((MatrixShape)form->shape);
  uint32_t products = form_is_quads(form) ? 4 : 1;
  return size.m * size.n * size.k * products;
}

static uint32_t piece_count(const Form *form, bool is_sparse) {
  uint64_t bits = (uint64_t)tensor_fmas(form) * (uint32_t)type_bits(factor_type(form));
  if (is_sparse) bits /= 2;
  uint32_t pieces = (uint32_t)((bits + PIECE_BITS - 1) / PIECE_BITS);
  return pieces ? pieces : 1;
}

// f16, bf16 and tf32 with sums in f32: half the rate on GPUs for graphics.
static bool has_wide_sum(const Form *form) {
  return type_kind(factor_type(form)) == KIND_FLOAT && form->type == TYPE_F32;
}

static TensorTiming piecewise(uint32_t latency, uint32_t latency_step, uint32_t interval,
                              uint32_t interval_step, uint32_t further, uint32_t factor) {
  TensorTiming timing = {.latency = latency + further * latency_step,
                         .interval = factor * (interval + further * interval_step)};
  timing.latency = larger(timing.latency, timing.interval + (factor > 1));
  return timing;
}

// Of one warp: 16 rows. The four warps of a group read B, and an A in shared memory, once: where
// that takes longer than the products (N below 64, and sparse ones of 256 columns: 144 cycles and
// not 128, arXiv:2501.12084), they wait for it.
static TensorTiming group_timing(const TensorConfig *c, const Form *form) {
  uint32_t rate = c->group_fmas ? c->group_fmas : 256;
  GroupShape shape = group_shape(form);  // of a sparse A, half the products are made
  uint64_t work = UINT64_C(16) * shape.n * shape.depth * (uint32_t)type_bits(form->type2);
  uint32_t interval = (uint32_t)((work / 16 + rate - 1) / rate);
  uint32_t elements = shape.n * shape.k;
  if (form->option & OPTION_A_SHARED) elements += 64 * shape.depth;
  uint32_t bytes = elements * (uint32_t)type_bits(form->type2) / 8;
  interval = larger(interval, (bytes + c->group_bytes - 1) / c->group_bytes);
  return (TensorTiming){interval + c->group_latency, interval};
}

TensorTiming tensor_timing(const TensorConfig *c, const Form *form) {
  if (form->op == OP_WGMMA) return group_timing(c, form);
  bool is_sparse = form->op == OP_MMA && form->mode == MODE_SPARSE;
  uint32_t further = piece_count(form, is_sparse) - 1;
  DataType type = factor_type(form);
  bool is_int4 = type == TYPE_S4 || type == TYPE_U4;
  if (type == TYPE_F64)
    return piecewise(c->f64_latency, c->f64_interval, c->f64_interval, c->f64_interval, further, 1);
  if (is_int4 && c->int4_latency)
    return piecewise(c->int4_latency, c->int4_interval, c->int4_interval, c->int4_interval, further,
                     1);
  uint32_t interval = is_sparse ? or_else(c->sparse_interval, c->interval) : c->interval;
  uint32_t step = is_sparse ? or_else(c->sparse_interval_step, c->interval_step) : c->interval_step;
  uint32_t factor = has_wide_sum(form) ? c->wide_sum_factor : 1;
  uint32_t more = type_bits(type) <= 4 ? c->narrow_cycles : 0;
  return piecewise(c->latency + more, c->latency_step, interval + more, step, further, factor);
}
