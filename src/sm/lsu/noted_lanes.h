// SPDX-License-Identifier: MIT
// Lanes of the loads in flight, noted at issue for prefetchers that look at data
// (policies/load_lanes.h).
//
// Data is read when the load itself is executed, at a point where all SMs agree on the contents of
// memory: what a policy sees does not depend on threads or on how far an SM runs ahead.
#ifndef SM_LSU_NOTED_LANES_H
#define SM_LSU_NOTED_LANES_H

#include "exec/execute.h"
#include "policies/load_lanes.h"

typedef struct NotedLanes {
  LoadLanes **all;  // by index of the load in its pool; NULL or without lanes: none noted there
  uint32_t count;
  Allocation last;  // that data was read from; a copy, since pointers do not last
} NotedLanes;

void noted_lanes_clear(NotedLanes *noted);
void noted_lanes_add(NotedLanes *noted, uint32_t index, const MemoryAccess *access,
                     const DeviceMemory *memory, uint32_t line_bytes);
void noted_lanes_forget(NotedLanes *noted, uint32_t index);
// NULL: the instruction is not a load that was noted.
const LoadLanes *noted_lanes_of(const NotedLanes *noted, uint32_t index);

#endif
