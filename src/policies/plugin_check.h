// SPDX-License-Identifier: MIT
// Whether the description of a policy can be true. A plugin is foreign memory: one that was
// built from other headers, or damaged, is rejected before anything is allocated or written
// as it says.
#ifndef POLICIES_PLUGIN_CHECK_H
#define POLICIES_PLUGIN_CHECK_H

#include "policies/policy.h"

enum {
  POLICY_STATE_BYTES = 64 << 20,  // most of a policy's state; larger tables are for the arena
  POLICY_TABLE_ENTRIES = 1024,    // most of a table of parameters, counters or results
};

// The size of the state, and parameters and counters that lie inside of it. The message is
// about "its policy NAME".
Status policy_type_check(const PolicyType *type, Error *err);

#endif
