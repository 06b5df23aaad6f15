// SPDX-License-Identifier: MIT
// Replay: a launch whose warps follow recorded steps instead of computing them. A step says which
// instruction a warp executed, with which lanes, and which addresses these accessed; there are no
// values. Barriers are real, unless the source says otherwise: a warp waits at one until its CTA's
// others have arrived.
#ifndef EXEC_REPLAY_H
#define EXEC_REPLAY_H

#include "exec/execute.h"

typedef struct ReplayStep {
  uint32_t pc;                        // index into Program.code
  uint32_t mask;                      // lanes that executed it; may be 0
  uint32_t barrier, barrier_threads;  // that it arrives at, if it is one; 0 threads: all
  bool is_after_gap;                  // steps before it were left out
  MemoryAccess access;                // mask 0: none
} ReplayStep;

// Where the steps of a launch come from. Warps of different SMs may read at the same time.
struct Replay {
  void *self;
  // The steps of a warp of a CTA, by its linear index; never NULL.
  void *(*open)(void *self, uint64_t cta, uint32_t warp);
  // The next one; false at the end.
  bool (*next)(void *steps, ReplayStep *step);
  void (*close)(void *steps);
  bool passes_barriers;  // warps do not wait there
};

// For warp_start and warp_clear: begins, and forgets, what the warp replays.
void replay_start(Warp *warp, const Replay *replay);
void replay_end(Warp *warp);

// Whether steps were left out before the next one of a warp, which may be none that replays.
bool replay_is_after_gap(const Warp *warp);

// warp_step for a warp that replays.
const Instruction *replay_step(ExecContext *context, Warp *warp, uint32_t *active);

#endif
