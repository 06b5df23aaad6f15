// SPDX-License-Identifier: MIT
// The observer that writes the accesses of the load/store units to a file.
#include "observers/dumps/dump.h"

static void on_events(void *state, const MemEvent *events, uint32_t count) {
  dump_events(state, EVENT_ACCESS, events, count);
}

static const ResultTableType table = {.name = "access_dump",
                                      .summary = "requests written to a file",
                                      .labels = dump_labels,
                                      .columns = dump_columns,
                                      .row_bytes = sizeof(DumpRow)};
static const ResultTableType *const tables_of[] = {&table, NULL};

static void report(void *state, ResultTables *tables) {
  dump_report(state, &table, tables);
}

const ObserverType access_dump_observer = {
    .policy = {.name = "access_dump",
               .summary = "writes every transaction after coalescing to a file (docs/traces.md)",
               .state_size = sizeof(Dump),
               .params = dump_params,
               .init = dump_init},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_events = on_events,
    .report = report,
    .clear = dump_clear,
};
