// SPDX-License-Identifier: MIT
// Internals of a GPU, for the files of this room.
//
//   cycle.c            one cycle, and skipping of idle cycles
//   window.c           how far each SM may run ahead of the clock
//   clusters.c         replies enter the clusters
//   deadlock.c         report of what every warp waits for
//   dispatch.c         CTA dispatch
//   kernel_life.c      start, end and results of kernels
//   children.c         child kernels
//   suspension.c       suspension of CTAs that wait for children
//   kernel_queue.c     streams and kernel scheduling
//   hardware_queue.c   hardware queues
//   leaving_out.c      CTAs of sampled kernels that are not timed
//   warming.c          caches without time
//   empty_slots.c      why schedulers have no warp
//   perturbation.c     skews of SMs and clocks by run.seed
//   throttling.c       limits on CTAs per SM
//   gpu.c              construction, submission, execution, results
#ifndef GPU_MACHINE_H
#define GPU_MACHINE_H

#include <uthash.h>

#include "gpu/clock.h"
#include "gpu/gpu.h"
#include "gpu/thread_choice.h"
#include "gpu/workers.h"
#include "gpu/interval.h"
#include "gpu/kernels/cta_clusters.h"
#include "observers/attach/observer_states.h"
#include "gpu/sm_rows.h"
#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/host.h"
#include "policies/kernel_scheduler/kernel_scheduler.h"
#include "runtime/device_runtime.h"
#include "policies/throttle/throttle.h"

RING_DEFINE(ClusterRing, cluster_ring, Packet);

typedef struct Dispatch {
  const CtaDispatchType *type;
  void *state;
  // the policy's view: kernels with CTAs to dispatch, and free resources for each
  DispatchKernel *kernels;
  uint32_t kernel_count, capacity;
  uint64_t *rooms;                // bits by kernel and SM
  uint32_t *free_ctas;            // by kernel and SM
  uint64_t *cluster_took;         // bits by SM: its cluster took a CTA in this cycle
  uint64_t *resume_room;          // scratch: bits by SM
  bool is_due;                    // something changed since nothing could be dispatched
  Cycle again;                    // when the policy wants to be asked in any case; or NEVER
  bool is_launching;              // a running kernel is still in its launch latency
  double next_start;              // with gpu.cta_start_cycles: when the next CTA may start
  Cycle *ready, all_ready;        // with run.seed, by SM: when it takes its first CTA; the last one
} Dispatch;

typedef struct Throttling {
  const ThrottleType *type;
  void *state;
  uint32_t *limits;               // by SM: CTAs
  Cycle next;                     // when all SMs are looked at; NEVER: not at all
} Throttling;

// A stream, as long as kernels of it wait or run.
typedef struct KernelStream {
  uint64_t number;
  uint32_t first, last;           // of those that wait, linked by GpuKernel.next; or KERNEL_NONE
  bool is_taken;                  // a kernel of it is not over, or it has to wait
  UT_hash_handle hh;
} KernelStream;

// A queue of the grid management unit. Kernels that it holds and that do not run are
// linked by GpuKernel.next.
typedef struct HardwareQueue {
  uint32_t first, last;           // of those that wait in it; or KERNEL_NONE
  uint32_t held, running;         // kernels
} HardwareQueue;

typedef struct KernelQueue {
  const KernelSchedulerType *type;
  void *state;
  KernelStream *streams;
  uint32_t *heads, head_count, head_capacity;  // kernels that may begin, in the order of submission
  uint32_t *held, held_count, held_capacity;   // ... but for launches that they come after
  uint32_t *running, running_count, running_capacity;  // in the order in which they began
  HardwareQueue *hardware;        // gpu.hardware_queues of them
  uint32_t held_in_hardware;      // kernels in all of them
  uint32_t *eligible, eligible_count, eligible_capacity;  // scratch: heads that a queue can take
  KernelView *views, *running_views;           // scratch
  uint32_t view_capacity, running_view_capacity;
  uint32_t open_count;            // kernels that are not over
  uint32_t done_count;            // of the running ones: all their CTAs have ended
  bool is_due;                    // a kernel may begin now that could not before
  bool was_shared;                // kernels have run together since the GPU was idle
} KernelQueue;

// A launch of a kernel that is not over.
typedef struct OpenLaunch {
  uint64_t number;
  UT_hash_handle hh;
} OpenLaunch;

// ... and that has not reached the queues.
typedef struct Arrival {
  Cycle at;
  Launch *launch;
} Arrival;

typedef struct Children {
  Arrival *arrivals;              // by time
  uint32_t count, capacity;
  Cycle next;                     // of the first; NEVER: there is none
  OpenLaunch *open;
} Children;

// The issue table of a program, shared by its kernels.
typedef struct SharedTable {
  IssueTable table;
  uint32_t users;                 // 0: free
} SharedTable;

// A kernel that was submitted: waiting, running or ended.
typedef struct GpuKernel {
  KernelRun run;                  // with its record
  MachineStats before, stats;     // the machine's when it began; since then
  SmRow *rows_before;             // by SM; NULL: rows not requested
  uint64_t *dispatched;           // bits by CTA; NULL while they leave in order
  uint64_t dispatched_ctas;
  uint64_t next_cluster;  // of a kernel with clusters: the next to start
  uint32_t *ctas_on_sm;
  bool *was_on_sm;
  uint32_t next;                  // of its stream or hardware queue, while it waits; or KERNEL_NONE
  uint32_t hardware_queue;        // that holds it
  bool is_child;                  // a kernel launched it; its record is the GPU's
  // of kernels that launch
  bool tails_began;
  uint32_t open_children, open_tails;
  uint64_t tail_stream;           // 0: none yet
  uint64_t suspended_ctas;
} GpuKernel;

// What an SM that has ticked leaves to be settled with the others.
typedef struct SmNews {
  Cycle progress;  // Sm.progress
  bool has_any;    // stores, a fault, CTAs that wait or have ended
} SmNews;

// What is due in a step of the memory side.
typedef struct MemoryStep {
  bool has_noc, has_dram, has_l2;
  const uint8_t *arrivals;        // requests at each slice; NULL: none
} MemoryStep;

struct Gpu {
  GpuConfig config;
  GpuOptions options;
  PolicyHost policies;
  DeviceMemory *memory;
  // parts
  GpuCluster *clusters;  // that run
  uint32_t next_gpc;     // which takes the next
  Sm **sms;
  uint32_t sm_count, cluster_count, partition_count, slice_count;
  ClusterRing *responses;         // by cluster
  uint64_t responses_waiting;     // packets in all of them
  uint64_t *waiting_clusters;     // bits by cluster: it has some; without `ports` only
  Expected *inbound;              // by group of channels and cluster: answers on their way, from
                                  // slice to SM (window.c)
  Expected *expected;             // the same: before that
  uint32_t slice_delay_cycles;    // that a request spends in a slice at least
  Cycle network_cycles;           // core cycles that a packet spends in the network at least
  SmClusterPort **ports;          // by cluster; NULL: nothing stands before the network
  uint32_t *active, active_count; // SMs that tick in this cycle
  SmNews *news;                   // by SM, of those
  uint32_t *groups, group_count;  // where those of each cluster begin in `active`, and their end
  bool has_left_lines;            // SMs may have some (sm/left_lines.h)
  OwedSectors owed;
  Workers *workers;               // NULL: one thread
  uint32_t threads;               // the most that tick SMs
  ThreadChoice thread_choice;     // with GPU_THREADS_AUTO
  Crossbar *requests, *replies;
  Partition **partitions;
  uint32_t memory_groups;         // of channels: as many as threads (memory_side.c)
  uint32_t *busy_channels;        // by group, after the last step, if there are workers
  MemoryStep memory_step;
  AddressMap map;
  Clock clock;
  Dispatch dispatch;
  Throttling throttling;
  KernelQueue queue;
  DeviceRuntime runtime;
  Children children;
  SuspendedCta *suspended;
  uint32_t suspended_count, suspended_capacity;
  // kernels
  GpuKernel **kernels;  // from number first_kernel on; NULL: over and forgotten
  uint32_t first_kernel, kernel_count, kernel_capacity;
  uint32_t forgotten;  // of the first ones
  SharedTable **tables;
  uint32_t table_count, table_capacity;
  // time
  Cycle now;                      // core cycles completed since the GPU was made
  Cycle cta_completed;            // when a CTA has last completed
  Cycle *last_tick;               // by SM: cycle of its last tick or skip, + 1
  Cycle *wakes;                   // by SM: Sm.wake
  Cycle last_progress;            // of any SM, as far as it has come
  FaultKind fault;                // which ended the run
  Cycle until;                    // when the caller wants the GPU back; or NEVER
  bool has_completed;             // a kernel of the host, since the caller had it
  AheadLimits window;             // for SMs in this cycle, but for what is their own (window.c)
  bool calls_natives;             // a running kernel does
  SlotReason empty_state;   // that the SMs count slots without warps under
  bool empty_has_children;  // launches by kernels were in flight when it was found
  MachineStats total;
  // told
  Observers observers;
  bool shares_events;  // in any order: all SMs write to the first buffer
  Intervals intervals;
  Cycle look;                     // of the sampled launch that runs (CtaSampler); or NEVER
  uint32_t steps;                 // since progress was told
  Arena arena;
};

static inline GpuKernel *gpu_kernel_at(const Gpu *gpu, uint32_t number) {
  return gpu->kernels[number - gpu->first_kernel];
}

// dispatch.c
Status dispatch_init(Gpu *gpu, Error *err);
void dispatch_clear(Dispatch *dispatch);
// How many more CTAs of a kernel fit on an SM; whether its launch has not reached the SMs; starts
// one.
uint32_t dispatch_free_ctas(const Gpu *gpu, const GpuKernel *kernel, uint32_t s);
bool dispatch_is_launching(Gpu *gpu, const GpuKernel *kernel);
void dispatch_start_cta(Gpu *gpu, GpuKernel *kernel, uint64_t cta, uint32_t s);
void dispatch_tick(Gpu *gpu);               // gives out CTAs
// The SM for a CTA that comes back; sm_count: none has room.
uint32_t dispatch_resume_sm(Gpu *gpu, const GpuKernel *kernel, const CtaView *cta);

// A launch by the host that is in its launch latency: its CTAs cannot be dispatched yet.
bool gpu_kernel_launches(const Gpu *gpu, const GpuKernel *kernel);

// warming.c
void gpu_take_left_lines(Gpu *gpu);  // of the SMs that have ticked

// leaving_out.c
void leave_out_ctas(Gpu *gpu, GpuKernel *kernel);  // after a CTA was dispatched
void leave_out_at_look(Gpu *gpu);                  // in the cycle gpu->look

// perturbation.c
void perturbation_start(Gpu *gpu, const GpuKernel *kernel);  // it begins, and no other runs
bool perturbation_holds(const Gpu *gpu, uint32_t sm);        // the SM takes no CTA yet
Cycle perturbation_next(const Gpu *gpu);                     // when that may change; or NEVER

// empty_slots.c
void empty_slots_update(Gpu *gpu);       // kernels, their CTAs or launches have changed
void empty_slots_start_alone(Gpu *gpu);  // a kernel begins, and no other runs

// kernel_life.c
KernelView gpu_kernel_view(const Gpu *gpu, const GpuKernel *kernel);
void kernel_note_cta(GpuKernel *kernel, uint32_t sm);  // one goes to the SM
void count_ended_ctas(Gpu *gpu, uint32_t sm);
void kernel_start(Gpu *gpu, GpuKernel *kernel);
void kernel_end(Gpu *gpu, GpuKernel *kernel);
void gpu_kernel_clear(GpuKernel *kernel);
GpuKernel *gpu_kernel_of(const KernelRun *run);

// kernel_queue.c
Status kernel_queue_init(Gpu *gpu, Error *err);
void kernel_queue_clear(KernelQueue *queue);
void kernel_queue_push(Gpu *gpu, uint32_t kernel);
void kernel_queue_hold(Gpu *gpu, uint64_t stream);    // its kernels wait ...
void kernel_queue_let_go(Gpu *gpu, uint64_t stream);  // ... until now
void kernel_queue_retry_held(Gpu *gpu);               // a launch has completed
bool kernel_queue_fill(Gpu *gpu);           // starts what may start; false: nothing runs
bool kernel_queue_is_short(const Gpu *gpu); // a kernel waits for a hardware queue
bool kernel_queue_retire(Gpu *gpu);         // ends kernels that are done; true: one ended
void kernel_queue_park(Gpu *gpu, const GpuKernel *kernel);    // all its CTAs are suspended
void kernel_queue_unpark(Gpu *gpu, const GpuKernel *kernel);  // one of them comes back
void kernel_queue_stop(Gpu *gpu);           // ends all that run, done or not

// hardware_queue.c
void hardware_queues_init(Gpu *gpu);
bool hardware_queue_accepts(const Gpu *gpu, const GpuKernel *kernel);  // one has a slot for it
bool hardware_queue_enter(Gpu *gpu, GpuKernel *kernel);  // true: it begins now
void hardware_queue_begin(Gpu *gpu, const GpuKernel *kernel);
uint32_t hardware_queue_next(Gpu *gpu);     // takes one out that can begin; or KERNEL_NONE
void hardware_queue_leave(Gpu *gpu, const GpuKernel *kernel);   // that ran
void hardware_queue_return(Gpu *gpu, const GpuKernel *kernel);  // and runs again

// children.c
void children_init(Gpu *gpu);
void children_clear(Gpu *gpu);
void children_take(Gpu *gpu);               // what the SMs launched in this cycle
void children_arrive(Gpu *gpu);             // the clock has reached `next`
bool children_is_open(const Gpu *gpu, uint64_t number);
void children_note_start(Gpu *gpu, const GpuKernel *kernel);
void children_note_end(Gpu *gpu, GpuKernel *kernel);

// suspension.c
void suspensions_clear(Gpu *gpu);
bool suspensions_make_room(Gpu *gpu);       // true: look again in the next cycle
void suspensions_resume(Gpu *gpu);
bool gpu_has_only_suspended(const GpuKernel *kernel);  // of CTAs that have not completed

// throttling.c
Status throttling_init(Gpu *gpu, Error *err);
void throttling_ask(Gpu *gpu, uint32_t sm, const GpuKernel *kernel, ThrottleCause cause);
void throttling_start_kernel(Gpu *gpu, const GpuKernel *kernel);
void throttling_interval(Gpu *gpu);         // the clock has reached `next`
void throttling_poll_news(Gpu *gpu);        // before CTAs are dispatched

// cycle.c
Status gpu_step(Gpu *gpu, Error *err);      // one step of the clock
void gpu_tick_group(void *gpu, uint32_t group);         // active SMs of a cluster; a WorkersJob
void gpu_catch_up(Gpu *gpu, uint32_t sm, Cycle until);  // before an SM changes
void gpu_sync(Gpu *gpu);                    // lets every SM's counters catch up with the clock
bool gpu_is_quiet(const Gpu *gpu);          // no request is anywhere between the SMs and the memory

// window.c
void window_begin(Gpu *gpu);              // a core cycle begins
Cycle window_run(Gpu *gpu, uint32_t sm);  // it has ticked; the first cycle that it has not begun
void window_note_reply(Gpu *gpu, uint32_t cluster, uint32_t group);  // one enters the network
void window_note_given(Gpu *gpu, uint32_t cluster);  // one has reached its SM

// memory_side.c
void memory_tick(Gpu *gpu, uint32_t due);           // by clock domain
void memory_tick_group(void *gpu, uint32_t group);  // some of the channels; a WorkersJob
uint32_t memory_group_of(const Gpu *gpu, uint32_t channel);

// clusters.c
void clusters_tick(Gpu *gpu);
bool clusters_have_work(const Gpu *gpu);    // a cluster unit still has an answer to give

// deadlock.c
Status gpu_report_deadlock(const Gpu *gpu, Error *err);
// For a run that a limit stopped: if no CTA has completed for half of its cycles, appends where
// the resident warps are.
void gpu_report_stuck(const Gpu *gpu, Error *err);

// gpu_kernels.c
GpuKernel *gpu_add_kernel(Gpu *gpu, Launch *launch);        // that fits
void gpu_retire_kernel(Gpu *gpu, GpuKernel *kernel);        // it has completed
void gpu_report_unfinished(Gpu *gpu);                       // the run has failed
void gpu_give_table(Gpu *gpu, const IssueTable *table);

// gpu_counters.c
void gpu_collect(Gpu *gpu);                 // sums all counters into total

// gpu.c
void gpu_choose_threads(Gpu *gpu);          // by what the running kernels call

#endif
