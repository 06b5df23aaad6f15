// SPDX-License-Identifier: MIT
// Progress line of a run, on terminals only.
#ifndef DEVICE_PROCESS_PROGRESS_H
#define DEVICE_PROCESS_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "gpu/gpu.h"

typedef struct Progress {
  FILE *file;                             // NULL: not shown
  double started, kernel_started, shown;  // seconds
  uint32_t kernel;                        // index of the one that was shown last, + 1
  Cycle last_cycle;
  uint64_t last_instructions;
  uint64_t kernels;  // completed
  bool is_visible;
} Progress;

void progress_init(Progress *progress, FILE *file);
// For GpuOptions.progress: at most five lines a second. Cycle 0: without time.
void progress_update(void *self, const GpuProgress *now);
// Takes the line away, before something else is written or at the end.
void progress_hide(Progress *progress);

#endif
