// SPDX-License-Identifier: MIT
// Replaces the transactions of an access by those that an idealised machine would make.
#include "sm/ideal_access.h"

// As many transactions as contiguous lanes would need, one after the other in the region that the
// lanes cover. From turn to turn they move on: a loop in which every lane walks along a row of its
// own touches all rows again and again, and coalesced it would still read each of them once.
static void make_contiguous(Inflight *inflight, uint32_t count, uint32_t turn) {
  Access *accesses = inflight->accesses;
  uint32_t all = inflight->access_count;
  uint64_t low = UINT64_MAX, high = 0, bytes = 0;
  if (count >= all) return;
  for (uint32_t i = 0; i < all; i++) {
    if (accesses[i].address < low) low = accesses[i].address;
    if (accesses[i].address > high) high = accesses[i].address;
    if (accesses[i].bytes > bytes) bytes = accesses[i].bytes;
  }
  low -= low % bytes;
  uint64_t places = (high - low) / bytes + 1, first = (uint64_t)turn * count % places;
  uint8_t sectors = (uint8_t)((1u << bytes / 32) - 1);
  for (uint32_t i = 0; i < count; i++)
    accesses[count - 1 - i] = (Access){.address = low + (first + i) % places * bytes,
                                       .bytes = (uint16_t)bytes,
                                       .touched = sectors,
                                       .full = sectors};
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
      make_contiguous(inflight, ideal_transactions(inflight, in, access, config, units), turn);
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
