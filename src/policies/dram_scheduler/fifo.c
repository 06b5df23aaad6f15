// SPDX-License-Identifier: MIT
// First in, first out over the whole channel: the oldest request blocks all others
// until its bank is idle (head-of-line blocking).
#include "policies/dram_scheduler/dram_scheduler.h"

static uint32_t fifo_pick(void *state, const DramBankView *view) {
  (void)state;
  return view->ages[0] == view->oldest_in_channel ? 0 : DRAM_NO_REQUEST;
}

const DramSchedulerType fifo_dram_scheduler = {
    .policy = {.name = "fifo", .summary = "first come, first served"},
    .pick = fifo_pick,
};
