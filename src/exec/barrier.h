// SPDX-License-Identifier: MIT
// The named barriers of a CTA, and its registers, which warps may pass on to one another.
//
// Warps arrive, not threads: a warp that executes a barrier with some of its lanes has
// arrived, as on hardware before Volta. An exited warp counts as arrived, so threads may
// return early.
#ifndef EXEC_BARRIER_H
#define EXEC_BARRIER_H

#include "exec/execute.h"

// A warp reaches barrier `id`. expected_threads: 0 = the whole CTA. Unless it only
// arrives (bar.arrive), it waits (WARP_AT_BARRIER) until the barrier is complete; the last
// warp releases all. For bar.red, in->dst[0] of every waiting warp is then written; votes
// are the lanes whose predicate was true.
void barrier_arrive(Warp *warp, const Instruction *in, uint32_t mask, uint32_t id,
                    uint32_t expected_threads, bool waits, uint32_t votes);

// The barrier that an instruction names, and for how many threads (0: the whole CTA), both as the
// lowest lane has them.
typedef struct BarrierOperands {
  uint32_t id, threads;
} BarrierOperands;
BarrierOperands barrier_operands(const Warp *warp, const Instruction *in, uint32_t mask);

// A warp that has arrived at the cluster barrier waits for the others.
void barrier_wait_cluster(Warp *warp, const Instruction *in, uint32_t mask);

// setmaxnreg: the warp keeps so many registers per lane. What it gives back is its CTA's; for more
// it waits (WARP_AT_BARRIER) until the CTA has them. Registers of warps that have exited stay with
// them; giving back more, or asking for fewer, than it has changes nothing.
void registers_keep(Warp *warp, const Instruction *in, uint32_t mask, uint32_t count);
void registers_ask(Warp *warp, const Instruction *in, uint32_t mask, uint32_t count);

// A warp of the CTA has exited, which may complete barriers.
void cta_warp_ended(Cta *cta);

// No warp can run, yet not all have ended.
bool cta_is_hung(const Cta *cta);
// Says which warps wait where.
Status cta_report_hang(const Cta *cta, Error *err);

#endif
