// SPDX-License-Identifier: MIT
// What a memory partition can be configured to and what it counts.
#include "memory/partition.h"

enum { MAX_QUEUE = 65536, MAX_LATENCY = 1000000 };

const Param partition_params[] = {
    PARAM(PartitionConfig, rop_latency_cycles, 120, 0, MAX_LATENCY,
          "core cycles from a packet's arrival to the slice's input queue"),
    PARAM(PartitionConfig, l2_input_queue, 64, 1, MAX_QUEUE, "entries before the L2"),
    PARAM(PartitionConfig, l2_input_reserve, 4, 1, MAX_QUEUE,
          "free input entries without which no packet is let in"),
    PARAM(PartitionConfig, l2_output_queue, 64, 1, MAX_QUEUE, "replies before the network"),
    PARAM(PartitionConfig, l2_to_dram_queue, 64, 1, MAX_QUEUE, "entries"),
    PARAM(PartitionConfig, dram_to_l2_queue, 64, 1, MAX_QUEUE, "entries"),
    PARAM(PartitionConfig, l2_port_bytes, 32, 1, 4096, "data of hits and write-backs, a cycle"),
    PARAM(PartitionConfig, dram_latency_cycles, 100, 0, MAX_LATENCY,
          "core cycles between L2 and the DRAM's queue"),
    PARAM(PartitionConfig, dram_shared_credits, 179, 0, MAX_QUEUE,
          "requests that may be in DRAM or on the way, of all slices of a channel"),
    PARAM(PartitionConfig, dram_private_credits, 1, 0, MAX_QUEUE, "more of them, of each slice"),
    PARAM(PartitionConfig, split_sectors, true, 0, 1,
          "requests are looked up and answered by 32-byte sector"),
    PARAM(PartitionConfig, upper_half_writes_partial, false, 0, 1,
          "64-byte writes to an upper half never fill their sectors, as in GPGPU-Sim"),
    {0}};

#define BY_KIND(kind, one, what)                                           \
  {.name = #one "_lookups",                                                \
   .help = "lookups of " what,                                             \
   .offset = offsetof(L2SliceStats, lookups) + (kind) * sizeof(uint64_t)}, \
  {                                                                        \
    .name = #one "_misses", .help = "of them, misses",                     \
    .offset = offsetof(L2SliceStats, misses) + (kind) * sizeof(uint64_t)   \
  }

const Stat l2_slice_stats[] = {
    STAT_COUNT(L2SliceStats, packets, "packets accepted from the network"),
    STAT_COUNT(L2SliceStats, pieces, "sectors, or whole requests, that they held"),
    STAT_COUNT(L2SliceStats, replies, "packets for the network"),
    BY_KIND(REQUEST_READ, read, "loads"),
    BY_KIND(REQUEST_WRITE, write, "stores"),
    BY_KIND(REQUEST_ATOMIC, atomic, "atomics"),
    BY_KIND(REQUEST_INSTRUCTION, instruction, "instruction fetches"),
    BY_KIND(REQUEST_CONSTANT, constant, "constants and parameters"),
    BY_KIND(REQUEST_TEXTURE, texture, "textures"),
    BY_KIND(REQUEST_PREFETCH, prefetch, "prefetches"),
    STAT_COUNT(L2SliceStats, wait_reply_queue, "cycles a lookup waited for room for replies"),
    STAT_COUNT(L2SliceStats, wait_dram_queue, "cycles a lookup waited for room towards DRAM"),
    STAT_COUNT(L2SliceStats, wait_port, "cycles a lookup waited for the data port"),
    STAT_COUNT(L2SliceStats, wait_cache, "cycles a lookup failed in the cache"),
    {0}};

const Stat partition_stats[] = {
    STAT_COUNT(PartitionStats, dram_requests, "requests sent towards the DRAM"),
    STAT_COUNT(PartitionStats, wait_credit, "ticks a slice waited for a credit"),
    STAT_COUNT(PartitionStats, wait_room, "ticks a slice had no room for an answer"),
    STAT_COUNT(PartitionStats, wait_dram, "ticks the DRAM had no room"),
    {0}};
