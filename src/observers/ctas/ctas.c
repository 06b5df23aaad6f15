// SPDX-License-Identifier: MIT
// One row for each CTA: where it ran, when, and how much it did; and how many of
// them each SM held over time.
//
// Rows are in the order in which CTAs started. Grids with more CTAs than
// max_rows have the first ones only; the map has all.
#include "base/memory.h"
#include "observers/ctas/cta_map.h"
#include "observers/kernel_states.h"
#include "policies/observer/observer.h"

typedef struct CtaRow {
  uint64_t cta, sm, start_cycle, end_cycle, cycles;
  uint64_t warp_instructions, thread_instructions;
} CtaRow;

typedef struct CtaRows {
  CtaRow *rows;
  uint32_t count, capacity;
} CtaRows;

enum { SLOTS = 256 };  // of an SM, as wide as MemEvent.cta_slot

typedef struct Ctas {
  uint32_t max_rows;
  KernelStates kernels;  // CtaRows
  uint32_t *open;        // by SM and CTA slot: index of the CTA's row + 1
  CtaMap map;
  Cycle now;             // as far as is known
} Ctas;

static void ctas_start(void *state, const KernelView *kernel) {
  Ctas *ctas = state;
  if (!ctas->open) {
    cta_map_init(&ctas->map, kernel->sm_count);
    ctas->open = memory_alloc(sizeof(uint32_t) * SLOTS * kernel->sm_count);
  }
  kernel_states_add(&ctas->kernels, kernel->id, sizeof(CtaRows));
}

static uint32_t add_row(const Ctas *ctas, CtaRows *rows, const MemEvent *event) {
  if (rows->count == ctas->max_rows) return 0;
  GROW(rows->rows, rows->count, rows->capacity);
  rows->rows[rows->count++] =
      (CtaRow){.cta = event->requester.cta, .sm = event->requester.sm, .start_cycle = event->cycle};
  return rows->count;
}

static void ctas_events(void *state, const MemEvent *events, uint32_t count) {
  Ctas *ctas = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    bool is_start = event->kind == EVENT_CTA_START, is_end = event->kind == EVENT_CTA_END;
    if (!is_start && !is_end && event->kind != EVENT_ISSUE) continue;
    if (event->kind != EVENT_ISSUE)
      cta_map_change(&ctas->map, event->requester.sm, event->cycle, is_start);
    CtaRows *rows = kernel_states_find(&ctas->kernels, event->requester.kernel);
    uint32_t *open = &ctas->open[event->requester.sm * SLOTS + event->requester.cta_slot];
    if (is_start && rows) *open = add_row(ctas, rows, event);
    if (!rows || !*open) continue;
    CtaRow *row = &rows->rows[*open - 1];
    row->warp_instructions += event->kind == EVENT_ISSUE;
    row->thread_instructions += event->lanes;
    if (!is_end) continue;
    row->end_cycle = event->cycle;
    row->cycles = event->cycle - row->start_cycle;
    *open = 0;
  }
}

static const Stat columns[] = {
    STAT_COUNT(CtaRow, cta, "linear index in the grid: x + y * gx + z * gx * gy"),
    STAT_COUNT(CtaRow, sm, "SM of the CTA"),
    STAT_COUNT(CtaRow, start_cycle, "cycle of dispatch to the SM"),
    STAT_COUNT(CtaRow, end_cycle, "cycle in which its last warp exited; 0: still running"),
    STAT_COUNT(CtaRow, cycles, "lifetime in cycles"),
    STAT_COUNT(CtaRow, warp_instructions, "warp instructions issued"),
    STAT_COUNT(CtaRow, thread_instructions, "thread instructions issued"),
    {0}};

static const ResultTableType ctas_table = {
    .name = "cta_rows", .summary = "each CTA", .columns = columns, .row_bytes = sizeof(CtaRow)};

static void ctas_end(void *state, const KernelView *kernel, ResultTables *tables) {
  Ctas *ctas = state;
  CtaRows *rows = kernel_states_find(&ctas->kernels, kernel->id);
  ctas->now = kernel->now;
  if (!rows) return;
  result_tables_add(tables, &ctas_table, rows->rows, rows->count);
  memory_free(rows->rows);
  kernel_states_remove(&ctas->kernels, kernel->id);
}

static void ctas_report(void *state, ResultTables *tables) {
  Ctas *ctas = state;
  cta_map_report(&ctas->map, ctas->now, tables);
}

static void ctas_clear(void *state) {
  Ctas *ctas = state;
  for (uint32_t i = 0; i < ctas->kernels.count; i++)
    memory_free(((CtaRows *)ctas->kernels.items[i].state)->rows);
  kernel_states_clear(&ctas->kernels);
  memory_free(ctas->open);
  cta_map_clear(&ctas->map);
}

static const Param params[] = {PARAM(Ctas, max_rows, 65536, 1, 1 << 30, "maximum rows per kernel"),
                               {0}};

static const ResultTableType *const tables_of[] = {&ctas_table, &cta_map_table, NULL};

const ObserverType ctas_observer = {
    .policy = {.name = "ctas",
               .summary = "per CTA: SM, start, end, instructions; resident CTAs per SM over time",
               .state_size = sizeof(Ctas),
               .params = params},
    .wants = 1u << EVENT_ISSUE | 1u << EVENT_CTA_START | 1u << EVENT_CTA_END,
    .tables = tables_of,
    .on_kernel_start = ctas_start,
    .on_events = ctas_events,
    .on_kernel_end = ctas_end,
    .report = ctas_report,
    .clear = ctas_clear,
};
