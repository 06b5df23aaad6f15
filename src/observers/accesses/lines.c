// SPDX-License-Identifier: MIT
// Instructions by source line: executions, active lanes, and the issue slots that were lost to the
// accesses of the line. Lines are those of the CUDA source where the PTX knows them, else of the
// PTX. Slots lost for other reasons than memory belong to no line (sm/blame.c).
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "observers/kernel_states.h"
#include "policies/observer/observer.h"

typedef struct LineCounts {
  uint64_t executions, lanes, slots;
} LineCounts;

typedef struct KernelLines {
  const Program *program;
  LineCounts *counts;  // by pc
} KernelLines;

typedef struct Lines {
  KernelStates kernels;  // KernelLines
} Lines;

typedef struct LineRow {
  const char *file;
  uint64_t line, instructions;
  uint64_t executions, lanes, slots;
} LineRow;

static void lines_start(void *state, const KernelView *kernel) {
  Lines *lines = state;
  KernelLines *made = kernel_states_add(&lines->kernels, kernel->id, sizeof *made);
  made->program = kernel->launch->program;
  made->counts = memory_alloc(sizeof *made->counts * (made->program->code_count + 1));
}

static void lines_events(void *state, const MemEvent *events, uint32_t count) {
  Lines *lines = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ISSUE && event->kind != EVENT_STALL) continue;
    KernelLines *kernel = kernel_states_find(&lines->kernels, event->requester.kernel);
    if (!kernel) continue;
    LineCounts *counts = &kernel->counts[event->requester.pc];
    if (event->kind == EVENT_STALL) {
      counts->slots += event->slots;
    } else {
      counts->executions++;
      counts->lanes += event->lanes;
    }
  }
}

static LineRow row_of(const KernelLines *kernel, uint32_t pc) {
  const Instruction *in = &kernel->program->code[pc];
  const SourceLine *source = in->source ? &kernel->program->sources[in->source] : NULL;
  const LineCounts *counts = &kernel->counts[pc];
  return (LineRow){.file = source ? source->file : kernel->program->path,
                   .line = source ? source->line : in->line,
                   .instructions = 1,
                   .executions = counts->executions,
                   .lanes = counts->lanes,
                   .slots = counts->slots};
}

static int by_line(const void *a, const void *b) {
  const LineRow *x = a, *y = b;
  int order = strcmp(x->file ? x->file : "", y->file ? y->file : "");
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

static uint32_t merge(LineRow *rows, uint32_t count) {
  uint32_t kept = 0;
  if (!count) return 0;
  qsort(rows, count, sizeof *rows, by_line);
  for (uint32_t i = 1; i < count; i++) {
    if (by_line(&rows[kept], &rows[i]) != 0) {
      rows[++kept] = rows[i];
      continue;
    }
    rows[kept].instructions++;
    rows[kept].executions += rows[i].executions;
    rows[kept].lanes += rows[i].lanes;
    rows[kept].slots += rows[i].slots;
  }
  return kept + 1;
}

static const RowLabel labels[] = {ROW_LABEL(LineRow, file, "source file"), {0}};

static const Stat columns[] = {
    STAT_COUNT(LineRow, line, "line"),
    STAT_COUNT(LineRow, instructions, "instructions of the line that were executed"),
    STAT_COUNT(LineRow, executions, "warp instructions issued"),
    STAT_COUNT(LineRow, lanes, "active lanes of these"),
    STAT_RATIO(LineRow, lanes_per_execution, lanes, executions, "active lanes per instruction"),
    STAT_COUNT(LineRow, slots, "issue slots lost to accesses of the line"),
    {0}};

static const ResultTableType lines_table = {.name = "lines",
                                            .summary = "instructions and lost slots by source line",
                                            .labels = labels,
                                            .columns = columns,
                                            .row_bytes = sizeof(LineRow)};

static void lines_end(void *state, const KernelView *kernel, ResultTables *tables) {
  Lines *lines = state;
  KernelLines *ended = kernel_states_find(&lines->kernels, kernel->id);
  if (!ended) return;
  uint32_t count = 0;
  LineRow *rows = memory_alloc(sizeof *rows * (ended->program->code_count + 1));
  for (uint32_t pc = 0; pc < ended->program->code_count; pc++)
    if (ended->counts[pc].executions || ended->counts[pc].slots) rows[count++] = row_of(ended, pc);
  result_tables_add(tables, &lines_table, rows, merge(rows, count));
  memory_free(rows);
  memory_free(ended->counts);
  kernel_states_remove(&lines->kernels, kernel->id);
}

static void lines_clear(void *state) {
  Lines *lines = state;
  for (uint32_t i = 0; i < lines->kernels.count; i++)
    memory_free(((KernelLines *)lines->kernels.items[i].state)->counts);
  kernel_states_clear(&lines->kernels);
}

static const ResultTableType *const tables_of[] = {&lines_table, NULL};

const ObserverType lines_observer = {
    .policy = {.name = "lines",
               .summary = "instructions, active lanes and lost slots by source line",
               .state_size = sizeof(Lines)},
    .wants = 1u << EVENT_ISSUE | 1u << EVENT_STALL,
    .takes_any_order = true,
    .tables = tables_of,
    .on_kernel_start = lines_start,
    .on_events = lines_events,
    .on_kernel_end = lines_end,
    .clear = lines_clear,
};
