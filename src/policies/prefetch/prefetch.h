// SPDX-License-Identifier: MIT
// Prefetch: which lines an SM fetches into its L1D before a demand access.
//
// To add one, write a file in this folder that defines a PrefetchType (next_line.c is an
// example) and list it in prefetches.def. There is one state per SM. A candidate is
// queued until the L1D is free in a cycle and MSHRs and miss queue have spare entries.
// It is dropped if its line is by then present or in flight, if it lies outside the
// buffer of the access that triggered it, if the queue is full, or, if the policy
// requests it, if its target warp has executed the load in the meantime.
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
  // The rest is optional. Accesses have `lanes`, with data of memory: programs are executed, not
  // replayed from recordings that are kept. Traces have no data.
  bool reads_data;
  // A candidate's turn came: its fetch was sent, or its
  // line was there or in flight already.
  void (*on_sent)(void *state, const PrefetchCandidate *candidate, Cycle now);
  // A line that was prefetched has arrived.
  void (*on_fill)(void *state, uint64_t line, Cycle now);
  // A prefetched line was accessed for the first time (used), or evicted before that.
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
