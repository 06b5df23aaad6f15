// SPDX-License-Identifier: MIT
// The next step is read ahead, because the machine looks at the pc of a warp before it issues.
#include "exec/replay.h"

#include <string.h>

#include "base/memory.h"
#include "exec/barrier.h"

typedef struct WarpReplay {
  const Replay *source;
  void *steps;
  ReplayStep next;
} WarpReplay;

// Puts the next step before the warp; false: there is none.
static bool advance(Warp *warp) {
  WarpReplay *replay = warp->replay;
  if (!replay->source->next(replay->steps, &replay->next)) return false;
  SimtEntry *top = warp_top(warp);
  top->pc = replay->next.pc;
  top->mask = replay->next.mask;
  return true;
}

// A warp without a single step exits with its first instruction, whatever that is.
void replay_start(Warp *warp, const Replay *source) {
  WarpReplay *replay = warp->replay ? warp->replay : memory_alloc(sizeof *replay);
  if (replay->steps) replay->source->close(replay->steps);
  warp->replay = replay;
  replay->source = source;
  replay->steps = source->open(source->self, warp->cta->linear, warp->index);
  if (!advance(warp))
    replay->next = (ReplayStep){.pc = warp_top(warp)->pc, .mask = warp_top(warp)->mask};
}

void replay_end(Warp *warp) {
  WarpReplay *replay = warp->replay;
  if (!replay) return;
  if (replay->steps) replay->source->close(replay->steps);
  memory_free(replay);
  warp->replay = NULL;
}

// What coalescing and the caches need to know of a recorded access.
static void note_access(MemoryAccess *access, const Instruction *in, const ReplayStep *step) {
  Opcode op = in->form.op;
  bool is_copy = op == OP_CP;
  access->mask = step->mask;
  access->generic_shared = step->shared;
  access->generic_local = step->local;
  // An asynchronous copy is seen as the read that it begins with.
  access->space = is_copy ? SPACE_GLOBAL : in->form.space;
  access->bytes = in->dst_bytes;
  access->write = op == OP_ST || op == OP_STMATRIX || op == OP_RED;
  access->atomic = op == OP_ATOM || op == OP_RED;
  memcpy(access->address, step->address, sizeof access->address);
}

static bool is_barrier(const Instruction *in) {
  return in->form.op == OP_BAR || in->form.op == OP_BARRIER;
}

const Instruction *replay_step(ExecContext *context, Warp *warp, uint32_t *active) {
  WarpReplay *replay = warp->replay;
  const ReplayStep *step = &replay->next;
  const Instruction *in = &warp->code[step->pc];
  uint32_t mask = step->mask;
  *active = mask;
  context->access.mask = 0;
  warp->instructions++;
  warp->thread_instructions += (uint64_t)__builtin_popcount(mask);
  if (step->exact)
    context->access = *step->exact;
  else if (step->has_access && mask)
    note_access(&context->access, in, step);
  bool arrives = !replay->source->passes_barriers && is_barrier(in) && mask && in->form.mode != MODE_WARP;
  if (!advance(warp)) {
    warp_exit(warp, FULL_MASK);
    replay->source->close(replay->steps);
    replay->steps = NULL;
    return in;
  }
  if (arrives)
    barrier_arrive(warp, in, mask, (uint32_t)in->offset, 0, in->form.mode != MODE_ARRIVE, 0);
  return in;
}
