// SPDX-License-Identifier: MIT
// All families of policies: what `heddle list policies` walks.
#ifndef POLICIES_REGISTRY_H
#define POLICIES_REGISTRY_H

#include "policies/policy.h"

extern const PolicyFamily *const policy_families[];  // ends with NULL

#endif
