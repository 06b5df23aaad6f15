// SPDX-License-Identifier: MIT
// Kernel schedulers: which pending kernel enters a hardware queue next.
//
// To add one, write a file in this folder that defines a KernelSchedulerType and list
// it in kernel_schedulers.def. There is one state per GPU. It is called when a kernel
// has been launched or has completed, while a queue is free. Kernels of one stream run
// in launch order: only the first kernel of a stream that has not started is pending,
// and only if no other of the stream runs and all children of its predecessor have
// completed. If streams are mapped to hardware queues (gpu.queue_mapping), a kernel is
// pending if its queue has a free slot.
#ifndef POLICIES_KERNEL_SCHEDULER_KERNEL_SCHEDULER_H
#define POLICIES_KERNEL_SCHEDULER_KERNEL_SCHEDULER_H

#include "base/cycle.h"
#include "isa/launch.h"
#include "policies/policy.h"

#define KERNEL_NONE UINT32_MAX

typedef struct KernelQueueView {
  Cycle now;
  const KernelView *pending, *running;  // each in the order of submission
  uint32_t pending_count;                 // never 0
  uint32_t running_count, queue_count;    // a queue may hold kernels besides the running one
} KernelQueueView;

typedef struct KernelSchedulerType {
  PolicyType policy;
  // An index of pending, or KERNEL_NONE to leave the queue free, which is not
  // allowed while nothing runs.
  uint32_t (*pick)(void *state, const KernelQueueView *view);
} KernelSchedulerType;

extern const PolicyFamily kernel_scheduler_family;

// Asks, and checks the answer.
uint32_t kernel_scheduler_pick(const KernelSchedulerType *type, void *state,
                               const KernelQueueView *view);

#endif
