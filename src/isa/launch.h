// SPDX-License-Identifier: MIT
// A kernel launch.
#ifndef ISA_LAUNCH_H
#define ISA_LAUNCH_H

#include "isa/program.h"

enum { MAX_CTA_THREADS = 1024, MAX_CTA_WARPS = MAX_CTA_THREADS / WARP_LANES };

// Origin and priority of a launch. A child has its parent's priority.
typedef struct LaunchOrigin {
  uint64_t stream;         // kernels of a stream run one after the other
  int priority;            // of the stream; the lower, the more urgent, as in CUDA
  bool has_parent;         // a kernel launched it; else the host did
  uint32_t parent;         // the number of that kernel ...
  uint64_t parent_cta;     // ... the CTA, by its linear index ...
  uint32_t parent_thread;  // ... the thread, by its linear index in the CTA ...
  uint32_t parent_sm;      // ... and where it ran
  uint32_t depth;          // launches between the host and it; 0 = the host's own
} LaunchOrigin;

typedef struct Replay Replay;

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
  const Replay *replay;  // the warps' steps (exec/replay.h); NULL: they are executed
} Launch;

// Initialises a launch. Rejects invalid launch configurations: empty or too large grids
// and blocks, and blocks that violate .reqntid or .maxntid. stack_bytes: stack per thread
// if the call graph has no bound.
Status launch_init(Launch *launch, const Program *program, const Function *kernel,
                   const uint32_t grid[3], const uint32_t block[3], const uint8_t *params,
                   uint32_t dynamic_shared_bytes, uint32_t stack_bytes, Error *err);

uint64_t launch_cta_count(const Launch *launch);
uint32_t launch_threads_per_cta(const Launch *launch);
uint32_t launch_warps_per_cta(const Launch *launch);
uint32_t launch_shared_bytes(const Launch *launch);

#endif
