// SPDX-License-Identifier: MIT
// An observer: stores of each kernel, as a table with one row.
#include "policies/observer/observer.h"
#include "policies/plugin.h"

typedef struct StoreRow {
  uint64_t transactions, bytes;
} StoreRow;

static const Stat columns[] = {STAT_COUNT(StoreRow, transactions, "transactions of stores"),
                               STAT_COUNT(StoreRow, bytes, "bytes that they wrote"),
                               {0}};
static const ResultTableType stores_table = {
    .name = "stores", .summary = "stores of a kernel", .columns = columns, .row_bytes = sizeof(StoreRow)};
static const ResultTableType *const tables[] = {&stores_table, NULL};

static void stores_on_events(void *state, const MemEvent *events, uint32_t count) {
  StoreRow *row = state;
  for (uint32_t i = 0; i < count; i++) {
    if (events[i].access != ACCESS_STORE) continue;
    row->transactions++;
    row->bytes += events[i].bytes;
  }
}

static void stores_on_kernel_end(void *state, const KernelView *kernel, ResultTables *out) {
  StoreRow *row = state;
  (void)kernel;
  result_tables_add(out, &stores_table, row, 1);
  *row = (StoreRow){0};
}

static const ObserverType stores = {
    .policy = {.name = "stores", .summary = "stores of each kernel", .state_size = sizeof(StoreRow)},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables,
    .on_events = stores_on_events,
    .on_kernel_end = stores_on_kernel_end,
};
POLICY_PLUGIN("observer", stores);
