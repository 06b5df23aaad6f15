// SPDX-License-Identifier: MIT
// A GPU: device memory and the machine that runs kernels on it. No global
// state; make as many as you like.
//
//   gpu_create, then for each kernel gpu_submit, then gpu_run until all are done; or gpu_run_until,
//   and further kernels while others run.
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include <signal.h>

#include "gpu/config/gpu_config.h"
#include "gpu/machine_stats.h"
#include "exec/fault.h"
#include "exec/memory/store_queue.h"
#include "isa/launch.h"
#include "exec/texture/texture.h"
#include "policies/observer/observer.h"

typedef struct Gpu Gpu;

// How far a run has come.
typedef struct GpuProgress {
  const char *kernel;
  uint32_t kernel_index;
  Cycle cycle, kernel_started;
  uint64_t warp_instructions;     // of all kernels
  uint64_t ctas_done, cta_count;  // of this one
} GpuProgress;

// As GpuOptions.threads: several, while that is faster on this host (thread_choice.h).
enum { GPU_MAX_THREADS = 256, GPU_THREADS_AUTO = GPU_MAX_THREADS + 1 };

typedef struct GpuOptions {
  bool no_skip;                       // step through cycles in which nothing happens
  uint32_t threads;                   // that step SMs; 0 = 1. Results are the same
  const volatile sig_atomic_t *stop;  // not NULL: stop soon when it becomes true
  // not NULL: told now and then, every few milliseconds of the host's time
  void (*progress)(void *self, const GpuProgress *progress);
  void *progress_self;
  Cycle interval_cycles;              // not 0: kernels get an interval series
  bool per_sm;                        // kernels get per-SM rows; the run has them anyway
  const PolicySet *policies;          // besides the built-in ones, or NULL; outlives the GPU
  const char *const *inputs;          // of policies (PolicySetup.inputs), or NULL; outlives the GPU
  // Called for each started kernel when it completes or the run fails; the GPU then forgets the
  // record. NULL: it is kept (gpu_kernel).
  void (*kernel_completed)(void *self, Launch *launch);
  void *kernel_completed_self;
} GpuOptions;

// The configuration is copied. Fails with the reason if it is invalid.
Status gpu_create(Gpu **gpu, const GpuConfig *config, const GpuOptions *options, Error *err);
void gpu_destroy(Gpu *gpu);

DeviceMemory *gpu_memory(Gpu *gpu);
// Call after allocating or freeing device memory while kernels may run.
void gpu_forget_allocations(Gpu *gpu);
void gpu_set_print(Gpu *gpu, void (*print)(void *sink, const char *text, size_t length), void *sink);

// The textures that kernels may read; they must outlive the GPU.
void gpu_set_textures(Gpu *gpu, TextureTable *textures);

// Watches every step (exec/watch.h), before the first kernel. The GPU must have one thread.
void gpu_set_watch(Gpu *gpu, const ExecWatch *watch);

// How many launches by kernels may be pending, in place of gpu.pending_launches.
void gpu_set_pending_launches(Gpu *gpu, uint32_t launches);

// Attaches an observer, before the first kernel; the GPU owns its state.
Status gpu_observe(Gpu *gpu, const ObserverType *type, const char *spec, Error *err);

// Queues a kernel, also while others run. The record is the caller's; it and the program must
// outlive the kernel. The GPU numbers it and fills in times and results; with overlapping kernels,
// its `stats` are those of the whole machine between its start and its end, its counts its own.
// Kernels of one stream (launch->origin.stream, below 2^32) run in order, those
// of several may run at the same time.
Status gpu_submit(Gpu *gpu, Launch *launch, Error *err);
// Runs until every submitted kernel has completed. On failure the counters are valid up
// to that point, those of SMs that ran ahead of a fault (window.c) up to where they had come; the
// GPU can then only be destroyed.
Status gpu_run(Gpu *gpu, Error *err);
// As gpu_run, but returns as soon as a kernel of the host has completed or the clock has reached
// `until`. What is submitted then competes with the kernels that wait.
Status gpu_run_until(Gpu *gpu, Cycle until, Error *err);
bool gpu_is_idle(const Gpu *gpu);  // every kernel has completed

// An access without time, which changes caches only: a line of 128 bytes that a CTA on an SM
// touches.
enum { GPU_WARM_LINE_BYTES = 128 };
typedef struct GpuWarmAccess {
  uint64_t line;          // address of its first byte
  uint8_t sectors, full;  // bit s: sector s is touched; is written completely
  bool is_write, is_atomic;
  uint32_t sm;  // UINT32_MAX: the L2 only
  uint64_t cta;
} GpuWarmAccess;
void gpu_warm(Gpu *gpu, const GpuWarmAccess *access);
// Whether the L2 holds the byte at an address.
bool gpu_l2_holds(const Gpu *gpu, uint64_t address);

// Why no CTA of its kernels can be left out (Launch.sampler), for people; NULL if some can.
const char *gpu_needs_all_ctas(const Gpu *gpu);

// Told of every store to global memory before it takes effect; NULL: nobody.
void gpu_watch_stores(Gpu *gpu, void (*before)(void *self, const PendingStore *store), void *self);

// Ends the threads that step SMs; the next kernel that wants them makes new ones.
void gpu_end_threads(Gpu *gpu);

// What kind of fault ended the run; FAULT_NONE if none did.
FaultKind gpu_fault(const Gpu *gpu);

// Takes the next count of failed launches, one per kernel and error code; false: none left.
bool gpu_take_refused(Gpu *gpu, RefusedLaunches *refused);

// The number of the next kernel (Launch.grid_id): 0 at first. It can be raised.
uint32_t gpu_next_kernel(const Gpu *gpu);
void gpu_number_kernels(Gpu *gpu, uint32_t next);

// Records that are kept, by index.
uint32_t gpu_kernel_count(const Gpu *gpu);
const Launch *gpu_kernel(const Gpu *gpu, uint32_t index);
const MachineStats *gpu_total(Gpu *gpu);
Cycle gpu_now(const Gpu *gpu);  // cycles since it was made
// Moves a kernel's tables to the caller, which must clear them.
ResultTables gpu_take_tables(Gpu *gpu, uint32_t index);
// Adds the tables of the run up to this cycle: one row per SM, and those of the observers.
void gpu_report(Gpu *gpu, ResultTables *tables);
// Adds the counters that its policies keep, under their family and name.
void gpu_report_policies(const Gpu *gpu, StatsTree *tree);
// Types of the tables that a machine reports without observers; NULL-terminated.
extern const ResultTableType *const gpu_tables[];

#endif
