// SPDX-License-Identifier: MIT
// The load/store unit: from the input latch through shared memory, the constant, texture and
// L1 data caches, or bypassing them, to the network, and back.
//
// One cycle, in this order: write back one result; while the SM collects operands, wait, since
// banks that are written cannot be read; accept one reply from the network; send requests that the cluster unit has looked up, and one miss per cache; look up
// the L1D access whose latency has elapsed; process the instruction in the latch.
#ifndef SM_LSU_H
#define SM_LSU_H

#include "base/ring.h"
#include "memory/cache.h"
#include "memory/crossbar.h"
#include "memory/seen_lines.h"
#include "sm/inflight.h"
#include "sm/l1d_policies.h"
#include "sm/shared_atomic.h"

// A transaction in the pipeline before the L1D lookup.
typedef struct QueuedAccess {
  MemRequest *request;
  Cycle ready;
  bool continues;   // a further piece of the transaction before it: looked up in the same slot
} QueuedAccess;
RING_DEFINE(AccessRing, access_ring, QueuedAccess);

typedef struct SharedResult {
  Inflight *inflight;
  Cycle ready;
} SharedResult;
RING_DEFINE(SharedRing, shared_ring, SharedResult);
RING_DEFINE(ResponseRing, response_ring, Packet);

// Where results come from; the write-back port serves them in turn.
typedef enum ResultSource {
  RESULT_SHARED, RESULT_TEXTURE, RESULT_CONSTANT, RESULT_BYPASS, RESULT_L1D, RESULT_SOURCES
} ResultSource;

enum { BLOCK_QUEUES = 2 };
// Constants, or textures, in the order of their issue.
typedef struct BlockQueue {
  Inflight *entries[MAX_BLOCK_QUEUE];
  uint32_t count;
} BlockQueue;

typedef struct LsuStats {
  uint64_t shared_accesses, shared_conflict_cycles;
  uint64_t shared_atomics, shared_atomic_passes;
  uint64_t transactions, loads, stores, atomics, passes, replays;
  uint64_t load_latency_cycles, loads_done;  // issue to release, summed
  uint64_t memory_latency_cycles, memory_loads_done;  // of these, global and local memory and textures
  uint64_t table_lookups;
  uint64_t dram_reads, dram_atomics;  // transactions of loads, of atomics, that DRAM answered
} LsuStats;
extern const Stat lsu_stats[];

// Members needed in every cycle come first.
typedef struct Lsu {
  // state
  Inflight *latch;
  Inflight *result;           // chosen for write-back, written next cycle
  MemRequest *bypass_result;  // an answer that waits for the port
  uint16_t latch_cycles_left;  // shared memory: bank conflicts
  uint8_t next_source;         // round robin: ResultSource
  bool has_fills;              // some cache may have something to hand out
  bool has_misses;             // ... to send
  // the head of l1_queue is blocked, and why; counted until something changes
  bool is_blocked;
  bool replays_blocked;       // the same for the head of replays, whose failures are not counted
  bool instant_misses;        // loads do not wait for what they miss (gpu/ideal.h)
  FailReason block_reason;
  uint32_t l1_parts;      // 0: no L1D
  L1dPolicies *policies;  // NULL: no policy wants to know of the L1D
  AccessRing l1_queue;
  Cycle shared_ready;  // when the head of shared_pipe is, or NEVER
  SharedRing shared_pipe;
  ResponseRing responses;  // from the network
  // Hits of constants and textures that have a latency (sm.constant_latency_cycles).
  SharedRing constant_pipe, texture_pipe;
  BlockQueue block_queues[BLOCK_QUEUES];  // with sm.block_queue_entries
  uint32_t queued_blocks;                 // in both
  Cycle block_ready;       // when the first of their heads is, or NEVER
  // Atomics that have left the latch and that their warps wait for, one each (lsu_atomic.c).
  uint64_t awaited;  // bit w: warp w waits for one, here or before
  uint64_t looping;  // bit w: warp w has one here
  Cycle loops_end;   // of the first of them, or NEVER
  SharedLocks locks;
  Inflight *loops[MAX_WARPS_PER_SM];  // NULL: on global memory
  Cycle loop_ends[MAX_WARPS_PER_SM];
  AccessRing replays;      // rejected reads, set aside; without entries they block
  // parts
  Cache *l1d[MAX_L1_PARTS];  // Maxwell and Pascal have two, for CTA slots in turn
  Cache *l1c, *l1t;          // NULL: not there
  SeenLines *touched;        // distinct lines requested that the L1D allocates; NULL: not counted
  uint64_t lines_touched;    // ... their number
  uint64_t line_uses;        // ... and accesses to them
  bool stores_allocate;      // in the L1D
  uint32_t l1_unit_bytes;    // what one lookup of the L1D covers: a line, or a sector of it
  LsuStats stats;
} Lsu;

CacheStats lsu_l1d_stats(const Lsu *lsu);  // of all parts

// How many sectors a reply answers.
static inline uint32_t packet_sectors(const Packet *packet) {
  return packet->sector == SECTOR_ALL ? packet->request->sectors_left : 1;
}

#endif
