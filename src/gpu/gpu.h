// SPDX-License-Identifier: MIT
// A GPU: device memory and the machine that runs kernels on it. No global
// state; make as many as you like.
//
//   gpu_create, then for each kernel gpu_submit, then gpu_run until all are done.
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include <signal.h>

#include "gpu/gpu_config.h"
#include "gpu/machine_stats.h"
#include "isa/launch.h"

typedef struct Gpu Gpu;

typedef struct GpuOptions {
  bool no_skip;                       // step through cycles in which nothing happens
  const volatile sig_atomic_t *stop;  // not NULL: stop soon when it becomes true
} GpuOptions;

// What a kernel did. With several kernels at once, the counters are those of
// the whole machine between its start and its end.
typedef struct KernelRecord {
  const char *name;
  uint32_t grid[3], block[3], registers, ctas_per_sm;
  bool is_complete;
  Cycle started, ended;
  MachineStats stats;
} KernelRecord;

// The configuration is copied. An impossible one is refused with the reason.
Status gpu_create(Gpu **gpu, const GpuConfig *config, const GpuOptions *options, Error *err);
void gpu_destroy(Gpu *gpu);

DeviceMemory *gpu_memory(Gpu *gpu);
// Call after allocating or freeing device memory while kernels may run.
void gpu_forget_allocations(Gpu *gpu);
void gpu_set_print(Gpu *gpu, void (*print)(void *sink, const char *text, size_t length), void *sink);

// Queues a kernel. The program must outlive the run; parameters are copied.
Status gpu_submit(Gpu *gpu, const Launch *launch, Error *err);
// Runs until every kernel that was submitted has ended. On an error what has
// been counted so far stands; the GPU can then only be destroyed.
Status gpu_run(Gpu *gpu, Error *err);

uint32_t gpu_kernel_count(const Gpu *gpu);
const KernelRecord *gpu_kernel(const Gpu *gpu, uint32_t index);
const MachineStats *gpu_total(Gpu *gpu);

#endif
