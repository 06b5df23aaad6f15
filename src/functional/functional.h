// SPDX-License-Identifier: MIT
// Execution without time: the results of a launch, as fast as they can be had.
//
// CTAs run in turns, as many at once as the options say an imaginary GPU
// holds, each for a slice of instructions, so that CTAs that wait for one
// another get on. The order is fixed: the same launch gives the same bits.
// %clock and %globaltimer count the warp instructions of the whole GPU.
//
// Kernels that the kernel launches run in the order of their launches: when it
// waits for them, when its CTAs have ended, or when half of the launches that
// may be pending are.
#ifndef FUNCTIONAL_FUNCTIONAL_H
#define FUNCTIONAL_FUNCTIONAL_H

#include <signal.h>

#include "runtime/device_runtime.h"

typedef struct FunctionalStats {
  uint64_t warp_instructions, thread_instructions, ctas, launches;
} FunctionalStats;

typedef struct FunctionalOptions {
  uint32_t sm_count;                  // CTA i runs on SM i mod sm_count, as %smid shows
  uint32_t ctas_per_sm;               // resident at once
  uint64_t max_instructions;          // warp instructions of this launch; 0 = no limit
  uint64_t max_ctas;                  // that end, of this launch; 0 = no limit
  const volatile sig_atomic_t *stop;  // not NULL: stop soon when it becomes true
  DeviceRuntimeLimits limits;         // of launches by kernels; depth 0: they cannot
  // Not NULL: told of every kernel that was launched by a kernel when it is over.
  void (*child_completed)(void *self, const Launch *launch, const FunctionalStats *stats);
  // Not NULL: told now and then how many CTAs of the running kernel are done.
  void (*progress)(void *self, const Launch *launch, uint64_t ctas_done);
  // Not NULL: told of every kernel before its first CTA; of every instruction that accessed memory.
  void (*kernel_start)(void *self, const Launch *launch);
  void (*accessed)(void *self, const Warp *warp, const MemoryAccess *access);
  // Not NULL: called at the end for launches by kernels that failed.
  void (*refused)(void *self, const RefusedLaunches *refused);
  void *self;
} FunctionalOptions;

// Runs a launch to its end, and all that it launches. Adds to stats what the
// kernel did, without its children, also when it fails: ERR_PROGRAM for a
// fault, ERR_DEADLOCK for a hung barrier, ERR_LIMIT, ERR_INTERRUPTED. Children
// are numbered onwards from launch->grid_id.
Status functional_run(ExecContext *context, const Launch *launch, const FunctionalOptions *options,
                      FunctionalStats *stats, Error *err);

#endif
