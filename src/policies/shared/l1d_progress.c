// SPDX-License-Identifier: MIT
// Counts loads, hits and lost lines of an SM, for policies that compare placements.
#include "policies/shared/l1d_progress.h"

enum { TAG_BITS = 16 };  // of a line's address, as hardware would keep them

static Status progress_init(void *state, const PolicySetup *setup, Error *err) {
  L1dProgress *progress = state;
  (void)err;
  progress->read = ARENA_ARRAY(setup->arena, uint64_t, progress->tags);
  return OK;
}

// Spreads lines that are a power of two apart.
static uint64_t mixed(uint64_t line) {
  line *= UINT64_C(0x9e3779b97f4a7c15);
  return line ^ line >> 32;
}

// Merges are neither hits nor lost: the line is on its way for another warp.
static void progress_on_access(void *state, const L1dAccess *access) {
  L1dProgress *progress = state;
  if (access->is_local) return;
  progress->loads++;
  progress->hits += access->outcome == OUTCOME_HIT;
  uint64_t line = access->line / access->line_bytes, mix = mixed(line);
  if (mix % progress->sample) return;
  uint64_t *tag = &progress->read[mix / progress->sample % progress->tags];
  progress->sampled++;
  progress->lost += *tag == line + 1 && access->outcome == OUTCOME_MISS;
  *tag = line + 1;
}

static uint64_t progress_storage_bits(const void *state, uint32_t warps) {
  (void)warps;
  return (uint64_t)((const L1dProgress *)state)->tags * TAG_BITS;
}

static const Param progress_params[] = {
    PARAM(L1dProgress, tags, 512, 1, 1 << 20, "lines per SM whose tags are kept"),
    PARAM(L1dProgress, sample, 8, 1, 1 << 20, "one in this many lines is watched"),
    {0}};

static const Stat progress_stats[] = {
    STAT_COUNT(L1dProgress, loads, "loads looked up in the L1D"),
    STAT_COUNT(L1dProgress, hits, "of these: hits"),
    STAT_COUNT(L1dProgress, sampled, "loads of watched lines"),
    STAT_COUNT(L1dProgress, lost, "of these: misses of a line that the SM had read"),
    {0}};

const SharedType l1d_progress_shared = {
    .policy = {.name = "l1d_progress",
               .summary = "loads, hits and lost lines of an SM",
               .state_size = sizeof(L1dProgress),
               .params = progress_params,
               .stats = progress_stats,
               .storage_bits = progress_storage_bits,
               .init = progress_init},
    .per_sm = true,
    .on_access = progress_on_access,
};
