// SPDX-License-Identifier: MIT
// Prefetch: what an SM fetches into its L1D before anyone asks for it.
//
// To add one, write a file beside this one that defines a PrefetchType
// (next_line.c is an example) and name it in prefetches.def. There is one
// state per SM. A candidate waits until a cycle leaves the L1D free and MSHRs
// and miss queue have room to spare; it is dropped if its line is there or
// in flight by then, if it lies outside the buffer that led to it, if too
// many wait already, or, where the policy says so, if the warp that it is for
// has executed the load in the meantime.
#ifndef POLICIES_PREFETCH_PREFETCH_H
#define POLICIES_PREFETCH_PREFETCH_H

#include "policies/l1d_access.h"
#include "policies/policy.h"

enum { PREFETCH_MOST = 64, PREFETCH_WARPS = 64, PREFETCH_NO_WARP = -1 };

typedef struct PrefetchCandidate {
  uint64_t address;  // any byte of the line (or sector, where the L1D has sectors)
  int warp;          // slot of the warp that it is meant for, or PREFETCH_NO_WARP
  bool anywhere;     // may lie outside the buffer of the load that led to it
  bool for_next;     // for the warp's next execution of the load: of no use after that
} PrefetchCandidate;

typedef struct PrefetchList {
  uint32_t count;
  PrefetchCandidate candidates[PREFETCH_MOST];
} PrefetchList;

typedef struct PrefetchType {
  PolicyType policy;
  // A load was looked up: adds candidates to an empty list. NULL: never any.
  void (*on_access)(void *state, const L1dAccess *access, PrefetchList *list);
  // The rest is optional. A candidate's turn came: its fetch was sent, or its
  // line was there or in flight already.
  void (*on_sent)(void *state, const PrefetchCandidate *candidate, Cycle now);
  // A line that was prefetched has arrived.
  void (*on_fill)(void *state, uint64_t line, Cycle now);
  // A prefetched line was asked for the first time (used), or left the cache
  // before that happened.
  void (*on_outcome)(void *state, uint64_t line, bool used, Cycle now);
} PrefetchType;

extern const PolicyFamily prefetch_family;

// Asks, and checks the answer.
void prefetch_ask(const PrefetchType *type, void *state, const L1dAccess *access,
                  PrefetchList *list);

// For policies: adds a candidate, if there is room.
static inline void prefetch_add(PrefetchList *list, uint64_t address, int warp) {
  if (list->count < PREFETCH_MOST)
    list->candidates[list->count++] = (PrefetchCandidate){.address = address, .warp = warp};
}

// The same for a warp's next execution of the load that was looked up: it is
// dropped if the warp executes that load before the candidate's turn comes.
static inline void prefetch_add_for_next(PrefetchList *list, uint64_t address, int warp) {
  if (list->count < PREFETCH_MOST)
    list->candidates[list->count++] =
        (PrefetchCandidate){.address = address, .warp = warp, .for_next = true};
}

#endif
