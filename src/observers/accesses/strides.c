// SPDX-License-Identifier: MIT
// Regularity of each static load (APRES, section III and table I): its share of all
// references, the number of distinct lines, the miss rate, and the most frequent inter-warp
// stride.
//
// A reference is a request of a global load, after coalescing. The stride of two consecutive
// executions on an SM is the difference of the addresses of their first requests divided by
// that of their warp numbers. Shares of strides are relative to all executions.
//
// Lines are counted and warps numbered per SM (a warp by its slot), as in the paper: its
// stride of NW, -1966080, is fifteen times the distance of two CTAs in the matrix, which is
// the distance of CTAs in adjacent slots with round robin over fifteen SMs; and its lines per
// reference are the miss rate of an infinite L1D. With scope=grid, lines are counted once for
// all SMs and warps are numbered by their first threads.
#include <stdlib.h>

#include "base/memory.h"
#include "observers/kernel_states.h"
#include "observers/key_set.h"
#include "policies/observer/observer.h"

typedef enum StrideScope { STRIDES_OF_SM, STRIDES_OF_GRID } StrideScope;
static const char *const scopes[] = {"sm", "grid", NULL};

typedef struct StrideRow {
  const char *text;
  uint64_t pc, line;
  uint64_t references, all_references, lines, misses, executions;
  uint64_t stride_bytes, stride_is_negative, stride_executions;
} StrideRow;

typedef struct LastExecution {
  uint64_t address;
  int64_t warp;
  bool is_known;
} LastExecution;

typedef struct LoadStrides {
  StrideRow row;
  KeySet lines, strides;   // strides: by their bits, how often
  LastExecution *last;     // by SM
} LoadStrides;

typedef struct KernelStrides {
  const Program *program;
  uint32_t warps_per_cta;
  LoadStrides **loads;     // by pc
} KernelStrides;

typedef struct Strides {
  uint32_t line_bytes, scope;  // parameters; StrideScope
  uint32_t sm_count;
  KernelStates kernels;  // KernelStrides
} Strides;

static void strides_start(void *state, const KernelView *kernel) {
  Strides *strides = state;
  strides->sm_count = kernel->sm_count;
  KernelStrides *added = kernel_states_add(&strides->kernels, kernel->id, sizeof *added);
  added->program = kernel->launch->program;
  added->warps_per_cta = launch_warps_per_cta(kernel->launch);
  added->loads = memory_alloc(sizeof *added->loads * (added->program->code_count + 1));
}

static LoadStrides *load_at(const Strides *strides, KernelStrides *kernel, uint32_t pc) {
  LoadStrides *load = kernel->loads[pc];
  if (load) return load;
  load = kernel->loads[pc] = memory_alloc(sizeof *load);
  load->row = (StrideRow){.pc = pc,
                          .text = kernel->program->code[pc].text,
                          .line = kernel->program->code[pc].line};
  load->last = memory_alloc(sizeof *load->last * strides->sm_count);
  return load;
}

static void note_execution(LoadStrides *load, const MemEvent *event, int64_t warp) {
  LastExecution *last = &load->last[event->requester.sm];
  load->row.executions++;
  if (last->is_known && warp != last->warp) {
    int64_t difference = (int64_t)(event->address - last->address);
    if (difference % (warp - last->warp) == 0)
      ++*key_set_at(&load->strides, (uint64_t)(difference / (warp - last->warp)), 0, NULL);
  }
  *last = (LastExecution){event->address, warp, true};
}

static int64_t number_of(const Strides *strides, const KernelStrides *kernel, const MemEvent *event) {
  if (strides->scope == STRIDES_OF_SM) return event->requester.warp;
  return (int64_t)(event->requester.cta * kernel->warps_per_cta + event->requester.warp_in_cta);
}

static void strides_events(void *state, const MemEvent *events, uint32_t count) {
  Strides *strides = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ACCESS || event->space != SPACE_GLOBAL || event->access != ACCESS_LOAD)
      continue;
    KernelStrides *kernel = kernel_states_find(&strides->kernels, event->requester.kernel);
    if (!kernel) continue;
    LoadStrides *load = load_at(strides, kernel, event->requester.pc);
    bool is_new;
    uint64_t sm = strides->scope == STRIDES_OF_SM ? event->requester.sm : 0;
    key_set_at(&load->lines, event->address / strides->line_bytes, sm, &is_new);
    load->row.lines += is_new;
    load->row.references++;
    load->row.misses += event->outcome != OUTCOME_HIT;
    if (event->is_lowest) note_execution(load, event, number_of(strides, kernel, event));
  }
}

// Of strides that are equally frequent the one nearest to zero.
static void choose_stride(LoadStrides *load) {
  StrideRow *row = &load->row;
  for (size_t i = 0; i < load->strides.capacity; i++) {
    const KeyEntry *entry = &load->strides.entries[i];
    if (!entry->is_used) continue;
    bool is_negative = entry->a >> 63;
    uint64_t bytes = is_negative ? -entry->a : entry->a;
    bool is_better = entry->value > row->stride_executions ||
                     (entry->value == row->stride_executions && bytes < row->stride_bytes);
    if (!is_better) continue;
    row->stride_executions = entry->value;
    row->stride_bytes = bytes;
    row->stride_is_negative = is_negative;
  }
}

static const RowLabel labels[] = {ROW_LABEL(StrideRow, text, "the instruction's opcode"), {0}};

static const Stat columns[] = {
    STAT_COUNT(StrideRow, pc, "index of the instruction in the program"),
    STAT_COUNT(StrideRow, line, "line in the PTX file"),
    STAT_COUNT(StrideRow, references, "requests after coalescing"),
    STAT_COUNT(StrideRow, all_references, "requests of all loads of the kernel"),
    STAT_RATIO(StrideRow, load_share, references, all_references, "share of the kernel's requests"),
    STAT_COUNT(StrideRow, lines, "distinct lines requested"),
    STAT_RATIO(StrideRow, lines_per_reference, lines, references, "#L/#R: 1 = no reuse"),
    STAT_COUNT(StrideRow, misses, "requests that missed"),
    STAT_RATIO(StrideRow, miss_rate, misses, references, "share of requests that missed"),
    STAT_COUNT(StrideRow, executions, "warp instructions"),
    STAT_COUNT(StrideRow, stride_bytes, "most frequent stride between warps, in bytes ..."),
    STAT_COUNT(StrideRow, stride_is_negative, "... and whether it is negative"),
    STAT_COUNT(StrideRow, stride_executions, "executions with that stride"),
    STAT_RATIO(StrideRow, stride_share, stride_executions, executions,
               "share of executions with that stride"),
    {0}};

static const ResultTableType strides_table = {.name = "strides",
                                              .summary = "global loads: locality and stride",
                                              .labels = labels,
                                              .columns = columns,
                                              .row_bytes = sizeof(StrideRow)};

static void clear_kernel(KernelStrides *kernel) {
  for (uint32_t pc = 0; pc < kernel->program->code_count; pc++) {
    LoadStrides *load = kernel->loads[pc];
    if (!load) continue;
    key_set_clear(&load->lines);
    key_set_clear(&load->strides);
    memory_free(load->last);
    memory_free(load);
  }
  memory_free(kernel->loads);
}

static int by_references(const void *a, const void *b) {
  const StrideRow *x = a, *y = b;
  if (x->references != y->references) return x->references < y->references ? 1 : -1;
  return (x->pc > y->pc) - (x->pc < y->pc);
}

static void strides_end(void *state, const KernelView *view, ResultTables *tables) {
  Strides *strides = state;
  KernelStrides *kernel = kernel_states_find(&strides->kernels, view->id);
  if (!kernel) return;
  StrideRow *rows = NULL;
  uint32_t count = 0, capacity = 0;
  uint64_t all = 0;
  for (uint32_t pc = 0; pc < kernel->program->code_count; pc++) {
    if (!kernel->loads[pc]) continue;
    choose_stride(kernel->loads[pc]);
    GROW(rows, count, capacity);
    rows[count++] = kernel->loads[pc]->row;
    all += kernel->loads[pc]->row.references;
  }
  for (uint32_t i = 0; i < count; i++) rows[i].all_references = all;
  if (count) qsort(rows, count, sizeof *rows, by_references);
  result_tables_add(tables, &strides_table, rows, count);
  memory_free(rows);
  clear_kernel(kernel);
  kernel_states_remove(&strides->kernels, view->id);
}

static void strides_clear(void *state) {
  Strides *strides = state;
  for (uint32_t i = 0; i < strides->kernels.count; i++)
    clear_kernel(strides->kernels.items[i].state);
  kernel_states_clear(&strides->kernels);
}

static const Param params[] = {
    PARAM(Strides, line_bytes, 128, 32, 4096, "line size in bytes"),
    PARAM_CHOICE(Strides, scope, STRIDES_OF_SM, scopes, "scope of line counts and warp numbers"),
    {0}};

static const ResultTableType *const tables_of[] = {&strides_table, NULL};

const ObserverType strides_observer = {
    .policy = {.name = "strides",
               .summary = "global loads: share, lines, misses, stride between warps",
               .state_size = sizeof(Strides),
               .params = params},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_kernel_start = strides_start,
    .on_events = strides_events,
    .on_kernel_end = strides_end,
    .clear = strides_clear,
};
