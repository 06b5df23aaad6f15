// SPDX-License-Identifier: MIT
// The steps of a recorded CTA, for the files that make and change them (recorded_cta.h):
//
//   recorded_cta.c    recording and replay
//   recorded_steps.c  lists of steps
//   regrouping.c      warps without divergence
//   balancing.c       equal work between barriers
#ifndef EXEC_RECORDED_STEPS_H
#define EXEC_RECORDED_STEPS_H

#include "exec/barrier.h"
#include "exec/recorded_cta.h"
#include "exec/replay.h"

// An access without its addresses, which follow one another in `addresses`; those of most are
// the first and a stride.
typedef struct RecordedAccess {
  MemoryAccess *lanes;  // NULL: regular
  uint64_t first, stride;
  uint32_t mask, generic_shared, generic_local;
  uint8_t space, bytes;
  bool write, atomic;
} RecordedAccess;

typedef struct Step {
  uint32_t pc, mask;
  uint32_t access;          // index + 1; 0: none
  BarrierOperands barrier;  // of a barrier
  uint32_t live;            // lanes of the warp that had not exited
  uint32_t guests;          // accesses of other warps that it makes, too: index + 1; 0: none
  bool is_left_out;         // not replayed
  bool is_after_gap;        // steps before it were left out
} Step;

typedef struct WarpSteps {
  Step *steps;
  RecordedAccess *accesses;
  uint32_t count, capacity, access_count, access_capacity;
  uint32_t next;  // to be replayed
} WarpSteps;

struct RecordedCta {
  Replay replay;
  WarpSteps *warps;
  uint32_t warp_count;
};

bool step_is_barrier(const Instruction *in);

// Adds a step; an access, which gives its index + 1.
void recorded_add(WarpSteps *warp, Step step);
uint32_t recorded_add_access(WarpSteps *warp, const MemoryAccess *access);
void recorded_read_access(const RecordedAccess *access, MemoryAccess *out);
// Adds a step of another list, with its access.
void recorded_copy(WarpSteps *to, const WarpSteps *from, const Step *step);
void recorded_clear(WarpSteps *warp);
// Takes the lists over, one per warp, in place of those of the CTA.
void recorded_cta_replace(RecordedCta *recorded, WarpSteps *made);

// Without divergence; with equal work between barriers.
void recorded_cta_regroup(RecordedCta *recorded, const Cta *cta);
void recorded_cta_balance(RecordedCta *recorded, const Program *program);

#endif
