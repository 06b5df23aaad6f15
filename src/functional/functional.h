// SPDX-License-Identifier: MIT
// Functional execution of launches, without timing.
//
// CTAs are time-sliced, as many as the options make resident, each for a slice of
// instructions, so that CTAs that wait for one another make progress. The order is
// deterministic: the same launch has identical results. %clock and %globaltimer count the
// warp instructions of the whole GPU; loops that only wait for them skip time.
//
// Child kernels run in launch order: when the kernel waits for them, when its CTAs have
// completed, or when half of the limit of pending launches is reached.
#ifndef FUNCTIONAL_FUNCTIONAL_H
#define FUNCTIONAL_FUNCTIONAL_H

#include <signal.h>

#include "runtime/device_runtime.h"

typedef struct FunctionalOptions {
  uint32_t sm_count;     // CTA i runs on SM i mod sm_count, as %smid shows
  uint32_t ctas_per_sm;  // resident CTAs
  // CTAs do not wait for one another: each keeps its turn for longer, and the next one takes its
  // place at once, which is faster. CTA i is on SM i mod sm_count all the same.
  bool is_independent;
  bool yields;  // warps take turns after every access, as they do on the machine
  uint64_t max_instructions;          // warp instructions of this launch; 0 = no limit
  uint64_t max_ctas;                  // that end, of this launch; 0 = no limit
  uint64_t first_cta, end_cta;        // only these are executed; end_cta 0: all
  const volatile sig_atomic_t *stop;  // not NULL: stop soon when it becomes true
  DeviceRuntimeLimits limits;         // of launches by kernels; depth 0: they cannot
  // If not NULL, called for every child kernel when it has completed.
  void (*child_completed)(void *self, Launch *launch);
  // Not NULL: told now and then how many CTAs of the running kernel are done.
  void (*progress)(void *self, const Launch *launch, uint64_t ctas_done);
  // Not NULL: told of every kernel before its first CTA; of every instruction that accessed memory.
  void (*kernel_start)(void *self, const Launch *launch);
  void (*accessed)(void *self, const Warp *warp, const MemoryAccess *access);
  // Not NULL: told of every CTA of the launch and of its children that has completed.
  void (*cta_completed)(void *self, uint64_t cta, uint64_t warp_instructions);
  // Not NULL: called at the end for launches by kernels that failed.
  void (*refused)(void *self, const RefusedLaunches *refused);
  void *self;
} FunctionalOptions;

// Runs a launch and its children to completion. Counts in the record the kernel's instructions and
// CTAs, without its children, even on failure: ERR_PROGRAM for a fault, ERR_DEADLOCK for a hung
// barrier, ERR_LIMIT, ERR_INTERRUPTED. Children are numbered from launch->grid_id.
Status functional_run(ExecContext *context, Launch *launch, const FunctionalOptions *options,
                      Error *err);

#endif
