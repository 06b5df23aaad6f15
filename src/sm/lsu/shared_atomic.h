// SPDX-License-Identifier: MIT
// Cost of atomics on shared memory (sm.shared_atomics).
//
// lock: before Maxwell there is no such instruction. The assembler emits a loop: load and lock
//   (LDSLK), update, store and unlock (STSUL), as long as lanes are left that did not get their
//   lock. Of the lanes with one lock one succeeds per pass. Locks are fewer than words, and shared
//   by the warps of the SM: a lock that another warp's lanes wait for is waited for in turn.
// native: from Maxwell on the unit performs 32-bit integer operations and compare-and-swap
//   (Maxwell Tuning Guide, "Fast Shared Memory Atomics"). Lanes on one word are served one after
//   the other; different words of a bank conflict as those of loads do. Operations that it lacks
//   (floating point, 64 bits) are loops around compare-and-swap, of which one lane per word
//   succeeds in a pass, among all warps of the SM.
//
// Either way the warp issues nothing until its atomic is done, as with atomics on global memory.
//
// Simplified: loops take their time, but no issue slots; a lane that waits for another warp's
// lock does not occupy the unit with failing attempts, only the adders of f64, where these are few.
#ifndef SM_LSU_SHARED_ATOMIC_H
#define SM_LSU_SHARED_ATOMIC_H

#include "exec/execute.h"
#include "sm/inflight.h"

// Sets conflict_cycles, bank_cycles, passes and loop_cycles of an atomic on shared memory;
// of lock, loop_cycles is what it takes if no other warp has its locks.
void shared_atomic_describe(Inflight *to, const Instruction *in, const MemoryAccess *access,
                            uint32_t mask, const SmConfig *config);

// The locks of an SM, or the words that loops around compare-and-swap meet in, each with the
// cycle from which it is free.
typedef struct SharedLocks {
  Cycle *free_at;        // NULL: none has been taken
  uint32_t count;        // 0: none
  Cycle adders_free_at;  // those of f64
} SharedLocks;

void shared_locks_init(SharedLocks *locks, const SmConfig *config);
void shared_locks_clear(SharedLocks *locks);

// Takes the locks of an access to the shared memory that begins at `base`, in the order of calls.
// Returns the cycle in which the last lane has unlocked. adder_cycles: for which a pass of the
// warp, whether it succeeds or not, occupies the adders of f64.
Cycle shared_locks_take(SharedLocks *locks, const SmConfig *config, const MemoryAccess *access,
                        uint32_t mask, uint64_t base, uint32_t adder_cycles, Cycle now);

#endif
