// SPDX-License-Identifier: MIT
// What LASER's three schedulers share (Tang et al., "Quantifying Data Locality in Dynamic
// Parallelism in GPUs", SIGMETRICS 2018, section 6 and figure 11): the priority flag and the
// parent of every kernel, and the schedule status table.
//
//   kernel scheduler  asks for the flag: the high-priority queue goes first
//   CTA dispatch      asks where a child's parent CTA runs, and queues the child's CTAs there
//   warp scheduler    asks whether a child was predicted to reuse its parent's data
//
// The part keeps itself up to date by the life cycle of kernels and CTAs. A child's flag is set
// when it is launched, from the reuse monitor of the SM that launches it (reuse_monitor.h):
// high for parent-child or sibling reuse, low for self reuse or none.
//
// At a cold start nothing is known: "the first couple of child kernels" get the high flag. Here
// these are the first `cold_children` that each SM launches, since each SM's monitor has to see
// children read, and all until its monitor has seen one.
//
// The status table has `status_entries` per SM. A CTA that finds none free is not in it, so that
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
