// SPDX-License-Identifier: MIT
// The per-SM table: counters of each SM.
#ifndef GPU_SM_ROWS_H
#define GPU_SM_ROWS_H

#include "base/result_table.h"
#include "sm/sm.h"

typedef struct SmRow {
  uint64_t id;
  SmStats sm;
  LsuStats lsu;
  CacheStats l1d;
} SmRow;
extern const ResultTableType sm_table;

// One row an SM, as counted since the machine was made.
void sm_rows_fill(SmRow *rows, Sm *const *sms, uint32_t count);
// rows -= before
void sm_rows_subtract(SmRow *rows, const SmRow *before, uint32_t count);

#endif
