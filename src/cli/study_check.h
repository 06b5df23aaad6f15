// SPDX-License-Identifier: MIT
// Names and numbers in a study file that only the simulator can judge: observers,
// statistics, and what does not fit. They would otherwise show up as failed runs
// and empty figures, long after the mistake.
#ifndef CLI_STUDY_CHECK_H
#define CLI_STUDY_CHECK_H

#include "base/error.h"
#include "policies/policy.h"

// source: the path or name that stands before line numbers. plugins: policies
// whose counters figures may name.
Status study_check(const char *source, const char *text, const PolicySet *plugins, Error *err);

// Whether that is a statistic of a run: "l1d.hits", or a counter of a policy,
// "policies.warp_scheduler.gto.issues".
Status statistic_check(const char *name, const PolicySet *plugins, Error *err);

#endif
