// SPDX-License-Identifier: MIT
// Shared parts: what policies of different families keep together.
//
// To add one, write a header that states what it holds and which policies write it, a file
// that defines a SharedType, and name it in shared_parts.def. A policy that works
// on a part says so (PolicyType.shares) and finds its state in PolicySetup; the
// machine makes the part when the first such policy is made. A part may in turn work on
// another one, in the same way. A scheme may set
// its parameters: "laws + sap + shared=some_part:entries=16".
//
// A part has a state per SM or one per GPU. Policies of an SM run on several
// threads at once, so a part of the GPU may be written in functions of the life
// cycle only (PolicyType), and by policies of the GPU.
#ifndef POLICIES_SHARED_SHARED_H
#define POLICIES_SHARED_SHARED_H

#include "policies/l1d_access.h"
#include "policies/policy.h"

typedef struct SharedType {
  PolicyType policy;
  bool per_sm;
  // Optional, of a part with a state per SM: a load of that SM was looked up in the L1D. It
  // hears so before the policies do, whichever of them works on it.
  void (*on_access)(void *state, const L1dAccess *access);
} SharedType;

extern const PolicyFamily shared_family;

#endif
