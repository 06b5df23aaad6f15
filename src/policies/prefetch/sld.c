// SPDX-License-Identifier: MIT
// Spatial locality detection: when half of a macro block's lines have missed,
// its other lines are prefetched.
//
// Jog et al., "Orchestrated Scheduling and Prefetching for GPGPUs", ISCA 2013,
// as described by Oh et al., ISCA 2016, section III-C: macro blocks of four lines, two of
// which must miss. A table holds the blocks that missed last.
//
// Simplified: any access that does not hit counts, irrespective of load and warp; a
// prefetched block is removed from the table.
#include "policies/prefetch/prefetch.h"

enum { MOST_BLOCKS = 1 << 16, MOST_LINES = 32 };

typedef struct MacroBlock {
  uint64_t number;  // + 1; 0: free
  uint32_t asked;   // bit i: line i
  Cycle seen;
} MacroBlock;

typedef struct Sld {
  uint32_t blocks, lines, trigger;  // parameters
  MacroBlock *table;                // blocks of them
  uint64_t triggered;
} Sld;

static MacroBlock *block_of(Sld *sld, uint64_t number) {
  MacroBlock *oldest = &sld->table[0];
  for (uint32_t i = 0; i < sld->blocks; i++) {
    MacroBlock *block = &sld->table[i];
    if (block->number == number + 1) return block;
    if (block->seen < oldest->seen) oldest = block;
  }
  *oldest = (MacroBlock){.number = number + 1};
  return oldest;
}

static void sld_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  Sld *sld = state;
  if (access->outcome == OUTCOME_HIT || access->is_local) return;
  uint64_t line = access->line / access->line_bytes, first = line / sld->lines * sld->lines;
  MacroBlock *block = block_of(sld, line / sld->lines);
  block->seen = access->now;
  block->asked |= 1u << (line - first);
  if ((uint32_t)__builtin_popcount(block->asked) < sld->trigger) return;
  sld->triggered++;
  for (uint32_t i = 0; i < sld->lines; i++)
    if (!(block->asked >> i & 1))
      prefetch_add(list, (first + i) * access->line_bytes, PREFETCH_NO_WARP);
  *block = (MacroBlock){0};
}

static Status sld_init(void *state, const PolicySetup *setup, Error *err) {
  Sld *sld = state;
  (void)err;
  sld->table = ARENA_ARRAY(setup->arena, MacroBlock, sld->blocks);
  return OK;
}

// A block's number and a bit per line in each entry.
static uint64_t sld_storage_bits(const void *state, uint32_t warps) {
  const Sld *sld = state;
  (void)warps;
  return (uint64_t)sld->blocks * (64 + sld->lines);
}

static const Param sld_params[] = {
    PARAM(Sld, blocks, 64, 1, MOST_BLOCKS, "table entries (macro blocks)"),
    PARAM(Sld, lines, 4, 2, MOST_LINES, "lines per macro block"),
    PARAM(Sld, trigger, 2, 1, MOST_LINES,
          "requested lines that trigger the prefetch of the others"),
    {0}};

static const Stat sld_stats[] = {STAT_COUNT(Sld, triggered, "macro blocks prefetched"), {0}};

const PrefetchType sld_prefetch = {
    .policy = {.name = "sld",
               .summary = "the rest of a macro block after two misses",
               .state_size = sizeof(Sld),
               .params = sld_params,
               .stats = sld_stats,
               .storage_bits = sld_storage_bits,
               .init = sld_init},
    .on_access = sld_on_access,
};
