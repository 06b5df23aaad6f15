// SPDX-License-Identifier: MIT
// Inside the partition: requests in flight to the DRAM, for a fixed time.
#ifndef MEMORY_PARTITION_QUEUE_H
#define MEMORY_PARTITION_QUEUE_H

#include "base/cycle.h"
#include "base/ring.h"
#include "memory/dram/dram.h"

typedef struct LatencyEntry {
  DramRequest request;
  Cycle ready;  // core cycle
} LatencyEntry;

RING_DEFINE(LatencyRing, latency_ring, LatencyEntry);

#endif
