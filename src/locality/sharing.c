// SPDX-License-Identifier: MIT
// Which CTAs touch the same lines: a matrix of groups of neighbouring CTAs, as
// many as fit into a word, so that a line knows its groups as bits.
//
// Rows have the lines that a pair of groups has in common, a <= b; where a = b
// they are the lines that the group touches.
#include "base/memory.h"
#include "locality/kernel_states.h"
#include "locality/key_set.h"
#include "policies/observer/observer.h"

enum { GROUPS = 64 };

typedef struct SharingRow {
  uint64_t first_cta_a, first_cta_b, lines;
} SharingRow;

typedef struct KernelSharing {
  uint64_t cta_count;
  KeySet lines;  // by line: its groups
} KernelSharing;

typedef struct Sharing {
  uint32_t line_bytes;
  KernelStates kernels;  // KernelSharing
} Sharing;

static uint64_t group_of(uint64_t cta, uint64_t cta_count) {
  return cta_count <= GROUPS ? cta : cta * GROUPS / cta_count;
}

// The first CTA of a group.
static uint64_t first_of(uint64_t group, uint64_t cta_count) {
  return cta_count <= GROUPS ? group : (group * cta_count + GROUPS - 1) / GROUPS;
}

static void sharing_start(void *state, const KernelView *kernel) {
  KernelSharing *sharing =
      kernel_states_add(&((Sharing *)state)->kernels, kernel->id, sizeof(KernelSharing));
  sharing->cta_count = launch_cta_count(kernel->launch);
}

static void sharing_events(void *state, const MemEvent *events, uint32_t count) {
  Sharing *sharing = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ACCESS || event->space != SPACE_GLOBAL ||
        event->access == ACCESS_PREFETCH)
      continue;
    KernelSharing *kernel = kernel_states_find(&sharing->kernels, event->who.kernel);
    if (!kernel) continue;
    uint64_t *groups = key_set_at(&kernel->lines, event->address / sharing->line_bytes, 0, NULL);
    *groups |= UINT64_C(1) << group_of(event->who.cta, kernel->cta_count);
  }
}

static const Stat columns[] = {
    STAT_COUNT(SharingRow, first_cta_a, "first CTA of a group"),
    STAT_COUNT(SharingRow, first_cta_b, "first CTA of the other, or the same"),
    STAT_COUNT(SharingRow, lines, "lines that both touched"),
    {0}};

static const ResultTableType sharing_table = {.name = "sharing",
                                              .summary = "lines that CTAs have in common",
                                              .columns = columns,
                                              .row_bytes = sizeof(SharingRow)};

static void count_pairs(const KeySet *lines, uint64_t (*matrix)[GROUPS]) {
  for (size_t i = 0; i < lines->capacity; i++)
    for (uint64_t a = lines->entries[i].value; a; a &= a - 1)
      for (uint64_t b = a; b; b &= b - 1) matrix[__builtin_ctzll(a)][__builtin_ctzll(b)]++;
}

static void sharing_end(void *state, const KernelView *kernel, ResultTables *tables) {
  Sharing *sharing = state;
  KernelSharing *ended = kernel_states_find(&sharing->kernels, kernel->id);
  if (!ended) return;
  uint64_t(*matrix)[GROUPS] = memory_alloc(sizeof *matrix * GROUPS);
  SharingRow *rows = memory_alloc(sizeof *rows * GROUPS * (GROUPS + 1) / 2);
  uint32_t count = 0;
  count_pairs(&ended->lines, matrix);
  for (uint64_t a = 0; a < GROUPS; a++)
    for (uint64_t b = a; b < GROUPS; b++)
      if (matrix[a][b])
        rows[count++] = (SharingRow){first_of(a, ended->cta_count), first_of(b, ended->cta_count),
                                     matrix[a][b]};
  result_tables_add(tables, &sharing_table, rows, count);
  memory_free(rows);
  memory_free(matrix);
  key_set_clear(&ended->lines);
  kernel_states_remove(&sharing->kernels, kernel->id);
}

static void sharing_clear(void *state) {
  Sharing *sharing = state;
  for (uint32_t i = 0; i < sharing->kernels.count; i++)
    key_set_clear(&((KernelSharing *)sharing->kernels.items[i].state)->lines);
  kernel_states_clear(&sharing->kernels);
}

static const Param params[] = {PARAM(Sharing, line_bytes, 128, 32, 4096, "bytes of a line"), {0}};

static const ResultTableType *const tables_of[] = {&sharing_table, NULL};

const ObserverType sharing_observer = {
    .policy = {.name = "sharing",
               .summary = "lines that CTAs have in common, in at most 64 groups of them",
               .state_size = sizeof(Sharing),
               .params = params},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_kernel_start = sharing_start,
    .on_events = sharing_events,
    .on_kernel_end = sharing_end,
    .clear = sharing_clear,
};
