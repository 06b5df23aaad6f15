// SPDX-License-Identifier: MIT
// The configuration of an SM: [sm] for its shape, [latency] for its units.
#ifndef SM_CONFIG_H
#define SM_CONFIG_H

#include "base/param.h"
#include "policies/policy.h"

// How lane addresses become transactions.
typedef enum CoalesceRule {
  COALESCE_FERMI,    // a warp at once, segments of 128 B, halved while one half is unused
  COALESCE_KEPLER,   // the same; what bypasses the L1 goes by 32 B
  COALESCE_SECTOR,   // Maxwell and later: 32 B sectors, each an access of its own
} CoalesceRule;

typedef enum BankRule {
  BANK_BY_NAME,      // the digits of the PTX register's name, as GPGPU-Sim has it
  BANK_BY_REGISTER,  // the allocated register's number
} BankRule;

typedef enum WarpSlotRule {
  SLOTS_FIXED,    // a CTA slot has its own consecutive warp slots (Fermi, Kepler)
  SLOTS_DYNAMIC,  // the lowest free warp slots (Maxwell, Pascal)
  SLOTS_ROTATED,  // the same, but each CTA begins at another sub-core (Volta)
} WarpSlotRule;

// How atomics on shared memory are performed (shared_atomic.h).
typedef enum SharedAtomicRule {
  SHARED_ATOMICS_FREE,    // as loads: lanes on one word do not conflict (GPGPU-Sim)
  SHARED_ATOMICS_LOCK,    // before Maxwell: a loop that locks, updates and unlocks
  SHARED_ATOMICS_NATIVE,  // Maxwell and later: by the unit, lanes on one word one after another
} SharedAtomicRule;

// Costs that SMs are spared (gpu/config/ideal.h). Places are lists as source_places.h reads them,
// or NULL.
typedef struct SmIdeal {
  bool no_bank_conflicts;  // shared memory serves any words at once
  bool no_barriers;        // warps pass barriers without waiting
  bool no_divergence;      // the lanes of a warp do the same
  bool is_balanced;        // warps of a CTA have equal work between barriers
  bool no_dependency;      // arithmetic results are there in the next cycle
  bool no_contention;      // lanes and warps that update one word do not wait for each other
  bool no_sharing;         // atomics are spread over the L2 slices, wherever their words are
  bool no_register_limit, no_shared_limit;     // of resident CTAs
  const char *hits, *coalesced, *free_stores;  // accesses that always hit, ...
} SmIdeal;

// [sm]
typedef struct SmConfig {
  SmIdeal ideal;  // no parameters
  // occupancy
  uint32_t max_warps, max_ctas, registers, register_granularity, thread_registers;
  uint32_t shared_kb, shared_granularity_bytes;
  uint32_t shared_reserved_bytes;  // of each CTA, for the system
  uint32_t unified_kb;             // L1D and shared memory together; 0: they are apart
  char shared_options_kb[64];      // what shared memory may take of it, such as "0,8,16"
  unsigned warp_slots;             // WarpSlotRule
  uint32_t cta_turnaround_cycles;  // from the end of a CTA to the start of the next in its place
  bool exit_awaits_stores;         // a warp stays until its stores are acknowledged
  // front end
  uint32_t instruction_bytes, buffer_entries, fetches_per_cycle;
  uint32_t code_prefetch_lines;  // of the L1I, ahead of the last fetch; 0: none
  // issue
  uint32_t warp_schedulers, issues_per_warp;
  bool dual_issue_different_units;
  bool atomics_stall_warp;         // until its atomic on global memory has returned
  uint32_t atomic_gap_cycles;      // else: from the unit to the warp's next instruction; 0: none
  bool atomic_ignores_address;     // an atomic's address register is unknown to the scoreboard
  bool sub_cores;                  // each scheduler has its own banks, collectors and units
  // register file and operand collectors
  unsigned bank_rule;              // BankRule
  uint32_t register_banks, register_ports;
  uint32_t general_collectors;     // for all units alike; 0: each kind has its own
  uint32_t sp_collectors, dp_collectors, int_collectors, sfu_collectors, tensor_collectors,
      mem_collectors;
  // instructions a cycle in and out of the collectors
  uint32_t sp_ports, dp_ports, int_ports, sfu_ports, tensor_ports, mem_ports;
  // units
  uint32_t sp_units, dp_units, int_units, sfu_units, tensor_units, result_buses;
  bool int_takes_simple;           // ... units also take moves, logic, compares and branches
  bool int_mul_on_sp;              // integer multiplies run where f32 ones do
  uint32_t simple_conversions;     // how many kinds of conversions are as moves
  bool counts_on_sfu;              // of bits: popc, clz, bfind, and brev
  uint32_t bypass_cycles;          // that a result is there for others before it is written back
  // load/store unit
  unsigned coalesce;               // CoalesceRule
  bool l1_caches_global;           // else global loads go past the L1
  uint32_t l1_parts;               // the L1D is divided among CTA slots, as on Maxwell and Pascal
  uint32_t shared_replay_cycles;   // of each pass that a bank conflict adds
  uint32_t lsu_interval_cycles;    // from a memory instruction to the next: 32 / lanes of the unit
  uint32_t l1_tag_sets;            // each is looked up once per cycle; 0: no conflicts
  uint32_t l1_accesses_per_cycle, l1_latency_cycles, shared_latency_cycles;
  uint32_t shared_banks, shared_bank_bytes;
  // atomics on shared memory
  unsigned shared_atomics;             // SharedAtomicRule
  uint32_t shared_locks;               // lock: how many; words are spread over them
  uint32_t shared_lock_cycles;         // lock: a pass of the loop that gets its locks
  uint32_t shared_relock_cycles;       // lock: each pass before it that does not
  uint32_t shared_atomic_lane_cycles;  // native: for each further lane on a word
  uint32_t shared_atomic_gap_cycles;   // native: from the unit to the warp's next instruction
  uint32_t shared_cas_loop_cycles;     // native: a pass of a loop around compare-and-swap
  bool shared_loops_add;               // ... occupies the adders of f64
  bool shared_increments_merge;        // native: lanes that add 1 to a word count as one
  // Of hits in the L1C and L1T, from the lookup on; 0: at once. Constants of registers only:
  // an address that the instruction carries makes an operand, which has no latency of its own.
  uint32_t constant_latency_cycles, texture_latency_cycles;
  bool constant_by_word;              // a warp's constants are looked up word by word, not by block
  uint32_t constant_interval_cycles;  // from word to word, or block to block
  uint32_t barrier_interval_cycles;   // from a warp that arrives to the next; 0: no unit
  uint32_t barrier_latency_cycles;    // with one: from the last that has passed it to the release
  uint32_t block_queue_entries;       // for constants, and for textures, beside the LSU; 0: none
  uint32_t texture_accesses_per_cycle;
  uint32_t texture_lanes_per_cycle;  // that the texture units filter; 0: all
  uint32_t texture_sets;             // each is looked up once per cycle; 0: no conflicts
  uint32_t texture_banks;            // that hold a line, a word of each per cycle; 0: no conflicts
  uint32_t response_entries;       // LD/ST unit's input from the network
  uint32_t l1_replay_entries;      // refused reads that let others pass; 0: they block
  uint32_t prefetch_entries;       // prefetches that wait for a free L1D
  bool fence_scopes;               // fences and releases do what their scope says
  bool fence_invalidates_l1;
  // asynchronous copies and mbarriers
  uint32_t mbarrier_wait_cycles;    // mbarrier.try_wait suspends its warp for so long at most
  uint32_t bulk_latency_cycles;     // from a bulk copy's issue to its first request
  uint32_t bulk_sectors_per_cycle;  // requests of bulk copies
  uint32_t remote_latency_cycles;   // shared memory of other CTAs of a cluster
  uint32_t remote_bytes_per_cycle;  // ... from the network between SMs
} SmConfig;

// Register banks that an instruction may find its operands in: those of its sub-core.
static inline uint32_t sm_banks_each(const SmConfig *config) {
  return config->register_banks / (config->sub_cores ? config->warp_schedulers : 1);
}
extern const Param sm_params[];

// [latency]: cycles from entering a unit to the result, and between two
// instructions entering it, by opcode class and type.
typedef struct LatencyConfig {
  uint32_t int_add, int_max, int_mul, int_mad, int_div;
  uint32_t fp_add, fp_max, fp_mul, fp_mad, fp_fma, fp_div;
  uint32_t dp_add, dp_max, dp_mul, dp_mad, dp_fma, dp_div;
  uint32_t sfu, simple, lane, tensor;
  uint32_t int_add_interval, int_max_interval, int_mul_interval, int_mad_interval, int_div_interval;
  uint32_t fp_add_interval, fp_max_interval, fp_mul_interval, fp_mad_interval, fp_fma_interval, fp_div_interval;
  uint32_t dp_add_interval, dp_max_interval, dp_mul_interval, dp_mad_interval, dp_fma_interval, dp_div_interval;
  uint32_t sfu_interval, simple_interval, lane_interval, tensor_interval;
  // Where they differ from their class; 0: they do not.
  uint32_t sfu_sin, sfu_ex2, sfu_rcp, sfu_sqrt, shift, shift_interval;
  uint32_t convert, convert_interval;  // from and to floating point, on the SFU; 0: as moves
  uint32_t wide_convert_interval, dp_compare_interval;  // 0: as others
  // Arithmetic results arrive so many cycles later than at an instruction of the same unit.
  uint32_t to_guard, to_memory, to_sfu, to_other_unit;
  uint32_t after_control;          // from a branch or barrier to the next instruction of its warp
  uint32_t after_sync;             // from reconvergence to the next instruction; 0: as branches
  uint32_t after_jump;             // from a branch to its target in another line of code; 0: as those
  bool dp_on_sfu;                  // f64 instructions run on the SFU
} LatencyConfig;
extern const Param latency_params[];
// Refuses intervals that are longer than their latencies: a unit cannot be busy
// with an instruction that has left it.
Status latency_check(const LatencyConfig *latency, Error *err);

enum {
  MAX_L1_PARTS = 4,
  MAX_WARPS_PER_SM = 64,
  MAX_LATENCY_CYCLES = 1000,
  MAX_DISTANCE_CYCLES = 100,
  MAX_BYPASS_CYCLES = 6,
  MAX_BLOCK_QUEUE = 32,
  MAX_TEXTURE_SETS = 64,
  MAX_TAG_SETS = 8,
  MAX_TEXTURE_BANKS = 32,
  MAX_SHARED_LOCKS = 65536,
  MAX_ATOMICS_IN_FLIGHT = 32768,  // transactions per warp
};

#endif
