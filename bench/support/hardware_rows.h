// SPDX-License-Identifier: MIT
// bench/hardware/GPU.tsv: what a GPU counted, a row for each kernel, and how the
// same kernel is run here.
#ifndef SUPPORT_HARDWARE_ROWS_H
#define SUPPORT_HARDWARE_ROWS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

// The columns of numbers, by their names in the file.
#define HARDWARE_COUNTERS(X) \
  X(cycles)                  \
  X(l1_read_hit_sectors)     \
  X(l1_read_miss_sectors)    \
  X(l1_write_sectors)        \
  X(constant_requests)       \
  X(shared_instructions)     \
  X(l2_read_sectors)         \
  X(l2_read_miss_sectors)    \
  X(l2_write_sectors)        \
  X(dram_read_sectors)       \
  X(dram_write_sectors)      \
  X(pipe_cycles)

typedef struct HardwareCounters {
#define X(counter) double counter;
  HARDWARE_COUNTERS(X)
#undef X
} HardwareCounters;

enum { HARDWARE_COUNTER_COUNT = sizeof(HardwareCounters) / sizeof(double) };
extern const char *const hardware_counter_names[HARDWARE_COUNTER_COUNT];

typedef struct HardwareRow {
  const char *kernel;  // its name in the suite
  const char *suite;
  const char *workload;  // runs the same kernel,
  const char *launch;    // under this name,
  const char *options;   // with these options, separated by spaces
  HardwareCounters counted;
} HardwareRow;

typedef struct HardwareRows {
  HardwareRow *rows;
  uint32_t count, capacity;
  Arena arena;
} HardwareRows;

// Refuses a file that lacks a column, and a row that lacks a cell.
Status hardware_rows_read(HardwareRows *rows, const char *path, Error *err);
void hardware_rows_clear(HardwareRows *rows);

// The counters of the timed launch in a file of `heddle run --json`. Refuses a file
// with none or several.
Status hardware_counters_read(HardwareCounters *counters, const char *json_path, Error *err);

#endif
