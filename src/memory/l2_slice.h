// SPDX-License-Identifier: MIT
// An L2 slice: input, cache, and the paths to memory and back.
//
//   accept -> ROP FIFO (a fixed latency) -> input queue -> lookup -> replies
//                                                |            ^
//                                           miss queue      fills
//                                                v            |
//                                             to_dram     from_dram
//
// A tick processes the stages from output to input, one request each: return a request
// whose data is available; accept a fill; send a miss; look up a request; move one into
// the input queue. A failing lookup is retried in every tick and blocks later requests.
//
// A request is looked up in pieces: by 32-byte sector, each with its own reply; or,
// without split_sectors and if it fits one L2 line, as a whole. Without a cache the
// pieces go to DRAM.
//
// Times are in core cycles. Simplified: textures pass the ROP FIFO like all requests;
// write-backs of an L1 are acknowledged like other writes; the link between the halves of an L2
// (far_copies.h) delays requests, both ways at once, and not replies.
#ifndef MEMORY_L2_SLICE_H
#define MEMORY_L2_SLICE_H

#include "base/ring.h"
#include "memory/cache/cache.h"
#include "memory/crossbar.h"
#include "memory/dram/dram.h"
#include "memory/expected.h"
#include "memory/far_copies.h"
#include "policies/address_map/address_map.h"
#include "policies/observer/event.h"

// [partition]
typedef struct PartitionConfig {
  uint32_t rop_latency_cycles;     // 120: from arrival to the input queue
  uint32_t far_cycles;             // 0: added for SMs of the other half of the chip
  uint32_t far_copies_kb;          // per slice: its lines that the other half keeps copies of
  uint32_t l2_input_queue;         // 64
  uint32_t l2_input_reserve;       // 4: free entries that a packet needs, if there are as many
  uint32_t l2_output_queue;        // 64: replies
  uint32_t l2_to_dram_queue;       // 64
  uint32_t dram_to_l2_queue;       // 64
  uint32_t l2_port_bytes;          // 32: a cycle, of hits and write-backs; of fills as much
  double l2_atomic_cycles;         // 1: of the port, for an atomic on every byte of a sector
  uint32_t dram_latency_cycles;    // 100: between L2 and the DRAM's queue
  uint32_t dram_shared_credits;    // 179: requests in DRAM and on the way there and back
  uint32_t dram_private_credits;   // 1: a slice's own, besides
  bool split_sectors;              // requests are looked up and answered by 32-byte sector
  bool instant_dram;               // no parameter: DRAM answers at once (gpu/config/ideal.h)
  bool upper_half_writes_partial;  // GPGPU-Sim: 64-byte writes to upper halves never fill sectors
} PartitionConfig;
extern const Param partition_params[];

typedef struct L2SliceStats {
  uint64_t packets, pieces, replies;                       // accepted; looked up; sent
  uint64_t far;                                            // accepted through the link
  uint64_t lookups[REQUEST_KINDS], misses[REQUEST_KINDS];  // successful; merges are not misses
  uint64_t wait_reply_queue, wait_dram_queue, wait_port, wait_cache;  // ticks of a waiting lookup
} L2SliceStats;
extern const Stat l2_slice_stats[];

// A request in the ROP FIFO; `next` counts the pieces that have left. What leaving takes of the
// request is here: the request itself has left the host's cache by then.
typedef struct RopEntry {
  MemRequest *request;
  Cycle ready;
  uint64_t address;
  uint16_t cluster;
  uint8_t next, pieces;
} RopEntry;

typedef struct L2Input {
  MemRequest *request;
  uint64_t local;  // the address as the slice's sets see it
  uint8_t sector;  // the piece, of its request; 0 if it is whole
} L2Input;

RING_DEFINE(RopRing, rop_ring, RopEntry);
RING_DEFINE(L2InputRing, l2_input_ring, L2Input);
RING_DEFINE(PacketRing, packet_ring, Packet);
RING_DEFINE(DramRing, dram_ring, DramRequest);

// What every tick touches comes first.
typedef struct L2Slice {
  // state
  _Alignas(64) Cycle wake;        // ticks before this do nothing
  Cache *cache;                   // NULL: none
  uint32_t port_busy, fill_busy;  // cycles
  bool blocked;                   // the last lookup failed and nothing has changed since
  bool on_fill;                   // config: the cache allocates on fill
  bool is_upper;                  // config: in the upper half of the chip
  bool splits_sectors;            // config.split_sectors
  FailReason reason;
  uint32_t pieces_inside;  // accepted and not yet popped as a reply
  uint32_t input_limit;    // config: a packet needs an input queue with so few entries
  L2InputRing input;
  // a line each of the host's cache: what leaves, what comes
  PacketRing replies;
  DramRing from_dram;
  Expected *expected;              // by cluster; NULL: nobody asks
  EventBuffer *events;             // NULL: nobody wants them
  RopRing rop;                     // grows with the requests that there are
  RopRing far;                     // the same, for requests that cross the link between the halves
  uint64_t last_line, last_local;  // the line located last, and its place
  DramRing to_dram;
  PartitionConfig config;
  L2SliceStats stats;
  double atomic_debt;  // parts of cycles that atomics have yet to occupy the port
  FarCopies copies;
  // config
  const AddressMap *map;
  uint32_t index;        // in its partition
  uint32_t line_bytes;   // of the L2, or what the largest request has without one
  uint32_t fetch_bytes;  // what a miss brings
  uint32_t upper_sm;     // the first SM there
  uint32_t channel;      // for events
} L2Slice;

Status l2_slice_init(L2Slice *slice, const PartitionConfig *config, const CacheConfig *l2,
                     const AddressMap *map, uint32_t index, Error *err);
void l2_slice_clear(L2Slice *slice);

bool l2_slice_can_accept(const L2Slice *slice);
void l2_slice_accept(L2Slice *slice, MemRequest *request, Cycle now);
void l2_slice_tick(L2Slice *slice, Cycle now);
Packet l2_slice_pop_reply(L2Slice *slice);

// Accepts a reply from DRAM, except for write-backs.
void l2_slice_take_dram(L2Slice *slice, const DramRequest *answer);
bool l2_slice_is_write_back(const DramRequest *request);
uint32_t l2_slice_of(const DramRequest *request);  // index of its slice

// The first cycle from `now`, whose tick has not yet run, in which a tick does more than
// count, unless there is external input.
Cycle l2_slice_next_event(L2Slice *slice, Cycle now);
// Lets ticks pass that would only count.
void l2_slice_skip(L2Slice *slice, Cycle ticks);
// An access of a sector without time (cache_warm).
void l2_slice_warm(L2Slice *slice, uint64_t address, bool is_write, bool is_full, Cycle now);
bool l2_slice_holds(L2Slice *slice, uint64_t address);
// Empties the cache without traffic.
void l2_slice_flush(L2Slice *slice);
bool l2_slice_is_idle(const L2Slice *slice);

#endif
