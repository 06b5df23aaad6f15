// SPDX-License-Identifier: MIT
// Around the L1D of an SM: loads that a policy sends past it, prefetches that
// a policy requests, and which policies receive lookups. Built only where a policy
// wants any of it; without, the load/store unit has a NULL pointer and nothing
// else.
#ifndef SM_L1D_POLICIES_H
#define SM_L1D_POLICIES_H

#include "base/ring.h"
#include "policies/l1_insertion/l1_insertion.h"
#include "policies/prefetch/prefetch.h"
#include "policies/shared/shared.h"
#include "sm/inflight.h"
#include "sm/sm_config.h"

// A candidate that waits for a cycle in which the L1D is free.
typedef struct WaitingPrefetch {
  PrefetchCandidate candidate;
  Requester requester;  // of the load that triggered it
  uint8_t part;   // of the L1D
  bool is_stale;  // the warp that it is for has executed the load
} WaitingPrefetch;
RING_DEFINE(PrefetchRing, prefetch_ring, WaitingPrefetch);

typedef struct L1dWatcher {
  const SharedType *type;
  void *state;
} L1dWatcher;

typedef struct L1dPolicies {
  // policies
  const PrefetchType *prefetch;
  const L1InsertionType *insertion;
  void *prefetch_state, *insertion_state;
  // parts that policies share and that hear of lookups
  L1dWatcher *watchers;
  uint32_t watcher_count;
  // state
  PrefetchRing waiting;
  uint64_t buffer, buffer_bytes;  // the allocation that was asked for last
} L1dPolicies;

// A read at the head of the L1D's queue is looked up; has bypassed the L1D; or is to
// bypass it, but the network cannot accept it.
typedef enum L1dPass { PASS_LOOKS_UP, PASS_GONE, PASS_WAITS } L1dPass;

#endif
