// SPDX-License-Identifier: MIT
// Throttling: how many CTAs an SM may hold.
//
// To add one, write a file in this folder that defines a ThrottleType (fixed.c is an
// example) and list it in throttles.def. There is one state per GPU; the view names the SM.
// When the limit falls below the number of resident CTAs, these run to completion. CTAs of a
// cooperative launch do not count against a limit: its grid barrier requires all of them to
// be resident.
#ifndef POLICIES_THROTTLE_THROTTLE_H
#define POLICIES_THROTTLE_THROTTLE_H

#include "base/cycle.h"
#include "policies/policy.h"

// Why a policy is called: a kernel begins, a CTA has completed on this SM,
// policy.interval_cycles have passed since all SMs were asked last, or the policy
// wants all SMs to be asked (has_news).
typedef enum ThrottleCause {
  THROTTLE_KERNEL,
  THROTTLE_CTA_END,
  THROTTLE_INTERVAL,
  THROTTLE_NEWS
} ThrottleCause;

typedef struct ThrottleView {
  Cycle now;
  uint8_t cause;  // ThrottleCause
  uint32_t sm, sm_count;
  const KernelView *kernel;  // that starts, whose CTA completed, or the oldest running one
  uint32_t resident_ctas;    // on this SM, of all kernels
  uint32_t limit;            // the last answer for this SM
  // Of this SM since the start.
  uint64_t cycles, warp_instructions;
  // Scheduler slots without an instruction because memory had not answered or took
  // no more; because there was no warp, or all had finished or synchronised.
  uint64_t memory_stalls, idle_stalls;
  uint64_t l1d_accesses, l1d_misses;
  uint64_t dram_reads, dram_atomics;         // loads, atomics, by transaction, that DRAM answered
  uint64_t loads_done, load_latency_cycles;  // of global and local memory and textures; summed
  // Distinct lines that accesses needed in the L1D, and these accesses, since an answer for
  // this SM while it was empty, as long as the policy watches the SM; else 0. Stores need a
  // line only if they allocate one.
  uint64_t lines_touched, line_uses;
  uint32_t l1d_lines;  // capacity now: where L1D and shared memory divide one array, it changes
} ThrottleView;

typedef struct ThrottleType {
  PolicyType policy;
  // Returns at least 1; more than fit means no limit. NULL: never any.
  uint32_t (*limit)(void *state, const ThrottleView *view);
  bool wants_intervals;
  // Whether lines_touched of an SM is wanted from this answer on; asked after
  // each answer for it, because counting costs time. NULL: never.
  bool (*watches_lines)(void *state, uint32_t sm);
  // Whether every SM shall be asked now; asked before CTAs are dispatched. True
  // once per piece of news. NULL: never.
  bool (*has_news)(void *state);
} ThrottleType;

extern const PolicyFamily throttle_family;

// Asks, and checks the answer.
uint32_t throttle_limit(const ThrottleType *type, void *state, const ThrottleView *view);

#endif
