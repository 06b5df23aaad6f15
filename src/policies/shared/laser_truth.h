// SPDX-License-Identifier: MIT
// How good LASER's predictions are: each is compared with the ratios that the child kernel had
// in a recorded run (`--observe reuse_profile:file=PATH`, then `shared=laser_status:truth=PATH`).
// The truth is decided as the monitors decide (reuse_monitor.h), by the kernel's ratio to its
// parent, the highest to a sibling, and its own, above the same threshold. Only counters
// depend on it.
#ifndef POLICIES_SHARED_LASER_TRUTH_H
#define POLICIES_SHARED_LASER_TRUTH_H

#include "policies/shared/profiled_reuse.h"
#include "policies/shared/reuse_monitor.h"

typedef struct LaserTruth {
  ProfiledReuse reuse;
  uint64_t known, same_kind, high, same_flag;
  uint64_t kinds[MONITOR_KINDS + 1];
} LaserTruth;

// Without a file nothing is known.
Status laser_truth_init(LaserTruth *truth, const char *file, const PolicySetup *setup, Error *err);
void laser_truth_clear(LaserTruth *truth);
void laser_truth_note_child(LaserTruth *truth, const ChildLaunchView *child);
// Records a kernel that has entered a queue. prediction: NULL if none was made.
void laser_truth_note_kernel(LaserTruth *truth, const KernelView *kernel,
                             const MonitoredReuse *prediction, double threshold);

#endif
