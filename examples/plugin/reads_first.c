// SPDX-License-Identifier: MIT
// DRAM scheduler: the oldest read of the open row, then the oldest read, then
// whatever is oldest.
#include "policies/dram_scheduler/dram_scheduler.h"
#include "policies/plugin.h"

static uint32_t reads_first_pick(void *state, const DramBankView *view) {
  uint32_t read = DRAM_NO_REQUEST;
  (void)state;
  for (uint32_t i = view->request_count; i-- > 0;) {
    if (view->writes[i]) continue;
    if (read == DRAM_NO_REQUEST || view->rows[i] == view->open_row ||
        view->rows[read] != view->open_row)
      read = i;
  }
  return read == DRAM_NO_REQUEST ? 0 : read;
}

static const DramSchedulerType reads_first = {
    .policy = {.name = "reads_first", .summary = "reads before writes, open rows first"},
    .pick = reads_first_pick,
};
POLICY_PLUGIN("dram_scheduler", reads_first);
