// SPDX-License-Identifier: MIT
// Cost of atomics on shared memory (sm.shared_atomics).
#include "sm/lsu/shared_atomic.h"

#include "base/memory.h"
#include "sm/lsu/coalescer.h"

// Compare-and-swap takes twice as long per lane as other native operations: 126 cycles for a warp
// against 63 (ademeure/QuickRunCUDA, B300).
enum { WORD_BYTES = 4, CAS_FACTOR = 2 };

// Words that loops around compare-and-swap of different warps meet in: those whose numbers are
// equal modulo this count as one.
enum { LOOP_WORDS = 8192 };

// ---- lanes that meet

// Different keys (words, locks) of the lanes, and how many lanes have each.
typedef struct Meetings {
  uint64_t key[WARP_LANES];
  uint32_t lanes[WARP_LANES];
  uint32_t count, most;
} Meetings;

static void meet(Meetings *meetings, uint64_t key) {
  uint32_t i = 0;
  while (i < meetings->count && meetings->key[i] != key) i++;
  if (i == meetings->count) {
    meetings->key[meetings->count++] = key;
    meetings->lanes[i] = 0;
  }
  if (++meetings->lanes[i] > meetings->most) meetings->most = meetings->lanes[i];
}

static void meet_in_words(Meetings *meetings, const uint64_t *address, uint32_t mask) {
  meetings->count = meetings->most = 0;
  for (uint32_t left = mask; left; left &= left - 1)
    meet(meetings, address[__builtin_ctz(left)] / WORD_BYTES);
}

// Words whose numbers are equal modulo the number of locks share one (Gomez-Luna et al., TPDS
// 2013; van den Braak et al., ICCD 2013).
static void meet_in_locks(Meetings *meetings, uint32_t locks, const uint64_t *address,
                          uint32_t mask, uint64_t base) {
  meetings->count = meetings->most = 0;
  for (uint32_t left = mask; left; left &= left - 1)
    meet(meetings, (base + address[__builtin_ctz(left)]) / WORD_BYTES % locks);
}

// As if every lane had a key of its own.
static void part(Meetings *meetings) {
  for (uint32_t i = 0; i < meetings->count; i++) meetings->lanes[i] = 1;
  meetings->most = 1;
}

// ---- locks

// One lane succeeds per pass. Compare-and-swap fails if another warp has succeeded since its own
// last pass: among all warps, too, one lane of a word succeeds per pass.
static uint32_t lock_cycles(const SmConfig *config, uint32_t lanes) {
  if (config->shared_atomics == SHARED_ATOMICS_NATIVE)
    return lanes * config->shared_cas_loop_cycles;
  return config->shared_lock_cycles + (lanes - 1) * config->shared_relock_cycles;
}

// Each pass accesses the banks twice: load and lock, store and unlock.
static void describe_lock(Inflight *to, const MemoryAccess *access, uint32_t mask,
                          const SmConfig *config) {
  Meetings locks;
  meet_in_locks(&locks, config->shared_locks, access->address, mask, 0);
  if (config->ideal.no_contention) part(&locks);
  to->passes = (uint16_t)(to->bank_cycles + locks.most - 1);
  to->conflict_cycles = (uint16_t)(2 * to->passes);
  to->loop_cycles = lock_cycles(config, locks.most);
  to->is_loop = true;
}

void shared_locks_init(SharedLocks *locks, const SmConfig *config) {
  *locks = (SharedLocks){0};
  if (config->shared_atomics == SHARED_ATOMICS_FREE || config->ideal.no_contention) return;
  bool is_native = config->shared_atomics == SHARED_ATOMICS_NATIVE;
  locks->count = is_native ? LOOP_WORDS : config->shared_locks;
}

void shared_locks_clear(SharedLocks *locks) {
  memory_free(locks->free_at);
  *locks = (SharedLocks){0};
}

// A warp adds in every pass from now until it is done.
static Cycle use_adders(SharedLocks *locks, uint32_t cycles, uint32_t pass, Cycle now, Cycle done) {
  Cycle begin = locks->adders_free_at > now ? locks->adders_free_at : now;
  locks->adders_free_at = begin + (done - now + pass - 1) / pass * cycles;
  return locks->adders_free_at > done ? locks->adders_free_at : done;
}

Cycle shared_locks_take(SharedLocks *locks, const SmConfig *config, const MemoryAccess *access,
                        uint32_t mask, uint64_t base, uint32_t adder_cycles, Cycle now) {
  Meetings meetings;
  Cycle done = now;
  if (!locks->free_at) locks->free_at = memory_alloc(sizeof *locks->free_at * locks->count);
  meet_in_locks(&meetings, locks->count, access->address, mask, base);
  for (uint32_t i = 0; i < meetings.count; i++) {
    Cycle *free_at = &locks->free_at[meetings.key[i]];
    *free_at = (*free_at > now ? *free_at : now) + lock_cycles(config, meetings.lanes[i]);
    if (*free_at > done) done = *free_at;
  }
  if (!adder_cycles) return done;
  return use_adders(locks, adder_cycles, config->shared_cas_loop_cycles, now, done);
}

// ---- native

typedef enum AtomicWay { WAY_NATIVE, WAY_CAS, WAY_MERGED, WAY_LOOP } AtomicWay;

// Native are 32-bit integer arithmetic, and compare-and-swap of 32 and 64 bits. Exchange of 64
// bits is counted as compare-and-swap. Increments by a constant 1 without a result are counted
// lanes (ATOMS.POPC.INC).
static AtomicWay way_of(const Instruction *in, const IssueInfo *info, const SmConfig *config) {
  uint32_t bytes = (uint32_t)type_bytes(in->form.type);
  bool is_float = type_kind(in->form.type) == KIND_FLOAT;
  if (in->form.operation == OPERATION_CAS) return WAY_CAS;
  if (in->form.operation == OPERATION_EXCH) return bytes == WORD_BYTES ? WAY_NATIVE : WAY_CAS;
  if (is_float || bytes != WORD_BYTES || in->form.vector > 1) return WAY_LOOP;
  return info && info->adds_one && config->shared_increments_merge ? WAY_MERGED : WAY_NATIVE;
}

// The busiest bank: its words one after the other, and of each word the lanes.
static uint32_t bank_lanes(const Meetings *words, const SmConfig *config, uint32_t lane_cycles) {
  uint32_t cycles[64] = {0}, most = 0;
  uint64_t row[64];
  for (uint32_t i = 0; i < words->count; i++) {
    uint64_t place = words->key[i] * WORD_BYTES / config->shared_bank_bytes;
    uint32_t bank = (uint32_t)(place % config->shared_banks);
    // Two words of a wide bank's row are read together.
    bool is_with_last = cycles[bank] && row[bank] == place && words->lanes[i] == 1;
    row[bank] = place;
    if (!is_with_last) cycles[bank] += 1 + (words->lanes[i] - 1) * lane_cycles;
    if (cycles[bank] > most) most = cycles[bank];
  }
  return most;
}

// In each pass the lanes that are left compare and swap, one after the other, and one succeeds.
static void describe_loop(Inflight *to, uint32_t lanes, const SmConfig *config) {
  uint32_t failing = lanes * (lanes - 1) / 2 * config->shared_atomic_lane_cycles;
  to->passes = (uint16_t)(to->bank_cycles + lanes - 1);
  to->conflict_cycles = (uint16_t)(2 * to->passes + failing);
  to->loop_cycles = lock_cycles(config, lanes);
  to->is_loop = true;
}

static void describe_native(Inflight *to, const Instruction *in, const MemoryAccess *access,
                            uint32_t mask, const SmConfig *config) {
  Meetings words;
  meet_in_words(&words, access->address, mask);
  if (config->ideal.no_contention) part(&words);
  AtomicWay way = way_of(in, to->info, config);
  to->loop_cycles = config->shared_atomic_gap_cycles;
  if (way == WAY_MERGED) return;
  if (way == WAY_LOOP) {
    describe_loop(to, words.most, config);
    return;
  }
  uint32_t factor = way == WAY_CAS ? CAS_FACTOR : 1;
  uint32_t lane_cycles = factor * config->shared_atomic_lane_cycles;
  to->passes = (uint16_t)bank_lanes(&words, config, 1);
  to->conflict_cycles = (uint16_t)bank_lanes(&words, config, lane_cycles);
}

void shared_atomic_describe(Inflight *to, const Instruction *in, const MemoryAccess *access,
                            uint32_t mask, const SmConfig *config) {
  to->bank_cycles = (uint16_t)shared_conflict_cycles(access->address, mask, config->shared_banks,
                                                     config->shared_bank_bytes);
  if (config->ideal.no_bank_conflicts) to->bank_cycles = 1;
  to->conflict_cycles = to->passes = to->bank_cycles;
  to->loop_cycles = 0;
  to->is_loop = false;
  if (config->shared_atomics == SHARED_ATOMICS_LOCK) describe_lock(to, access, mask, config);
  if (config->shared_atomics == SHARED_ATOMICS_NATIVE)
    describe_native(to, in, access, mask, config);
}
