// SPDX-License-Identifier: MIT
// The family of DRAM schedulers, from its list.
#include "policies/dram_scheduler/dram_scheduler.h"

#define DRAM_SCHEDULER(name) extern const DramSchedulerType name##_dram_scheduler;
#include "policies/dram_scheduler/dram_schedulers.def"
#undef DRAM_SCHEDULER

static const PolicyType *const types[] = {
#define DRAM_SCHEDULER(name) &name##_dram_scheduler.policy,
#include "policies/dram_scheduler/dram_schedulers.def"
#undef DRAM_SCHEDULER
    NULL,
};

static const char *missing(const PolicyType *type) {
  return ((const DramSchedulerType *)type)->pick ? NULL : "pick";
}

const PolicyFamily dram_scheduler_family = {
    .name = "dram_scheduler",
    .question = "which request does an idle DRAM bank serve next?",
    .types = types,
    .missing = missing,
};
