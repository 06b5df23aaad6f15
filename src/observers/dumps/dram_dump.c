// SPDX-License-Identifier: MIT
// The observer that writes the requests of the DRAM channels to a file.
#include "observers/dumps/dump.h"

static void on_events(void *state, const MemEvent *events, uint32_t count) {
  dump_events(state, EVENT_DRAM, events, count);
}

static const ResultTableType table = {.name = "dram_dump",
                                      .summary = "requests written to a file",
                                      .labels = dump_labels,
                                      .columns = dump_columns,
                                      .row_bytes = sizeof(DumpRow)};
static const ResultTableType *const tables_of[] = {&table, NULL};

static void report(void *state, ResultTables *tables) {
  dump_report(state, &table, tables);
}

const ObserverType dram_dump_observer = {
    .policy = {.name = "dram_dump",
               .summary = "writes every request of the L2 to DRAM to a file (docs/traces.md)",
               .state_size = sizeof(Dump),
               .params = dump_params,
               .init = dump_init},
    .wants = 1u << EVENT_DRAM,
    .tables = tables_of,
    .on_events = on_events,
    .report = report,
    .clear = dump_clear,
};
