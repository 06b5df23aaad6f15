// SPDX-License-Identifier: MIT
// All families of policies, and in each all its policies: what `heddle list
// policies` walks. A family is a question that the machine asks; a policy is
// one answer.
#ifndef POLICIES_REGISTRY_H
#define POLICIES_REGISTRY_H

#include "base/param.h"
#include "base/stats.h"

typedef struct PolicyInfo {
  const char *name, *summary;
  const Param *params;  // NULL: none
  const Stat *stats;    // NULL: none
} PolicyInfo;

typedef struct PolicyFamily {
  const char *name, *question;
  const PolicyInfo *const *policies;  // ends with NULL
} PolicyFamily;

extern const PolicyFamily policy_families[];  // ends with a NULL name

#endif
