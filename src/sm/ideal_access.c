// SPDX-License-Identifier: MIT
#include "sm/ideal_access.h"

#include <string.h>

// Keeps as many transactions as contiguous lanes would need. They take turns: a loop in which
// every lane walks along a row of its own touches all rows again and again, and coalesced it would
// still read each of them once.
static void keep_coalesced(Inflight *inflight, uint32_t count, uint32_t turn) {
  Access kept[WARP_LANES];
  uint32_t all = inflight->access_count;
  if (count >= all || count > WARP_LANES) return;
  for (uint32_t i = 0; i < count; i++)
    kept[i] = inflight->accesses[((uint64_t)turn * count + i) % all];
  memcpy(inflight->accesses, kept, sizeof *kept * count);
  inflight->access_count = (uint16_t)count;
  inflight->lowest_access = 0;
}

static void coalesce_ideally(Inflight *inflight, const Instruction *in, const MemoryAccess *access,
                             const SmConfig *config, const AccessUnits *units, uint32_t turn) {
  switch (inflight->path) {
    case PATH_SHARED:
      if (!inflight->loop_cycles)
        inflight->conflict_cycles = inflight->bank_cycles = inflight->passes = 1;
      break;
    case PATH_L1D:
    case PATH_BYPASS:
      keep_coalesced(inflight, ideal_transactions(inflight, in, access, config, units), turn);
      break;
    default: break;
  }
}

void ideal_access(Inflight *inflight, const Instruction *in, const MemoryAccess *access,
                  const SmConfig *config, const AccessUnits *units, uint32_t turn) {
  uint8_t ideal = inflight->info->ideal;
  if (inflight->path == PATH_NONE) return;
  if (ideal & IDEAL_FREE) {
    inflight->path = PATH_NONE;
    inflight->access_count = 0;
    return;
  }
  if (ideal & IDEAL_COALESCED) coalesce_ideally(inflight, in, access, config, units, turn);
  bool is_load = inflight->info->is_load && !inflight->info->is_atomic;
  if (ideal & IDEAL_HITS && is_load && inflight->path == PATH_BYPASS) inflight->path = PATH_L1D;
}
