// SPDX-License-Identifier: MIT
// Accesses that are spared a cost (SmIdeal): applied at issue, after coalescing.
#ifndef SM_IDEAL_ACCESS_H
#define SM_IDEAL_ACCESS_H

#include "sm/left_lines.h"
#include "sm/lsu/coalescer.h"
#include "sm/lsu/lsu.h"

// The line that an instruction of a warp accessed last, and whether it had done so before: lanes
// that walk along lines.
typedef struct IdealWalk {
  uint64_t line;
  bool is_walk;
} IdealWalk;

enum { IDEAL_WALKS = 16 };  // per warp slot, by pc

// Of an SM.
typedef struct IdealAccesses {
  IdealWalk *walks;         // by warp slot and IDEAL_WALKS; NULL unless accesses are coalesced
  LeftLines left;           // in this cycle
  const OwedSectors *owed;  // of all SMs; NULL unless accesses are coalesced
} IdealAccesses;

// Changes the path and the transactions of an instruction whose info has IDEAL_... flags.
void ideal_access(Inflight *inflight, const Instruction *in, const MemoryAccess *access,
                  const SmConfig *config, const AccessUnits *units, IdealAccesses *ideal,
                  const Lsu *lsu);

#endif
