// SPDX-License-Identifier: MIT
// The observer that writes the requests of the L2 slices to a file.
#include "observers/dumps/dump.h"

static void on_events(void *state, const MemEvent *events, uint32_t count) {
  dump_events(state, EVENT_L2, events, count);
}

static const ResultTableType table = {.name = "l2_dump",
                                      .summary = "requests written to a file",
                                      .labels = dump_labels,
                                      .columns = dump_columns,
                                      .row_bytes = sizeof(DumpRow)};
static const ResultTableType *const tables_of[] = {&table, NULL};

static void report(void *state, ResultTables *tables) {
  dump_report(state, &table, tables);
}

const ObserverType l2_dump_observer = {
    .policy = {.name = "l2_dump",
               .summary = "writes every request that reaches the L2 to a file (docs/traces.md)",
               .state_size = sizeof(Dump),
               .params = dump_params,
               .init = dump_init},
    .wants = 1u << EVENT_L2,
    .tables = tables_of,
    .on_events = on_events,
    .report = report,
    .clear = dump_clear,
};
