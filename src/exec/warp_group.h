// SPDX-License-Identifier: MIT
// Warp groups: four warps of a CTA that execute wgmma together.
//
// A product reads shared memory for all four, but here each warp computes its rows when it executes
// the instruction. Programs may overwrite the factors when one warp knows that the products are
// over; so a wait for groups lasts until the other warps of the warp group have executed them, too.
// Warps that have exited are not waited for.
#ifndef EXEC_WARP_GROUP_H
#define EXEC_WARP_GROUP_H

#include "exec/warp.h"

void warp_group_multiplied(Warp *warp);
void warp_group_committed(Warp *warp);
// At most `left` groups of products may not be over: the warp waits (WARP_AT_BARRIER) if it has to.
void warp_group_wait(Warp *warp, const Instruction *in, uint32_t mask, uint32_t left);
// A warp of the CTA has exited.
void warp_group_left(Cta *cta);

#endif
