// SPDX-License-Identifier: MIT
// DRAM schedulers: which queued request an idle bank serves next.
//
// To add one, write a file in this folder that defines a DramSchedulerType and list
// it in dram_schedulers.def. In each tick the channel calls the policy for one bank
// after another until it selects a request. There is one state per channel
// (PolicySetup.index).
#ifndef POLICIES_DRAM_SCHEDULER_DRAM_SCHEDULER_H
#define POLICIES_DRAM_SCHEDULER_DRAM_SCHEDULER_H

#include "policies/policy.h"
#include "policies/requester.h"

#define DRAM_NO_ROW UINT32_MAX
#define DRAM_NO_REQUEST UINT32_MAX

// The requests that wait for one bank, oldest first, and the bank's open row.
typedef struct DramBankView {
  uint32_t bank;
  uint32_t open_row;         // DRAM_NO_ROW: closed
  uint32_t serving_row;      // the row of the last request given to this bank, or DRAM_NO_ROW
  uint32_t request_count;    // never 0
  const uint32_t *rows;      // rows[i]: of request i
  const uint64_t *ages;      // ages[i]: grows with arrival over the whole channel
  const bool *writes;        // writes[i]: it writes
  const Requester *const *requesters;  // one per request; NULL: a write-back of the L2
  uint64_t oldest_in_channel;
} DramBankView;

typedef struct DramSchedulerType {
  PolicyType policy;
  // Returns an index below request_count, or DRAM_NO_REQUEST to give this bank nothing now.
  uint32_t (*pick)(void *state, const DramBankView *view);
} DramSchedulerType;

extern const PolicyFamily dram_scheduler_family;

#endif
