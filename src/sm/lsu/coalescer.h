// SPDX-License-Identifier: MIT
// From lane addresses to transactions; and the cost of shared memory banks.
#ifndef SM_LSU_COALESCER_H
#define SM_LSU_COALESCER_H

#include "exec/execute.h"
#include "sm/inflight.h"

// Where a CTA's local memory lies in the device's address space: words are
// interleaved over the threads that can be resident, so that neighbours touch
// neighbouring words.
typedef struct LocalLayout {
  uint64_t base;              // address of word 0 of the first thread
  uint64_t thread;            // number of the CTA's first thread among all that can be resident
  uint64_t thread_count;      // of those
} LocalLayout;

// Granularity of a lookup in these caches: a line, or a sector.
typedef struct AccessUnits {
  uint32_t constant, texture;  // bytes
} AccessUnits;

// Turns the access in `access` into transactions of `to`, in the order in
// which they leave (descending addresses). Sets path, accesses, counts and the
// transaction of the lowest active lane.
void coalesce(Inflight *to, const Instruction *in, const MemoryAccess *access, const SmConfig *config,
              const LocalLayout *local, uint32_t first_thread, const AccessUnits *units);

// The transactions that as many lanes with as many bytes would take at best, and
// no more than there are: those of one address are served together.
uint32_t ideal_transactions(const Inflight *done, const Instruction *in, const MemoryAccess *access,
                            const SmConfig *config, const AccessUnits *units);

// Cycles that the banks of shared memory need: the most different words that
// any bank has to give. Lanes that want the same word share it.
uint32_t shared_conflict_cycles(const uint64_t *address, uint32_t mask, uint32_t banks,
                                uint32_t bank_bytes);

// The sectors of a bulk copy.
void coalesce_bulk(Inflight *to, const BulkRanges *ranges);

#endif
