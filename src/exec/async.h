// SPDX-License-Identifier: MIT
// What asynchronous instructions leave to be done when their data have arrived.
//
// Values have no time: data are copied when the instruction executes. What tells other threads of
// it, an arrival or bytes at an mbarrier, may come later: with a note in the context
// (ExecContext.note) it is written there, and who owns the context applies it when the transfer is
// over. Without one it happens at once.
#ifndef EXEC_ASYNC_H
#define EXEC_ASYNC_H

#include "isa/instruction.h"

typedef struct AsyncNote {
  uint32_t mask;  // lanes that leave something; 0: nothing
  bool is_bytes;  // amount[] bytes have arrived, else amount[] threads
  const Warp *warp;
  uint64_t *word[WARP_LANES];  // the mbarriers
  uint32_t amount[WARP_LANES];
} AsyncNote;

// Leaves an arrival of `amount` bytes or threads at a lane's mbarrier.
void async_note(AsyncNote *note, const Warp *warp, int lane, uint64_t *word, uint32_t amount,
                bool is_bytes);

// An mbarrier of another CTA of the warp's cluster is told of by the cluster.
// False if more threads arrive than the phase wants: *lane is the first of those.
bool async_apply(const AsyncNote *note, int *lane);

// A wait on mbarriers that has not ended: mbarrier.try_wait may suspend the thread.
typedef struct AsyncWait {
  uint32_t mask;    // 0: there is none
  uint32_t wanted;  // bit i: the parity of the phase that lane i waits for the end of
  const uint64_t *word[WARP_LANES];
  uint32_t *predicate;  // its result
} AsyncWait;

// Lanes whose phase is over.
uint32_t async_over(const AsyncWait *wait);

// Global memory that a bulk copy reads or writes.
typedef struct BulkRange {
  uint64_t address;
  uint32_t bytes;
} BulkRange;

typedef struct BulkRanges {
  BulkRange *ranges;
  uint32_t count, capacity;
} BulkRanges;

void bulk_ranges_add(BulkRanges *ranges, uint64_t address, uint32_t bytes);
void bulk_ranges_clear(BulkRanges *ranges);

#endif
