// SPDX-License-Identifier: MIT
// Around the L1D of an SM: loads that a policy sends past it, prefetches that
// a policy requests, and which policies receive lookups. Built only where a policy
// wants any of it; without, the load/store unit has a NULL pointer and nothing
// else.
//
// Policies see warps, CTAs and allocations, which the load/store unit does not know: this is
// where both meet.
#ifndef SM_LSU_L1D_POLICIES_H
#define SM_LSU_L1D_POLICIES_H

#include "base/ring.h"
#include "memory/cache/cache.h"
#include "policies/l1_insertion/l1_insertion.h"
#include "policies/prefetch/prefetch.h"
#include "policies/shared/shared.h"
#include "sm/inflight.h"
#include "sm/lsu/noted_lanes.h"
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

struct Sm;

typedef struct L1dPolicies {
  struct Sm *sm;
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
  NotedLanes lanes;               // of loads in flight, if the prefetcher reads data
} L1dPolicies;

// A read at the head of the L1D's queue is looked up; has bypassed the L1D; or is to
// bypass it, but the network cannot accept it.
typedef enum L1dPass { PASS_LOOKS_UP, PASS_GONE, PASS_WAITS } L1dPass;

void l1d_policies_forget(L1dPolicies *policies);  // the prefetches that wait
// At issue of a memory instruction, with the access that has just been executed.
void l1d_policies_issue(L1dPolicies *policies, const Inflight *inflight,
                        const MemoryAccess *access);
// For the load/store unit, at a read that is about to be looked up; after a lookup; after a fill;
// and with lookups of this cycle that are left over.
L1dPass l1d_policies_pass(L1dPolicies *policies, MemRequest *request, Cycle now);
void l1d_policies_note(L1dPolicies *policies, const MemRequest *request, CacheResult result,
                       Cycle now);
void l1d_policies_fill(L1dPolicies *policies, const MemRequest *request, Cycle now);
void l1d_policies_prefetch(L1dPolicies *policies, uint32_t slots, Cycle now);

#endif
