// SPDX-License-Identifier: MIT
// Loads that hit rarely pass while MSHRs are scarce: a gather of single words fetches a line for
// each, and every miss holds an MSHR that a load with reuse would need. One that passes
// fetches the sectors it wants, and no more.
//
// Judged per load by trials, in which it is cached: it passes if fewer than `percent` of its
// lookups hit and MSHRs were scarce in at least `scarce` percent of them. Where latency limits, not
// MSHRs, nothing passes: the few hits are worth more. Loads that share an entry of the table share
// its judgement.
#include "policies/l1_insertion/l1_insertion.h"

enum { ENTRIES = 64, SCARCE_PART = 4 };

// Of one load: the lookups of its trial, of which hits, of which with few MSHRs free; and how many
// it has left to pass.
typedef struct SparseLoad {
  uint32_t seen, hits, scarce, left;
} SparseLoad;

typedef struct BypassSparse {
  uint32_t trial, hold, percent, scarce;  // parameters
  uint32_t mshrs_seen;                    // the most that were free
  SparseLoad loads[ENTRIES];
  uint64_t trials, passed;
} BypassSparse;

static SparseLoad *load_of(BypassSparse *sparse, const L1dAccess *access) {
  return &sparse->loads[access->requester.pc % ENTRIES];
}

static bool sparse_keeps(void *state, const L1dAccess *access) {
  return access->is_local || !load_of(state, access)->left;
}

static bool is_to_pass(const BypassSparse *sparse, const SparseLoad *load) {
  return load->hits * UINT64_C(100) < load->seen * (uint64_t)sparse->percent &&
         load->scarce * UINT64_C(100) >= load->seen * (uint64_t)sparse->scarce;
}

static void sparse_on_access(void *state, const L1dAccess *access) {
  BypassSparse *sparse = state;
  SparseLoad *load = load_of(sparse, access);
  if (access->is_local) return;
  if (load->left) {
    load->left--;
    return;
  }
  if (access->mshrs_free > sparse->mshrs_seen) sparse->mshrs_seen = access->mshrs_free;
  load->seen++;
  load->hits += access->outcome != OUTCOME_MISS;
  load->scarce += access->mshrs_free < sparse->mshrs_seen / SCARCE_PART;
  if (load->seen < sparse->trial) return;
  sparse->trials++;
  sparse->passed += is_to_pass(sparse, load);
  *load = (SparseLoad){.left = is_to_pass(sparse, load) ? sparse->hold : 0};
}

// Three counters of a trial and one of what passes.
static uint64_t sparse_storage_bits(const void *state, uint32_t warps) {
  (void)state, (void)warps;
  return ENTRIES * 4 * 16;
}

static const Param sparse_params[] = {
    PARAM(BypassSparse, trial, 1024, 1, 1 << 20, "lookups of a trial"),
    PARAM(BypassSparse, hold, 16384, 1, 1 << 20, "lookups that pass after it"),
    PARAM(BypassSparse, percent, 50, 0, 100, "hits in 100 lookups below which a load passes"),
    PARAM(BypassSparse, scarce, 75, 0, 100,
          "lookups in 100 with less than a quarter of the MSHRs free from which it passes"),
    {0}};

static const Stat sparse_stats[] = {STAT_COUNT(BypassSparse, trials, "trials of loads"),
                                    STAT_COUNT(BypassSparse, passed, "of which let the load pass"),
                                    {0}};

const L1InsertionType bypass_sparse_insertion = {
    .policy = {.name = "bypass_sparse",
               .summary = "bypasses loads that hit rarely while MSHRs are scarce",
               .state_size = sizeof(BypassSparse),
               .params = sparse_params,
               .stats = sparse_stats,
               .storage_bits = sparse_storage_bits},
    .keeps = sparse_keeps,
    .on_access = sparse_on_access,
};
