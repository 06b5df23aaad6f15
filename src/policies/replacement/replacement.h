// SPDX-License-Identifier: MIT
// Replacement: which way of a set is given up for a new line.
//
// To add one, write a file beside this one that defines a ReplacementType and
// name it in replacements.def. The cache prefers invalid ways by itself and
// never offers ways that wait for their data.
#ifndef POLICIES_REPLACEMENT_REPLACEMENT_H
#define POLICIES_REPLACEMENT_REPLACEMENT_H

#include "base/cycle.h"
#include "policies/policy.h"

typedef struct SetView {
  uint64_t candidates;          // bit w: way w may be given up; never 0
  const Cycle *last_used;       // by way: time of the last access
  const Cycle *filled;          // by way: time when the line was allocated
  uint32_t set, ways;
} SetView;

typedef struct ReplacementType {
  PolicyType policy;
  // Returns a way whose bit is set in candidates.
  uint32_t (*victim)(void *state, const SetView *view);
} ReplacementType;

extern const PolicyFamily replacement_family;

#endif
