// SPDX-License-Identifier: MIT
// Timing of the tensor cores: [tensor].
//
// A product counts in pieces: 16 x 8 elements of D times 128 bits along k, such as m16n8k8 on f16
// or m16n8k32 on s8 (two pieces). The first piece has a latency and an interval, and each further
// one adds a step. That reproduces what microbenchmarks measure for all shapes and types of a GPU;
// what does not follow it has parameters of its own.
#ifndef SM_UNITS_TENSOR_H
#define SM_UNITS_TENSOR_H

#include "base/param.h"
#include "isa/form.h"

typedef struct TensorConfig {
  uint32_t latency, latency_step;    // from entering the unit to the result
  uint32_t interval, interval_step;  // from product to product in a unit
  uint32_t sparse_interval,
      sparse_interval_step;  // mma.sp, by pieces of the compressed A; 0: as dense
  uint32_t wide_sum_factor;  // of the interval, for floats that are summed up in f32
  uint32_t int4_latency,
      int4_interval;  // of a piece, where 4-bit integers are emulated; 0: they are not
  uint32_t narrow_cycles;  // added to both for 4-bit and 1-bit integers that are not emulated
  uint32_t f64_latency, f64_interval;  // of a piece; each further one adds the interval
  uint32_t group_fmas;  // wgmma: multiply-adds per cycle and unit on 16 bits; 0: there is no wgmma
  uint32_t group_latency;  // wgmma: added to the time that the product occupies the unit
  uint32_t group_bytes;    // wgmma: of factors in shared memory, per cycle and SM
} TensorConfig;
extern const Param tensor_params[];

typedef struct TensorTiming {
  uint32_t latency, interval;
} TensorTiming;

// Of a product (mma, mma.sp, wmma.mma, wgmma.mma_async) of one warp.
TensorTiming tensor_timing(const TensorConfig *config, const Form *form);

// Multiply-adds of a product of one warp; of a sparse one, those with what is left out as well.
uint32_t tensor_fmas(const Form *form);

#endif
