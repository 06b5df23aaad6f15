// SPDX-License-Identifier: MIT
// Checks the names and numbers of a study file that depend on the simulator:
// observers, statistics, intervals. Otherwise mistakes would surface late, as
// failed runs and empty figures.
#ifndef CLI_STUDY_CHECK_H
#define CLI_STUDY_CHECK_H

#include "base/error.h"
#include "policies/policy.h"

// source: path or name for messages. plugins: policies whose counters figures may
// name.
Status study_check(const char *source, const char *text, const PolicySet *plugins, Error *err);

// Checks the name of a statistic: "l1d.hits", or a counter of a policy,
// "policies.warp_scheduler.gto.issues".
Status statistic_check(const char *name, const PolicySet *plugins, Error *err);

#endif
