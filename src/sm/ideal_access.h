// SPDX-License-Identifier: MIT
// Accesses that are spared a cost (SmIdeal): applied at issue, after coalescing.
#ifndef SM_IDEAL_ACCESS_H
#define SM_IDEAL_ACCESS_H

#include "sm/lsu/coalescer.h"
#include "sm/lsu/lsu.h"

// The line that an instruction of a warp accessed last, and whether it had done so before: lanes
// that walk along lines.
typedef struct IdealWalk {
  uint64_t line;
  bool is_walk;
} IdealWalk;

enum { IDEAL_WALKS = 16 };  // per warp slot, by pc

// Changes the path and the transactions of an instruction whose info has IDEAL_... flags. walks:
// of its warp.
void ideal_access(Inflight *inflight, const Instruction *in, const MemoryAccess *access,
                  const SmConfig *config, const AccessUnits *units, IdealWalk *walks,
                  const Lsu *lsu);

#endif
