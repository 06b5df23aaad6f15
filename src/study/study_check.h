// SPDX-License-Identifier: MIT
// Checks the names and numbers of a study file that depend on the simulator:
// observers, statistics, intervals. Otherwise mistakes would surface late, as
// failed runs and empty figures.
#ifndef STUDY_STUDY_CHECK_H
#define STUDY_STUDY_CHECK_H

#include "base/error.h"
#include "policies/policy.h"
#include "study/sections.h"

typedef struct StudyCheck {
  PolicySet plugins;  // whose counters figures may name
  Arena arena;
  Error *err;  // private
  Status status;
} StudyCheck;

// As SectionLineFn of study_read_from; self is a StudyCheck.
Status study_check_line(void *self, const SectionLine *line, Error *err);
void study_check_clear(StudyCheck *check);

// Checks the name of a statistic: "l1d.hits", or a counter of a policy,
// "policies.warp_scheduler.gto.issues".
Status statistic_check(const char *name, const PolicySet *plugins, Error *err);

#endif
