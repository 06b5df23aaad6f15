// SPDX-License-Identifier: MIT
// The family table of L1 insertion, and the checked priority of a line.
#include "policies/l1_insertion/l1_insertion.h"

#define L1_INSERTION(name) extern const L1InsertionType name##_insertion;
#include "policies/l1_insertion/l1_insertions.def"
#undef L1_INSERTION

static const PolicyType *const types[] = {
#define L1_INSERTION(name) &name##_insertion.policy,
#include "policies/l1_insertion/l1_insertions.def"
#undef L1_INSERTION
    NULL};

const PolicyFamily l1_insertion_family = {
    .name = "l1_insertion",
    .question = "which loads does an L1D cache, and which bypass it?",
    .types = types};

InsertPriority l1_insertion_priority(const L1InsertionType *type, void *state,
                                     const L1dAccess *access) {
  InsertPriority priority = type->priority(state, access);
  POLICY_REQUIRE(type, priority == INSERT_NORMAL || priority == INSERT_FIRST_OUT);
  return priority;
}
