// SPDX-License-Identifier: MIT
// The stages of the load/store unit (lsu.h), a file each:
//
//   lsu_l1d.c         the queue before the L1D, and its lookups
//   lsu_write_back.c  answers from the network; results to the registers
//   lsu_block.c       constants and textures
//   lsu_atomic.c      atomics, as far as their warps wait for them
//   lsu_reason.c      why the unit takes no more
//   lsu.c             the instruction in the latch; the cycle
//   lsu_setup.c       making and clearing
#ifndef SM_LSU_LSU_STAGES_H
#define SM_LSU_LSU_STAGES_H

#include "sm/events.h"
#include "sm/lsu/lsu.h"

// Makes a request for the next transaction of an instruction; freed when it completes.
MemRequest *lsu_make_request(Lsu *lsu, Inflight *inflight, RequestKind kind, Cycle now);

// Puts as many transactions of the latch into the L1D's queue as a cycle takes.
void lsu_enter_l1d(Lsu *lsu, Inflight *inflight, Cycle now);
bool lsu_queue_has_room(const Lsu *lsu, const Access *access);
// Looks up accesses whose latency has elapsed, then issues prefetches in free slots.
void lsu_look_up(Lsu *lsu, Cycle now);

// Constants without an address register are operands of other instructions on a real GPU
// (add r1, r2, c[0][16]): they do not wait for the constant pipeline.
bool lsu_is_operand(const Inflight *inflight);
// Looks up as many blocks as a cycle takes; true: all have been.
bool lsu_look_up_blocks(Lsu *lsu, Inflight *inflight, Cycle now);
// False: no room. Before its last lookup an instruction in a queue has accesses outstanding.
bool lsu_queue_block(Lsu *lsu, Inflight *inflight);
void lsu_work_on_queues(Lsu *lsu, Cycle now);
void lsu_end_blocks(Lsu *lsu, Inflight *inflight, Cycle now);  // that were in a queue

// An atomic on shared memory leaves the latch; its warp goes on when it is done.
void lsu_begin_loop(Lsu *lsu, Inflight *inflight, Cycle now);
// The last transaction of an atomic on global memory has left the latch.
void lsu_begin_gap(Lsu *lsu, uint32_t warp, Cycle now);
void lsu_end_loops(Lsu *lsu, Cycle now);
// Puts a result of shared memory into its pipe, which has room.
void lsu_push_shared(Lsu *lsu, Inflight *inflight, Cycle now);
void lsu_take_response(Lsu *lsu, Cycle now);  // from the network; there is one
void lsu_write_result(Lsu *lsu, Cycle now);   // the one chosen last cycle
void lsu_choose_result(Lsu *lsu, Cycle now);  // for the next one

// All transactions have left the latch; registers may still wait for answers.
void lsu_leave_latch(Lsu *lsu, Inflight *inflight, Cycle now);
// An access has been served. The last one completes the instruction, unless that is still
// in the latch, which then completes it.
void lsu_serve(Lsu *lsu, Inflight *inflight, Cycle now);
// A store that went no further than the L1D needs no answers.
void lsu_acknowledge_all(Lsu *lsu, MemRequest *request);
// Returns the request to the pool; NULL if no instruction waits for it.
Inflight *lsu_waiter_of(Lsu *lsu, MemRequest *request);

// Whom an instruction accesses memory for.
Requester lsu_requester(const Lsu *lsu, const Inflight *inflight);
// A store leaves for the L1D or the network: its warp counts the answers.
static inline void lsu_await_stores(Lsu *lsu, const MemRequest *request) {
  uint32_t w = request->requester.warp;
  lsu->stores[w] = (uint16_t)(lsu->stores[w] + request->sectors_left);
}

// The cache that the answer to a request fills.
static inline Cache *lsu_cache_of(const Lsu *lsu, const MemRequest *request) {
  switch (request->kind) {
    case REQUEST_CONSTANT: return lsu->l1c;
    case REQUEST_TEXTURE: return lsu->l1t;
    default: return lsu->l1d[request->l1_part];
  }
}

#endif
