// SPDX-License-Identifier: MIT
// Memory accesses by their place in the source: executions, actual and ideal transactions, their
// outcomes, and their cost.
//
// The cost is counted in lost issue slots: those in which a scheduler issued nothing because
// a warp waited for this access (its data, its atomic, the acknowledgement of its last
// store), or because the access blocked the load/store unit (EVENT_STALL, sm/blame.c).
// Latency hidden by other warps costs nothing. Rows are sorted by cost.
//
// Counters are kept per instruction; access_table.c makes rows of them when a kernel completes.
#include "base/memory.h"
#include "observers/accesses/access_table.h"
#include "observers/kernel_states.h"
#include "policies/observer/observer.h"

typedef struct Accesses {
  KernelStates kernels;       // ProgramAccesses
  ProgramAccesses *programs;  // totals, a program each
  uint32_t program_count, program_capacity;
  ParameterNames names;
} Accesses;

// ---- counting

static ProgramAccesses accesses_of(const Program *program) {
  ProgramAccesses made = {.program = program};
  made.index_of = memory_alloc(sizeof(uint32_t) * (program->code_count + 1));
  return made;
}

static void program_accesses_clear(ProgramAccesses *accesses) {
  memory_free(accesses->index_of);
  memory_free(accesses->items);
}

static uint32_t add_access(ProgramAccesses *accesses, uint32_t pc) {
  GROW(accesses->items, accesses->count, accesses->capacity);
  accesses->items[accesses->count] = (Access){.pc = pc};
  return accesses->index_of[pc] = ++accesses->count;
}

static inline Access *access_at(ProgramAccesses *accesses, uint32_t pc) {
  uint32_t index = accesses->index_of[pc];
  if (!index) index = add_access(accesses, pc);
  return &accesses->items[index - 1];
}

static void add_all(ProgramAccesses *total, const ProgramAccesses *part) {
  for (uint32_t i = 0; i < part->count; i++) {
    const Access *from = &part->items[i];
    Access *to = access_at(total, from->pc);
    if (from->has_run) {
      to->kind = from->kind;
      to->space = from->space;
      to->has_run = true;
    }
    stats_sum(&to->counts, &from->counts, sizeof to->counts);
  }
}

static void on_memory(Access *access, const MemEvent *event) {
  AccessCounts *counts = &access->counts;
  access->kind = event->access;
  access->space = event->space;
  access->has_run = true;
  counts->executions++;
  counts->lanes += event->lanes;
  counts->transactions += event->transactions;
  counts->ideal_transactions += event->ideal;
  if (event->space == SPACE_SHARED) counts->bank_conflict_cycles += event->bank_cycles - 1u;
}

static void on_lookup(AccessCounts *counts, const MemEvent *event) {
  switch (event->outcome) {
    case OUTCOME_HIT: counts->hits++; break;
    case OUTCOME_MERGE: counts->merges++; break;
    case OUTCOME_MISS: counts->misses++; break;
    default: counts->bypasses++;
  }
}

static void on_event(Access *access, const MemEvent *event) {
  switch (event->kind) {
    case EVENT_MEMORY: on_memory(access, event); break;
    case EVENT_ACCESS: on_lookup(&access->counts, event); break;
    case EVENT_STALL: access->counts.slots[event->reason] += event->slots; break;
    default: access->counts.loads_done++; access->counts.latency_cycles += event->latency;
  }
}

enum {
  WANTED = 1u << EVENT_MEMORY | 1u << EVENT_ACCESS | 1u << EVENT_LOAD_DONE | 1u << EVENT_STALL
};

static void accesses_events(void *state, const MemEvent *events, uint32_t count) {
  Accesses *accesses = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    bool is_prefetch = event->kind == EVENT_ACCESS && event->access == ACCESS_PREFETCH;
    if (!(WANTED >> event->kind & 1) || is_prefetch) continue;
    ProgramAccesses *kernel = kernel_states_find(&accesses->kernels, event->requester.kernel);
    if (kernel) on_event(access_at(kernel, event->requester.pc), event);
  }
}

// ---- kernels

static void accesses_start(void *state, const KernelView *kernel) {
  Accesses *accesses = state;
  ProgramAccesses *made = kernel_states_add(&accesses->kernels, kernel->id, sizeof *made);
  *made = accesses_of(kernel->launch->program);
}

static ProgramAccesses *total_of(Accesses *accesses, const Program *program) {
  for (uint32_t i = 0; i < accesses->program_count; i++)
    if (accesses->programs[i].program == program) return &accesses->programs[i];
  GROW(accesses->programs, accesses->program_count, accesses->program_capacity);
  accesses->programs[accesses->program_count] = accesses_of(program);
  return &accesses->programs[accesses->program_count++];
}

static void accesses_end(void *state, const KernelView *kernel, ResultTables *tables) {
  Accesses *accesses = state;
  ProgramAccesses *ended = kernel_states_find(&accesses->kernels, kernel->id);
  if (!ended) return;
  add_all(total_of(accesses, ended->program), ended);
  access_table_add(ended, 1, &accesses->names, tables);
  program_accesses_clear(ended);
  kernel_states_remove(&accesses->kernels, kernel->id);
}

static void accesses_report(void *state, ResultTables *tables) {
  Accesses *accesses = state;
  access_table_add(accesses->programs, accesses->program_count, &accesses->names, tables);
}

static void accesses_clear(void *state) {
  Accesses *accesses = state;
  for (uint32_t i = 0; i < accesses->kernels.count; i++)
    program_accesses_clear(accesses->kernels.items[i].state);
  kernel_states_clear(&accesses->kernels);
  for (uint32_t p = 0; p < accesses->program_count; p++)
    program_accesses_clear(&accesses->programs[p]);
  memory_free(accesses->programs);
  parameter_names_clear(&accesses->names);
}

static const ResultTableType *const tables_of[] = {&accesses_table, NULL};

const ObserverType accesses_observer = {
    .policy = {.name = "accesses",
               .summary =
                   "memory accesses by place in the source: transactions, hits, conflicts, cost",
               .state_size = sizeof(Accesses)},
    .wants = WANTED,
    .takes_any_order = true,
    .tables = tables_of,
    .on_kernel_start = accesses_start,
    .on_events = accesses_events,
    .on_kernel_end = accesses_end,
    .report = accesses_report,
    .clear = accesses_clear,
};
