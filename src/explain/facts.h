// SPDX-License-Identifier: MIT
// What a run says of its kernels: the counters and tables of its JSON result, summed over the
// launches of a kernel.
#ifndef EXPLAIN_FACTS_H
#define EXPLAIN_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "policies/slot_reason.h"

// An access in the source (docs/results.md, accesses).
typedef struct AccessFacts {
  const char *where;  // for people: "softmax.cu:42", "PTX line 17"
  const char *place;  // for --ideal: "softmax.cu:42", "17"
  const char *kind, *space;
  const char *array, *mostly;  // or NULL
  double executions, lanes, transactions, ideal, hits, lookups, bank_conflict_cycles, slots;
} AccessFacts;

typedef struct KernelFacts {
  const char *name;
  uint32_t launches;
  double cycles;
  double share;  // of the cycles of all kernels
  uint32_t grid[3], block[3];
  uint32_t ctas_per_sm, registers, shared_bytes;  // of a thread; of a CTA
  const char *resource_limit;                     // what limits the CTAs per SM
  double occupancy;                               // theoretical
  json_t *sums;                                   // counters, summed
  double slots[SLOT_REASON_COUNT], all_slots;
  AccessFacts *accesses;  // the most expensive first
  size_t access_count;
  double camped_share;  // of the time, in which one L2 slice or its channel is saturated while
                        // others are idle
  double even_share;    // the time left if the slices had equal shares, of the whole
} KernelFacts;

typedef struct RunFacts {
  KernelFacts *kernels;  // the most expensive first
  size_t count;
  double cycles;
  uint32_t sm_count, schedulers, channels, slices, max_warps;
  double l2_ticks_per_cycle;
  double l2_latency;  // of a hit, in an idle machine: cycles
  json_t *result;
} RunFacts;

// A parameter of the machine that ran; 0 if the result does not have it.
double machine_setting(const RunFacts *facts, const char *section, const char *key);

// Reads the file of --json. Clear it also after an error.
Status run_facts_read(RunFacts *facts, const char *path, Arena *arena, Error *err);
// The same from such a result, which is taken over.
void run_facts_of(RunFacts *facts, json_t *result, Arena *arena);
void run_facts_clear(RunFacts *facts);

// A counter by its name in the JSON result; 0 if there is none.
double kernel_fact(const KernelFacts *kernel, const char *name);
// The share of the issue slots that went to a reason.
double slot_share(const KernelFacts *kernel, SlotReason reason);
const char *slot_label(SlotReason reason);
// Reasons that the load/store unit and the memory are responsible for, and that accesses are
// charged with.
bool slot_is_of_memory(SlotReason reason);

// The kernel of that name in another run; NULL if it is not there.
const KernelFacts *run_facts_kernel(const RunFacts *facts, const char *name);

#endif
