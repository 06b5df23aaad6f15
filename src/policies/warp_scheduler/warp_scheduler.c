// SPDX-License-Identifier: MIT
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

int oldest_warp(const uint64_t *age, uint64_t warps) {
  int oldest = __builtin_ctzll(warps);
  for (uint64_t left = warps & (warps - 1); left; left &= left - 1) {
    int warp = __builtin_ctzll(left);
    if (age[warp] < age[oldest]) oldest = warp;
  }
  return oldest;
}

int next_warp(uint64_t warps, int last) {
  uint64_t behind = last >= 63 ? 0 : warps & (UINT64_MAX << (last + 1));
  return __builtin_ctzll(behind ? behind : warps);
}
