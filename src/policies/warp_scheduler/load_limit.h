// SPDX-License-Identifier: MIT
// For warp schedulers: how many warps of an SM may load, so that those that do
// find their own lines again.
//
// The limit is found by trial. While warps lose lines that they ask for again
// (the evicted lines that are remembered have their warp), each limit is tried for
// an epoch, and the one under which most loads were issued holds for a while.
// Only the order of warps that want to load is concerned: the oldest that are not
// at a barrier may.
//
// Lost locality is that of Rogers et al., "Cache-Conscious Wavefront Scheduling",
// MICRO 2012; where CCWS computes a limit from scores, this measures what limits
// are worth, and leaves programs alone whose warps lose nothing.
#ifndef POLICIES_WARP_SCHEDULER_LOAD_LIMIT_H
#define POLICIES_WARP_SCHEDULER_LOAD_LIMIT_H

#include "policies/l1d_access.h"
#include "policies/warp_scheduler/warp_scheduler.h"

enum { LOAD_LIMITS = 4, LOST_LINES = 1024, LIMIT_WARPS = 64 };

typedef struct LostLine {
  uint64_t line;  // + 1
  uint8_t warp;
} LostLine;

typedef struct LoadLimit {
  // where the trials are
  Cycle epoch_end;
  uint32_t phase, level;           // epoch of the period; limit that holds
  uint64_t loads, lost, accesses;  // of the epoch
  uint64_t rates[LOAD_LIMITS];     // loads of each limit's epoch
  // what is remembered
  LostLine evicted[LOST_LINES];    // by line
  uint8_t order[LIMIT_WARPS];      // slots by age
  uint32_t count;
} LoadLimit;

void load_limit_on_warp(LoadLimit *limit, uint32_t warp, bool begins);
void load_limit_on_evict(LoadLimit *limit, uint32_t warp, uint64_t line);
// Of a lookup, once per transaction.
void load_limit_on_access(LoadLimit *limit, const L1dAccess *access, uint32_t epoch_cycles);
static inline void load_limit_on_load(LoadLimit *limit) {
  limit->loads++;
}
// Of the candidates, those that may issue.
uint64_t load_limit_allowed(const LoadLimit *limit, const IssueView *view);

#endif
