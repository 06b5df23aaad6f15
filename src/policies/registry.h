// SPDX-License-Identifier: MIT
// All policy families, as listed by `heddle list policies`.
#ifndef POLICIES_REGISTRY_H
#define POLICIES_REGISTRY_H

#include "policies/policy.h"

extern const PolicyFamily *const policy_families[];  // NULL-terminated

#endif
