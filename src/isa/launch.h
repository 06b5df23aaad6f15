// SPDX-License-Identifier: MIT
// A kernel launch, and a CTA of it while it runs: values only, no time.
#ifndef ISA_LAUNCH_H
#define ISA_LAUNCH_H

#include "isa/program.h"

enum { CTA_BARRIERS = 16, CLUSTER_BARRIER = CTA_BARRIERS };
enum { MAX_CTA_THREADS = 1024, MAX_CTA_WARPS = MAX_CTA_THREADS / WARP_LANES };

// Who launched a kernel.
typedef struct LaunchOrigin {
  uint64_t stream;         // kernels of a stream run one after the other
  bool has_parent;         // a kernel launched it; else the host did
  uint32_t parent;         // the number of that kernel ...
  uint64_t parent_cta;     // ... the CTA, by its linear index ...
  uint32_t parent_thread;  // ... the thread, by its linear index in the CTA ...
  uint32_t parent_sm;      // ... and where it ran
  uint32_t depth;          // launches between the host and it; 0 = the host's own
} LaunchOrigin;

typedef struct Launch {
  const Program *program;
  const Function *kernel;
  uint32_t grid[3], block[3];
  const uint8_t *params;  // kernel->param_bytes of them
  uint32_t dynamic_shared_bytes;
  uint32_t local_bytes;  // of stack a thread; launch_init works it out
  uint64_t grid_id;
  LaunchOrigin origin;
  uint64_t workspace;  // of a cooperative launch: two words, the second for the grid barrier
} Launch;

// Fills in a launch and refuses what no GPU would take: empty or too large
// grids and blocks, blocks against .reqntid and .maxntid.
// stack_bytes: a thread's stack where the call graph gives no bound.
Status launch_init(Launch *launch, const Program *program, const Function *kernel,
                   const uint32_t grid[3], const uint32_t block[3], const uint8_t *params,
                   uint32_t dynamic_shared_bytes, uint32_t stack_bytes, Error *err);

uint64_t launch_cta_count(const Launch *launch);
uint32_t launch_threads_per_cta(const Launch *launch);
uint32_t launch_warps_per_cta(const Launch *launch);
uint32_t launch_shared_bytes(const Launch *launch);

// A named barrier of a CTA (barrier.h). Zeroed = nobody has arrived.
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
  CtaBarrier barriers[CTA_BARRIERS + 1];  // the last is barrier.cluster, of a cluster of one CTA ...
  uint32_t cluster_phase;                 // ... which has been completed so many times
  uint64_t stream;         // that its threads launch kernels in unless they say; 0: none yet
  uint32_t open_children;  // kernels that its threads launched and that are not over
} Cta;

// Readies a CTA and its warps. shared has room for launch_shared_bytes; warps
// for launch_warps_per_cta, zeroed before their first use. Both are lent.
// Shared memory keeps what was there before, as on a GPU.
void cta_start(Cta *cta, const Launch *launch, uint64_t linear, uint8_t *shared, Warp *warps,
               uint32_t first_hardware_warp);

#endif
