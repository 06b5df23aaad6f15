// SPDX-License-Identifier: MIT
// Loads by the place they have in the program: how often each ran, how many
// transactions that made, what those found, and how long it took.
//
// Rows are kept by kernel while it runs and added to the run's when it ends.
// Constant and texture loads are looked up in their own caches, shared ones in
// none. Atomics that return a value are loads, too.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "locality/kernel_states.h"
#include "policies/observer/observer.h"

typedef struct LoadRow {
  const char *function, *text, *space, *source;
  uint64_t pc, line;
  uint64_t executions, transactions, hits, merges, misses, bypasses, latency_cycles;
} LoadRow;

typedef struct LoadRows {
  const Program *program;
  uint32_t *row_of;  // by pc: index + 1; 0: no row yet
  LoadRow *rows;
  uint32_t count, capacity;
} LoadRows;

typedef struct Loads {
  KernelStates kernels;  // LoadRows
  LoadRows *programs;    // totals, a program each
  uint32_t program_count, program_capacity;
  Arena arena;  // names of source lines
} Loads;

// ---- rows

static LoadRows rows_of(const Program *program) {
  LoadRows rows = {.program = program};
  rows.row_of = memory_alloc(sizeof(uint32_t) * (program->code_count + 1));
  return rows;
}

static void rows_clear(LoadRows *rows) {
  memory_free(rows->row_of);
  memory_free(rows->rows);
}

static uint32_t add_row(LoadRows *rows, uint32_t pc) {
  GROW(rows->rows, rows->count, rows->capacity);
  rows->rows[rows->count] = (LoadRow){.pc = pc};
  return rows->row_of[pc] = ++rows->count;
}

static inline LoadRow *row_at(LoadRows *rows, uint32_t pc) {
  uint32_t index = rows->row_of[pc];
  if (!index) index = add_row(rows, pc);
  return &rows->rows[index - 1];
}

static void add_rows(LoadRows *total, const LoadRows *part) {
  size_t counters = offsetof(LoadRow, executions);
  for (uint32_t i = 0; i < part->count; i++) {
    LoadRow *row = row_at(total, (uint32_t)part->rows[i].pc);
    memcpy(row, &part->rows[i], counters);
    stats_sum(&row->executions, &part->rows[i].executions, sizeof *row - counters);
  }
}

// ---- events

static void on_access(LoadRow *row, const MemEvent *event) {
  switch (event->outcome) {
    case OUTCOME_HIT: row->hits++; break;
    case OUTCOME_MERGE: row->merges++; break;
    case OUTCOME_MISS: row->misses++; break;
    default: row->bypasses++;
  }
}

static void on_done(LoadRow *row, const MemEvent *event) {
  row->executions++;
  row->transactions += event->transactions;
  row->latency_cycles += event->latency;
  if (!row->space) row->space = space_name(event->space);
}

static void loads_events(void *state, const MemEvent *events, uint32_t count) {
  Loads *loads = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    bool is_access = event->kind == EVENT_ACCESS && event->access != ACCESS_STORE;
    if (!is_access && event->kind != EVENT_LOAD_DONE) continue;
    LoadRows *rows = kernel_states_find(&loads->kernels, event->who.kernel);
    if (!rows) continue;
    LoadRow *row = row_at(rows, event->who.pc);
    if (is_access)
      on_access(row, event);
    else
      on_done(row, event);
  }
}

// ---- description

static const RowLabel labels[] = {
    ROW_LABEL(LoadRow, function, "function that holds the instruction"),
    ROW_LABEL(LoadRow, text, "the instruction's opcode"),
    ROW_LABEL(LoadRow, space, "where it read: global, local, shared, const, tex"),
    ROW_LABEL(LoadRow, source, "CUDA source as file:line; null where the PTX does not say"),
    {0}};

static const Stat columns[] = {
    STAT_COUNT(LoadRow, pc, "index of the instruction in the program"),
    STAT_COUNT(LoadRow, line, "line in the PTX file"),
    STAT_COUNT(LoadRow, executions, "warp instructions that have ended, with at least one lane"),
    STAT_COUNT(LoadRow, transactions, "transactions that they made"),
    STAT_RATIO(LoadRow, transactions_per_execution, transactions, executions,
               "transactions of an execution"),
    STAT_COUNT(LoadRow, hits, "transactions that hit in their first cache"),
    STAT_COUNT(LoadRow, merges, "whose line was on its way"),
    STAT_COUNT(LoadRow, misses, "that missed"),
    STAT_COUNT(LoadRow, bypasses, "that went past the cache"),
    STAT_COUNT(LoadRow, latency_cycles, "cycles from issue to written registers, over executions"),
    STAT_RATIO(LoadRow, latency, latency_cycles, executions, "the same, on average"),
    {0}};

static const ResultTableType loads_table = {.name = "loads",
                                            .summary = "each load instruction",
                                            .labels = labels,
                                            .columns = columns,
                                            .row_bytes = sizeof(LoadRow)};

// ---- kernels

static void loads_start(void *state, const KernelView *kernel) {
  Loads *loads = state;
  LoadRows *rows = kernel_states_add(&loads->kernels, kernel->id, sizeof *rows);
  *rows = rows_of(kernel->launch->program);
}

static LoadRows *total_of(Loads *loads, const Program *program) {
  for (uint32_t i = 0; i < loads->program_count; i++)
    if (loads->programs[i].program == program) return &loads->programs[i];
  GROW(loads->programs, loads->program_count, loads->program_capacity);
  loads->programs[loads->program_count] = rows_of(program);
  return &loads->programs[loads->program_count++];
}

static void describe(Loads *loads, const Program *program, LoadRow *row) {
  const Instruction *in = &program->code[row->pc];
  const Function *function = program_function_at(program, (uint32_t)row->pc);
  row->function = function ? function->name : NULL;
  row->text = in->text;
  row->line = in->line;
  if (!in->source || row->source) return;
  const SourceLine *source = &program->sources[in->source];
  row->source = arena_printf(&loads->arena, "%s:%u", source->file, source->line);
}

static int by_pc(const void *a, const void *b) {
  uint64_t x = ((const LoadRow *)a)->pc, y = ((const LoadRow *)b)->pc;
  return (x > y) - (x < y);
}

// In the order of the program; the rows' own index is of no use afterwards.
static void add_table(LoadRow *rows, uint32_t count, ResultTables *tables) {
  if (count) qsort(rows, count, sizeof *rows, by_pc);
  result_tables_add(tables, &loads_table, rows, count);
}

static void loads_end(void *state, const KernelView *kernel, ResultTables *tables) {
  Loads *loads = state;
  LoadRows *rows = kernel_states_find(&loads->kernels, kernel->id);
  if (!rows) return;
  LoadRows *total = total_of(loads, rows->program);
  for (uint32_t i = 0; i < rows->count; i++) {
    uint32_t known = total->row_of[rows->rows[i].pc];
    if (known) rows->rows[i].source = total->rows[known - 1].source;
    describe(loads, rows->program, &rows->rows[i]);
  }
  add_rows(total, rows);
  add_table(rows->rows, rows->count, tables);
  rows_clear(rows);
  kernel_states_remove(&loads->kernels, kernel->id);
}

static void loads_report(void *state, ResultTables *tables) {
  Loads *loads = state;
  LoadRow *all = NULL;
  uint32_t count = 0, capacity = 0;
  for (uint32_t p = 0; p < loads->program_count; p++)
    for (uint32_t i = 0; i < loads->programs[p].count; i++) {
      GROW(all, count, capacity);
      all[count++] = loads->programs[p].rows[i];
    }
  add_table(all, count, tables);
  memory_free(all);
}

static void loads_clear(void *state) {
  Loads *loads = state;
  for (uint32_t i = 0; i < loads->kernels.count; i++) rows_clear(loads->kernels.items[i].state);
  kernel_states_clear(&loads->kernels);
  for (uint32_t p = 0; p < loads->program_count; p++) rows_clear(&loads->programs[p]);
  memory_free(loads->programs);
  arena_clear(&loads->arena);
}

static const ResultTableType *const tables_of[] = {&loads_table, NULL};

const ObserverType loads_observer = {
    .policy = {.name = "loads",
               .summary = "each load of the program: transactions, hits, misses, latency",
               .state_size = sizeof(Loads)},
    .wants = 1u << EVENT_ACCESS | 1u << EVENT_LOAD_DONE,
    .tables = tables_of,
    .on_kernel_start = loads_start,
    .on_events = loads_events,
    .on_kernel_end = loads_end,
    .report = loads_report,
    .clear = loads_clear,
};
