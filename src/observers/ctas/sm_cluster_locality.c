// SPDX-License-Identifier: MIT
// Intra-cluster locality (Wang et al., IEEE TC 2019, 3.3): requests from an L1 to a line that
// another request of the same cluster has recently accessed. Such a request is redundant.
// It shares data if it accesses a 32-byte sector of the previous one, else only the line.
//
// Requests are reads of global memory that missed in or bypassed the L1; one row per window,
// from 500 to 2000 cycles.
#include "base/memory.h"
#include "observers/kernel_states.h"
#include "observers/key_set.h"
#include "policies/observer/observer.h"

enum { WINDOWS = 4, WINDOW_CYCLES = 500, SECTOR_BYTES = 32, SECTOR_BITS = 8 };

typedef struct WindowRow {
  uint64_t window_cycles, requests, redundant, line_sharing, data_sharing;
} WindowRow;

typedef struct KernelClusters {
  uint32_t sms_per_cluster;
  KeySet lines;  // by line and cluster: cycle of the last request, and its sectors
  WindowRow rows[WINDOWS];
} KernelClusters;

typedef struct ClusterLocality {
  uint32_t line_bytes;
  KernelStates kernels;  // KernelClusters
  WindowRow total[WINDOWS];
} ClusterLocality;

static void name_windows(WindowRow rows[WINDOWS]) {
  for (uint64_t i = 0; i < WINDOWS; i++) rows[i].window_cycles = (i + 1) * WINDOW_CYCLES;
}

static void locality_start(void *state, const KernelView *kernel) {
  ClusterLocality *locality = state;
  KernelClusters *added = kernel_states_add(&locality->kernels, kernel->id, sizeof *added);
  added->sms_per_cluster = kernel->sms_per_cluster;
  name_windows(added->rows);
}

static void note_request(KernelClusters *clusters, uint32_t line_bytes, const MemEvent *event) {
  bool is_new;
  uint64_t line = event->address / line_bytes;
  // A transaction may begin within its line.
  uint8_t sectors = (uint8_t)(event->sectors << event->address % line_bytes / SECTOR_BYTES);
  uint64_t *last =
      key_set_at(&clusters->lines, line, event->requester.sm / clusters->sms_per_cluster, &is_new);
  uint64_t age = event->cycle - (*last >> SECTOR_BITS);
  bool shares_data = *last & sectors;
  for (int i = 0; i < WINDOWS; i++) {
    WindowRow *row = &clusters->rows[i];
    row->requests++;
    if (is_new || age > row->window_cycles) continue;
    row->redundant++;
    row->data_sharing += shares_data;
    row->line_sharing += !shares_data;
  }
  *last = event->cycle << SECTOR_BITS | sectors;
}

static void locality_events(void *state, const MemEvent *events, uint32_t count) {
  ClusterLocality *locality = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    bool leaves = event->outcome == OUTCOME_MISS || event->outcome == OUTCOME_BYPASS;
    if (event->kind != EVENT_ACCESS || event->space != SPACE_GLOBAL ||
        event->access != ACCESS_LOAD || !leaves)
      continue;
    KernelClusters *kernel = kernel_states_find(&locality->kernels, event->requester.kernel);
    if (kernel) note_request(kernel, locality->line_bytes, event);
  }
}

static const Stat columns[] = {
    STAT_COUNT(WindowRow, window_cycles, "window in cycles since the previous request"),
    STAT_COUNT(WindowRow, requests, "read requests leaving an L1"),
    STAT_COUNT(WindowRow, redundant, "of which to a line requested by the cluster in the window"),
    STAT_COUNT(WindowRow, line_sharing, "of these, to another sector of the line"),
    STAT_COUNT(WindowRow, data_sharing, "of these, to the same sector"),
    STAT_RATIO(WindowRow, redundant_share, redundant, requests, "intra-cluster locality"),
    {0}};

static const ResultTableType locality_table = {
    .name = "cluster_locality",
    .summary = "redundant requests per cluster, by window",
    .columns = columns,
    .row_bytes = sizeof(WindowRow)};

static void locality_end(void *state, const KernelView *kernel, ResultTables *tables) {
  ClusterLocality *locality = state;
  KernelClusters *ended = kernel_states_find(&locality->kernels, kernel->id);
  if (!ended) return;
  result_tables_add(tables, &locality_table, ended->rows, WINDOWS);
  stats_sum(locality->total, ended->rows, sizeof locality->total);
  key_set_clear(&ended->lines);
  kernel_states_remove(&locality->kernels, kernel->id);
}

static void locality_report(void *state, ResultTables *tables) {
  ClusterLocality *locality = state;
  name_windows(locality->total);
  result_tables_add(tables, &locality_table, locality->total, WINDOWS);
}

static void locality_clear(void *state) {
  ClusterLocality *locality = state;
  for (uint32_t i = 0; i < locality->kernels.count; i++)
    key_set_clear(&((KernelClusters *)locality->kernels.items[i].state)->lines);
  kernel_states_clear(&locality->kernels);
}

#define TOTAL(name_, window, field, help_) \
  { .name = name_, .help = (help_), .offset = STAT_OFFSET_(ClusterLocality, total[window].field) }

// For the run, where studies find it.
static const Stat stats[] = {
    TOTAL("requests", 3, requests, "read requests leaving an L1"),
    TOTAL("redundant_500", 0, redundant, "of which to a line requested within 500 cycles"),
    TOTAL("redundant_1000", 1, redundant, "1000"),
    TOTAL("redundant_1500", 2, redundant, "1500"),
    TOTAL("redundant_2000", 3, redundant, "2000"),
    TOTAL("line_sharing_2000", 3, line_sharing, "of these, to another sector"),
    TOTAL("data_sharing_2000", 3, data_sharing, "of these, to the same sector"),
    {0}};

static const Param params[] = {
    PARAM(ClusterLocality, line_bytes, 128, 32, 256, "line size in bytes"), {0}};

static const ResultTableType *const tables_of[] = {&locality_table, NULL};

const ObserverType cluster_locality_observer = {
    .policy = {.name = "cluster_locality",
               .summary = "redundant requests: lines that the cluster requested recently",
               .state_size = sizeof(ClusterLocality),
               .params = params,
               .stats = stats},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_kernel_start = locality_start,
    .on_events = locality_events,
    .on_kernel_end = locality_end,
    .report = locality_report,
    .clear = locality_clear,
};
