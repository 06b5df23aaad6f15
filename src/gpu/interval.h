// SPDX-License-Identifier: MIT
// The interval series: statistics of every N cycles of a kernel.
//
// When a kernel exceeds the capacity for rows, pairs of rows are merged and the interval
// doubles: memory does not grow with the length of a run.
#ifndef GPU_INTERVAL_H
#define GPU_INTERVAL_H

#include "base/cycle.h"
#include "base/result_table.h"
#include "gpu/machine_stats.h"

enum { INTERVAL_MAX_ROWS = 1 << 14 };

typedef struct IntervalRow {
  uint64_t start_cycle, cycles;
  uint64_t warp_instructions, thread_instructions, warp_cycles, ctas;
  uint64_t l1d_accesses, l1d_misses, l2_accesses, l2_misses, dram_reads, dram_writes;
  uint64_t busiest_slice_accesses;
  uint64_t slots[SLOT_REASON_COUNT];
} IntervalRow;
extern const ResultTableType interval_table;

typedef struct Intervals {
  Cycle wanted;      // requested cycles per row; 0: no rows
  Cycle every;       // current cycles per row
  Cycle next;        // end of the current row; NEVER: none
  IntervalRow last;  // counters at its start
  uint64_t *slices;  // accesses of every slice at its start; NULL: not asked for yet
  uint64_t busiest;  // accesses of the busiest slice in each interval, summed
  IntervalRow *rows;
  uint32_t count, capacity;
} Intervals;

// Before each of the following three: the accesses of every L2 slice since the start of the run.
void intervals_note_slices(Intervals *intervals, const uint64_t *accesses, uint32_t count);
void intervals_start(Intervals *intervals, const MachineStats *total);
// The clock has reached `next`.
void intervals_sample(Intervals *intervals, const MachineStats *total);
// Ends the last row and adds the table.
void intervals_end(Intervals *intervals, const MachineStats *total, ResultTables *tables);
void intervals_clear(Intervals *intervals);

#endif
