// SPDX-License-Identifier: MIT
// The family table of warp schedulers, and their required callback.
#include "policies/warp_scheduler/warp_scheduler.h"

#define WARP_SCHEDULER(name) extern const WarpSchedulerType name##_scheduler;
#include "policies/warp_scheduler/warp_schedulers.def"
#undef WARP_SCHEDULER

static const PolicyType *const types[] = {
#define WARP_SCHEDULER(name) &name##_scheduler.policy,
#include "policies/warp_scheduler/warp_schedulers.def"
#undef WARP_SCHEDULER
    NULL};

static const char *missing(const PolicyType *type) {
  return ((const WarpSchedulerType *)type)->pick ? NULL : "pick";
}

const PolicyFamily warp_scheduler_family = {
    .name = "warp_scheduler", .question = "which warp issues next?", .types = types, .missing = missing};
