// SPDX-License-Identifier: MIT
// Records a run for the oracle prefetcher (policies/load_trace.h): every load of global memory
// looked up in the L1D, warp by warp. The file is written when the run is reported.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "policies/load_trace.h"
#include "policies/observer/observer.h"

typedef struct RecordedLoad {
  TracedWarp of;  // first: its number in the run, which keeps a warp's loads in order
  TracedLoad load;
} RecordedLoad;

typedef struct TraceRow {
  const char *file, *problem;
  uint64_t warps, loads, bytes;
} TraceRow;

typedef struct LoadRecorder {
  char file[POLICY_SPEC_BYTES];  // parameter
  RecordedLoad *loads;
  uint32_t count, capacity;
} LoadRecorder;

static Status recorder_init(void *state, const PolicySetup *setup, Error *err) {
  const LoadRecorder *recorder = state;
  (void)setup;
  return *recorder->file ? file_check_writable(recorder->file, err) : OK;
}

static void recorder_events(void *state, const MemEvent *events, uint32_t count) {
  LoadRecorder *recorder = state;
  if (!*recorder->file) return;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ACCESS || event->space != SPACE_GLOBAL ||
        event->access != ACCESS_LOAD || event->outcome == OUTCOME_BYPASS || !event->is_lowest)
      continue;
    GROW(recorder->loads, recorder->count, recorder->capacity);
    recorder->loads[recorder->count] =
        (RecordedLoad){.of = {.cta = event->requester.cta,
                              .kernel = event->requester.kernel,
                              .warp = event->requester.warp_in_cta,
                              .first = recorder->count},
                       .load = {.address = event->address, .pc = event->requester.pc}};
    recorder->count++;
  }
}

static int by_warp(const void *a, const void *b) {
  const RecordedLoad *x = a, *y = b;
  int order = load_trace_compare(&x->of, &y->of);
  return order ? order : (x->of.first > y->of.first) - (x->of.first < y->of.first);
}

static bool is_next_warp(const LoadRecorder *recorder, uint32_t i) {
  return i == 0 || load_trace_compare(&recorder->loads[i - 1].of, &recorder->loads[i].of) != 0;
}

static bool write_warps(const LoadRecorder *recorder, FILE *out) {
  bool is_fine = true;
  for (uint32_t i = 0, next; i < recorder->count; i = next) {
    TracedWarp warp = recorder->loads[i].of;
    for (next = i + 1; next < recorder->count && !is_next_warp(recorder, next);) next++;
    warp.first = i;
    warp.count = next - i;
    is_fine = is_fine && fwrite(&warp, sizeof warp, 1, out) == 1;
  }
  return is_fine;
}

static bool write_all(const LoadRecorder *recorder, uint64_t warps, FILE *out) {
  LoadTraceHeader header = {.version = LOAD_TRACE_VERSION,
                            .warp_count = warps,
                            .load_count = recorder->count};
  memcpy(header.magic, LOAD_TRACE_MAGIC, sizeof header.magic);
  bool is_fine = fwrite(&header, sizeof header, 1, out) == 1 && write_warps(recorder, out);
  for (uint32_t i = 0; i < recorder->count && is_fine; i++)
    is_fine = fwrite(&recorder->loads[i].load, sizeof(TracedLoad), 1, out) == 1;
  return is_fine;
}

static const RowLabel labels[] = {ROW_LABEL(TraceRow, file, "trace file"),
                                  ROW_LABEL(TraceRow, problem, "reason if incomplete"),
                                  {0}};
static const Stat columns[] = {STAT_COUNT(TraceRow, warps, "warps with loads"),
                               STAT_COUNT(TraceRow, loads, "loads recorded"),
                               STAT_COUNT(TraceRow, bytes, "size of the file"),
                               {0}};
static const ResultTableType trace_table = {.name = "load_trace",
                                            .summary = "the recorded run",
                                            .labels = labels,
                                            .columns = columns,
                                            .row_bytes = sizeof(TraceRow)};

static void recorder_report(void *state, ResultTables *tables) {
  LoadRecorder *recorder = state;
  if (!*recorder->file) return;
  TraceRow row = {.file = recorder->file, .problem = "", .loads = recorder->count};
  if (recorder->count) qsort(recorder->loads, recorder->count, sizeof *recorder->loads, by_warp);
  for (uint32_t i = 0; i < recorder->count; i++) {
    row.warps += is_next_warp(recorder, i);
    recorder->loads[i].of.first = i;  // so that more can be appended
  }
  row.bytes = sizeof(LoadTraceHeader) + row.warps * sizeof(TracedWarp) + row.loads * sizeof(TracedLoad);
  FILE *out = fopen(recorder->file, "wb");
  bool is_fine = out && write_all(recorder, row.warps, out);
  if (out && fclose(out) != 0) is_fine = false;
  if (!is_fine) row.problem = strerror(errno);
  result_tables_add(tables, &trace_table, &row, 1);
}

static void recorder_clear(void *state) {
  memory_free(((LoadRecorder *)state)->loads);
}

static const Param params[] = {
    PARAM_TEXT(LoadRecorder, file, "", "output file; without it, nothing is recorded"), {0}};

static const ResultTableType *const tables_of[] = {&trace_table, NULL};

const ObserverType load_trace_observer = {
    .policy = {.name = "load_trace",
               .summary = "records the loads of every warp, for the prefetcher oracle",
               .state_size = sizeof(LoadRecorder),
               .params = params,
               .init = recorder_init},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_events = recorder_events,
    .report = recorder_report,
    .clear = recorder_clear,
};
