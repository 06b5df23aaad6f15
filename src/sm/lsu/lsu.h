// SPDX-License-Identifier: MIT
// The load/store unit: from the input latch through shared memory, the constant, texture and
// L1 data caches, or bypassing them, to the network, and back.
//
// The unit owns its state and the caches. It sees the rest of the SM through LsuPorts and reports
// through LsuSignals, so that a test can drive it alone (tests/unit/lsu_test.c).
//
// One cycle, in this order:
//   lsu_write_back   writes the result chosen last to its registers and chooses the next one;
//   (the SM collects operands: banks that are written cannot be read)
//   lsu_tick         accepts one reply from the network; sends requests that the cluster unit has
//                    looked up, and one miss per cache; looks up the L1D accesses whose latency
//                    has elapsed; processes the instruction in the latch;
//   lsu_take         if lsu_has_room: an instruction enters the latch, where it spends at least
//                    one cycle.
#ifndef SM_LSU_LSU_H
#define SM_LSU_LSU_H

#include "base/ring.h"
#include "memory/cache/cache.h"
#include "memory/cache/seen_lines.h"
#include "policies/observer/event.h"
#include "policies/slot_reason.h"
#include "sm/collector.h"
#include "sm/inflight.h"
#include "sm/lsu/l1d_policies.h"
#include "sm/lsu/network_port.h"
#include "sm/pools.h"
#include "sm/lsu/shared_atomic.h"

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

// Bulk copies in the order of their issue. The first sends its requests.
enum { BULK_ENTRIES = 32 };
typedef struct BulkQueue {
  uint32_t first, count;
  Inflight *entries[BULK_ENTRIES];
  Cycle ready[BULK_ENTRIES];  // when its requests may be sent
} BulkQueue;

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

// What the unit needs of its SM. All outlive it.
typedef struct LsuPorts {
  RequestPool *requests;
  InflightPool *inflights;  // instructions return to it when they are done
  NetworkPort *network;
  Collectors *const *collectors;  // by sub-core: the register banks that results are written to
  const Requester *requesters;  // by warp slot: whom it accesses memory for; without pc
  // The registers of an instruction are written. Called once for each instruction, before it
  // returns to its pool.
  void (*release)(void *owner, Inflight *inflight);
  // Whether a result has to wait though it is there: it is released later. NULL: none has.
  bool (*hold)(void *owner, Inflight *inflight);
  void *owner;
} LsuPorts;

// What the SM has to know of a cycle, to be read after lsu_tick; lsu_write_back clears it.
typedef struct LsuSignals {
  uint64_t returned;      // bit w: a store of warp w was acknowledged, or an atomic returned
  uint64_t atomics_over;  // bit w: warp w need not wait for its atomics any more
  bool did_something;     // something moved: the next cycle may differ from this one
} LsuSignals;

// What every cycle looks at comes first, in three lines of the host's cache; then what an access
// needs.
typedef struct Lsu {
  // state
  _Alignas(64) Inflight *latch;
  Inflight *result;           // chosen for write-back, written next cycle
  MemRequest *bypass_result;  // an answer that waits for the port
  Cycle shared_ready;         // when the head of shared_pipe is, or NEVER
  Cycle remote_ready;         // the same of remote_pipe
  Cycle block_ready;          // when the first of the heads of both block pipes is, or NEVER
  uint16_t latch_cycles_left;  // bank conflicts of shared memory, and lsu_interval_cycles
  uint8_t next_source;         // round robin: ResultSource
  uint8_t has_fills;           // bit s: of ResultSource s the cache may have something to hand out
  bool has_misses;             // some cache may have something to send
  // the head of l1_queue is blocked, and why; counted until something changes
  bool is_blocked;
  bool lacks_mshrs;  // ... since there were no MSHRs, and the head of the queue is the same
  bool replays_blocked;       // the same for the head of replays, whose failures are not counted
  bool instant_misses;        // loads do not wait for what they miss (gpu/config/ideal.h)
  FailReason block_reason;

  _Alignas(64) AccessRing l1_queue;
  ResponseRing responses;  // from the network
  L1dPolicies *policies;   // NULL: no policy wants to know of the L1D
  uint32_t queued_blocks;  // in both block queues
  bool has_replays;        // `replays` has some
  bool has_copies;         // `bulk` has some
  bool has_unit;           // between cluster and network (NetworkPort.unit)

  _Alignas(64) LsuSignals signals;
  Cycle loops_end;           // when the first of `looping` ends, or NEVER
  Cache *l1d[MAX_L1_PARTS];  // Maxwell and Pascal have two, for CTA slots in turn

  _Alignas(64) Cache *l1c, *l1t;  // NULL: not there
  const SmConfig *config;
  EventBuffer *events;  // for observers; NULL: there are none
  SeenLines *touched;   // distinct lines requested that the L1D allocates; NULL: not counted
  uint32_t prefetches;  // fetches in flight that no instruction waits for
  uint32_t l1_parts;    // 0: no L1D
  uint32_t l1_line_bytes;
  uint32_t l1_unit_bytes;  // what one lookup of the L1D covers: a line, or a sector of it
  bool stores_allocate;    // in the L1D
  LsuPorts ports;
  AccessRing replays;  // rejected reads, set aside; without entries they block
  BulkQueue bulk;      // copies past the L1, among them bulk copies

  SharedRing shared_pipe;
  // Loads from the shared memory of other CTAs of the cluster.
  SharedRing remote_pipe;
  Cycle remote_free;  // when the way to other SMs takes the next
  // Hits of constants and textures that have a latency (sm.constant_latency_cycles).
  SharedRing constant_pipe, texture_pipe;
  BlockQueue block_queues[BLOCK_QUEUES];  // with sm.block_queue_entries
  // Atomics that have left the latch and that their warps wait for, one each (lsu_atomic.c).
  uint64_t awaited;  // bit w: warp w waits for one, here or before
  uint64_t looping;  // bit w: warp w has one here
  SharedLocks locks;
  Inflight *loops[MAX_WARPS_PER_SM];  // NULL: on global memory
  Cycle loop_ends[MAX_WARPS_PER_SM];
  // By warp slot, of its present warp.
  uint16_t stores[MAX_WARPS_PER_SM];   // sectors whose acknowledgement is to come
  uint16_t atomics[MAX_WARPS_PER_SM];  // transactions on global memory in flight or to be sent
  // parts
  uint64_t lines_touched;    // number of lines in `touched`
  uint64_t line_uses;        // ... and accesses to them
  LsuStats stats;
} Lsu;

typedef struct LsuSetup {
  const SmConfig *config;
  const CacheConfig *l1d, *l1c, *l1t;
  bool instant_misses;  // loads do not wait for what they miss (gpu/config/ideal.h)
  LsuPorts ports;
} LsuSetup;

// The unit is zero before; to be cleared also after an error.
Status lsu_init(Lsu *lsu, const LsuSetup *setup, Error *err);
void lsu_clear(Lsu *lsu);

// ---- a cycle

void lsu_write_back(Lsu *lsu, Cycle now);
void lsu_tick(Lsu *lsu, Cycle now);
static inline bool lsu_has_room(const Lsu *lsu) {
  return !lsu->latch;
}
// An instruction whose operands are collected. It is coalesced: path, accesses and outstanding (as
// many as accesses) are set, conflict_cycles for shared memory.
void lsu_take(Lsu *lsu, Inflight *inflight);
// A reply from the network; false: there is no room for it.
bool lsu_accept_reply(Lsu *lsu, Packet packet);

// ---- issue

// A warp begins in the slot: what its predecessor did not wait for is not counted for it.
static inline void lsu_begin_warp(Lsu *lsu, uint32_t warp) {
  lsu->stores[warp] = lsu->atomics[warp] = 0;
}
// An atomic on global memory is issued; true: its warp issues nothing until atomics_over.
bool lsu_await_atomic(Lsu *lsu, const Inflight *inflight);
// An atomic on shared memory is issued: takes its locks. Its warp issues nothing until
// atomics_over. The shared memory of its CTA begins at `base`.
void lsu_await_shared_atomic(Lsu *lsu, Inflight *inflight, const MemoryAccess *access,
                             uint64_t base);

// ---- questions

// The next cycle in which the unit could do something by itself; NEVER if it
// waits for the network.
Cycle lsu_next_event(const Lsu *lsu, Cycle now);
void lsu_skip(Lsu *lsu, Cycle cycles);  // lets cycles before that pass, with the same statistics
// Replies, stores and write-backs that no warp waits for, but that have to be seen to.
bool lsu_has_leftovers(const Lsu *lsu);
// Why it takes no more: an instruction waits while the latch is taken.
SlotReason lsu_busy_reason(const Lsu *lsu);
// The L1D has fetched few lines again that it had lost.
bool lsu_keeps_lines(const Lsu *lsu);
// It has served most of many reads.
bool lsu_reuses_lines(const Lsu *lsu);
bool lsu_has_conflicts(const Lsu *lsu);  // the latch works on bank conflicts of shared memory

// A resource has become free: rejected accesses may be retried.
static inline void lsu_unblock(Lsu *lsu) {
  lsu->is_blocked = lsu->replays_blocked = false;
}

CacheStats lsu_l1d_stats(const Lsu *lsu);  // of all parts
void lsu_watch_lines(Lsu *lsu);            // counts different lines from now on (lines_touched)
void lsu_stop_watching(Lsu *lsu);

// How many sectors a reply answers.
static inline uint32_t packet_sectors(const Packet *packet) {
  return packet->sector == SECTOR_ALL ? packet->request->sectors_left : 1;
}

#endif
