// SPDX-License-Identifier: MIT
#include "observers/dumps/dump.h"

static void on_events(void *state, const MemEvent *events, uint32_t count) {
  dump_events(state, EVENT_ACCESS, events, count);
}

const ObserverType access_dump_observer = {
    .policy = {.name = "access_dump",
               .summary = "writes every transaction after coalescing to a file (docs/traces.md)",
               .state_size = sizeof(Dump),
               .params = dump_params,
               .init = dump_init},
    .wants = 1u << EVENT_ACCESS,
    .tables = dump_tables,
    .on_events = on_events,
    .report = dump_report,
    .clear = dump_clear,
};
