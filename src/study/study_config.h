// SPDX-License-Identifier: MIT
// Configurations of a study: GPU, scheme and settings of each run, resolved and
// checked before anything is built or run.
#ifndef STUDY_STUDY_CONFIG_H
#define STUDY_STUDY_CONFIG_H

#include "policies/policy.h"
#include "run/run_spec.h"
#include "study/study.h"

typedef struct StudyConfig {
  RunList sets;     // section.key=value, as for --set, in order
  uint64_t digest;  // of the complete configuration
} StudyConfig;

// Makes all configurations, indexed by study_config_position. Each is resolved, so
// its names and values are valid. As a check, a machine is built for each GPU with
// every scheme and with every value of every sweep, but not for all combinations,
// which may be many.
Status study_configs_make(const Study *study, const PolicySet *plugins, Arena *arena,
                          StudyConfig **configs, Error *err);

// Configurations do not depend on the workload.
size_t study_config_position(const Study *study, const uint32_t at[MAX_DIMENSIONS]);

#endif
