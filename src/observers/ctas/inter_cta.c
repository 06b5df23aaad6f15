// SPDX-License-Identifier: MIT
// Sharing between the CTAs of a kernel: loads of data that another CTA loads or stores, and
// loads whose address comes from memory. Evidence for the source of inter-CTA locality (Li et
// al., ASPLOS 2017, section 4.4; src/tune).
//
// Loads count once per sector of 32 bytes, which distinguishes words of one line that belong
// to different CTAs from words that CTAs share. A load is overwritten if its CTA and another
// store to the sector, in this launch of the kernel or an earlier one: the CTA reads next to
// its own writes, and a store evicts data that the other CTA could reuse. CTAs with the same
// number in two launches count as the same: a kernel that repeatedly updates an array in place
// is not such a case. Counting is done when the kernel has completed, so that it does not
// depend on the order of CTAs.
#include "base/memory.h"
#include "observers/accesses/indirect_loads.h"
#include "observers/kernel_states.h"
#include "observers/key_set.h"
#include "policies/observer/observer.h"

enum { SECTOR_SIZE = 32, SECTORS_PER_LINE = 4 };

typedef struct InterCtaRow {
  uint64_t loads, shared_loads, line_shared_loads, overwritten_loads;  // of sectors
  uint64_t executed_loads, indirect_loads;                             // warp instructions
} InterCtaRow;

// Kind of record per sector or line: the second part of its key.
typedef enum Kept { SECTOR_LOADER, LINE_LOADER } Kept;
// Of a sector and a CTA: the second part of the key is CTA * 2 + one of these.
typedef enum KeptOfCta { LOADS, STORES } KeptOfCta;

// The CTA that did something, from 1; 0: none.
#define SEVERAL UINT64_MAX

typedef struct KernelInterCta {
  uint64_t function;  // of the program: identifies the kernel
  KeySet kept, of_ctas;
  const bool *is_indirect;  // by pc
  InterCtaRow row;
} KernelInterCta;

typedef struct ProgramMarks {
  const Program *program;
  bool *is_indirect;
} ProgramMarks;

typedef struct InterCta {
  KernelStates kernels;  // KernelInterCta
  KeySet storers;        // by sector and function: CTA, of all launches
  ProgramMarks *programs;
  uint32_t program_count, program_capacity;
  InterCtaRow total;
} InterCta;

static const bool *marks_of(InterCta *all, const Program *program) {
  for (uint32_t i = 0; i < all->program_count; i++)
    if (all->programs[i].program == program) return all->programs[i].is_indirect;
  GROW(all->programs, all->program_count, all->program_capacity);
  bool *marks = indirect_loads_find(program);
  all->programs[all->program_count++] = (ProgramMarks){program, marks};
  return marks;
}

static void inter_cta_start(void *state, const KernelView *kernel) {
  InterCta *all = state;
  KernelInterCta *made = kernel_states_add(&all->kernels, kernel->id, sizeof *made);
  made->function = (uint64_t)(uintptr_t)kernel->launch->kernel;
  made->is_indirect = marks_of(all, kernel->launch->program);
}

// ---- counting

static void note(KeySet *kept, uint64_t key, uint64_t what, uint64_t requester) {
  uint64_t *before = key_set_at(kept, key, what, NULL);
  if (*before != requester + 1) *before = *before ? SEVERAL : requester + 1;
}

static void on_load(KernelInterCta *kernel, uint64_t sector, uint64_t cta) {
  ++*key_set_at(&kernel->of_ctas, sector, cta * 2 + LOADS, NULL);
  note(&kernel->kept, sector, SECTOR_LOADER, cta);
  note(&kernel->kept, sector / SECTORS_PER_LINE, LINE_LOADER, cta);
}

static void on_store(InterCta *all, KernelInterCta *kernel, uint64_t sector, uint64_t cta) {
  *key_set_at(&kernel->of_ctas, sector, cta * 2 + STORES, NULL) = 1;
  note(&all->storers, sector, kernel->function, cta);
}

static void on_access(InterCta *all, KernelInterCta *kernel, const MemEvent *event) {
  uint64_t first = event->address / SECTOR_SIZE, cta = event->requester.cta;
  bool is_store = event->access == ACCESS_STORE || event->access == ACCESS_ATOMIC;
  for (uint32_t s = 0; event->sectors >> s; s++) {
    if (!(event->sectors >> s & 1)) continue;
    if (event->access == ACCESS_LOAD) on_load(kernel, first + s, cta);
    if (is_store) on_store(all, kernel, first + s, cta);
  }
}

static void on_instruction(KernelInterCta *kernel, const MemEvent *event) {
  if (event->access != ACCESS_LOAD) return;
  kernel->row.executed_loads++;
  kernel->row.indirect_loads += kernel->is_indirect[event->requester.pc];
}

static void inter_cta_events(void *state, const MemEvent *events, uint32_t count) {
  InterCta *all = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    bool is_global = event->space == SPACE_GLOBAL;
    if (!is_global && event->space != SPACE_SHARED) continue;
    KernelInterCta *kernel = kernel_states_find(&all->kernels, event->requester.kernel);
    if (!kernel) continue;
    if (event->kind == EVENT_MEMORY) on_instruction(kernel, event);
    if (event->kind == EVENT_ACCESS && is_global) on_access(all, kernel, event);
  }
}

// ---- evaluation at the end of a kernel

static uint64_t kept_at(const KeySet *kept, uint64_t key, uint64_t what) {
  const uint64_t *value = key_set_find(kept, key, what);
  return value ? *value : 0;
}

static void add_up(const InterCta *all, KernelInterCta *kernel) {
  const KeySet *pairs = &kernel->of_ctas;
  InterCtaRow *row = &kernel->row;
  for (size_t i = 0; i < pairs->capacity; i++) {
    const KeyEntry *entry = &pairs->entries[i];
    if (!entry->is_used || entry->b % 2 != LOADS) continue;
    uint64_t sector = entry->a, loads = entry->value;
    row->loads += loads;
    if (kept_at(&kernel->kept, sector, SECTOR_LOADER) == SEVERAL) row->shared_loads += loads;
    if (kept_at(&kernel->kept, sector / SECTORS_PER_LINE, LINE_LOADER) == SEVERAL)
      row->line_shared_loads += loads;
    if (kept_at(pairs, sector, entry->b + STORES) &&
        kept_at(&all->storers, sector, kernel->function) == SEVERAL)
      row->overwritten_loads += loads;
  }
}

static void clear_kernel(KernelInterCta *kernel) {
  key_set_clear(&kernel->kept);
  key_set_clear(&kernel->of_ctas);
}

static const Stat columns[] = {
    STAT_COUNT(InterCtaRow, loads, "sectors of 32 bytes loaded, one per transaction and sector"),
    STAT_COUNT(InterCtaRow, shared_loads, "of these, of sectors that another CTA loads"),
    STAT_COUNT(InterCtaRow, line_shared_loads, "of lines of 128 bytes that another CTA loads"),
    STAT_COUNT(InterCtaRow, overwritten_loads, "of sectors that this and another CTA store to"),
    STAT_COUNT(InterCtaRow, executed_loads,
               "loads executed by warps, from global and shared memory"),
    STAT_COUNT(InterCtaRow, indirect_loads, "of these, with an address computed from loaded data"),
    STAT_RATIO(InterCtaRow, shared_share, shared_loads, loads, "share of the sectors loaded"),
    STAT_RATIO(InterCtaRow, line_shared_share, line_shared_loads, loads,
               "share of the sectors loaded"),
    STAT_RATIO(InterCtaRow, overwritten_share, overwritten_loads, loads,
               "share of the sectors loaded"),
    STAT_RATIO(InterCtaRow, indirect_share, indirect_loads, executed_loads,
               "share of the loads executed"),
    {0}};

static const ResultTableType inter_cta_table = {
    .name = "inter_cta",
    .summary = "loads of data that other CTAs load or store, and indirect loads",
    .columns = columns,
    .row_bytes = sizeof(InterCtaRow)};

static void inter_cta_end(void *state, const KernelView *kernel, ResultTables *tables) {
  InterCta *all = state;
  KernelInterCta *ended = kernel_states_find(&all->kernels, kernel->id);
  if (!ended) return;
  add_up(all, ended);
  result_tables_add(tables, &inter_cta_table, &ended->row, 1);
  stats_sum(&all->total, &ended->row, sizeof all->total);
  clear_kernel(ended);
  kernel_states_remove(&all->kernels, kernel->id);
}

static void inter_cta_report(void *state, ResultTables *tables) {
  result_tables_add(tables, &inter_cta_table, &((InterCta *)state)->total, 1);
}

static void inter_cta_clear(void *state) {
  InterCta *all = state;
  for (uint32_t i = 0; i < all->kernels.count; i++) clear_kernel(all->kernels.items[i].state);
  kernel_states_clear(&all->kernels);
  key_set_clear(&all->storers);
  for (uint32_t i = 0; i < all->program_count; i++) memory_free(all->programs[i].is_indirect);
  memory_free(all->programs);
}

static const ResultTableType *const tables_of[] = {&inter_cta_table, NULL};

const ObserverType inter_cta_observer = {
    .policy = {.name = "inter_cta",
               .summary = "loads of data that other CTAs load or store; indirect loads",
               .state_size = sizeof(InterCta)},
    .wants = 1u << EVENT_MEMORY | 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_kernel_start = inter_cta_start,
    .on_events = inter_cta_events,
    .on_kernel_end = inter_cta_end,
    .report = inter_cta_report,
    .clear = inter_cta_clear,
};
