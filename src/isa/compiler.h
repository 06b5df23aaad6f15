// SPDX-License-Identifier: MIT
// Compilation of PTX for a machine. Real GPUs run machine code of NVIDIA's assembler,
// ptxas; machines that reproduce GPGPU-Sim run PTX directly.
#ifndef ISA_COMPILER_H
#define ISA_COMPILER_H

#include "base/param.h"

// [compiler]
typedef struct CompilerConfig {
  bool optimise;          // whether there is an optimising pass
  uint32_t architecture;  // compute capability compiled for, 70 means 7.0; 0: the GPU's
} CompilerConfig;

extern const Param compiler_params[];

// What the pass knows of an architecture. Latencies are in issue cycles of a warp scheduler.
typedef struct CompilerRules {
  uint32_t first;                // compute capability from which they apply
  uint32_t alu_latency;          // of arithmetic ...
  uint32_t slow_latency;         // ... of f64, special functions and shuffles
  uint32_t shared_latency;       // ... of shared and constant memory
  uint32_t pipe_cycles;          // for which an instruction occupies its pipeline
  uint32_t to_guard, to_memory;  // cycles beyond the latency, by consumer
  uint32_t to_other_pipe;
  uint32_t parting_steps;  // instructions before a divergent branch ...
  uint32_t meeting_steps;  // ... and where its paths reconverge
  // Above which the scheduler looks less far ahead; where it cannot keep the first, the second.
  uint32_t few_registers, most_registers;
  // As in the code of ptxas 13, which compiles for 7.5 and later: no instruction for conversions
  // to 64 bits, constants without registers, read-only loads past barriers, an order for few
  // registers where others need too many.
  bool follows_ptxas_13;
  bool keeps_few;             // looks no further ahead than the first limit allows
  bool breaks_regions;        // paths meet where only lanes that jump farther would not (regions.h)
  bool branches_in_loops;     // no guards there where a store waits for a load of global memory
  bool aggregates_atomics;    // one lane performs atomics at one address for its warp ...
  bool reduces_warps;         // ... and REDUX combines the values of any active lanes
  bool has_triples;           // sums and logic of three operands (IADD3, LOP3)
  bool has_wide_mad;          // 64-bit results of 32-bit multiply-add by one instruction
  bool counts_functions;      // latencies of approximate functions include their scaling
  bool uses_adder_for_scale;  // x * 2^k + y is a shift and add, not a multiplication
} CompilerRules;

// Without a configuration, or without an architecture: the newest.
const CompilerRules *compiler_rules(const CompilerConfig *config);

#endif
