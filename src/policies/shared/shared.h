// SPDX-License-Identifier: MIT
// Shared parts: state shared by policies of different families.
//
// To add one, write a header that states its contents and the policies that write it,
// a file that defines a SharedType, and list it in shared_parts.def. A policy declares
// the part that it uses (PolicyType.shares) and finds its state in PolicySetup; the
// machine creates the part with the first such policy. A part may use another one in
// the same way. A scheme may set its parameters:
// "laws + sap + shared=some_part:entries=16".
//
// A part has one state per SM or one per GPU. Policies of SMs run concurrently on
// several threads, so a part of the GPU may be written only in functions of the life
// cycle (PolicyType) and by policies of the GPU.
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
