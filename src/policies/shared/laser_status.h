// SPDX-License-Identifier: MIT
// State shared by LASER's three schedulers (Tang et al., "Quantifying Data Locality in Dynamic
// Parallelism in GPUs", SIGMETRICS 2018, section 6 and figure 11): the priority flag and the
// parent of every kernel, and the schedule status table.
//
//   kernel scheduler  reads the flag: the high-priority queue is served first
//   CTA dispatch      reads the SM of a child's parent CTA, and enqueues the child's CTAs there
//   warp scheduler    reads whether a child was predicted to reuse its parent's data
//
// The life cycle of kernels and CTAs keeps the part up to date. The flag of a child is set at its
// launch, from the reuse monitor of the launching SM (reuse_monitor.h): high for parent-child or
// sibling reuse, low for self reuse or none.
//
// At a cold start nothing is known: "the first couple of child kernels" get the high flag. Here
// these are the first `cold_children` launched by each SM, because each SM's monitor has to
// observe reads of children, and all until its monitor has observed one.
//
// The status table has `status_entries` per SM. A CTA that finds no free entry is not recorded, so
// its children do not find their parent.
#ifndef POLICIES_SHARED_LASER_STATUS_H
#define POLICIES_SHARED_LASER_STATUS_H

#include "policies/shared/laser_truth.h"

typedef struct LaserKernel {
  bool is_child, is_high;
  bool is_cold;          // high because nothing was known
  uint8_t prediction;    // MonitoredReuse
  bool has_ended;        // its CTAs have
  uint32_t parent;       // of a child: number of the kernel ...
  uint64_t parent_cta;   // ... the CTA ...
  uint32_t parent_warp;  // ... and the warp in it that launched the kernel
  uint32_t open;         // kernels that it launched and that are not over
} LaserKernel;

// As hardware would keep it: 4 bytes each for kernel and CTA.
typedef struct StatusEntry {
  uint32_t kernel, cta;
  bool is_taken;
} StatusEntry;

typedef struct Laser {
  // parameters
  uint32_t cold_children, status_entries;
  char truth[POLICY_SPEC_BYTES];  // path
  // state
  LaserTruth compared;
  ReuseMonitor *const *monitors;  // by SM
  uint32_t sm_count;
  LaserKernel *kernels;  // by number
  uint32_t kernel_count, kernel_capacity;
  LaserKernel *launched;  // by launch number: predictions for kernels in flight
  uint64_t launched_count, launched_capacity;
  uint32_t *children_of_sm;  // launched, up to cold_children
  StatusEntry *status;       // by SM and entry
  // counters
  uint64_t high, low, cold, predicted[MONITOR_KINDS + 1];
  uint64_t status_full;
} Laser;

enum { LASER_NOWHERE = UINT32_MAX };

// Kernels that the part has not heard of, as in unit tests, are ordinary ones of the host.
LaserKernel laser_kernel(const Laser *laser, uint32_t kernel);
// The SM on which a CTA is, by the status table; or LASER_NOWHERE.
uint32_t laser_where(const Laser *laser, uint32_t kernel, uint64_t cta);

#endif
