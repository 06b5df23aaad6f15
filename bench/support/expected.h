// SPDX-License-Identifier: MIT
// tests/reference/expected.tsv: what GPGPU-Sim answered, a row for each case
// and warp scheduler.
#ifndef SUPPORT_EXPECTED_H
#define SUPPORT_EXPECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

// The columns of numbers, by their names in the file; "-" reads as NaN.
#define EXPECTED_LIST(X) \
  X(cycles)              \
  X(thread_instructions) \
  X(warp_instructions)   \
  X(l1d_accesses)        \
  X(l1d_misses)          \
  X(l1d_merges)          \
  X(l2_accesses)         \
  X(l2_misses)           \
  X(dram_reads)          \
  X(dram_writes)         \
  X(latency)             \
  X(cpu_s)               \
  X(hostmark_s)          \
  X(rss_mb)              \
  X(sum)

typedef struct ExpectedRow {
  const char *name, *scheduler;
#define X(column) double column;
  EXPECTED_LIST(X)
#undef X
} ExpectedRow;

typedef struct ExpectedRows {
  ExpectedRow *rows;
  uint32_t count, capacity;
  Arena arena;
} ExpectedRows;

// Refuses a file that lacks a column.
Status expected_read(ExpectedRows *expected, const char *path, Error *err);
void expected_clear(ExpectedRows *expected);

#endif
