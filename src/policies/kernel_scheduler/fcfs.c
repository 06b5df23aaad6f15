// SPDX-License-Identifier: MIT
// First come, first served.
#include "policies/kernel_scheduler/kernel_scheduler.h"

static uint32_t fcfs_pick(void *state, const KernelQueueView *view) {
  (void)state, (void)view;
  return 0;
}

const KernelSchedulerType fcfs_kernel_scheduler = {
    .policy = {.name = "fcfs", .summary = "in submission order"},
    .pick = fcfs_pick,
};
