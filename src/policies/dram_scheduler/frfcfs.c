// SPDX-License-Identifier: MIT
// First ready, first come first served: a bank stays with its row as long as
// anyone wants it, then opens the row of the oldest request.
//
// Rixner, Dally, Kapasi, Mattson and Owens, "Memory Access Scheduling", ISCA
// 2000. Nothing bounds how long a row may be served.
#include "policies/dram_scheduler/dram_scheduler.h"

static uint32_t frfcfs_pick(void *state, const DramBankView *view) {
  (void)state;
  // Called when a bank has served its last request, so the row that it
  // serves is the open one, or there is none.
  for (uint32_t i = 0; i < view->request_count; i++)
    if (view->rows[i] == view->open_row) return i;
  return 0;
}

const DramSchedulerType frfcfs_dram_scheduler = {
    .policy = {.name = "frfcfs", .summary = "row hits first, then the oldest request (FR-FCFS)"},
    .pick = frfcfs_pick,
};
