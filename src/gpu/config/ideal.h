// SPDX-License-Identifier: MIT
// Oracles: machines that cannot be built, as bounds for those that can.
//
// Each removes one cost from the machine and nothing else, so that the difference is the
// effect of that cost. Results of programs do not change; with all oracles off, the
// machine is the configured one to the cycle.
#ifndef GPU_CONFIG_IDEAL_H
#define GPU_CONFIG_IDEAL_H

#include "base/param.h"
#include "memory/cache/cache.h"
#include "memory/partition.h"

// Outcome of loads in the L1D.
typedef enum IdealL1d {
  L1D_REAL,
  L1D_HITS,     // every load hits; nothing is fetched
  L1D_INSTANT,  // a load that misses has its data at once; the fetch goes on, with
                // its MSHR, its line and its bytes, and nobody waits for it
} IdealL1d;

enum { IDEAL_PLACES_BYTES = 200 };

// [ideal]
typedef struct IdealConfig {
  unsigned l1d;  // IdealL1d
  bool l2;       // all reads and atomics hit in the L2
  bool network;  // packets of any size are one flit, and buffers are large
  bool dram;     // DRAM answers at once
  bool no_bank_conflicts, no_barriers, no_divergence, no_contention, no_dependency;
  bool no_sharing, is_balanced;  // SmIdeal
  bool no_register_limit, no_shared_limit;
  // Places in the source (isa/source_places.h).
  char hits[IDEAL_PLACES_BYTES];         // loads there always hit in the L1D
  char coalesced[IDEAL_PLACES_BYTES];    // accesses there need as few transactions as possible
  char free_stores[IDEAL_PLACES_BYTES];  // stores there have no transactions
  bool no_fixed_latency;                 // ROP and the way to the DRAM take no time
  uint32_t l1d_mshr_factor;              // 1; 0: an L1D never runs out of MSHRs
} IdealConfig;
extern const Param ideal_params[];

// What --ideal accepts: one word for each cost, such as "l2", or with a place "load:42".
typedef struct IdealName {
  const char *name;
  const char *setting;  // "ideal.KEY=VALUE"; of those with a place "ideal.KEY="
  const char *summary;
} IdealName;
extern const IdealName ideal_names[];  // ends with {0}
struct GpuConfig;
// Sets what a word of --ideal says; places are added to those that are set.
Status ideal_assign(struct GpuConfig *config, const char *word, Error *err);

// Refuses places that are none.
Status ideal_check(const IdealConfig *ideal, Error *err);

// Applies what concerns the SMs, the L2 and the network to the configuration of a machine that is
// being made. SmIdeal points into the configuration, which must not move.
Status ideal_apply(struct GpuConfig *config, Error *err);
// The configuration that parts are made with.
CacheConfig ideal_l1d(const IdealConfig *ideal, const CacheConfig *l1d);
PartitionConfig ideal_partition(const IdealConfig *ideal, const PartitionConfig *partition);

#endif
