// SPDX-License-Identifier: MIT
// A memory partition: the L2 slices of one DRAM channel, the channel, and what
// lies between them.
//
//   packets -> slice 0 --+                                    +-> slice 0 -> replies
//   packets -> slice 1 --+-> arbiter -> latency FIFO -> DRAM -+-> slice 1 -> replies
//
// The slices take turns in sending one request a DRAM tick to the FIFO, as long
// as there are credits and the slice has room for the answer. Answers to reads
// go back one a tick; write-backs end in the DRAM.
//
// The owner calls, in every step of the clock, what is due, in this order:
//   partition_reply_front/pop   replies into the network
//   partition_dram_tick         if the DRAM's clock is due
//   partition_accept            at most one packet a slice, if partition_can_accept
//   partition_l2_tick           if the L2's clock is due
// `now` is always the number of core cycles that have been completed.
//
// Where a sector lies the partition asks the address map itself, once when it
// reaches the input queue and once when it misses; the owner needs the map only
// to choose the slice of a request.
#ifndef MEMORY_PARTITION_H
#define MEMORY_PARTITION_H

#include "memory/l2_slice.h"

enum { PARTITION_MAX_SLICES = 32 };

typedef struct PartitionStats {
  uint64_t dram_requests;           // sent to the latency FIFO
  uint64_t wait_credit, wait_room;  // DRAM ticks in which a slice could not send
  uint64_t wait_dram;               // DRAM ticks in which the FIFO's head found the DRAM full
} PartitionStats;
extern const Stat partition_stats[];

typedef struct Partition Partition;

// `slices` of them, each with an L2 of that configuration (enabled = false:
// none). The map must outlive the partition.
Status partition_create(Partition **partition, const PartitionConfig *config, const CacheConfig *l2,
                        const DramConfig *dram, uint32_t slices, const AddressMap *map, Error *err);
void partition_destroy(Partition *partition);

// A packet from the request network for a slice (by index in this partition).
// Its slices keep account of when a cluster may be answered; `by_cluster` outlives it.
void partition_watch_answers(Partition *partition, Expected *by_cluster);
// The half of the chip it is in, and the first SM of the upper half (partition.far_cycles).
void partition_set_half(Partition *partition, bool is_upper, uint32_t upper_sm);
// Writes events of requests that reach its slices, and of those that these send to the DRAM.
void partition_observe(Partition *partition, EventBuffer *events, uint32_t channel);

bool partition_can_accept(const Partition *partition, uint32_t slice);
void partition_accept(Partition *partition, uint32_t slice, Packet packet, Cycle now);

// One cycle of all slices; one tick of the DRAM and what surrounds it.
void partition_l2_tick(Partition *partition, Cycle now);
void partition_dram_tick(Partition *partition, Cycle now);

// Replies: destination is the request's cluster, sector the sector that is
// answered or SECTOR_ALL; flits are left to the network.
// Whether it has more to do now than to count: of no consequence for results.
bool partition_is_busy(const Partition *partition, Cycle now);
uint32_t partition_reply_mask(const Partition *partition);  // bit s: slice s has some
const Packet *partition_reply_front(const Partition *partition, uint32_t slice);
Packet partition_reply_pop(Partition *partition, uint32_t slice);
// Its size in a network whose headers have that many bytes.
uint32_t partition_reply_bytes(const Packet *packet, uint32_t header_bytes);

// No request is inside: only write-backs may be in flight. This
// is what a kernel waits for.
bool partition_has_answered(const Partition *partition);
// Nothing at all is inside.
bool partition_is_idle(const Partition *partition);

// For skipping, when nothing comes from outside: the first core cycle from
// `now` on, which is still to come, in which partition_l2_tick does more than
// count, or in which the latency FIFO's head is ready for the DRAM;
Cycle partition_next_event(const Partition *partition, Cycle now);
// how many DRAM ticks from now only count, at most until that cycle.
Cycle partition_next_dram_event(const Partition *partition, Cycle now);
// Let ticks pass that would only count.
void partition_skip(Partition *partition, Cycle l2_ticks);
void partition_dram_skip(Partition *partition, Cycle dram_ticks);

// Between kernels: empties the L2s without traffic; dirty lines are counted as
// written back.
void partition_flush(Partition *partition);

// An access of a sector without time (cache_warm).
void partition_warm(Partition *partition, uint32_t slice, uint64_t address, bool is_write,
                    bool is_full, Cycle now);
bool partition_holds(Partition *partition, uint32_t slice, uint64_t address);  // its L2, the byte

const CacheStats *partition_l2_stats(const Partition *partition, uint32_t slice);  // NULL: no L2
const L2SliceStats *partition_slice_stats(const Partition *partition, uint32_t slice);
const DramStats *partition_dram_stats(Partition *partition);
const PartitionStats *partition_stats_of(const Partition *partition);

#endif
