// SPDX-License-Identifier: MIT
// Rules of NVIDIA's assembler by architecture, with their sources.
#include "isa/compiler.h"

const Param compiler_params[] = {
    PARAM(CompilerConfig, optimise, false, 0, 1,
          "optimise PTX as an assembler does; false = run it as written, as GPGPU-Sim does"),
    PARAM(CompilerConfig, architecture, 0, 0, 200,
          "compute capability that the optimising pass compiles for; 0 = gpu.compute_capability"),
    {0}};

// What Volta and its successors have in common.
#define FROM_VOLTA_ON                                                                              \
  .alu_latency = 4, .slow_latency = 14, .shared_latency = 24, .pipe_cycles = 2, .to_guard = 8,     \
  .to_memory = 4, .to_other_pipe = 1, .parting_steps = 2, .meeting_steps = 1, .few_registers = 40, \
  .most_registers = 64, .breaks_regions = true, .aggregates_atomics = true, .has_triples = true,   \
  .has_wide_mad = true, .follows_ptxas_13 = true

// Arithmetic latency: Fermi 18 shader clocks, two of which are an issue cycle, and Kepler 9
// (Volkov, "Understanding latency hiding on GPUs", 2016); Maxwell and Pascal 6 (Arafa et al.,
// HPEC 2019); Volta 4, and the distances beyond it, as in configs/v100.cfg.
//
// Divergence (CUDA Binary Utilities, instruction set reference): SSY before the branch; Fermi and
// Kepler rejoin by a flag of an existing instruction, Maxwell and Pascal by SYNC; Volta has BMOV
// and BSSY, then BSYNC. IADD3 and LOP3 exist from Maxwell on, and IMAD.WIDE from Volta on; before,
// a scaled sum of 32 bits is ISCADD.
//
// Atomics at one address: frontends/ptx/optimise/aggregate.c.
//
// Guards in loops: ptxas 13 for 7.5, 8.0, 8.6, 8.8 and 8.9 branches around a load of global memory
// whose value a store in the same short block needs; for 9.0 and later, and outside loops, it
// guards both (200 random blocks in 4 contexts for 7.5: 186 as here).
//
// Registers: those with which the SM holds 1,536 and 1,024 threads, of 32,768 on Fermi and 65,536
// since. The first limit is the best of 24 to 64 on half of 354 kernels (docs/model.md). 8.6 to 8.9
// hold 1,536 threads: there ptxas shortens its lookahead until 40 registers suffice (HeCBench's
// crs: 20 kernels, 38 to 40 registers for 8.6 and 8.9, up to 54 for 7.5).
static const CompilerRules rules[] = {
    {.first = 0,
     .alu_latency = 9,
     .slow_latency = 22,
     .shared_latency = 24,
     .pipe_cycles = 1,
     .parting_steps = 1,
     .few_registers = 20,
     .most_registers = 32,
     .counts_functions = true,
     .uses_adder_for_scale = true},
    {.first = 30,
     .alu_latency = 9,
     .slow_latency = 18,
     .shared_latency = 24,
     .pipe_cycles = 1,
     .parting_steps = 1,
     .few_registers = 40,
     .most_registers = 64,
     .counts_functions = true,
     .uses_adder_for_scale = true},
    {.first = 50,
     .alu_latency = 6,
     .slow_latency = 15,
     .shared_latency = 24,
     .pipe_cycles = 1,
     .parting_steps = 1,
     .meeting_steps = 1,
     .few_registers = 40,
     .most_registers = 64,
     .has_triples = true,
     .counts_functions = true,
     .uses_adder_for_scale = true},
    {.first = 70, FROM_VOLTA_ON, .branches_in_loops = true},
    {.first = 80, FROM_VOLTA_ON, .reduces_warps = true, .branches_in_loops = true},
    {.first = 86,
     FROM_VOLTA_ON,
     .reduces_warps = true,
     .keeps_few = true,
     .branches_in_loops = true},
    {.first = 90, FROM_VOLTA_ON, .reduces_warps = true},
};

const CompilerRules *compiler_rules(const CompilerConfig *config) {
  size_t i = sizeof rules / sizeof rules[0] - 1;
  if (config && config->architecture)
    while (config->architecture < rules[i].first) i--;
  return &rules[i];
}
