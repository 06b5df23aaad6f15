// SPDX-License-Identifier: MIT
// For prefetchers: a table of loads with the stride of their addresses from
// warp to warp.
//
// An entry holds the warp and the address of the load's last execution and the stride
// between the last two: the difference of addresses divided by that of warp numbers,
// rounded to zero; the policy numbers the warps. Two consecutive executions by the same
// warp have no stride: the address is updated, the stride is not. If the table is full,
// a new load replaces the least recently executed one.
#ifndef POLICIES_PREFETCH_STRIDE_TABLE_H
#define POLICIES_PREFETCH_STRIDE_TABLE_H

#include "policies/l1d_access.h"

enum { STRIDE_TABLE_MOST = 1 << 16 };

typedef struct StrideEntry {
  uint32_t load;  // pc + 1; 0: free
  int64_t warp;
  uint64_t address;
  int64_t stride;
  bool has_stride;
  Cycle seen;
} StrideEntry;

// The load's entry, which is free if the load is new.
static inline StrideEntry *stride_table_find(StrideEntry *table, uint32_t entries, uint32_t pc) {
  StrideEntry *oldest = &table[0];
  for (uint32_t i = 0; i < entries && oldest->load; i++) {
    if (table[i].load == pc + 1) return &table[i];
    if (!table[i].load || table[i].seen < oldest->seen) oldest = &table[i];
  }
  *oldest = (StrideEntry){0};
  return oldest;
}

// Division without overflow.
static inline int64_t stride_between(int64_t distance, int64_t warps) {
  return warps == -1 ? (int64_t)(0 - (uint64_t)distance) : distance / warps;
}

// So many strides further on; addresses wrap as they do in hardware.
static inline uint64_t stride_step(uint64_t address, int64_t count, int64_t stride) {
  return address + (uint64_t)count * (uint64_t)stride;
}

// Notes an execution by a warp; returns whether the load has kept its stride.
static inline bool stride_entry_learn(StrideEntry *entry, const L1dAccess *access, int64_t warp) {
  bool matches = false;
  if (entry->load && entry->warp != warp) {
    int64_t distance = (int64_t)(access->lane_address - entry->address);
    int64_t stride = stride_between(distance, warp - entry->warp);
    matches = entry->has_stride && stride == entry->stride;
    entry->stride = stride;
    entry->has_stride = true;
  }
  entry->load = access->requester.pc + 1;
  entry->warp = warp;
  entry->address = access->lane_address;
  entry->seen = access->now;
  return matches;
}

// The address of the warp at this distance.
static inline uint64_t stride_entry_address(const StrideEntry *entry, int64_t warps_away) {
  return stride_step(entry->address, warps_away, entry->stride);
}

#endif
