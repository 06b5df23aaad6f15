// SPDX-License-Identifier: MIT
// Which atomics meet: the sectors of global memory that a kernel updates by atomics, and by how
// many CTAs each. CTAs that update common words, and CTAs that update words of their own in common
// sectors, wait for each other alike; how many CTAs a sector has tells them apart.
#include "observers/kernel_states.h"
#include "observers/key_set.h"
#include "policies/observer/observer.h"

enum { SECTOR = 32 };

typedef struct ContentionRow {
  uint64_t transactions, sectors, pairs;
} ContentionRow;

typedef struct KernelContention {
  KeySet sectors, pairs;
  ContentionRow row;
} KernelContention;

typedef struct Contention {
  KernelStates kernels;  // KernelContention
} Contention;

static void contention_start(void *state, const KernelView *kernel) {
  Contention *contention = state;
  kernel_states_add(&contention->kernels, kernel->id, sizeof(KernelContention));
}

static void note(KernelContention *kernel, const MemEvent *event) {
  bool is_new_sector, is_new_pair;
  uint64_t sector = event->address / SECTOR;
  key_set_at(&kernel->sectors, sector, 0, &is_new_sector);
  key_set_at(&kernel->pairs, sector, event->requester.cta, &is_new_pair);
  kernel->row.transactions++;
  kernel->row.sectors += is_new_sector;
  kernel->row.pairs += is_new_pair;
}

static void contention_events(void *state, const MemEvent *events, uint32_t count) {
  Contention *contention = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ACCESS || event->access != ACCESS_ATOMIC) continue;
    KernelContention *kernel = kernel_states_find(&contention->kernels, event->requester.kernel);
    if (kernel) note(kernel, event);
  }
}

static const Stat columns[] = {
    STAT_COUNT(ContentionRow, transactions, "transactions of atomics on global memory"),
    STAT_COUNT(ContentionRow, sectors, "distinct sectors of 32 bytes that they update"),
    STAT_COUNT(ContentionRow, pairs, "distinct pairs of such a sector and a CTA that updates it"),
    STAT_RATIO(ContentionRow, ctas_per_sector, pairs, sectors, "CTAs per sector"),
    {0}};

static const ResultTableType contention_table = {
    .name = "contention",
    .summary = "sectors that atomics update, and the CTAs that share them",
    .columns = columns,
    .row_bytes = sizeof(ContentionRow)};

static void kernel_clear(KernelContention *kernel) {
  key_set_clear(&kernel->sectors);
  key_set_clear(&kernel->pairs);
}

static void contention_end(void *state, const KernelView *kernel, ResultTables *tables) {
  Contention *contention = state;
  KernelContention *ended = kernel_states_find(&contention->kernels, kernel->id);
  if (!ended) return;
  if (ended->row.transactions) result_tables_add(tables, &contention_table, &ended->row, 1);
  kernel_clear(ended);
  kernel_states_remove(&contention->kernels, kernel->id);
}

static void contention_clear(void *state) {
  Contention *contention = state;
  for (uint32_t i = 0; i < contention->kernels.count; i++)
    kernel_clear(contention->kernels.items[i].state);
  kernel_states_clear(&contention->kernels);
}

static const ResultTableType *const tables_of[] = {&contention_table, NULL};

const ObserverType contention_observer = {
    .policy = {.name = "contention",
               .summary = "atomics on global memory: the sectors they update, and CTAs per sector",
               .state_size = sizeof(Contention)},
    .wants = 1u << EVENT_ACCESS,
    .takes_any_order = true,
    .tables = tables_of,
    .on_kernel_start = contention_start,
    .on_events = contention_events,
    .on_kernel_end = contention_end,
    .clear = contention_clear,
};
