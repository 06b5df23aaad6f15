// SPDX-License-Identifier: MIT
// A kernel launch: one record from the call to the result. It is made where the call comes in (the
// CUDA APIs, a case file, a kernel that launches) and belongs to the maker; queues, machine and
// report hold a pointer to it, fill in what they decide and measure, and hand it back when it has
// completed. Launches by kernels belong to what runs their parents.
#ifndef ISA_LAUNCH_H
#define ISA_LAUNCH_H

#include "base/cycle.h"
#include "base/result_table.h"
#include "isa/program.h"

enum { MAX_CLUSTER_CTAS = 16 };
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

struct MachineStats;

// Which CTAs of a launch are not timed. Asked when `next` of its CTAs have been dispatched or left
// out: returns how many of the following ones are left out, never the last, and the next point. In
// the cycle `look` it is shown the counters, and how many CTAs have been dispatched: returns how
// many of the following ones are left out, possibly all, and the next cycle; NEVER: not at all.
typedef struct CtaSampler {
  uint64_t next;
  Cycle look;
  uint64_t (*ask)(void *self, const struct MachineStats *now, uint64_t *next);
  uint64_t (*show)(void *self, const struct MachineStats *now, uint64_t dispatched, Cycle *look);
  void *self;
} CtaSampler;

typedef struct Launch {
  // what was asked for
  const Program *program;
  const Function *kernel;
  uint32_t grid[3], block[3];
  uint32_t cluster[3];    // CTAs of a cluster; 1, 1, 1: none
  const uint8_t *params;  // kernel->param_bytes of them
  uint32_t dynamic_shared_bytes;
  LaunchOrigin origin;
  uint64_t workspace;  // of a cooperative launch: two words, the second for the grid barrier
  const Replay *replay;  // the warps' steps (exec/replay.h); NULL: they are executed
  CtaSampler *sampler;   // NULL: all its CTAs are timed
  // which one it is
  uint64_t grid_id;  // among all kernels of a run, in the order in which they reach the queues
  uint64_t number;   // among the host's launches, from 0; or among those by kernels, from 1
  // of a launch by a kernel (runtime/device_runtime.h)
  uint64_t *after;  // numbers of launches that complete before it begins
  uint32_t after_count;
  bool is_tail;             // begins when its parent and the parent's other children have completed
  uint32_t together;        // launches by the same instruction of a warp
  uint64_t params_address;  // of its parameters in device memory, until they are copied
  // how it is placed
  uint32_t local_bytes;    // of stack per thread; launch_init works it out
  uint32_t ctas_per_sm;    // at most
  uint32_t sms, first_sm;  // how many SMs its CTAs were on, and the first of them
  // when, in cycles since the GPU was made; 0 without timing
  Cycle launched, submitted;  // at the call; in the queues, after the launch latency
  Cycle started, ended;       // its own CTAs
  Cycle over;                 // ... and all that it launched
  // what came out
  bool has_begun, is_complete;
  uint64_t warp_instructions, thread_instructions, ctas;  // of CTAs that have completed
  const struct MachineStats *stats;  // of the machine from start to end, until the record is
                                     // handed back; NULL without timing
  ResultTables tables;
  void *recorded;  // of a recorder while it runs; NULL: none
} Launch;

// CTAs and threads per dimension, on every GPU that ran CUDA.
extern const uint32_t launch_max_grid[3], launch_max_block[3];

// Initialises a launch. Rejects invalid launch configurations: empty or too large grids
// and blocks, and blocks that violate .reqntid or .maxntid. stack_bytes: stack per thread
// if the call graph has no bound.
Status launch_init(Launch *launch, const Program *program, const Function *kernel,
                   const uint32_t grid[3], const uint32_t block[3], const uint8_t *params,
                   uint32_t dynamic_shared_bytes, uint32_t stack_bytes, Error *err);

// Frees a record that was allocated, with its parameters, dependences and tables.
void launch_destroy(Launch *launch);

// Makes clusters of so many CTAs (1 to 16); the grid has to be a multiple of it. launch_init takes
// what .reqnctapercluster says.
Status launch_set_cluster(Launch *launch, const uint32_t cluster[3], Error *err);

uint64_t launch_cta_count(const Launch *launch);
static inline uint32_t launch_cluster_size(const Launch *launch) {
  return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}
uint32_t launch_threads_per_cta(const Launch *launch);
uint32_t launch_warps_per_cta(const Launch *launch);
uint32_t launch_shared_bytes(const Launch *launch);

#endif
