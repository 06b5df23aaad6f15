// SPDX-License-Identifier: MIT
// The reuse monitor of an SM (Tang et al., "Quantifying Data Locality in Dynamic Parallelism
// in GPUs", SIGMETRICS 2018, section 6): three Bloom filters that determine for each read of a
// child kernel whether its parent, a sibling or the kernel itself has read the line on this SM,
// with a hit and a miss counter each. It observes reads by itself; its users request a prediction
// (reuse_monitor_predict) when a kernel is launched from its SM.
//
//   filter         a read adds its line         a read is looked up
//   parent-child   of a parent kernel           of a child
//   sibling        of a child                   of a child, unless the self filter has it
//   self           of a child, with its kernel  of a child
//
// A line counts once per instruction of a warp, as in the paper's footprints, which are taken
// "after memory coalescing": narrow loads make several transactions for parts of one line, and
// would otherwise count as self reuse.
//
// A parent kernel was launched by the host, or has launched a kernel; a child was launched by a
// kernel. Below the first level a kernel can be both.
//
// The paper leaves open how the self filter is filled and how it differs from the sibling filter:
// children fill both, and by lines alone the two would always agree. Here the key of the self
// filter combines the line and the kernel's number; a read that hits there is self reuse and
// does not count in the sibling filter.
//
// Filters are reset when a parent kernel and all its children have completed; counters continue.
// Where one parent kernel launches everything that is never: a filter then holds more lines than it
// was made for, and nearly all lookups hit. With clear_when_full a filter is cleared after as many
// lines as its design capacity, which the paper does not say.
#ifndef POLICIES_SHARED_REUSE_MONITOR_H
#define POLICIES_SHARED_REUSE_MONITOR_H

#include "base/bloom_filter.h"
#include "policies/shared/shared.h"

typedef enum MonitoredReuse {
  MONITOR_PARENT_CHILD,
  MONITOR_SIBLING,
  MONITOR_SELF,
  MONITOR_NONE,
  MONITOR_KINDS = MONITOR_NONE
} MonitoredReuse;

enum { MONITOR_LINES = 32 };  // of one instruction: a line for each lane

typedef struct MonitorCounts {
  uint64_t hits, misses, false_hits;
} MonitorCounts;

// Lines of the instruction whose transactions are currently looked up.
typedef struct MonitoredLoad {
  uint64_t lines[MONITOR_LINES];
  uint32_t count, pc, kernel;
  uint8_t warp;
  bool has_lowest;
} MonitoredLoad;

typedef struct ReuseMonitor {
  // parameters
  uint32_t filter_bytes, entries;
  double threshold;
  bool audit, clear_when_full;
  // state
  BloomFilter filters[MONITOR_KINDS];
  BloomFilter exact[MONITOR_KINDS];  // audit: so large that false hits are next to impossible
  uint64_t *parents;                 // bits by kernel: it has launched
  size_t parent_words;
  MonitoredLoad load;
  MonitorCounts counts[MONITOR_KINDS];
  uint32_t added[MONITOR_KINDS];  // lines since the filter was cleared
  uint64_t resets, clears;
} ReuseMonitor;

// The kind with the highest hit rate, if that is above the threshold; else MONITOR_NONE.
MonitoredReuse reuse_monitor_predict(const ReuseMonitor *monitor);
// Whether a child has been looked up at all since the beginning.
bool reuse_monitor_is_cold(const ReuseMonitor *monitor);
void reuse_monitor_reset(ReuseMonitor *monitor);

#endif
