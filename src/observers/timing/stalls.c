// SPDX-License-Identifier: MIT
// Stalls: stretches in which an SM that had CTAs issued nothing.
//
// It records what ended a stall: the next instruction issued, and how many
// loads came back meanwhile. A stretch with loads was, most likely, a wait for
// memory; the machine's own account of reasons, slot by slot, is sm.slot_*.
// Stretches before an SM's first instruction of a CTA count, too: nothing could
// be issued before it was fetched.
#include "base/memory.h"
#include "observers/kernel_states.h"
#include "policies/observer/observer.h"

typedef struct StallRow {
  const char *function, *text;
  uint64_t sm, start_cycle, cycles, loads, pc, line;
} StallRow;

typedef struct StallRows {
  const Program *program;
  StallRow *rows;
  uint32_t count, capacity;
} StallRows;

// State of an SM.
typedef struct SmState {
  uint32_t ctas;
  Cycle idle_since;  // first cycle without an instruction
  uint64_t loads;    // that came back since
} SmState;

typedef struct Stalls {
  uint32_t min_cycles, max_rows;
  KernelStates kernels;  // StallRows
  SmState *sms;
} Stalls;

static void stalls_start(void *state, const KernelView *kernel) {
  Stalls *stalls = state;
  if (!stalls->sms) stalls->sms = memory_alloc(sizeof *stalls->sms * kernel->sm_count);
  StallRows *rows = kernel_states_add(&stalls->kernels, kernel->id, sizeof *rows);
  rows->program = kernel->launch->program;
}

static void on_issue(Stalls *stalls, SmState *sm, const MemEvent *event) {
  Cycle cycles = event->cycle > sm->idle_since ? event->cycle - sm->idle_since : 0;
  StallRows *rows = kernel_states_find(&stalls->kernels, event->requester.kernel);
  if (cycles >= stalls->min_cycles && rows && rows->count < stalls->max_rows) {
    GROW(rows->rows, rows->count, rows->capacity);
    rows->rows[rows->count++] = (StallRow){.sm = event->requester.sm,
                                           .start_cycle = sm->idle_since,
                                           .cycles = cycles,
                                           .loads = sm->loads,
                                           .pc = event->requester.pc};
  }
  sm->idle_since = event->cycle + 1;
  sm->loads = 0;
}

static void stalls_events(void *state, const MemEvent *events, uint32_t count) {
  Stalls *stalls = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    SmState *sm = &stalls->sms[event->requester.sm];
    if (event->kind == EVENT_CTA_START && sm->ctas++ == 0)
      *sm = (SmState){.ctas = 1, .idle_since = event->cycle};
    if (event->kind == EVENT_CTA_END && sm->ctas) sm->ctas--;
    if (event->kind == EVENT_LOAD_DONE) sm->loads++;
    if (event->kind == EVENT_ISSUE) on_issue(stalls, sm, event);
  }
}

static const RowLabel labels[] = {ROW_LABEL(StallRow, function, "function of the next instruction"),
                                  ROW_LABEL(StallRow, text, "opcode of the next instruction"),
                                  {0}};
static const Stat columns[] = {
    STAT_COUNT(StallRow, sm, "stalled SM"),
    STAT_COUNT(StallRow, start_cycle, "first cycle without an issued instruction"),
    STAT_COUNT(StallRow, cycles, "length of the stall in cycles"),
    STAT_COUNT(StallRow, loads, "loads of this SM completed during the stall"),
    STAT_COUNT(StallRow, pc, "index of the next instruction in the program"),
    STAT_COUNT(StallRow, line, "line in the PTX file"),
    {0}};
static const ResultTableType stalls_table = {.name = "stalls",
                                             .summary = "stalls of SMs",
                                             .labels = labels,
                                             .columns = columns,
                                             .row_bytes = sizeof(StallRow)};

static void describe(const Program *program, StallRow *row) {
  const Function *function = program_function_at(program, (uint32_t)row->pc);
  row->function = function ? function->name : NULL;
  row->text = program->code[row->pc].text;
  row->line = program->code[row->pc].line;
}

static void stalls_end(void *state, const KernelView *kernel, ResultTables *tables) {
  Stalls *stalls = state;
  StallRows *rows = kernel_states_find(&stalls->kernels, kernel->id);
  if (!rows) return;
  for (uint32_t i = 0; i < rows->count; i++) describe(rows->program, &rows->rows[i]);
  result_tables_add(tables, &stalls_table, rows->rows, rows->count);
  memory_free(rows->rows);
  kernel_states_remove(&stalls->kernels, kernel->id);
}

static void stalls_clear(void *state) {
  Stalls *stalls = state;
  for (uint32_t i = 0; i < stalls->kernels.count; i++)
    memory_free(((StallRows *)stalls->kernels.items[i].state)->rows);
  kernel_states_clear(&stalls->kernels);
  memory_free(stalls->sms);
}

static const Param params[] = {
    PARAM(Stalls, min_cycles, 20, 1, 1 << 30, "minimum length of a stall in cycles"),
    PARAM(Stalls, max_rows, 65536, 1, 1 << 30, "maximum rows per kernel"),
    {0}};

static const ResultTableType *const tables_of[] = {&stalls_table, NULL};

const ObserverType stalls_observer = {
    .policy = {.name = "stalls",
               .summary = "stalls of SMs: periods without issue, and the next instruction",
               .state_size = sizeof(Stalls),
               .params = params},
    .wants =
        1u << EVENT_ISSUE | 1u << EVENT_LOAD_DONE | 1u << EVENT_CTA_START | 1u << EVENT_CTA_END,
    .tables = tables_of,
    .on_kernel_start = stalls_start,
    .on_events = stalls_events,
    .on_kernel_end = stalls_end,
    .clear = stalls_clear,
};
