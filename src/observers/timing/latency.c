// SPDX-License-Identifier: MIT
// How long loads' transactions waited, by where their data came from: a
// histogram with a column for the L1, for lines in flight (merge),
// for the L2 and for DRAM.
//
// A transaction's time runs from its entry into the load/store unit until its
// data is there. Bins are powers of two, or bin_cycles wide. Sectors of one
// transaction that were served from different places count as the farthest.
// Constants and parameters are left out.
#include "base/memory.h"
#include "observers/kernel_states.h"
#include "policies/observer/observer.h"

enum { MAX_BINS = 4096 };

typedef struct LatencyRow {
  uint64_t from_cycles, below_cycles;  // the bin
  uint64_t served[SERVED_BY_COUNT];
} LatencyRow;

typedef struct Histogram {
  uint64_t bins[MAX_BINS][SERVED_BY_COUNT];
  uint32_t used;  // bins
} Histogram;

typedef struct Latency {
  uint32_t bin_cycles;
  KernelStates kernels;  // Histogram
  Histogram total;
} Latency;

// Bin 0 holds 0 cycles and bin b > 0 those from 2^(b-1); or all bins have a fixed width.
// Longer latencies go to the last bin.
static uint32_t bin_of(const Latency *latency, uint32_t cycles) {
  uint32_t bin = latency->bin_cycles ? cycles / latency->bin_cycles
                                     : (cycles ? 32 - (uint32_t)__builtin_clz(cycles) : 0);
  return bin < MAX_BINS ? bin : MAX_BINS - 1;
}

static uint64_t bin_start(const Latency *latency, uint32_t bin) {
  if (latency->bin_cycles) return (uint64_t)bin * latency->bin_cycles;
  return bin ? UINT64_C(1) << (bin - 1) : 0;
}

static void latency_events(void *state, const MemEvent *events, uint32_t count) {
  Latency *latency = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ANSWER || event->space == SPACE_CONST) continue;
    Histogram *histogram = kernel_states_find(&latency->kernels, event->requester.kernel);
    if (!histogram) continue;
    uint32_t bin = bin_of(latency, event->latency);
    histogram->bins[bin][event->served_by]++;
    if (bin >= histogram->used) histogram->used = bin + 1;
  }
}

static void latency_start(void *state, const KernelView *kernel) {
  kernel_states_add(&((Latency *)state)->kernels, kernel->id, sizeof(Histogram));
}

static const Stat columns[] = {
    STAT_COUNT(LatencyRow, from_cycles, "lower bound of the bin"),
    STAT_COUNT(LatencyRow, below_cycles, "upper bound of the bin, exclusive"),
    {.name = "l1",
     .help = "served by the first-level cache",
     .offset = offsetof(LatencyRow, served)},
    {.name = "merge",
     .help = "merged into an outstanding miss of the SM",
     .offset = offsetof(LatencyRow, served) + SERVED_BY_MERGE * sizeof(uint64_t)},
    {.name = "l2",
     .help = "served by the L2",
     .offset = offsetof(LatencyRow, served) + SERVED_BY_L2 * sizeof(uint64_t)},
    {.name = "dram",
     .help = "served by DRAM",
     .offset = offsetof(LatencyRow, served) + SERVED_BY_DRAM * sizeof(uint64_t)},
    {0}};

static const ResultTableType latency_table = {
    .name = "load_latency",
    .summary = "load transactions by latency and serving level",
    .columns = columns,
    .row_bytes = sizeof(LatencyRow)};

static void add_table(const Latency *latency, const Histogram *histogram, ResultTables *tables) {
  LatencyRow *rows = memory_alloc(sizeof *rows * (histogram->used + 1));
  for (uint32_t bin = 0; bin < histogram->used; bin++) {
    rows[bin].from_cycles = bin_start(latency, bin);
    rows[bin].below_cycles = bin_start(latency, bin + 1);
    for (int from = 0; from < SERVED_BY_COUNT; from++)
      rows[bin].served[from] = histogram->bins[bin][from];
  }
  result_tables_add(tables, &latency_table, rows, histogram->used);
  memory_free(rows);
}

static void latency_end(void *state, const KernelView *kernel, ResultTables *tables) {
  Latency *latency = state;
  Histogram *histogram = kernel_states_find(&latency->kernels, kernel->id);
  if (!histogram) return;
  add_table(latency, histogram, tables);
  stats_sum(latency->total.bins, histogram->bins, sizeof *histogram->bins * histogram->used);
  if (histogram->used > latency->total.used) latency->total.used = histogram->used;
  kernel_states_remove(&latency->kernels, kernel->id);
}

static void latency_report(void *state, ResultTables *tables) {
  const Latency *latency = state;
  add_table(latency, &latency->total, tables);
}

static void latency_clear(void *state) {
  kernel_states_clear(&((Latency *)state)->kernels);
}

static const Param params[] = {
    PARAM(Latency, bin_cycles, 0, 0, 1 << 20, "bin width; 0: powers of two"), {0}};

static const ResultTableType *const tables_of[] = {&latency_table, NULL};

const ObserverType latency_observer = {
    .policy = {.name = "latency",
               .summary = "latency histogram of load transactions by serving level",
               .state_size = sizeof(Latency),
               .params = params},
    .wants = 1u << EVENT_ANSWER,
    .tables = tables_of,
    .on_kernel_start = latency_start,
    .on_events = latency_events,
    .on_kernel_end = latency_end,
    .report = latency_report,
    .clear = latency_clear,
};
