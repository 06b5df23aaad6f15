// SPDX-License-Identifier: MIT
// How many CTAs of a kernel an SM holds at once.
#ifndef GPU_OCCUPANCY_H
#define GPU_OCCUPANCY_H

#include "gpu/gpu_config.h"

typedef struct CtaNeeds {
  uint32_t threads, registers_per_thread, shared_bytes;
} CtaNeeds;

// The least that warps, registers, shared memory and the CTA limit allow; 0 if
// not even one fits. Threads come in whole warps, registers in fours a thread.
uint32_t occupancy_ctas_per_sm(const SmConfig *sm, const CtaNeeds *cta);

#endif
