// SPDX-License-Identifier: MIT
// The family table of kernel schedulers, and the checked call of pick.
#include "policies/kernel_scheduler/kernel_scheduler.h"

#define KERNEL_SCHEDULER(name) extern const KernelSchedulerType name##_kernel_scheduler;
#include "policies/kernel_scheduler/kernel_schedulers.def"
#undef KERNEL_SCHEDULER

static const PolicyType *const types[] = {
#define KERNEL_SCHEDULER(name) &name##_kernel_scheduler.policy,
#include "policies/kernel_scheduler/kernel_schedulers.def"
#undef KERNEL_SCHEDULER
    NULL};

static const char *missing(const PolicyType *type) {
  return ((const KernelSchedulerType *)type)->pick ? NULL : "pick";
}

const PolicyFamily kernel_scheduler_family = {
    .name = "kernel_scheduler",
    .question = "which pending kernel enters a hardware queue?",
    .types = types,
    .missing = missing};

uint32_t kernel_scheduler_pick(const KernelSchedulerType *type, void *state,
                               const KernelQueueView *view) {
  uint32_t pick = type->pick(state, view);
  POLICY_REQUIRE(type, pick < view->pending_count || (pick == KERNEL_NONE && view->running_count));
  return pick;
}
