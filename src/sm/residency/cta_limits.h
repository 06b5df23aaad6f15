// SPDX-License-Identifier: MIT
// How many CTAs of a kernel an SM holds, and which resource limits them: the four limits of
// CUDA's occupancy calculator, and the size of the grid.
#ifndef SM_RESIDENCY_CTA_LIMITS_H
#define SM_RESIDENCY_CTA_LIMITS_H

#include "isa/launch.h"
#include "sm/sm_config.h"

// Resources of a CTA, rounded up as they are allocated. Threads are counted by whole warps.
typedef struct CtaNeed {
  uint32_t threads, registers, shared_bytes, warps;
} CtaNeed;

CtaNeed cta_need(const SmConfig *config, const Launch *launch);

// Resources of an SM, in the order in which one of several that limit alike is named: fewer
// registers do not help where warp slots are exhausted as well.
typedef enum CtaLimit {
  LIMIT_WARPS,
  LIMIT_CTAS,
  LIMIT_REGISTERS,
  LIMIT_SHARED,
  CTA_LIMITS
} CtaLimit;

typedef struct CtaLimits {
  uint32_t ctas[CTA_LIMITS];  // that each allows per SM
  uint32_t most;              // that fit an SM
  CtaLimit limit;             // why not more
  bool grid_is_small;         // CTAs / SMs, rounded up, is less than that
  // Of registers (per thread) or shared memory (bytes per CTA), if one of them limits alone: the
  // most with which more CTAs fit, and how many; 0: there is none.
  uint32_t relaxed, relaxed_ctas;
} CtaLimits;

CtaLimits cta_limits(const SmConfig *config, const Launch *launch, uint32_t sm_count);

// Registers of a thread: what the kernel wants, or what the instruction set can
// name. Simplified: a compiler would put the rest into local memory, whose
// accesses are not there.
uint32_t sm_thread_registers(const SmConfig *config, const Function *kernel);
// The most CTAs of a kernel that an SM can hold.
uint32_t sm_max_ctas(const SmConfig *config, const Launch *launch);

#endif
