// SPDX-License-Identifier: MIT
// The next step is read ahead, because the machine looks at the pc of a warp before it issues.
#include "exec/replay.h"

#include "base/memory.h"
#include "exec/barrier.h"

typedef struct WarpReplay {
  const Replay *source;
  void *steps;
  ReplayStep next;
} WarpReplay;

// Of a warp at a barrier.
typedef struct Arrival {
  uint32_t mask, barrier, threads;
} Arrival;

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

bool replay_is_after_gap(const Warp *warp) {
  const WarpReplay *replay = warp->replay;
  return replay && replay->next.is_after_gap;
}

static bool is_barrier(const Instruction *in) {
  bool is_one = in->form.op == OP_BAR || in->form.op == OP_BARRIER;
  return is_one && in->form.mode != MODE_WARP;
}

// Barriers of a cluster have no operands.
static void arrive(ExecContext *context, Warp *warp, const Instruction *in, const Arrival *at) {
  if (in->form.option & OPTION_CLUSTER)
    in->exec(context, warp, in, at->mask);
  else
    barrier_arrive(warp, in, at->mask, at->barrier, at->threads, in->form.mode != MODE_ARRIVE, 0);
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
  if (step->access.mask) context->access = step->access;
  Arrival at = {mask, step->barrier, step->barrier_threads};
  if (!advance(warp)) {
    warp_exit(warp, FULL_MASK);
    replay->source->close(replay->steps);
    replay->steps = NULL;
    return in;
  }
  if (mask && is_barrier(in) && !replay->source->passes_barriers) arrive(context, warp, in, &at);
  return in;
}
