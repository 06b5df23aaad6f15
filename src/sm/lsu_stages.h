// SPDX-License-Identifier: MIT
// The stages of the load/store unit (lsu.h), a file each:
//
//   lsu_network.c     requests that leave for the network
//   lsu_l1d.c         the queue before the L1D, and its lookups
//   lsu_write_back.c  answers from the network; results to the registers
//   lsu_block.c       constants and textures
//   lsu_atomic.c      atomics on shared memory, after the latch
//   lsu.c             the instruction in the latch; the cycle
//   lsu_setup.c       making and clearing
#ifndef SM_LSU_STAGES_H
#define SM_LSU_STAGES_H

#include "sm/sm.h"

// Makes a request for the next transaction of an instruction; freed when it completes.
MemRequest *lsu_make_request(Sm *sm, Inflight *inflight, RequestKind kind, Cycle now);

// Puts as many transactions of the latch into the L1D's queue as a cycle takes.
void lsu_enter_l1d(Sm *sm, Inflight *inflight, Cycle now);
bool lsu_queue_has_room(const Lsu *lsu, const Access *access);
// Looks up accesses whose latency has elapsed, then issues prefetches in free slots.
void lsu_look_up(Sm *sm, Cycle now);

// Constants without an address register are operands of other instructions on a real GPU
// (add r1, r2, c[0][16]): they do not wait for the constant pipeline.
bool lsu_is_operand(const Inflight *inflight);
// Looks up as many blocks as a cycle takes; true: all have been.
bool lsu_look_up_blocks(Sm *sm, Inflight *inflight, Cycle now);
// False: no room. Before its last lookup an instruction in a queue has accesses outstanding.
bool lsu_queue_block(Sm *sm, Inflight *inflight);
void lsu_work_on_queues(Sm *sm, Cycle now);
void lsu_end_blocks(Sm *sm, Inflight *inflight, Cycle now);  // that were in a queue

// An atomic on shared memory leaves the latch; its warp goes on when it is done.
void lsu_begin_loop(Sm *sm, Inflight *inflight, Cycle now);
// The last transaction of an atomic on global memory has left the latch.
void lsu_begin_gap(Sm *sm, uint32_t warp, Cycle now);
void lsu_end_loops(Sm *sm, Cycle now);
// Puts a result of shared memory into its pipe, which has room.
void lsu_push_shared(Sm *sm, Inflight *inflight, Cycle now);
void lsu_take_response(Sm *sm, Cycle now);  // from the network, if there is one
void lsu_write_result(Sm *sm, Cycle now);   // the one chosen last cycle
void lsu_choose_result(Sm *sm, Cycle now);  // for the next one

// All transactions have left the latch; registers may still wait for answers.
void lsu_leave_latch(Sm *sm, Inflight *inflight, Cycle now);
// An access has been served. The last one completes the instruction, unless that is still
// in the latch, which then completes it.
void lsu_serve(Sm *sm, Inflight *inflight, Cycle now);
// A store that went no further than the L1D needs no answers.
void lsu_acknowledge_all(Sm *sm, MemRequest *request);
// Returns the request to the pool; NULL if no instruction waits for it.
Inflight *lsu_waiter_of(Sm *sm, MemRequest *request);

// A resource has become free: rejected accesses may be retried.
static inline void lsu_unblock(Lsu *lsu) {
  lsu->is_blocked = lsu->replays_blocked = false;
}

#endif
