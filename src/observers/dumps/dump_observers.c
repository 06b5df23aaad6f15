// SPDX-License-Identifier: MIT
// The observers that write the requests of a level of the memory system to a file: one for the
// load/store units, one for the L2 slices, one for DRAM.
#include "observers/dumps/dump.h"

#define DUMP_OBSERVER(name_, kind_, summary_)                                            \
  static void name_##_events(void *state, const MemEvent *events, uint32_t count) {      \
    dump_events(state, kind_, events, count);                                            \
  }                                                                                      \
  static const ResultTableType name_##_table = {.name = #name_,                          \
                                                .summary = "requests written to a file", \
                                                .labels = dump_labels,                   \
                                                .columns = dump_columns,                 \
                                                .row_bytes = sizeof(DumpRow)};           \
  static const ResultTableType *const name_##_tables[] = {&name_##_table, NULL};         \
  static void name_##_report(void *state, ResultTables *tables) {                        \
    dump_report(state, &name_##_table, tables);                                          \
  }                                                                                      \
  const ObserverType name_##_observer = {.policy = {.name = #name_,                      \
                                                    .summary = summary_,                 \
                                                    .state_size = sizeof(Dump),          \
                                                    .params = dump_params,               \
                                                    .init = dump_init},                  \
                                         .wants = 1u << kind_,                           \
                                         .tables = name_##_tables,                       \
                                         .on_events = name_##_events,                    \
                                         .report = name_##_report,                       \
                                         .clear = dump_clear}

DUMP_OBSERVER(access_dump, EVENT_ACCESS,
              "writes every transaction after coalescing to a file (docs/traces.md)");
DUMP_OBSERVER(l2_dump, EVENT_L2,
              "writes every request that reaches the L2 to a file (docs/traces.md)");
DUMP_OBSERVER(dram_dump, EVENT_DRAM,
              "writes every request of the L2 to DRAM to a file (docs/traces.md)");
