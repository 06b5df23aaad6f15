// SPDX-License-Identifier: MIT
// Kernel scheduler: kernels that kernels launched before those of the host.
#include "policies/kernel_scheduler/kernel_scheduler.h"
#include "policies/plugin.h"

static uint32_t children_first_pick(void *state, const KernelQueueView *view) {
  (void)state;
  for (uint32_t i = 0; i < view->pending_count; i++)
    if (view->pending[i].launch->origin.has_parent) return i;
  return 0;
}

static const KernelSchedulerType children_first = {
    .policy = {.name = "children_first", .summary = "kernels launched by kernels first"},
    .pick = children_first_pick,
};
POLICY_PLUGIN("kernel_scheduler", children_first);
