// SPDX-License-Identifier: MIT
#include "observers/dumps/dump.h"

static void on_events(void *state, const MemEvent *events, uint32_t count) {
  dump_events(state, EVENT_L2, events, count);
}

const ObserverType l2_dump_observer = {
    .policy = {.name = "l2_dump",
               .summary = "writes every request that reaches the L2 to a file (docs/traces.md)",
               .state_size = sizeof(Dump),
               .params = dump_params,
               .init = dump_init},
    .wants = 1u << EVENT_L2,
    .tables = dump_tables,
    .on_events = on_events,
    .report = dump_report,
    .clear = dump_clear,
};
