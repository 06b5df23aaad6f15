// SPDX-License-Identifier: MIT
// LASER's grid management unit (Tang et al., SIGMETRICS 2018, section 6): the pool of pending
// kernels is divided into a high- and a low-priority queue, by the flag that a kernel got when
// it was launched. The low one has its turn when the high one is empty. Kernels of the host
// are in the high one.
#include "policies/kernel_scheduler/kernel_scheduler.h"
#include "policies/shared/laser_status.h"

typedef struct LaserQueues {
  const Laser *laser;
  uint64_t from_high, from_low;
} LaserQueues;

static Status laser_init(void *state, const PolicySetup *setup, Error *err) {
  (void)err;
  ((LaserQueues *)state)->laser = setup->shared;
  return OK;
}

static uint32_t laser_pick(void *state, const KernelQueueView *view) {
  LaserQueues *queues = state;
  for (uint32_t i = 0; i < view->pending_count; i++) {
    if (!laser_kernel(queues->laser, view->pending[i].id).is_high) continue;
    queues->from_high++;
    return i;
  }
  queues->from_low++;
  return 0;
}

static const Stat laser_stats[] = {
    STAT_COUNT(LaserQueues, from_high, "kernels taken from the high-priority queue"),
    STAT_COUNT(LaserQueues, from_low, "kernels taken from the low-priority queue"),
    {0}};

const KernelSchedulerType laser_kernels_kernel_scheduler = {
    .policy = {.name = "laser_kernels",
               .summary = "LASER: kernels predicted to reuse data of parents or siblings first",
               .state_size = sizeof(LaserQueues),
               .stats = laser_stats,
               .shares = "laser_status",
               .init = laser_init},
    .pick = laser_pick,
};
