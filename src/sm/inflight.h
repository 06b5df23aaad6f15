// SPDX-License-Identifier: MIT
// An instruction between its issue and the moment it has left the SM.
#ifndef SM_INFLIGHT_H
#define SM_INFLIGHT_H

#include "base/cycle.h"
#include "sm/issue_info.h"

// One transaction of a memory instruction, after coalescing.
typedef struct Access {
  uint64_t address;   // first byte
  uint16_t bytes;     // 32, 64 or 128
  uint8_t touched;    // bit s: sector s (from address) is wanted
  uint8_t full;       // bit s: every byte of it is written
  bool instant;       // nobody waits for a miss (ideal_access.h)
} Access;

// Which way an instruction goes through the load/store unit.
typedef enum MemoryPath {
  PATH_NONE,  // nothing to do: no active lane, a fence
  PATH_SHARED,
  PATH_CONSTANT,
  PATH_L1D,
  PATH_BYPASS,  // past the L1D: atomics, .cg, .cv
  PATH_TEXTURE,
  PATH_BULK,  // a bulk copy: by an engine of its own, past the L1D
} MemoryPath;

typedef struct Inflight Inflight;

// Two cache lines of the host, except for instructions with many operands: one that only those for
// the load/store unit touch, one for all instructions.
struct Inflight {
  _Alignas(64) Cycle issued;
  uint64_t lane_address;      // of the lowest active lane, as the memory sees it
  Access *accesses;           // kept when the place in the pool is used again
  uint32_t access_capacity;
  uint32_t index;             // in its pool
  uint16_t access_count;      // transactions ...
  uint16_t access_next;       // ... of which these have left the unit
  uint16_t lowest_access;     // the one that carries the lowest active lane
  uint16_t conflict_cycles;   // shared memory: cycles that it takes; others: before lookups
  uint16_t bank_cycles;       // shared memory: of these, what the banks need for different words
  uint16_t remote_bytes;      // of them in the shared memory of other CTAs
  uint16_t passes;            // shared memory: what is served one after the other
  uint32_t loop_cycles;       // shared atomics: from the unit until the warp goes on

  _Alignas(64) const IssueInfo *info;
  uint64_t order;  // issue number in its SM
  uint32_t pc;
  uint8_t warp;               // slot
  uint8_t sub_core;           // whose collectors and units it goes through
  uint8_t read_depth;         // the most operands in one bank that are still to be read
  uint8_t collector;          // while it has one
  uint8_t path;               // MemoryPath
  bool is_local;              // local memory
  bool is_async;              // an asynchronous operation, of this kind and epoch (async/async.c)
  uint8_t async_kind, epoch;
  bool is_remote;             // shared memory of another CTA of the cluster
  bool is_loop;               // a shared atomic that is a loop of several instructions
  uint8_t together;           // transactions that share a slot of the L1D; 0: one (ideal_access.h)
  uint16_t outstanding;       // answers still to come before the registers are free
  Inflight *next_result;      // written back in the same cycle, after it
  // While it has a collector: bit b of reads[i], i < read_depth: more than i operands are still to
  // be read from bank b.
  uint64_t reads[MAX_BANK_READS];
};

#endif
