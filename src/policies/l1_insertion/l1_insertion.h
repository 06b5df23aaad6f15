// SPDX-License-Identifier: MIT
// L1 insertion: which loads allocate a line in the L1D, and which bypass it.
//
// To add one, write a file in this folder that defines an L1InsertionType
// (bypass_streams.c is an example) and list it in l1_insertions.def. There is one state
// per SM. Called for loads only, except those that the program itself makes bypass the
// L1D (.cg, .cv, atomics). A bypassing load fetches only the requested bytes, takes no
// MSHR and counts as a miss.
#ifndef POLICIES_L1_INSERTION_L1_INSERTION_H
#define POLICIES_L1_INSERTION_L1_INSERTION_H

#include "policies/l1d_access.h"
#include "policies/policy.h"

// How soon a new line may have to go: like any line, or before all others.
typedef enum InsertPriority { INSERT_NORMAL, INSERT_FIRST_OUT } InsertPriority;

typedef struct L1InsertionType {
  PolicyType policy;
  // All optional. A load missed: may it have a line? Called again, with
  // another time, while the cache has no room for the miss. NULL: always.
  bool (*keeps)(void *state, const L1dAccess *access);
  // The data of a load's line has arrived. NULL: INSERT_NORMAL.
  InsertPriority (*priority)(void *state, const L1dAccess *access);
  // A load was looked up, whether it was let pass or not.
  void (*on_access)(void *state, const L1dAccess *access);
} L1InsertionType;

extern const PolicyFamily l1_insertion_family;

// Asks, and checks the answer.
InsertPriority l1_insertion_priority(const L1InsertionType *type, void *state,
                                     const L1dAccess *access);

#endif
