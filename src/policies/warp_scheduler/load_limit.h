// SPDX-License-Identifier: MIT
// For warp schedulers: limits the number of warps per SM that may load, so that they
// reuse their own lines.
//
// The limit is found by trial. While warps lose lines that they reuse (recently loaded
// lines are recorded with their warps), each limit is tried for one epoch, from many
// warps to few, between two epochs without a limit. The value of a limit is the number
// of L1D accesses in its epoch, relative to that expected from the unlimited epochs, so
// that a drifting rate is not mistaken for a gain. The best limit holds until it falls
// below expectation.
//
// Trials compare epochs of one kernel: the start of a kernel ends them. A kernel starts
// with the limit found in its last launch, or none. A kernel is identified by its first
// load; if kernels overlap on an SM, that may be a load of the previous one. Trials
// without a gain are repeated at growing intervals.
//
// Lost locality is that of Rogers et al., "Cache-Conscious Wavefront Scheduling",
// MICRO 2012. CCWS computes a limit from scores; this policy measures the value of
// limits, and does not affect programs whose warps lose nothing.
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

// Result of the last round of a kernel's trials.
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
  // history
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
// The candidates that may issue.
uint64_t load_limit_allowed(const LoadLimit *limit, const IssueView *view);

#endif
