// SPDX-License-Identifier: MIT
// Where issue slots go. Every warp scheduler has one slot per cycle: it issues,
// or one reason is counted for why it did not. The reasons sum to the slots.
//
// This table is the only list of them. The enum, the counters of SMs and of
// intervals, `list stats`, the table that a run prints, `heddle compare`, the
// store and the report page are all made from it; add a reason here and decide
// in sm/stall.c when it applies.
//
//   X(name, label, group, help)
//
// name: the counter is `slot_NAME`. label: a noun phrase for people. group: the
// reasons that a figure draws in shades of one colour. help: completes "issue
// slots in which ...".
//
// Reasons of the group "empty" are those of schedulers without a resident warp. Which of them
// applies follows from the launches (gpu/empty_slots.c).
#ifndef POLICIES_SLOT_REASON_H
#define POLICIES_SLOT_REASON_H

#include "base/stats.h"

// clang-format off
#define SLOT_REASONS(X)                                                                           \
  X(issued, "issued", "issued", "an instruction issued")                                          \
  X(held, "held by the scheduler", "held", "the scheduler held back warps that could issue")      \
  X(memory, "memory latency", "memory", "a register waits for global, local or texture memory")   \
  X(shared, "shared or constant latency", "memory", "a register waits for shared memory or a constant") \
  X(atomic, "atomic", "memory", "a warp waits for its atomic")                                    \
  X(copy, "asynchronous copy", "memory", "a warp waits for groups of asynchronous copies or products") \
  X(drain, "draining stores", "memory", "all warps have exited; stores or loads are outstanding") \
  X(lsu, "load/store unit busy", "lsu", "the load/store unit is processing an earlier instruction")    \
  X(bank_conflict, "shared-memory bank conflict", "lsu", "the load/store unit serialises the bank conflicts of an instruction") \
  X(mshr, "MSHRs full", "backpressure", "the load/store unit is blocked: no MSHR, or no room to merge in one") \
  X(reservation, "cache set reserved", "backpressure", "the load/store unit is blocked: every way of the set is reserved") \
  X(miss_queue, "miss queue full", "backpressure", "the load/store unit is blocked: the miss queue is full") \
  X(network, "network full", "backpressure", "the load/store unit is blocked: network back-pressure") \
  X(dependency, "dependency", "compute", "a register waits for an arithmetic result")             \
  X(operands, "operand collectors full", "compute", "all operand collectors of the unit are occupied") \
  X(arithmetic, "arithmetic units busy", "compute", "the SP or INT units are busy")           \
  X(sfu, "special-function unit busy", "compute", "the SFU is busy")                        \
  X(dp, "double precision busy", "compute", "the double-precision unit is busy")        \
  X(tensor, "tensor cores busy", "compute", "the tensor cores are busy")                      \
  X(barrier, "barrier", "sync", "warps wait at a barrier or are in nanosleep")                    \
  X(children, "child kernels", "sync", "warps wait for child kernels, or to launch them") \
  X(fence, "fence", "sync", "warps wait at a memory fence")                                       \
  X(fetch, "instruction fetch", "frontend", "instructions are being fetched")                     \
  X(flush, "branch flush", "frontend", "a taken branch flushed the instruction buffer")           \
  X(launch, "launch latency", "empty", "no warp is resident; launches are in flight, and no CTA can be dispatched") \
  X(dispatch, "waiting for a CTA", "empty", "no warp is resident; CTAs are left, but none has been dispatched here: dispatch rate, turnaround, or an SM without room") \
  X(small_grid, "grid too small", "empty", "no warp has been resident; all CTAs have been dispatched, fewer than fit the GPU") \
  X(tail, "tail", "empty", "no warp is resident; all CTAs have been dispatched, and those of this scheduler have completed")
// clang-format on

typedef enum SlotReason {
#define X(name, label, group, help) SLOT_##name,
  SLOT_REASONS(X)
#undef X
      SLOT_REASON_COUNT
} SlotReason;

// The counter of one reason in an array `slots` of a struct of counters:
//
//   #define X(...) SLOT_STAT(SmStats, slots, __VA_ARGS__),
//     SLOT_REASONS(X)
#define SLOT_STAT(Struct, slots, name_, label_, group_, help_)                                     \
  {                                                                                                \
    .name = "slot_" #name_, .label = label_, .group = group_, .help = "issue slots in which " help_, \
    .offset = STAT_OFFSET_(Struct, slots[SLOT_##name_])                                            \
  }

// The slots of schedulers without a warp, which are in the group "empty".
static inline uint64_t slots_empty(const uint64_t slots[SLOT_REASON_COUNT]) {
  return slots[SLOT_launch] + slots[SLOT_dispatch] + slots[SLOT_small_grid] + slots[SLOT_tail];
}

static inline uint64_t slots_sum(const uint64_t slots[SLOT_REASON_COUNT]) {
  uint64_t sum = 0;
  for (int reason = 0; reason < SLOT_REASON_COUNT; reason++) sum += slots[reason];
  return sum;
}

#endif
