// SPDX-License-Identifier: MIT
// The configurations of a study: its GPU, scheme and settings of a run, resolved
// and checked before anything is built or run.
#ifndef CLI_STUDY_CONFIG_H
#define CLI_STUDY_CONFIG_H

#include "policies/policy.h"
#include "study/study.h"

typedef struct StudyConfig {
  char **sets;         // section.key=value, as --set takes it, in order; ends with NULL
  const char *digest;  // of the whole configuration
} StudyConfig;

// All of them, by study_config_position. Each is resolved: names and values are
// known to be right. Machines are built for each GPU with every scheme and with
// every value of every sweep, and not for all combinations, which may be many.
Status study_configs_make(const Study *study, const PolicySet *plugins, Arena *arena,
                          StudyConfig **configs, Error *err);

// A configuration is the same for every workload.
size_t study_config_position(const Study *study, const uint32_t at[MAX_DIMENSIONS]);

#endif
