// SPDX-License-Identifier: MIT
// A kernel and one of its CTAs, as policies and observers see them.
#ifndef POLICIES_KERNEL_VIEW_H
#define POLICIES_KERNEL_VIEW_H

#include "base/cycle.h"
#include "isa/launch.h"

typedef struct KernelView {
  Cycle now;
  uint32_t id;           // grows with submission; kernels may overlap
  const Launch *launch;  // function, grid and block, and its origin: stream, priority, parent
  uint64_t cta_count;    // of the grid
  uint64_t ctas_waiting, ctas_done;  // not dispatched yet; completed
  uint32_t warps_per_cta;
  uint32_t max_ctas_per_sm;  // that fit an empty SM
  Cycle submitted;           // when it reached the queues
  uint64_t launch_number;    // that a ChildLaunchView had; 0: the host launched it
  uint32_t sm_count, sms_per_cluster;
} KernelView;

// A kernel that a CTA has just launched. It enters a queue later (gpu.launch_base_cycles), and
// then gets its own id.
typedef struct ChildLaunchView {
  Cycle now;
  const Launch *launch;  // its origin has the launching kernel, CTA, thread and SM
  uint64_t number;       // from 1; a thread's launches are in program order
} ChildLaunchView;

typedef struct CtaView {
  Cycle now;
  const KernelView *kernel;
  uint64_t cta;  // linear index in the grid
  uint32_t sm;
  uint64_t warp_instructions;  // issued by it so far; 0 at its start
} CtaView;

#endif
