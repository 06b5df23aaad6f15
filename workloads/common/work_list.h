// SPDX-License-Identifier: MIT
// Work lists of nodes in a grid of fixed size: every warp owns an equal part of the nodes and a
// list of those of them that have work to do, in the order of the nodes. A warp writes its own
// list only, so that lists do not depend on the order in which CTAs run.
#ifndef WORKLOADS_WORK_LIST_H
#define WORKLOADS_WORK_LIST_H

#include <vector>

#include "common/arguments.h"
#include "common/device_array.h"

// Passed to kernels by value.
struct WorkLists {
  int *items, *counts;  // of all warps, `part` items each; by warp
  int nodes, part;
};

struct WorkWarp {
  int *items, *count;
  int first, end, lane;  // its nodes
};

__device__ static inline WorkWarp work_warp(const WorkLists &lists) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, first = warp * lists.part;
  int end = first + lists.part < lists.nodes ? first + lists.part : lists.nodes;
  return {&lists.items[(size_t)first], &lists.counts[warp], first, end, (int)threadIdx.x % 32};
}

// Appends the items of lanes that want to, in the order of the lanes, to a list that has `used`
// items; returns how many it has then. All lanes of the warp call it.
__device__ static inline int work_append(const WorkWarp &warp, int used, bool wants, int item) {
  unsigned all = __ballot_sync(~0u, wants), before = all & ((1u << warp.lane) - 1);
  if (wants) warp.items[used + __popc(before)] = item;
  return used + __popc(all);
}

// Memory of the lists: at first the nodes that satisfy a condition.
class WorkListArrays {
 public:
  template <class Wants>
  WorkListArrays(int nodes, unsigned ctas, unsigned threads, const Wants &wants)
      : warps_((int)(ctas * threads / 32)),
        part_((nodes + warps_ - 1) / warps_),
        items_((size_t)warps_ * part_),
        counts_((size_t)warps_),
        nodes_(nodes) {
    std::vector<int> items((size_t)warps_ * part_), counts((size_t)warps_);
    for (int n = 0; n < nodes; n++)
      if (wants(n)) items[(size_t)(n / part_) * part_ + counts[n / part_]++] = n;
    items_.set(items);
    counts_.set(counts);
  }
  WorkLists lists() { return {items_, counts_, nodes_, part_}; }

 private:
  int warps_, part_;
  DeviceArray<int> items_, counts_;
  int nodes_;
};

// Declares --lists: CTAs of the grid; 0: one thread per node, and flags instead of lists.
static inline unsigned work_lists_option(Arguments *arguments) {
  return (unsigned)arguments->number("lists", {0, 0, 0}, 0, 65535,
                                     "CTAs of a fixed grid with work lists and states of 4 bytes; "
                                     "0: a thread per node and flags");
}

#endif
