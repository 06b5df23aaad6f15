// SPDX-License-Identifier: MIT
// The machine as its policies see it when they are made: fixed sizes that a
// table or a queue may be dimensioned by.
#ifndef POLICIES_MACHINE_VIEW_H
#define POLICIES_MACHINE_VIEW_H

#include <stdint.h>

typedef struct MachineView {
  uint32_t sm_count, sms_per_cluster, cluster_count;
  uint32_t max_warps, max_ctas, warp_schedulers;  // per SM
  uint32_t registers, shared_bytes;               // per SM
  uint32_t l1d_bytes, l1d_line_bytes;             // per SM; 0 bytes: no L1D
  uint32_t l2_bytes;                              // of all slices; 0: no L2
  uint32_t hardware_queues;                       // maximum number of concurrent kernels
} MachineView;

#endif
