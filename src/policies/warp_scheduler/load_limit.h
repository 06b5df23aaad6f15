// SPDX-License-Identifier: MIT
// For warp schedulers: how many warps of an SM may load, so that those that do
// find their own lines again.
//
// The limit is found by trial. While warps lose lines that they ask for again
// (the lines that were loaded from last are remembered with their warps), each limit is
// tried for one epoch, from many warps to few, between two epochs without a limit. A
// limit is worth the L1D accesses in its epoch over what the unlimited ones lead to expect: a
// kernel whose rate drifts does not pass for a limit that helps. The best limit holds
// until it falls behind that.
//
// Trials compare epochs of one kernel: a kernel that begins ends them. It has the limit
// that its last launch found, or none. A kernel is known by its first load; where kernels
// overlap on an SM, that may be a load of the one before. Trials in which no limit
// gained are repeated at growing distances.
//
// Lost locality is that of Rogers et al., "Cache-Conscious Wavefront Scheduling",
// MICRO 2012; where CCWS computes a limit from scores, this measures what limits
// are worth, and leaves programs alone whose warps lose nothing.
#ifndef POLICIES_WARP_SCHEDULER_LOAD_LIMIT_H
#define POLICIES_WARP_SCHEDULER_LOAD_LIMIT_H

#include "policies/l1d_access.h"
#include "policies/warp_scheduler/warp_scheduler.h"

enum { LOAD_LIMITS = 4, USED_LINES = 1024, LIMIT_WARPS = 64, KNOWN_KERNELS = 16 };
// Epochs of a round of trials: without a limit before and after the limits.
enum { LOAD_TRIALS = LOAD_LIMITS + 1 };

typedef struct UsedLine {
  uint64_t line;  // + 1
  uint8_t warp;   // that loaded from it last
  bool is_evicted;
} UsedLine;

// What the last round of a kernel's trials led to.
typedef struct KnownLimit {
  uint32_t first_load, level;  // pc + 1
  uint64_t beaten;
} KnownLimit;

typedef struct LoadLimit {
  // where the trials are
  Cycle epoch_end;
  uint32_t phase, level;        // epoch of the round; limit that holds
  uint32_t rest, failures;      // epochs after the trials; rounds in a row without a gain
  uint64_t lost, accesses;      // of the epoch
  uint64_t measured;            // accesses of its second half
  uint64_t rates[LOAD_TRIALS];  // measured, by trial
  uint64_t beaten;              // rate that the limit that holds must keep
  uint32_t kernel;              // newest with a warp here, + 1
  uint32_t first_load;          // of its kernel: pc
  bool is_restarted;            // the next access begins the first epoch
  KnownLimit known[KNOWN_KERNELS];
  // what is remembered
  UsedLine used[USED_LINES];   // by line
  uint8_t order[LIMIT_WARPS];  // slots by age
  uint32_t count;
} LoadLimit;

// A warp took its slot or gave it back.
void load_limit_on_warp(LoadLimit *limit, const Requester *requester, bool begins);
// A line has left the L1D to make room.
void load_limit_on_evict(LoadLimit *limit, uint64_t line);
// Of a lookup, once per transaction.
void load_limit_on_access(LoadLimit *limit, const L1dAccess *access, uint32_t epoch_cycles);
// Whether limits are being compared.
bool load_limit_is_tried(const LoadLimit *limit);
// Of the candidates, those that may issue.
uint64_t load_limit_allowed(const LoadLimit *limit, const IssueView *view);

#endif
