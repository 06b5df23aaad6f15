// SPDX-License-Identifier: MIT
// What a memory partition can be configured to and what it counts.
#include "memory/partition.h"

enum { MAX_QUEUE = 65536, MAX_LATENCY = 1000000 };

const Param partition_params[] = {
    PARAM(PartitionConfig, rop_latency_cycles, 120, 0, MAX_LATENCY,
          "core cycles from packet arrival to the slice's input queue"),
    PARAM(PartitionConfig, far_cycles, 0, 0, MAX_LATENCY,
          "core cycles added to requests of SMs of the other half of the chip; 0 = the L2 is one"),
    PARAM(
        PartitionConfig, far_copies_kb, 0, 0, MAX_QUEUE,
        "KB per slice of lines that the other half keeps copies of, and reads without far_cycles"),
    PARAM(PartitionConfig, l2_input_queue, 64, 1, MAX_QUEUE, "L2 input queue entries"),
    PARAM(PartitionConfig, l2_input_reserve, 4, 1, MAX_QUEUE,
          "free input entries required to accept a packet"),
    PARAM(PartitionConfig, l2_output_queue, 64, 1, MAX_QUEUE, "reply queue entries"),
    PARAM(PartitionConfig, l2_to_dram_queue, 64, 1, MAX_QUEUE, "entries"),
    PARAM(PartitionConfig, dram_to_l2_queue, 64, 1, MAX_QUEUE, "entries"),
    PARAM(PartitionConfig, l2_port_bytes, 32, 1, 4096,
          "data port width: bytes of hits and write-backs per cycle"),
    PARAM(PartitionConfig, l2_atomic_cycles, 1, 1, 1000,
          "cycles of the data port for an atomic on all bytes of a sector; others take 1"),
    PARAM(PartitionConfig, dram_latency_cycles, 100, 0, MAX_LATENCY,
          "core cycles between L2 and DRAM queue"),
    PARAM(PartitionConfig, dram_shared_credits, 179, 0, MAX_QUEUE,
          "credits for requests in flight to DRAM, shared by the slices of a channel"),
    PARAM(PartitionConfig, dram_private_credits, 1, 0, MAX_QUEUE, "credits per slice, in addition"),
    PARAM(PartitionConfig, split_sectors, true, 0, 1, "look up and reply per 32-byte sector"),
    PARAM(PartitionConfig, upper_half_writes_partial, false, 0, 1,
          "64-byte writes to an upper half do not fill their sectors, as in GPGPU-Sim"),
    {0}};

#define BY_KIND(kind, one, what)                                           \
  {.name = #one "_lookups",                                                \
   .help = "lookups of " what,                                             \
   .offset = offsetof(L2SliceStats, lookups) + (kind) * sizeof(uint64_t)}, \
  {                                                                        \
    .name = #one "_misses", .help = "misses among them",                   \
    .offset = offsetof(L2SliceStats, misses) + (kind) * sizeof(uint64_t)   \
  }

const Stat l2_slice_stats[] = {
    STAT_COUNT(L2SliceStats, packets, "packets accepted from the network"),
    STAT_COUNT(L2SliceStats, pieces, "sectors or whole requests in them"),
    STAT_COUNT(L2SliceStats, replies, "packets sent to the network"),
    STAT_COUNT(L2SliceStats, far, "packets that crossed the link between the halves of the L2"),
    BY_KIND(REQUEST_READ, read, "loads"),
    BY_KIND(REQUEST_WRITE, write, "stores"),
    BY_KIND(REQUEST_ATOMIC, atomic, "atomics"),
    BY_KIND(REQUEST_INSTRUCTION, instruction, "instruction fetches"),
    BY_KIND(REQUEST_CONSTANT, constant, "constants and parameters"),
    BY_KIND(REQUEST_TEXTURE, texture, "textures"),
    BY_KIND(REQUEST_PREFETCH, prefetch, "prefetches"),
    STAT_COUNT(L2SliceStats, wait_reply_queue, "cycles stalled on a full reply queue"),
    STAT_COUNT(L2SliceStats, wait_dram_queue, "cycles stalled on a full queue to DRAM"),
    STAT_COUNT(L2SliceStats, wait_port, "cycles stalled on the data port"),
    STAT_COUNT(L2SliceStats, wait_cache, "cycles stalled on reservation failures"),
    {0}};

const Stat partition_stats[] = {
    STAT_COUNT(PartitionStats, dram_requests, "requests sent to DRAM"),
    STAT_COUNT(PartitionStats, wait_credit, "ticks a slice stalled without credit"),
    STAT_COUNT(PartitionStats, wait_room, "ticks a slice stalled on a full DRAM return queue"),
    STAT_COUNT(PartitionStats, wait_dram, "ticks stalled on a full DRAM queue"),
    {0}};
