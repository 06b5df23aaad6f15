// SPDX-License-Identifier: MIT
// Samples counters every N cycles; pairs of rows are merged when there are too many.
#include "gpu/interval.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

// clang-format off
static const Stat columns[] = {
    STAT_COUNT(IntervalRow, start_cycle, "start cycle of the interval"),
    STAT_COUNT(IntervalRow, cycles, "length of the interval; a kernel's last one may be shorter"),
    STAT_COUNT(IntervalRow, warp_instructions, "warp instructions issued"),
    STAT_COUNT(IntervalRow, thread_instructions, "thread instructions issued"),
    STAT_RATIO(IntervalRow, warp_ipc, warp_instructions, cycles, "warp instructions per cycle"),
    STAT_COUNT(IntervalRow, warp_cycles, "resident warps, summed over cycles and SMs"),
    STAT_RATIO(IntervalRow, active_warps, warp_cycles, cycles, "resident warps on the whole GPU"),
    STAT_COUNT(IntervalRow, ctas, "CTAs completed"),
    STAT_COUNT(IntervalRow, l1d_accesses, "L1D lookups"),
    STAT_COUNT(IntervalRow, l1d_misses, "misses among them"),
    STAT_RATIO(IntervalRow, l1d_miss_rate, l1d_misses, l1d_accesses, "miss rate"),
    STAT_COUNT(IntervalRow, l2_accesses, "L2 lookups"),
    STAT_COUNT(IntervalRow, l2_misses, "misses among them"),
    STAT_COUNT(IntervalRow, busiest_slice_accesses, "L2 lookups of the slice with most of them"),
    STAT_COUNT(IntervalRow, dram_reads, "read column commands"),
    STAT_COUNT(IntervalRow, dram_writes, "write column commands"),
#define X(...) SLOT_STAT(IntervalRow, slots, __VA_ARGS__),
    SLOT_REASONS(X)
#undef X
    {0}};
// clang-format on

const ResultTableType interval_table = {.name = "intervals",
                                        .summary = "every N cycles of the kernel (--interval N)",
                                        .columns = columns,
                                        .row_bytes = sizeof(IntervalRow)};

static IntervalRow counters_of(const Intervals *intervals, const MachineStats *total) {
  IntervalRow row = {.cycles = total->cycles,
                     .warp_instructions = total->sm.warp_instructions,
                     .thread_instructions = total->sm.thread_instructions,
                     .warp_cycles = total->sm.warp_cycles,
                     .ctas = total->sm.ctas,
                     .l1d_accesses = total->l1d.accesses,
                     .l1d_misses = total->l1d.misses,
                     .l2_accesses = total->l2.accesses,
                     .l2_misses = total->l2.misses,
                     .busiest_slice_accesses = intervals->busiest,
                     .dram_reads = total->dram.reads,
                     .dram_writes = total->dram.writes};
  memcpy(row.slots, total->sm.slots, sizeof row.slots);
  return row;
}

// Two rows become one.
// Bounds memory: a run of any length has between half and all of INTERVAL_MAX_ROWS rows.
static void halve(Intervals *intervals) {
  assert(intervals->count % 2 == 0);
  for (uint32_t i = 0; i + 1 < intervals->count; i += 2) {
    IntervalRow sum = intervals->rows[i];
    uint64_t start = sum.start_cycle;
    stats_sum(&sum, &intervals->rows[i + 1], sizeof sum);
    sum.start_cycle = start;
    intervals->rows[i / 2] = sum;
  }
  intervals->count /= 2;
  intervals->every *= 2;
}

static void end_row(Intervals *intervals, const MachineStats *total) {
  IntervalRow now = counters_of(intervals, total), row = now;
  stats_subtract(&row, &intervals->last, sizeof row);
  row.start_cycle = intervals->last.cycles;
  intervals->last = now;
  if (!row.cycles) return;
  GROW(intervals->rows, intervals->count, intervals->capacity);
  intervals->rows[intervals->count++] = row;
  if (intervals->count == INTERVAL_MAX_ROWS) halve(intervals);
}

void intervals_start(Intervals *intervals, const MachineStats *total) {
  intervals->next = NEVER;
  if (!intervals->wanted) return;
  intervals->every = intervals->wanted;
  intervals->count = 0;
  intervals->last = counters_of(intervals, total);
  intervals->next = total->cycles + intervals->every;
}

void intervals_sample(Intervals *intervals, const MachineStats *total) {
  end_row(intervals, total);
  intervals->next += intervals->every;
}

void intervals_end(Intervals *intervals, const MachineStats *total, ResultTables *tables) {
  if (!intervals->wanted) return;
  end_row(intervals, total);
  result_tables_add(tables, &interval_table, intervals->rows, intervals->count);
  intervals->next = NEVER;
}

void intervals_note_slices(Intervals *intervals, const uint64_t *accesses, uint32_t count) {
  uint64_t most = 0;
  if (!intervals->slices) intervals->slices = memory_alloc(sizeof *accesses * count);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t more = accesses[i] - intervals->slices[i];
    if (more > most) most = more;
  }
  intervals->busiest += most;
  memcpy(intervals->slices, accesses, sizeof *accesses * count);
}

void intervals_clear(Intervals *intervals) {
  memory_free(intervals->slices);
  memory_free(intervals->rows);
  *intervals = (Intervals){.next = NEVER};
}
