// SPDX-License-Identifier: MIT
// Asynchronous operations of an SM: copies (cp.async, bulk copies) and products (wgmma), the groups
// that warps wait for, and waits on mbarriers.
//
// Each warp has groups of several kinds. An operation belongs to the epoch that is open when it
// issues; a commit, and an arrival that follows copies, closes the epoch. Epochs are over in order:
// a wait for groups ends when the epoch of the last of them, and all before it, have nothing in
// flight.
//
// mbarrier.try_wait suspends its warp until the phase is over or sm.mbarrier_wait_cycles have
// passed: its predicate is a register that is not there yet.
//
// All of it is allocated when the first such instruction issues.
#ifndef SM_ASYNC_ASYNC_H
#define SM_ASYNC_ASYNC_H

#include "exec/async.h"
#include "sm/inflight.h"

typedef struct Sm Sm;
typedef struct SmAsync SmAsync;

// After the instruction has executed, and before it goes to its unit.
void sm_async_issue(Sm *sm, uint32_t w, Inflight *inflight, const Instruction *in);
// An operation is over: all its data have arrived.
void sm_async_done(Sm *sm, const Inflight *inflight);
// Whether the result of a wait is not there yet: it is held until it is, and then released.
bool sm_async_holds(Sm *sm, Inflight *inflight);
// Before issue: waits that are over.
void sm_async_tick(Sm *sm, Cycle now);
// mbarriers of its CTAs may have changed.
void sm_async_changed(Sm *sm);
// When it could do something by itself, or NEVER.
Cycle sm_async_next(const Sm *sm);
// A warp begins in the slot.
void sm_async_begin_warp(Sm *sm, uint32_t w);
void sm_async_clear(Sm *sm);

#endif
