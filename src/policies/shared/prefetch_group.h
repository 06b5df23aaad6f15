// SPDX-License-Identifier: MIT
// State shared by a warp scheduler that groups warps and a prefetcher that prefetches
// for a group: LAWS and SAP of Oh et al., "APRES", ISCA 2016.
//
// The scheduler is notified of each lookup before the prefetcher. When the head of a
// group misses, it stores the group in `missed`, without the warps that have executed
// the load since; the prefetcher takes its targets from there, and records each warp
// whose line is in flight. The scheduler consumes these records, oldest first, before
// anything else.
//
// Both may tune their settings by trial. `limit_is_tried` keeps these trials apart: a
// change in an epoch of one would otherwise be attributed to the other.
#ifndef POLICIES_SHARED_PREFETCH_GROUP_H
#define POLICIES_SHARED_PREFETCH_GROUP_H

#include "policies/shared/shared.h"

enum { PREFETCH_GROUP_WARPS = 64 };

typedef struct PrefetchGroup {
  uint64_t missed;    // the group whose head has just missed, or 0
  uint64_t present;   // warps that the scheduler has; others are not noted
  uint8_t fetched[PREFETCH_GROUP_WARPS];  // warps prefetched for, each once, the latest last
  uint32_t fetched_count;
  uint64_t notes;     // made since the scheduler took them; repeated ones count
  bool limit_is_tried;  // the scheduler compares limits on loads: no other trials now
} PrefetchGroup;

// For the prefetcher: the group of a warp whose load has just missed, or 0.
static inline uint64_t prefetch_group_of(const PrefetchGroup *group, uint32_t warp) {
  return group->missed >> warp & 1 ? group->missed : 0;
}

// A warp that is noted again moves to the end, as it would in the scheduler's queue.
static inline void prefetch_group_note(PrefetchGroup *group, uint32_t warp) {
  if (!(group->present >> warp & 1)) return;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < group->fetched_count; i++)
    if (group->fetched[i] != warp) group->fetched[kept++] = group->fetched[i];
  group->fetched[kept++] = (uint8_t)warp;
  group->fetched_count = kept;
  group->notes++;
}

#endif
