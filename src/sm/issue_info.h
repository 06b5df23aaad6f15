// SPDX-License-Identifier: MIT
// What the SM has to know of an instruction besides its meaning: worked out
// once for every instruction of a program when it is loaded.
#ifndef SM_ISSUE_INFO_H
#define SM_ISSUE_INFO_H

#include "isa/program.h"
#include "policies/slot_reason.h"
#include "sm/sm_config.h"
#include "sm/units/tensor.h"
#include "sm/waiting/wait_loops.h"

// The units, in the order in which a cycle offers them instructions. An SM
// without INT, DP or tensor units sends their instructions to others.
typedef enum UnitKind {
  UNIT_SP,
  UNIT_DP,
  UNIT_INT,
  UNIT_SFU,
  UNIT_TENSOR,
  UNIT_MEM,
  UNIT_KINDS
} UnitKind;

// What an instruction is to asynchronous operations (async/async.h), and of which kind they are.
typedef enum AsyncRole {
  ASYNC_NONE,
  ASYNC_OPERATION,  // one of them
  ASYNC_COMMIT,
  ASYNC_WAIT,
  ASYNC_WAIT_ALL,
  ASYNC_ARRIVE,    // at an mbarrier, when the warp's operations so far are over
  ASYNC_MBARRIER,  // changes an mbarrier
  ASYNC_TRY_WAIT,
} AsyncRole;
typedef enum AsyncKind {
  ASYNC_COPIES,
  ASYNC_BULK,
  ASYNC_PRODUCTS,
  ASYNC_OTHERS,  // st.async, red.async, bulk prefetches: there are no groups of them
  ASYNC_KINDS
} AsyncKind;

// Registers read one by one. A matrix instruction has more; its fragments are wider than a
// register and read in as many steps.
enum { MAX_BANK_READS = 8 };

// Costs that an access is spared (SmIdeal).
enum { IDEAL_HITS = 1, IDEAL_COALESCED = 2, IDEAL_FREE = 4 };

typedef struct IssueInfo {
  uint8_t unit;                // UnitKind
  bool is_load;                // writes registers when memory answers
  bool is_access;              // of global or local memory, by the L1D or past it
  bool is_store, is_atomic, is_fence, is_barrier, is_control;
  bool awaits_stores;          // fence: the warp's stores and atomics have to be acknowledged
  bool drops_l1;               // when it is over: lines of the L1D that others may have written
  bool is_arrival, is_warps;   // a barrier that nobody waits at; one of a warp
  uint8_t async, async_kind;   // AsyncRole, AsyncKind
  bool is_cluster_barrier;     // barrier.cluster
  bool adds_one;               // atomic: adds a constant 1 and has no result
  uint8_t adder_cycles;  // atomic that adds in f64: of the SM's adders, for each pass of a loop
  bool waits;            // part of a loop that waits for a time (waiting/waiting.h)
  bool is_plain;         // only computes: neither accesses memory nor changes what its warp may do
  bool may_release;            // other warps from a barrier: it arrives there, or ends threads
  // It, or one that may issue with it in the same cycle: acts on more than its SM (global memory,
  // textures, the device); may release.
  bool leads_outside, leads_to_release;
  uint8_t ideal;               // IDEAL_...: what its accesses are spared
  uint8_t busy_slot;           // SlotReason of those that wait while it keeps its unit busy
  uint16_t latency, interval;  // of the unit
  uint16_t pipe_cycles;        // interval, where an arithmetic pipeline of hardware executes it
  // How many cycles later than at the nearest instruction results of the SP or INT units are
  // there for it, and its guard.
  uint8_t from_sp_cycles, from_int_cycles, to_guard_cycles;
  uint8_t latest_cycles;       // the most of these that it may wait for
  uint8_t after_cycles;        // until the next instruction of the warp
  uint8_t jump_cycles;         // ... if that lies in another line of code
  uint8_t source_count;        // registers read through the collectors
  uint8_t destination_count;
  // Register banks, before the warp is added (collectors_turn).
  bool reads_again;                                      // several sources are in one bank
  uint8_t source_banks[MAX_BANK_READS];                  // of each source
  uint64_t source_set, destination_set;                  // of all (bank_set)
  uint16_t destinations[MAX_REGISTER_DESTINATIONS];      // scoreboard ids
} IssueInfo;

// Bit b: bank b of so many. Where they are a power of two the set is repeated up to bit 63, so that
// turning all 64 bits turns it.
static inline uint64_t bank_set(uint32_t bank, uint32_t banks) {
  bool is_power = !(banks & (banks - 1));
  return (is_power ? UINT64_MAX / (UINT64_MAX >> (64 - banks)) : 1) << bank;
}

static inline void issue_info_add_source(IssueInfo *info, uint32_t bank, uint32_t banks) {
  uint64_t bit = bank_set(bank, banks);
  info->reads_again |= (info->source_set & bit) != 0;
  info->source_set |= bit;
  info->source_banks[info->source_count++] = (uint8_t)bank;
}

// All instructions of a program. hazards[pc * words ...] is the set of
// registers that must not be pending when the instruction issues.
typedef struct IssueTable {
  const Program *program;
  IssueInfo *infos;
  uint64_t *hazards;
  uint32_t words;
  uint32_t longest_latency;
  bool has_late_results;       // some instructions get results later than others (late.c)
  uint64_t code_address;       // of the first instruction, for the instruction cache
  WaitLoops waits;
} IssueTable;

// What the timing of instructions follows from.
typedef struct IssueConfig {
  const SmConfig *sm;
  const LatencyConfig *latency;
  const TensorConfig *tensor;
} IssueConfig;
void issue_table_init(IssueTable *table, const Program *program, const IssueConfig *config,
                      uint64_t code_address);
void issue_table_clear(IssueTable *table);

#endif
