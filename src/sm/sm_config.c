// SPDX-License-Identifier: MIT
// Defaults are the GTX 480's as GPGPU-Sim 4 has them, without its quirks.
#include "sm/sm_config.h"

#include <string.h>

static const char *const slot_rules[] = {"fixed", "dynamic", "rotated", NULL};
static const char *const bank_rules[] = {"name", "register", NULL};
static const char *const shared_atomic_rules[] = {"free", "lock", "native", NULL};
static const char *const coalesce_rules[] = {"fermi", "kepler", "sector", NULL};

// clang-format off
const Param sm_params[] = {
    PARAM(SmConfig, max_warps, 48, 1, 64, "warp slots"),
    PARAM(SmConfig, max_ctas, 8, 1, 64, "CTA slots"),
    PARAM(SmConfig, registers, 32768, 1024, 1048576, "32-bit registers"),
    PARAM(SmConfig, register_granularity, 4, 1, 256, "register allocation granularity per thread"),
    PARAM(SmConfig, thread_registers, 255, 16, 255, "maximum registers per thread: 63 on Fermi, 255 since GK110"),
    PARAM(SmConfig, shared_kb, 48, 1, 256, "shared memory"),
    PARAM(SmConfig, shared_granularity_bytes, 1, 1, 4096, "shared memory allocation granularity per CTA"),
    PARAM(SmConfig, shared_reserved_bytes, 0, 0, 65536, "shared memory that the system keeps per CTA"),
    PARAM(SmConfig, unified_kb, 0, 0, 1024, "unified L1D and shared memory, split per kernel; 0 = fixed sizes"),
    PARAM_TEXT(SmConfig, shared_options_kb, "0,8,16,32,64,96", "with unified_kb: allowed sizes of shared memory"),
    PARAM_CHOICE(SmConfig, warp_slots, SLOTS_FIXED, slot_rules, "warp slots of a CTA, as visible in %warpid: fixed = its own, dynamic = the lowest free, rotated = so, but CTAs begin at different sub-cores"),
    PARAM(SmConfig, cta_turnaround_cycles, 0, 0, 100000, "cycles from the end of a CTA until another can start in its place"),
    PARAM(SmConfig, exit_awaits_stores, true, 0, 1, "a CTA ends when its stores are acknowledged, as in GPGPU-Sim; false = when they are issued"),
    PARAM(SmConfig, instruction_bytes, 8, 4, 16, "instruction size in the instruction cache"),
    PARAM(SmConfig, buffer_entries, 2, 1, 8, "instruction buffer entries per warp, filled by one fetch"),
    PARAM(SmConfig, fetches_per_cycle, 1, 1, 8, "fetches per cycle, each of buffer_entries instructions for one warp"),
    PARAM(SmConfig, code_prefetch_lines, 0, 0, 64, "L1I lines fetched ahead of a miss; 0 = none"),
    PARAM(SmConfig, warp_schedulers, 2, 1, 8, "warp schedulers; each issues for the slots equal to its number modulo this"),
    PARAM(SmConfig, issues_per_warp, 1, 1, 2, "instructions per scheduler and cycle, from one warp"),
    PARAM(SmConfig, dual_issue_different_units, true, 0, 1, "dual issue requires different units"),
    PARAM(SmConfig, atomics_stall_warp, true, 0, 1, "a warp issues nothing until its atomic on global memory has returned, as in GPGPU-Sim; false = until its result is needed"),
    PARAM(SmConfig, atomic_gap_cycles, 0, 0, MAX_LATENCY_CYCLES, "without atomics_stall_warp: cycles from the last transaction of an atomic on global memory to the next instruction of its warp"),
    PARAM(SmConfig, atomic_ignores_address, false, 0, 1, "the scoreboard ignores an atomic's address register (a quirk of GPGPU-Sim)"),
    PARAM(SmConfig, sub_cores, false, 0, 1, "each scheduler has private banks, collectors and units (Volta and later)"),
    PARAM_CHOICE(SmConfig, bank_rule, BANK_BY_REGISTER, bank_rules, "register bank mapping, besides the warp"),
    PARAM(SmConfig, register_banks, 16, 1, 64, "register file banks"),
    PARAM(SmConfig, register_ports, 1, 1, 8, "reads per bank and cycle; operand collection steps per cycle"),
    PARAM(SmConfig, general_collectors, 0, 0, 64, "operand collectors that serve all kinds of units; 0 = each kind has its own"),
    PARAM(SmConfig, sp_collectors, 6, 1, 64, "operand collectors of the SP units"),
    PARAM(SmConfig, dp_collectors, 4, 1, 64, "operand collectors of the DP units"),
    PARAM(SmConfig, int_collectors, 4, 1, 64, "operand collectors of the INT units"),
    PARAM(SmConfig, sfu_collectors, 8, 1, 64, "operand collectors of the SFU units"),
    PARAM(SmConfig, tensor_collectors, 4, 1, 64, "operand collectors of the tensor cores"),
    PARAM(SmConfig, mem_collectors, 2, 1, 64, "operand collectors of the load/store unit"),
    PARAM(SmConfig, sp_ports, 2, 1, 16, "instructions per cycle into and out of the SP collectors"),
    PARAM(SmConfig, dp_ports, 1, 1, 16, "instructions per cycle into and out of the DP collectors"),
    PARAM(SmConfig, int_ports, 1, 1, 16, "instructions per cycle into and out of the INT collectors"),
    PARAM(SmConfig, sfu_ports, 1, 1, 16, "instructions per cycle into and out of the SFU collectors"),
    PARAM(SmConfig, tensor_ports, 4, 1, 16, "instructions per cycle into and out of the tensor collectors"),
    PARAM(SmConfig, mem_ports, 1, 1, 16, "instructions per cycle into and out of the load/store collectors"),
    PARAM(SmConfig, sp_units, 2, 1, 16, "SP units"),
    PARAM(SmConfig, dp_units, 0, 0, 16, "DP units; 0 = f64 runs on SP or SFU units"),
    PARAM(SmConfig, int_units, 0, 0, 16, "INT units; 0 = integers run on SP units"),
    PARAM(SmConfig, int_takes_simple, false, 0, 1, "INT units also execute moves, logic, compares, conversions and branches"),
    PARAM(SmConfig, int_mul_on_sp, false, 0, 1, "with INT units: integer multiply and multiply-add on the SP units (Volta and later)"),
    PARAM(SmConfig, simple_conversions, 0, 0, 3, "conversions that are no work of the SFU: 0 = none, 1 = f16 to f32 (Volta), 2 = f32 to 16 bits as well (8.0), 3 = integers to f32 as well (8.6)"),
    PARAM(SmConfig, counts_on_sfu, false, 0, 1, "popc, clz, bfind and brev run on the SFU (Volta and later)"),
    PARAM(SmConfig, sfu_units, 1, 1, 16, "special function units"),
    PARAM(SmConfig, tensor_units, 0, 0, 16, "tensor cores (see [tensor]); 0 = matrix products run on the SFU"),
    PARAM(SmConfig, result_buses, 2, 1, 16, "SP and SFU results per cycle"),
    PARAM(SmConfig, bypass_cycles, 0, 0, MAX_BYPASS_CYCLES, "cycles by which operand bypassing shortens issue to dependent issue (6 + latency)"),
    PARAM_CHOICE(SmConfig, coalesce, COALESCE_FERMI, coalesce_rules, "coalescing rule"),
    PARAM(SmConfig, l1_caches_global, true, 0, 1, "global loads are cached in the L1D"),
    PARAM(SmConfig, l1_parts, 1, 1, 4, "equal parts of the L1D; CTA slot s uses part s modulo this"),
    PARAM(SmConfig, shared_replay_cycles, 1, 1, 32, "cycles of each pass that a bank conflict adds to a load or store of shared memory"),
    PARAM(SmConfig, lsu_interval_cycles, 1, 1, 32, "cycles that a memory instruction occupies the load/store unit, at least"),
    PARAM(SmConfig, l1_accesses_per_cycle, 1, 1, 8, "L1D transactions per cycle (banks)"),
    PARAM(SmConfig, l1_tag_sets, 0, 0, MAX_TAG_SETS, "sets of the L1D of which each is looked up once per cycle, by line number; 0 = no conflicts"),
    PARAM(SmConfig, l1_latency_cycles, 35, 1, 500, "cycles from load/store unit to L1D lookup"),
    PARAM(SmConfig, shared_latency_cycles, 26, 1, 500, "shared memory latency"),
    PARAM(SmConfig, shared_banks, 32, 1, 64, "shared memory banks"),
    PARAM(SmConfig, shared_bank_bytes, 4, 4, 8, "bank width"),
    PARAM_CHOICE(SmConfig, shared_atomics, SHARED_ATOMICS_FREE, shared_atomic_rules, "atomics on shared memory: free = as loads (GPGPU-Sim), lock = lock, update and unlock in a loop (before Maxwell), native = by the unit"),
    PARAM(SmConfig, shared_locks, 1024, 1, MAX_SHARED_LOCKS, "with lock: locks; words whose numbers are equal modulo this share one"),
    PARAM(SmConfig, shared_lock_cycles, 55, 1, MAX_LATENCY_CYCLES, "with lock: cycles of the loop if no lane has to wait for its lock"),
    PARAM(SmConfig, shared_relock_cycles, 55, 1, MAX_LATENCY_CYCLES, "with lock: cycles of the loop for each further lane with the same lock"),
    PARAM(SmConfig, shared_atomic_lane_cycles, 2, 1, 64, "with native: cycles for each further lane on the same word"),
    PARAM(SmConfig, shared_atomic_gap_cycles, 1, 1, MAX_LATENCY_CYCLES, "with native: cycles from the end of a shared atomic to the next instruction of its warp"),
    PARAM(SmConfig, shared_cas_loop_cycles, 60, 1, MAX_LATENCY_CYCLES, "with native: cycles of one pass of a compare-and-swap loop, for operations that are not native"),
    PARAM(SmConfig, shared_loops_add, false, 0, 1, "with native: each pass of a loop that adds f64 occupies the DP units, also if it fails"),
    PARAM(SmConfig, shared_increments_merge, false, 0, 1, "with native: lanes that add a constant 1 to the same word and want no result count as one (Ampere and later)"),
    PARAM(SmConfig, constant_by_word, false, 0, 1, "different constant words of a warp are read one per cycle, not by cache block"),
    PARAM(SmConfig, constant_latency_cycles, 0, 0, 500, "indexed constant load: cycles from lookup to result of a hit"),
    PARAM(SmConfig, constant_interval_cycles, 1, 1, 64, "constants: cycles between two lookups"),
    PARAM(SmConfig, barrier_interval_cycles, 0, 0, 64, "cycles from one warp to the next that arrives at a barrier; 0 = all at once"),
    PARAM(SmConfig, barrier_latency_cycles, 0, 0, MAX_LATENCY_CYCLES, "with barrier_interval_cycles: cycles from the last warp that has arrived at a barrier to the release of all"),
    PARAM(SmConfig, block_queue_entries, 0, 0, MAX_BLOCK_QUEUE, "constants and textures wait in a queue each beside the load/store unit; 0 = in it"),
    PARAM(SmConfig, texture_latency_cycles, 0, 0, 500, "texture fetch: cycles from lookup to result of a hit"),
    PARAM(SmConfig, texture_accesses_per_cycle, 1, 1, 8, "L1T lookups per cycle"),
    PARAM(SmConfig, texture_lanes_per_cycle, 0, 0, 32, "lanes filtered by the texture units per cycle; 0 = all"),
    PARAM(SmConfig, texture_sets, 0, 0, MAX_TEXTURE_SETS, "with texture_lanes_per_cycle: sets of the L1T, one tag of each per cycle; 0 = no conflicts"),
    PARAM(SmConfig, texture_banks, 0, 0, MAX_TEXTURE_BANKS, "with texture_lanes_per_cycle: banks that hold a line of the L1T, one word of each per cycle; 0 = no conflicts"),
    PARAM(SmConfig, response_entries, 2, 1, 64, "response queue entries of the load/store unit"),
    PARAM(SmConfig, l1_replay_entries, 0, 0, 1024, "reads set aside after a reservation failure (Mascar)"),
    PARAM(SmConfig, prefetch_entries, 32, 1, 1024, "prefetch queue entries"),
    PARAM(SmConfig, fence_scopes, false, 0, 1, "fences beyond a CTA wait for the acknowledgements of their warp's stores and atomics, others do not invalidate the L1D"),
    PARAM(SmConfig, fence_invalidates_l1, false, 0, 1, "membar and fence flush the L1D; with fence_scopes, only those beyond a CTA and acquiring accesses"),
    PARAM(SmConfig, mbarrier_wait_cycles, 10000, 1, UINT32_MAX, "mbarrier.try_wait: most cycles that a warp is suspended"),
    PARAM(SmConfig, bulk_latency_cycles, 60, 1, MAX_LATENCY_CYCLES, "cp.async.bulk: cycles from issue to the first request"),
    PARAM(SmConfig, bulk_sectors_per_cycle, 2, 1, 16, "cp.async.bulk: sectors requested per cycle"),
    PARAM(SmConfig, remote_latency_cycles, 170, 1, MAX_LATENCY_CYCLES, "load from the shared memory of another CTA of the cluster: latency in cycles"),
    PARAM(SmConfig, remote_bytes_per_cycle, 16, 1, 128, "shared memory of other CTAs of the cluster: bytes per cycle"),
    {0}};

const Param latency_params[] = {
    PARAM(LatencyConfig, int_add, 4, 1, MAX_LATENCY_CYCLES, "integer add and sub: latency in cycles"),
    PARAM(LatencyConfig, int_max, 13, 1, MAX_LATENCY_CYCLES, "integer min and max: latency in cycles"),
    PARAM(LatencyConfig, int_mul, 4, 1, MAX_LATENCY_CYCLES, "integer multiply: latency in cycles"),
    PARAM(LatencyConfig, int_mad, 5, 1, MAX_LATENCY_CYCLES, "integer multiply-add: latency in cycles"),
    PARAM(LatencyConfig, int_div, 145, 1, MAX_LATENCY_CYCLES, "integer divide: latency in cycles"),
    PARAM(LatencyConfig, fp_add, 4, 1, MAX_LATENCY_CYCLES, "f32 add and sub: latency in cycles"),
    PARAM(LatencyConfig, fp_max, 13, 1, MAX_LATENCY_CYCLES, "f32 min and max: latency in cycles"),
    PARAM(LatencyConfig, fp_mul, 4, 1, MAX_LATENCY_CYCLES, "f32 multiply: latency in cycles"),
    PARAM(LatencyConfig, fp_mad, 5, 1, MAX_LATENCY_CYCLES, "f32 mad: latency in cycles"),
    PARAM(LatencyConfig, fp_fma, 5, 1, MAX_LATENCY_CYCLES, "f32 fma: latency in cycles"),
    PARAM(LatencyConfig, fp_div, 39, 1, MAX_LATENCY_CYCLES, "f32 divide: latency in cycles"),
    PARAM(LatencyConfig, dp_add, 8, 1, MAX_LATENCY_CYCLES, "f64 add and sub: latency in cycles"),
    PARAM(LatencyConfig, dp_max, 19, 1, MAX_LATENCY_CYCLES, "f64 min and max: latency in cycles"),
    PARAM(LatencyConfig, dp_mul, 8, 1, MAX_LATENCY_CYCLES, "f64 multiply: latency in cycles"),
    PARAM(LatencyConfig, dp_mad, 8, 1, MAX_LATENCY_CYCLES, "f64 mad: latency in cycles"),
    PARAM(LatencyConfig, dp_fma, 8, 1, MAX_LATENCY_CYCLES, "f64 fma: latency in cycles"),
    PARAM(LatencyConfig, dp_div, 330, 1, MAX_LATENCY_CYCLES, "f64 divide: latency in cycles"),
    PARAM(LatencyConfig, sfu, 8, 1, MAX_LATENCY_CYCLES, "sqrt, rsqrt, rcp, sin, cos, ex2, lg2, tanh: latency in cycles"),
    PARAM(LatencyConfig, simple, 1, 1, MAX_LATENCY_CYCLES, "moves, logic, compares, conversions, branches: latency in cycles"),
    PARAM(LatencyConfig, lane, 32, 1, MAX_LATENCY_CYCLES, "shuffles and votes: latency in cycles"),
    PARAM(LatencyConfig, tensor, 33, 1, MAX_LATENCY_CYCLES, "without tensor cores, mma of 16 x 8 x 16 on 16 bits, on the SFU: latency in cycles"),
    PARAM(LatencyConfig, int_add_interval, 1, 1, MAX_LATENCY_CYCLES, "integer add and sub: initiation interval in cycles"),
    PARAM(LatencyConfig, int_max_interval, 2, 1, MAX_LATENCY_CYCLES, "integer min and max: initiation interval in cycles"),
    PARAM(LatencyConfig, int_mul_interval, 2, 1, MAX_LATENCY_CYCLES, "integer multiply: initiation interval in cycles"),
    PARAM(LatencyConfig, int_mad_interval, 1, 1, MAX_LATENCY_CYCLES, "integer multiply-add: initiation interval in cycles"),
    PARAM(LatencyConfig, int_div_interval, 8, 1, MAX_LATENCY_CYCLES, "integer divide: initiation interval in cycles"),
    PARAM(LatencyConfig, fp_add_interval, 1, 1, MAX_LATENCY_CYCLES, "f32 add and sub: initiation interval in cycles"),
    PARAM(LatencyConfig, fp_max_interval, 2, 1, MAX_LATENCY_CYCLES, "f32 min and max: initiation interval in cycles"),
    PARAM(LatencyConfig, fp_mul_interval, 1, 1, MAX_LATENCY_CYCLES, "f32 multiply: initiation interval in cycles"),
    PARAM(LatencyConfig, fp_mad_interval, 1, 1, MAX_LATENCY_CYCLES, "f32 mad: initiation interval in cycles"),
    PARAM(LatencyConfig, fp_fma_interval, 1, 1, MAX_LATENCY_CYCLES, "f32 fma: initiation interval in cycles"),
    PARAM(LatencyConfig, fp_div_interval, 4, 1, MAX_LATENCY_CYCLES, "f32 divide: initiation interval in cycles"),
    PARAM(LatencyConfig, dp_add_interval, 8, 1, MAX_LATENCY_CYCLES, "f64 add and sub: initiation interval in cycles"),
    PARAM(LatencyConfig, dp_max_interval, 16, 1, MAX_LATENCY_CYCLES, "f64 min and max: initiation interval in cycles"),
    PARAM(LatencyConfig, dp_mul_interval, 8, 1, MAX_LATENCY_CYCLES, "f64 multiply: initiation interval in cycles"),
    PARAM(LatencyConfig, dp_mad_interval, 8, 1, MAX_LATENCY_CYCLES, "f64 mad: initiation interval in cycles"),
    PARAM(LatencyConfig, dp_fma_interval, 8, 1, MAX_LATENCY_CYCLES, "f64 fma: initiation interval in cycles"),
    PARAM(LatencyConfig, dp_div_interval, 130, 1, MAX_LATENCY_CYCLES, "f64 divide: initiation interval in cycles"),
    PARAM(LatencyConfig, sfu_interval, 8, 1, MAX_LATENCY_CYCLES, "sqrt, rsqrt, rcp, sin, cos, ex2, lg2, tanh: initiation interval in cycles"),
    PARAM(LatencyConfig, simple_interval, 1, 1, MAX_LATENCY_CYCLES, "moves, logic, compares, conversions, branches: initiation interval in cycles"),
    PARAM(LatencyConfig, lane_interval, 4, 1, MAX_LATENCY_CYCLES, "shuffles and votes: initiation interval in cycles"),
    PARAM(LatencyConfig, tensor_interval, 4, 1, MAX_LATENCY_CYCLES, "without tensor cores, mma of 16 x 8 x 16 on 16 bits, on the SFU: initiation interval in cycles"),
    PARAM(LatencyConfig, sfu_sin, 0, 0, MAX_LATENCY_CYCLES, "sin, cos: latency in cycles; 0 = sfu"),
    PARAM(LatencyConfig, sfu_ex2, 0, 0, MAX_LATENCY_CYCLES, "ex2, lg2, tanh: latency in cycles; 0 = sfu"),
    PARAM(LatencyConfig, sfu_rcp, 0, 0, MAX_LATENCY_CYCLES, "rcp: latency in cycles; 0 = sfu"),
    PARAM(LatencyConfig, sfu_sqrt, 0, 0, MAX_LATENCY_CYCLES, "sqrt, rsqrt: latency in cycles; 0 = sfu"),
    PARAM(LatencyConfig, shift, 0, 0, MAX_LATENCY_CYCLES, "shifts: latency in cycles; 0 = simple"),
    PARAM(LatencyConfig, shift_interval, 0, 0, MAX_LATENCY_CYCLES, "shifts: initiation interval in cycles; 0 = simple_interval"),
    PARAM(LatencyConfig, convert, 0, 0, MAX_LATENCY_CYCLES, "conversions from and to floating point: latency in cycles; 0 = simple"),
    PARAM(LatencyConfig, wide_convert_interval, 0, 0, MAX_LATENCY_CYCLES, "... of 64 bits from or to: initiation interval; 0 = as convert_interval"),
    PARAM(LatencyConfig, dp_compare_interval, 0, 0, MAX_LATENCY_CYCLES, "f64 comparisons: initiation interval on the DP units, with the latency of f64 additions; 0 = as simple"),
    PARAM(LatencyConfig, convert_interval, 0, 0, MAX_LATENCY_CYCLES, "conversions from and to floating point: initiation interval on the SFU; 0 = as simple"),
    PARAM(LatencyConfig, to_guard, 0, 0, MAX_DISTANCE_CYCLES, "SP or INT result to a guard or the condition of a branch: cycles beyond its latency"),
    PARAM(LatencyConfig, to_memory, 0, 0, MAX_DISTANCE_CYCLES, "SP or INT result to the address or data of an access: cycles beyond its latency"),
    PARAM(LatencyConfig, to_sfu, 0, 0, MAX_DISTANCE_CYCLES, "the same for operands of special functions and conversions"),
    PARAM(LatencyConfig, to_other_unit, 0, 0, MAX_DISTANCE_CYCLES, "SP result to an INT instruction or INT result to an SP instruction: cycles beyond its latency"),
    PARAM(LatencyConfig, after_control, 0, 0, MAX_DISTANCE_CYCLES, "branch, reconvergence or barrier to the next instruction of the warp: least cycles"),
    PARAM(LatencyConfig, after_sync, 0, 0, MAX_DISTANCE_CYCLES, "reconvergence to the next instruction of the warp: least cycles; 0 = after_control"),
    PARAM(LatencyConfig, after_jump, 0, 0, MAX_DISTANCE_CYCLES, "branch that is taken to another line of the L1I, to the instruction there: least cycles; 0 = after_control"),
    PARAM(LatencyConfig, dp_on_sfu, true, 0, 1, "without DP units, f64 instructions run on the SFU"),
    {0}};
// clang-format on

static uint32_t value_of(const LatencyConfig *latency, const Param *param) {
  uint32_t value;
  memcpy(&value, (const char *)latency + param->offset, sizeof value);
  return value;
}

static const Param *find(const char *name, size_t length) {
  for (const Param *param = latency_params; param->name; param++)
    if (strlen(param->name) == length && strncmp(param->name, name, length) == 0) return param;
  return NULL;
}

Status latency_check(const LatencyConfig *latency, Error *err) {
  static const char suffix[] = "_interval";
  for (const Param *param = latency_params; param->name; param++) {
    size_t length = strlen(param->name), tail = sizeof suffix - 1;
    if (length <= tail || strcmp(param->name + length - tail, suffix) != 0) continue;
    const Param *whole = find(param->name, length - tail);
    if (!whole || !value_of(latency, whole)) continue;  // 0: its class's
    if (value_of(latency, param) <= value_of(latency, whole)) continue;
    return error_set(
        err, ERR_CONFIG,
        "latency.%s = %u exceeds latency.%s = %u; lower the interval or raise the latency",
        param->name, value_of(latency, param), whole->name, value_of(latency, whole));
  }
  return OK;
}
