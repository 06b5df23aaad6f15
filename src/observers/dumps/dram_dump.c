// SPDX-License-Identifier: MIT
#include "observers/dumps/dump.h"

static void on_events(void *state, const MemEvent *events, uint32_t count) {
  dump_events(state, EVENT_DRAM, events, count);
}

const ObserverType dram_dump_observer = {
    .policy = {.name = "dram_dump",
               .summary = "writes every request of the L2 to DRAM to a file (docs/traces.md)",
               .state_size = sizeof(Dump),
               .params = dump_params,
               .init = dump_init},
    .wants = 1u << EVENT_DRAM,
    .tables = dump_tables,
    .on_events = on_events,
    .report = dump_report,
    .clear = dump_clear,
};
