// SPDX-License-Identifier: MIT
// A CTA while it runs: values only, no time.
#ifndef EXEC_CTA_H
#define EXEC_CTA_H

#include "isa/launch.h"

typedef struct Warp Warp;
typedef struct CtaCluster CtaCluster;

enum { CTA_BARRIERS = 16, CLUSTER_BARRIER = CTA_BARRIERS, REGISTER_WAIT, GROUP_WAIT };

// A named barrier of a CTA (barrier.h). Zeroed = no arrivals.
typedef struct CtaBarrier {
  uint32_t arrived_warps;      // since the last release
  uint32_t expected_warps;     // 0 = all that have not ended
  uint32_t waiting;            // bit w: warp w waits here
  uint32_t true_lanes, lanes;  // bar.red: how many lanes said yes, of how many
} CtaBarrier;

typedef struct Cta {
  const Launch *launch;
  uint32_t ctaid[3];
  uint64_t linear;  // x + y * gx + z * gx * gy
  uint8_t *shared;
  uint32_t shared_bytes;
  Warp *warps;
  uint32_t warp_count;
  uint32_t live_warps;
  CtaCluster *cluster;                    // (cluster.h) NULL: of one CTA
  uint32_t rank;                          // in it
  // After the named ones barrier.cluster, of a cluster of one CTA, and warps that wait for
  // registers or for the others of their warp group.
  CtaBarrier barriers[GROUP_WAIT + 1];
  uint32_t cluster_phase;   // how often barrier.cluster of one CTA has been completed
  uint32_t free_registers;  // per lane, that warps have given back (setmaxnreg)
  bool has_released;        // warps of a warp group, since its owner looked
  uint64_t stream;         // that its threads launch kernels in unless they say; 0: none yet
  uint32_t open_children;  // kernels that its threads launched and that are not over
  void *watched;           // of the watcher (watch.h); NULL at its start
  void *recorded;          // of a recorder; NULL at its start
} Cta;

// Initialises a CTA and its warps. shared has launch_shared_bytes; warps has
// launch_warps_per_cta elements, zeroed before their first use. Both are owned by the
// caller. Shared memory keeps its previous contents, as on a GPU.
void cta_start(Cta *cta, const Launch *launch, uint64_t linear, uint8_t *shared, Warp *warps,
               uint32_t first_hardware_warp);

#endif
