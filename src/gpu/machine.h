// SPDX-License-Identifier: MIT
// The inside of a GPU, for the files of this room.
//
//   cycle.c     one step of the clock, and leaving out steps
//   deadlock.c  who waits for what when nothing moves
//   dispatch.c  CTAs of kernels, what a kernel did
//   kernel_queue.c  which kernels run
//   throttling.c    how many CTAs an SM may hold
//   gpu.c       making, submitting, running, results
#ifndef GPU_MACHINE_H
#define GPU_MACHINE_H

#include "gpu/clock.h"
#include "gpu/gpu.h"
#include "gpu/workers.h"
#include "gpu/interval.h"
#include "gpu/observer.h"
#include "gpu/sm_rows.h"
#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/kernel_scheduler/kernel_scheduler.h"
#include "policies/throttle/throttle.h"

RING_DEFINE(ClusterRing, cluster_ring, Packet);

typedef struct Dispatch {
  const CtaDispatchType *type;
  void *state;
  uint64_t *room, *cluster_took;  // bits by SM
  uint32_t *free_ctas;            // by SM
  bool is_due;                    // something changed since nothing could be dispatched
} Dispatch;

typedef struct Throttling {
  const ThrottleType *type;
  void *state;
  uint32_t *limits;               // by SM: CTAs
  Cycle next;                     // when all SMs are looked at; NEVER: not at all
} Throttling;

typedef struct KernelQueue {
  const KernelSchedulerType *type;
  void *state;
  uint32_t *pending, pending_count, pending_capacity;  // kernels in the order of submission
  uint32_t *running, running_count;                    // in the order in which they began
  QueuedKernel *pending_views;    // scratch
  uint32_t view_capacity;
  uint32_t done_count;            // of the running ones: all their CTAs have ended
  bool is_due;                    // a kernel was submitted or has ended
} KernelQueue;

// A kernel that was submitted: waiting, running or ended.
typedef struct GpuKernel {
  KernelRun run;
  KernelRecord result;
  MachineStats before;
  SmRow *rows_before;             // by SM; NULL: its rows are not asked for
  uint8_t *params;
  uint64_t *dispatched;           // bits by CTA; NULL while they leave in order
  uint32_t *ctas_on_sm;
  uint32_t max_ctas_per_sm;
  LaunchOrigin origin;
  Cycle submitted;
} GpuKernel;

struct Gpu {
  GpuConfig config;
  GpuOptions options;
  DeviceMemory *memory;
  // parts
  Sm **sms;
  uint32_t sm_count, cluster_count, partition_count, slice_count;
  ClusterRing *responses;         // by cluster
  uint64_t responses_waiting;     // packets in all of them
  ClusterPort **ports;            // by cluster; NULL: nothing stands before the network
  uint32_t *active, active_count; // SMs that tick in this cycle
  Workers *workers;               // NULL: one thread
  Crossbar *requests, *replies;
  Partition **partitions;
  AddressMap map;
  Clock clock;
  Dispatch dispatch;
  Throttling throttling;
  KernelQueue queue;
  // kernels
  GpuKernel **kernels;
  uint32_t kernel_count, kernel_capacity;
  // time
  Cycle now;                      // core cycles completed since the GPU was made
  Cycle *last_tick;               // by SM: cycle of its last tick or skip, + 1
  Cycle last_progress;
  MachineStats total;
  // told
  Observers observers;
  Intervals intervals;
  uint32_t steps;                 // since progress was told
  Arena arena;
};

// dispatch.c
Status dispatch_init(Gpu *gpu, Error *err);
void dispatch_tick(Gpu *gpu);               // gives out CTAs
void count_ended_ctas(Gpu *gpu, uint32_t sm);
void kernel_start(Gpu *gpu, GpuKernel *kernel);
void kernel_end(Gpu *gpu, GpuKernel *kernel);
void gpu_kernel_clear(GpuKernel *kernel);

// kernel_queue.c
Status kernel_queue_init(Gpu *gpu, Error *err);
void kernel_queue_clear(KernelQueue *queue);
void kernel_queue_push(Gpu *gpu, uint32_t kernel);
bool kernel_queue_fill(Gpu *gpu);           // starts what may start; false: nothing runs
bool kernel_queue_retire(Gpu *gpu);         // ends kernels that are done; true: one ended
void kernel_queue_stop(Gpu *gpu);           // ends all that run, done or not

// throttling.c
Status throttling_init(Gpu *gpu, Error *err);
void throttling_ask(Gpu *gpu, uint32_t sm, const GpuKernel *kernel, ThrottleCause cause);
void throttling_start_kernel(Gpu *gpu, const GpuKernel *kernel);
void throttling_interval(Gpu *gpu);         // the clock has reached `next`

// cycle.c
Status gpu_step(Gpu *gpu, Error *err);      // one step of the clock
void gpu_tick_share(void *gpu, uint32_t share, uint32_t shares);  // some of the SMs; a WorkersJob
void gpu_sync(Gpu *gpu);                    // lets every SM's counters catch up with the clock
bool gpu_is_quiet(const Gpu *gpu);          // no request is anywhere between the SMs and the memory

// deadlock.c
Status gpu_report_deadlock(const Gpu *gpu, Error *err);

// gpu.c
void gpu_collect(Gpu *gpu);                 // sums all counters into total
void choose_threads(Gpu *gpu);              // by what the running kernels call

#endif
