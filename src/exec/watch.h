// SPDX-License-Identifier: MIT
// A watcher receives, in the order of execution, what memory accesses and synchronisation mean:
// it changes no value and no time. The race check (races/races.h) is one.
//
// Steps of SMs that run in parallel would call it in parallel: a machine with a watcher runs on
// one thread.
#ifndef EXEC_WATCH_H
#define EXEC_WATCH_H

#include "exec/execute.h"

struct ExecWatch {
  // An instruction has accessed the memory in context->access, whose mask is not 0. An
  // asynchronous copy calls twice: for its write of shared memory and for its read.
  void (*accessed)(void *self, const ExecContext *context, const Warp *warp, const Instruction *in);
  // The lanes in mask have executed a barrier or a fence, or have exited.
  void (*synchronised)(void *self, const ExecContext *context, const Warp *warp,
                       const Instruction *in, uint32_t mask);
  // A warp has executed an instruction with the lanes in mask, perhaps none; before the others.
  // NULL: not called.
  void (*stepped)(void *self, const ExecContext *context, const Warp *warp, const Instruction *in,
                  uint32_t mask);
  void *self;
};

// Tells the watcher of the context, if it has one, what warp_step has done; mask: the lanes that
// were active. Whoever calls warp_step calls it.
void watch_step(const ExecContext *context, const Warp *warp, const Instruction *in, uint32_t mask);

// The word at byte `offset` of what a lane stores with an `st`: what it has there, zero-extended
// from the element's size.
uint32_t watch_stored_word(const Warp *warp, const Instruction *in, int lane, uint32_t offset);

#endif
