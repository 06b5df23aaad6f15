// SPDX-License-Identifier: MIT
// What all policies have in common.
//
// A family is a question that the machine asks, such as "which ready warp
// issues next?"; a policy is one answer: a file that ends with a constant of
// its family's type, whose first member is a PolicyType, and one line in the
// family's .def file. The machine owns a policy's state: state_size bytes,
// zeroed, then set from its parameters.
//
// A spec names a policy and may set its parameters: "two_level:active=8".
#ifndef POLICIES_POLICY_H
#define POLICIES_POLICY_H

#include "base/param.h"
#include "base/stats.h"

typedef struct PolicyType {
  const char *name;     // as a configuration spells it
  const char *summary;  // one line for `heddle list policies`
  size_t state_size;    // private state; parameters and counters are fields of it
  const Param *params;  // or NULL
  const Stat *stats;    // or NULL
} PolicyType;

typedef struct PolicyFamily {
  const char *name, *question;
  const PolicyType *const *types;  // ends with NULL
} PolicyFamily;

enum { POLICY_SPEC_BYTES = 128 };

// The policy that a spec names. An unknown one is an error that lists those
// there are.
Status policy_find(const PolicyFamily *family, const char *spec, const PolicyType **type,
                   Error *err);
// Sets a zeroed state from the defaults and then from the spec.
Status policy_init(const PolicyType *type, const char *spec, void *state, Error *err);

#endif
