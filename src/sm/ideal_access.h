// SPDX-License-Identifier: MIT
// Accesses that are spared a cost (SmIdeal): applied at issue, after coalescing.
#ifndef SM_IDEAL_ACCESS_H
#define SM_IDEAL_ACCESS_H

#include "sm/lsu/coalescer.h"

// Changes the path and the transactions of an instruction whose info has IDEAL_... flags. turn:
// how many such instructions its warp has issued.
void ideal_access(Inflight *inflight, const Instruction *in, const MemoryAccess *access,
                  const SmConfig *config, const AccessUnits *units, uint32_t turn);

#endif
