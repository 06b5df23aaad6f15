// SPDX-License-Identifier: MIT
// Replaces the transactions of an access by those that an idealised machine would make.
#include "sm/ideal_access.h"

enum { LINE_BYTES = 128 };

// Notes the first line of an access; returns whether its lanes walk along lines.
static bool walks_along(const Inflight *inflight, IdealAccesses *ideal) {
  IdealWalk *walk = &ideal->walks[inflight->warp * IDEAL_WALKS + inflight->pc % IDEAL_WALKS];
  uint64_t line = inflight->accesses[0].address;
  if (walk->line == line) walk->is_walk = true;
  walk->line = line;
  return walk->is_walk;
}

// Where lanes walk along lines, and the L1D keeps these until all words have been used, uncoalesced
// accesses only cost slots: the transactions stay, and share as many slots as contiguous lanes
// would need.
static void share_slots(Inflight *inflight, uint32_t count) {
  if (count && count < inflight->access_count)
    inflight->together = (uint8_t)((inflight->access_count + count - 1) / count);
}

// In their slice of the L2, without a fetch.
static void leave_in_l2(IdealAccesses *ideal, const Access *access) {
  left_lines_add(&ideal->left, (LeftLine){.address = access->address, .sectors = access->touched});
}

// Loads owe the sectors of transactions that they do without: what comes for one of them later
// would have found it on its way, or there.
static void leave_behind(IdealAccesses *ideal, const Inflight *inflight, const Access *access) {
  if (inflight->info->is_atomic) return;
  if (inflight->info->is_store)
    leave_in_l2(ideal, access);
  else
    left_lines_add(&ideal->left, (LeftLine){.address = access->address,
                                            .sectors = access->touched,
                                            .is_owed = inflight->path == PATH_L1D});
}

static bool is_owed(const OwedSectors *owed, const Access *access) {
  for (uint32_t left = access->touched; left; left &= left - 1)
    if (!owed_sectors_have(owed, access->address + 32u * (uint32_t)__builtin_ctz(left)))
      return false;
  return true;
}

// As many transactions as contiguous lanes would need, of those that the access makes: it reaches
// no other lines than the real one. Which of them follows from the offset of the address within
// `unit` bytes. A loop in which every lane walks along a row of its own touches all rows again and
// again; coalesced it reads each of them once, a whole line at a time, while the offset goes
// through the line.
static void make_contiguous(Inflight *inflight, uint32_t count, bool is_walk,
                            IdealAccesses *ideal) {
  Access kept[WARP_LANES], *accesses = inflight->accesses;
  uint32_t all = inflight->access_count, bytes = 0;
  if (!count || count >= all || count > WARP_LANES) return;
  for (uint32_t i = 0; i < all; i++)
    if (accesses[i].bytes > bytes) bytes = accesses[i].bytes;
  uint32_t unit = is_walk ? LINE_BYTES : bytes, in_unit = unit / bytes;
  // Multiplied by 2^32 / golden ratio: lines must not prefer some channels of memory.
  uint32_t spread = (uint32_t)(accesses[0].address / unit) * 2654435769u >> 16;
  uint32_t first = (uint32_t)(inflight->lane_address % unit) * all / unit + spread;
  for (uint32_t i = 0; i < count; i++) {
    Access *access = &kept[i];
    *access = accesses[(first + i / in_unit) % all];
    if (is_walk) {
      access->address = access->address / unit * unit + i % in_unit * bytes;
      access->bytes = (uint16_t)bytes;
    }
    access->touched = access->full = (uint8_t)((1u << access->bytes / 32) - 1);
  }
  for (uint32_t i = (count + in_unit - 1) / in_unit; i < all; i++)
    leave_behind(ideal, inflight, &accesses[(first + i) % all]);
  for (uint32_t i = 0; i < count; i++) accesses[i] = kept[i];
  inflight->access_count = (uint16_t)count;
  inflight->lowest_access = 0;
}

// What other accesses have left out is there.
static void note_owed(Inflight *inflight, const IdealAccesses *ideal) {
  if (!ideal->owed || !inflight->info->is_load || inflight->path != PATH_L1D) return;
  for (uint32_t i = 0; i < inflight->access_count; i++)
    inflight->accesses[i].instant = is_owed(ideal->owed, &inflight->accesses[i]);
}

static void coalesce_ideally(Inflight *inflight, const Instruction *in, const MemoryAccess *access,
                             const SmConfig *config, const AccessUnits *units, IdealAccesses *ideal,
                             const Lsu *lsu) {
  uint32_t count = ideal_transactions(inflight, in, access, config, units);
  bool is_walk;
  note_owed(inflight, ideal);
  switch (inflight->path) {
    case PATH_SHARED:
      if (!inflight->loop_cycles)
        inflight->conflict_cycles = inflight->bank_cycles = inflight->passes = 1;
      break;
    case PATH_L1D:
      is_walk = inflight->info->is_load && walks_along(inflight, ideal);
      // So do unaligned ones, whose neighbours use the rest of their lines.
      if (inflight->info->is_load &&
          ((!is_walk && lsu_reuses_lines(lsu)) || 2 * inflight->access_count < 3 * count))
        share_slots(inflight, count);
      else
        make_contiguous(inflight, count, is_walk, ideal);
      break;
    case PATH_BYPASS: make_contiguous(inflight, count, false, ideal); break;
    default: break;
  }
}

void ideal_access(Inflight *inflight, const Instruction *in, const MemoryAccess *access,
                  const SmConfig *config, const AccessUnits *units, IdealAccesses *ideal,
                  const Lsu *lsu) {
  uint8_t flags = inflight->info->ideal;
  bool is_far = inflight->path == PATH_L1D || inflight->path == PATH_BYPASS;
  if (inflight->path == PATH_NONE) return;
  // Loads that hit fetch nothing; atomics that hit are sent to any slice of the L2.
  if (is_far && flags & (IDEAL_FREE | IDEAL_HITS))
    for (uint32_t i = 0; i < inflight->access_count; i++)
      leave_in_l2(ideal, &inflight->accesses[i]);
  if (flags & IDEAL_FREE) {
    inflight->path = PATH_NONE;
    inflight->access_count = 0;
    return;
  }
  if (flags & IDEAL_COALESCED) coalesce_ideally(inflight, in, access, config, units, ideal, lsu);
  bool is_load = inflight->info->is_load && !inflight->info->is_atomic;
  if (flags & IDEAL_HITS && is_load && inflight->path == PATH_BYPASS) inflight->path = PATH_L1D;
}
