// SPDX-License-Identifier: MIT
// LaPerm's first part (Wang, Rubin, Sidelnik and Yalamanchili, "LaPerm: Locality Aware Scheduler
// for Dynamic Parallelism on GPUs", ISCA 2016): child kernels enter the hardware queues before
// others. A child's priority is that of its parent and one more, up to a highest level.
#include "policies/kernel_scheduler/kernel_scheduler.h"

typedef struct LapermKernels {
  uint32_t levels;  // parameter
} LapermKernels;

static uint32_t laperm_pick(void *state, const KernelQueueView *view) {
  uint32_t highest = ((const LapermKernels *)state)->levels - 1, best = 0, best_level = 0;
  for (uint32_t i = 0; i < view->pending_count; i++) {
    uint32_t depth = view->pending[i].launch->origin.depth;
    uint32_t level = depth < highest ? depth : highest;
    if (level <= best_level) continue;
    best = i;
    best_level = level;
  }
  return best;
}

static const Param laperm_params[] = {
    PARAM(LapermKernels, levels, 4, 1, 32, "priority levels, including that of host kernels"), {0}};

const KernelSchedulerType laperm_kernels_kernel_scheduler = {
    .policy = {.name = "laperm_kernels",
               .summary = "LaPerm: the deepest launches first",
               .state_size = sizeof(LapermKernels),
               .params = laperm_params},
    .pick = laperm_pick,
};
