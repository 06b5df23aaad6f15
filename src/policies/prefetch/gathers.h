// SPDX-License-Identifier: MIT
// Gathers: loads whose addresses follow from what another load of the warp has read, such as
// state[targets[i]]. Learnt from the lanes of one execution: if all of them agree on
// address = base + value * scale, the pair is noted; a second execution that agrees makes it
// trusted.
//
// After Yu et al., "IMP: Indirect Memory Prefetcher", MICRO 2015, which finds base and scale from
// consecutive accesses of one thread; here the lanes of a warp are that many examples at once. In
// hardware, the lines of the next elements are computed when the line of the index arrives; here
// when the gather is looked up, which waits for that line.
#ifndef POLICIES_PREFETCH_GATHERS_H
#define POLICIES_PREFETCH_GATHERS_H

#include "policies/load_lanes.h"
#include "policies/prefetch/prefetch.h"

enum { GATHER_PAIRS = 16, GATHER_RECENT = 4 };

typedef struct GatherPair {
  uint32_t index, gather;  // pc + 1 of the two loads; 0: free
  uint64_t base, scale;
  uint8_t trust;
  Cycle seen;
} GatherPair;

// The latest loads of a warp that may have read indices.
typedef struct RecentLoads {
  uint32_t pc[GATHER_RECENT];  // + 1
  LoadLanes lanes[GATHER_RECENT];
  uint32_t next;
} RecentLoads;

typedef struct Gathers {
  GatherPair pairs[GATHER_PAIRS];
  RecentLoads recent[PREFETCH_WARPS];  // by slot
} Gathers;

// Notes an execution of a load. Returns the load of indices that it is a gather of, if the pair is
// trusted, and the pair; else NULL.
const LoadLanes *gathers_note(Gathers *gathers, const L1dAccess *access, const GatherPair **pair);
// Different lines that the gather will access with the elements `ahead` further on, for lanes in
// which they are in the line that has been read: at most LOAD_LANES.
uint32_t gather_lines(const GatherPair *pair, const LoadLanes *index, uint32_t ahead,
                      uint32_t line_bytes, uint64_t lines[LOAD_LANES]);

#endif
