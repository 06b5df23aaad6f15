// SPDX-License-Identifier: MIT
// Turns counts by instruction into rows by source access, the most expensive first.
#include "observers/accesses/access_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "policies/observer/observer.h"

// A row of the table.
typedef struct AccessRow {
  const char *function, *kind, *space, *array, *text, *source, *mostly;
  uint64_t column, line, pc, instructions;
  uint64_t executions, lanes, transactions, ideal_transactions;
  uint64_t hits, merges, misses, bypasses, lookups;
  uint64_t bank_conflict_cycles;
  uint64_t loads_done, latency_cycles;
  uint64_t wait_slots, unit_slots, slots;
} AccessRow;

static const char *kind_name(uint8_t kind) {
  return kind == ACCESS_ATOMIC ? "atomic" : (kind == ACCESS_STORE ? "store" : "load");
}

// The reason that took most of the slots.
static const char *largest_reason(const uint64_t slots[SLOT_REASON_COUNT]) {
  static const char *const labels[] = {
#define X(name, label, group, help) label,
      SLOT_REASONS(X)
#undef X
  };
  int largest = 0;
  for (int reason = 1; reason < SLOT_REASON_COUNT; reason++)
    if (slots[reason] > slots[largest]) largest = reason;
  return slots[largest] ? labels[largest] : NULL;
}

// A row while it is being added up.
typedef struct Line {
  uint32_t program;          // its number
  const Function *function;  // NULL: unknown
  const char *text;
  const SourceLine *source;  // NULL: the PTX does not say
  uint32_t pc, ptx_line, instructions;
  uint8_t kind, space, param;
  AccessCounts counts;
} Line;

static Line line_of(uint32_t number, const Program *program, const Access *access) {
  const Instruction *in = &program->code[access->pc];
  return (Line){.program = number,
                .function = program_function_at(program, access->pc),
                .text = in->text,
                .source = in->source ? &program->sources[in->source] : NULL,
                .pc = access->pc,
                .ptx_line = in->line,
                .instructions = 1,
                .kind = access->kind,
                .space = access->space,
                .param = in->param,
                .counts = access->counts};
}

static bool is_same_line(const Line *a, const Line *b) {
  if (a->function != b->function || a->kind != b->kind || a->space != b->space) return false;
  if (a->param != b->param) return false;
  if (!a->source || !b->source) return !a->source && !b->source && a->ptx_line == b->ptx_line;
  return a->source->line == b->source->line && a->source->column == b->source->column &&
         strcmp(a->source->file, b->source->file) == 0;
}

static int compare(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

static uint32_t entry_of(const Line *line) {
  return line->function ? line->function->entry : 0;
}

static uint64_t position_of(const SourceLine *source) {
  return source ? (uint64_t)source->line << 32 | source->column : 0;
}

// Copies of one access next to each other, as the program has them.
static int by_place(const void *a, const void *b) {
  const Line *x = a, *y = b;
  int order = compare(entry_of(x), entry_of(y));
  if (!order) order = compare(position_of(x->source), position_of(y->source));
  if (!order && x->source && y->source) order = strcmp(x->source->file, y->source->file);
  if (!order && !x->source && !y->source) order = compare(x->ptx_line, y->ptx_line);
  if (!order) order = compare(x->kind, y->kind);
  if (!order) order = compare(x->space, y->space);
  if (!order) order = compare(x->param, y->param);
  return order ? order : compare(x->pc, y->pc);
}

static uint64_t cost_of(const Line *line) {
  return slots_sum(line->counts.slots);
}

// What cost most first; of equal cost, what left its first cache most often.
static int by_cost(const void *a, const void *b) {
  const Line *x = a, *y = b;
  int order = compare(cost_of(y), cost_of(x));
  if (!order)
    order = compare(y->counts.misses + y->counts.bypasses, x->counts.misses + x->counts.bypasses);
  if (!order) order = compare(x->program, y->program);
  return order ? order : compare(x->pc, y->pc);
}

// Waits for the access itself, as opposed to waits for the load/store unit.
static uint64_t wait_slots(const uint64_t slots[SLOT_REASON_COUNT]) {
  return slots[SLOT_memory] + slots[SLOT_shared] + slots[SLOT_atomic] + slots[SLOT_fence] +
         slots[SLOT_drain];
}

static AccessRow row_of(const Line *line, const Program *program, ParameterNames *names,
                        Arena *arena) {
  const AccessCounts *counts = &line->counts;
  uint64_t cost = cost_of(line), waits = wait_slots(counts->slots);
  return (AccessRow){
      .function = line->function ? line->function->name : NULL,
      .kind = kind_name(line->kind),
      .space = space_name(line->space),
      .array = line->param && line->function
                   ? parameter_name(names, program, line->function, line->param - 1u)
                   : NULL,
      .text = line->text,
      .column = line->source ? line->source->column : 0,
      .source = line->source ? arena_printf(arena, "%s:%u", line->source->file, line->source->line)
                             : NULL,
      .mostly = largest_reason(counts->slots),
      .line = line->ptx_line,
      .pc = line->pc,
      .instructions = line->instructions,
      .executions = counts->executions,
      .lanes = counts->lanes,
      .transactions = counts->transactions,
      .ideal_transactions = counts->ideal_transactions,
      .hits = counts->hits,
      .merges = counts->merges,
      .misses = counts->misses,
      .bypasses = counts->bypasses,
      .lookups = counts->hits + counts->merges + counts->misses + counts->bypasses,
      .bank_conflict_cycles = counts->bank_conflict_cycles,
      .loads_done = counts->loads_done,
      .latency_cycles = counts->latency_cycles,
      .wait_slots = waits,
      .unit_slots = cost - waits,
      .slots = cost,
  };
}

// Writes a program's lines, each once; returns how many.
static uint32_t collect_lines(uint32_t number, const ProgramAccesses *accesses, Line *lines) {
  uint32_t count = 0, kept = 0;
  for (uint32_t i = 0; i < accesses->count; i++)
    if (accesses->items[i].has_run)
      lines[count++] = line_of(number, accesses->program, &accesses->items[i]);
  if (!count) return 0;
  qsort(lines, count, sizeof *lines, by_place);
  for (uint32_t i = 1; i < count; i++) {
    if (!is_same_line(&lines[kept], &lines[i])) {
      lines[++kept] = lines[i];
      continue;
    }
    lines[kept].instructions++;
    stats_sum(&lines[kept].counts, &lines[i].counts, sizeof lines[kept].counts);
  }
  return kept + 1;
}

// ---- description

static const RowLabel labels[] = {
    ROW_LABEL(AccessRow, function, "enclosing function"),
    ROW_LABEL(AccessRow, kind, "load, store or atomic"),
    ROW_LABEL(AccessRow, space, "global, local, shared, const or tex"),
    ROW_LABEL(AccessRow, array, "kernel parameter that the address derives from; null if unknown"),
    ROW_LABEL(AccessRow, text, "opcode of the first of its instructions"),
    ROW_LABEL(AccessRow, source, "CUDA source as file:line; null without line information"),
    ROW_LABEL(AccessRow, mostly, "main reason of its lost slots; null without any"),
    {0}};

static const Stat columns[] = {
    STAT_COUNT(AccessRow, column, "column in the CUDA source; 0 without line information"),
    STAT_COUNT(AccessRow, line, "line in the PTX file of its first instruction"),
    STAT_COUNT(AccessRow, pc, "index of that instruction in the program"),
    STAT_COUNT(AccessRow, instructions, "PTX instructions compiled from it"),
    STAT_COUNT(AccessRow, executions, "warp instructions issued, with at least one active lane"),
    STAT_COUNT(AccessRow, lanes, "active lanes of these executions"),
    STAT_COUNT(AccessRow, transactions,
               "memory transactions; for shared memory: accesses served one after another"),
    STAT_RATIO(AccessRow, transactions_per_execution, transactions, executions,
               "transactions per execution"),
    STAT_COUNT(AccessRow, ideal_transactions, "transactions if fully coalesced"),
    STAT_RATIO(AccessRow, ideal_per_execution, ideal_transactions, executions,
               "the same, per execution"),
    STAT_COUNT(AccessRow, hits, "hits in the first-level cache"),
    STAT_COUNT(AccessRow, merges, "lookups merged into an outstanding miss"),
    STAT_COUNT(AccessRow, misses, "misses"),
    STAT_COUNT(AccessRow, bypasses, "transactions that bypassed the cache"),
    STAT_RATIO(AccessRow, hit_rate, hits, lookups, "hits over all four"),
    STAT_COUNT(AccessRow, bank_conflict_cycles, "stall cycles due to shared-memory bank conflicts"),
    STAT_COUNT(AccessRow, loads_done, "completed executions"),
    STAT_COUNT(AccessRow, latency_cycles,
               "latency of these in cycles, issue to register write, summed"),
    STAT_RATIO(AccessRow, latency, latency_cycles, loads_done, "mean latency"),
    STAT_COUNT(AccessRow, wait_slots, "issue slots lost while warps waited for it"),
    STAT_COUNT(AccessRow, unit_slots, "issue slots lost while it blocked the load/store unit"),
    STAT_COUNT(AccessRow, slots, "issue slots lost in total"),
    {0}};

const ResultTableType accesses_table = {
    .name = "accesses",
    .summary = "accesses to memory in the source, most expensive first",
    .labels = labels,
    .columns = columns,
    .row_bytes = sizeof(AccessRow)};

void access_table_add(const ProgramAccesses *programs, uint32_t program_count,
                      ParameterNames *names, ResultTables *tables) {
  Arena arena = {0};
  uint32_t count = 0, most = 1;
  for (uint32_t p = 0; p < program_count; p++) most += programs[p].count;
  Line *lines = memory_alloc(sizeof *lines * most);
  AccessRow *rows = memory_alloc(sizeof *rows * most);
  for (uint32_t p = 0; p < program_count; p++)
    count += collect_lines(p, &programs[p], lines + count);
  qsort(lines, count, sizeof *lines, by_cost);
  for (uint32_t i = 0; i < count; i++)
    rows[i] = row_of(&lines[i], programs[lines[i].program].program, names, &arena);
  result_tables_add(tables, &accesses_table, rows, count);
  memory_free(rows);
  memory_free(lines);
  arena_clear(&arena);
}
