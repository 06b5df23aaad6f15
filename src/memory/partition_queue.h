// SPDX-License-Identifier: MIT
// Inside the partition: requests on their way to the DRAM, a fixed time long.
#ifndef MEMORY_PARTITION_QUEUE_H
#define MEMORY_PARTITION_QUEUE_H

#include "base/cycle.h"
#include "base/ring.h"
#include "memory/dram.h"

typedef struct LatencyEntry {
  DramRequest request;
  Cycle ready;  // core cycle
} LatencyEntry;

RING_DEFINE(LatencyRing, latency_ring, LatencyEntry);

#endif
