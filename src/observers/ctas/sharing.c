// SPDX-License-Identifier: MIT
// Sharing between CTAs: a matrix of groups of consecutive CTAs, as many as fit in a word, so
// that the groups of a line are a bit mask.
//
// Consecutive along x, or with order=column along y: what clusters of that order have in common.
//
// A row has the number of lines shared by groups a <= b; for a = b the lines accessed by the
// group.
//
// With graph=true also the sharing graph of single CTAs: the number of lines that both CTAs of
// a pair loaded, as input to CTA clustering (Li et al., ASPLOS 2017, problem 1) and
// `heddle partition`. A line that very many CTAs load does not distinguish partitions, and
// would add an edge for each pair of them: lines with more readers than max_sharers are
// excluded.
#include <stdlib.h>

#include "base/memory.h"
#include "observers/kernel_states.h"
#include "observers/key_set.h"
#include "policies/observer/observer.h"

enum { GROUPS = 64 };

typedef struct SharingRow {
  uint64_t first_cta_a, first_cta_b, lines;
} SharingRow;

typedef struct EdgeRow {
  uint64_t cta_a, cta_b, lines;
} EdgeRow;

typedef struct KernelSharing {
  uint64_t cta_count, width, height;  // of the grid
  KeySet lines;                       // by line: its groups
  KeySet readers;                     // by line and CTA
} KernelSharing;

typedef struct Sharing {
  uint32_t line_bytes, max_sharers;
  unsigned order;
  bool graph;
  KernelStates kernels;  // KernelSharing
} Sharing;

enum { ORDER_ROW, ORDER_COLUMN };

// The number of a CTA, of which the linear index is given.
static uint64_t number_of(const Sharing *sharing, const KernelSharing *kernel, uint64_t cta) {
  uint64_t plane = kernel->width * kernel->height, in_plane = cta % plane;
  if (sharing->order == ORDER_ROW) return cta;
  return cta - in_plane + in_plane % kernel->width * kernel->height + in_plane / kernel->width;
}

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
  sharing->width = kernel->launch->grid[0];
  sharing->height = kernel->launch->grid[1];
}

static void note_reader(KernelSharing *kernel, uint64_t line, const MemEvent *event) {
  if (event->access == ACCESS_LOAD) key_set_at(&kernel->readers, line, event->requester.cta, NULL);
}

static void sharing_events(void *state, const MemEvent *events, uint32_t count) {
  Sharing *sharing = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ACCESS || event->space != SPACE_GLOBAL ||
        event->access == ACCESS_PREFETCH)
      continue;
    KernelSharing *kernel = kernel_states_find(&sharing->kernels, event->requester.kernel);
    if (!kernel) continue;
    uint64_t line = event->address / sharing->line_bytes;
    uint64_t *groups = key_set_at(&kernel->lines, line, 0, NULL);
    uint64_t number = number_of(sharing, kernel, event->requester.cta);
    *groups |= UINT64_C(1) << group_of(number, kernel->cta_count);
    if (sharing->graph) note_reader(kernel, line, event);
  }
}

static const Stat columns[] = {
    STAT_COUNT(SharingRow, first_cta_a, "first CTA of a group"),
    STAT_COUNT(SharingRow, first_cta_b, "first CTA of the other, or the same"),
    STAT_COUNT(SharingRow, lines, "lines accessed by both"),
    {0}};

static const ResultTableType sharing_table = {.name = "sharing",
                                              .summary = "lines shared by CTAs",
                                              .columns = columns,
                                              .row_bytes = sizeof(SharingRow)};

static void count_pairs(const KeySet *lines, uint64_t (*matrix)[GROUPS]) {
  for (size_t i = 0; i < lines->capacity; i++)
    for (uint64_t a = lines->entries[i].value; a; a &= a - 1)
      for (uint64_t b = a; b; b &= b - 1) matrix[__builtin_ctzll(a)][__builtin_ctzll(b)]++;
}

// ---- the graph

static const Stat edge_columns[] = {STAT_COUNT(EdgeRow, cta_a, "linear index of a CTA"),
                                    STAT_COUNT(EdgeRow, cta_b, "of one with a higher index"),
                                    STAT_COUNT(EdgeRow, lines, "lines loaded by both"),
                                    {0}};

static const ResultTableType graph_table = {.name = "cta_sharing",
                                            .summary = "sharing graph: lines that two CTAs loaded",
                                            .columns = edge_columns,
                                            .row_bytes = sizeof(EdgeRow)};

static int by_key(const void *x, const void *y) {
  const KeyEntry *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

// The entries of a set, by their keys. memory_free them.
static KeyEntry *sorted(const KeySet *set) {
  KeyEntry *entries = memory_alloc(sizeof *entries * (set->count + 1));
  size_t count = 0;
  for (size_t i = 0; i < set->capacity; i++)
    if (set->entries[i].is_used) entries[count++] = set->entries[i];
  qsort(entries, count, sizeof *entries, by_key);
  return entries;
}

static void count_edges(KeySet *edges, const KeyEntry *readers, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = i + 1; j < count; j++) ++*key_set_at(edges, readers[i].b, readers[j].b, NULL);
}

static void add_graph(const Sharing *sharing, const KernelSharing *kernel, ResultTables *tables) {
  KeySet edges = {0};
  KeyEntry *readers = sorted(&kernel->readers);
  for (size_t first = 0, last; first < kernel->readers.count; first = last) {
    for (last = first; last < kernel->readers.count && readers[last].a == readers[first].a;) last++;
    if (last - first <= sharing->max_sharers) count_edges(&edges, readers + first, last - first);
  }
  KeyEntry *pairs = sorted(&edges);
  EdgeRow *rows = memory_alloc(sizeof *rows * (edges.count + 1));
  for (size_t i = 0; i < edges.count; i++)
    rows[i] = (EdgeRow){pairs[i].a, pairs[i].b, pairs[i].value};
  result_tables_add(tables, &graph_table, rows, (uint32_t)edges.count);
  memory_free(rows);
  memory_free(pairs);
  memory_free(readers);
  key_set_clear(&edges);
}

// ---- the end of a kernel

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
  if (sharing->graph) add_graph(sharing, ended, tables);
  memory_free(rows);
  memory_free(matrix);
  key_set_clear(&ended->lines);
  key_set_clear(&ended->readers);
  kernel_states_remove(&sharing->kernels, kernel->id);
}

static void sharing_clear(void *state) {
  Sharing *sharing = state;
  for (uint32_t i = 0; i < sharing->kernels.count; i++) {
    KernelSharing *kernel = sharing->kernels.items[i].state;
    key_set_clear(&kernel->lines);
    key_set_clear(&kernel->readers);
  }
  kernel_states_clear(&sharing->kernels);
}

static const char *const orders[] = {[ORDER_ROW] = "row", [ORDER_COLUMN] = "column", NULL};

static const Param params[] = {
    PARAM(Sharing, line_bytes, 128, 32, 4096, "line size in bytes"),
    PARAM_CHOICE(Sharing, order, ORDER_ROW, orders, "order in which CTAs are numbered"),
    PARAM(Sharing, graph, false, 0, 1,
          "also record the graph of single CTAs, for heddle partition"),
    PARAM(Sharing, max_sharers, 512, 2, 65536, "maximum readers of a line in the graph"),
    {0}};

static const ResultTableType *const tables_of[] = {&sharing_table, &graph_table, NULL};

const ObserverType sharing_observer = {
    .policy = {.name = "sharing",
               .summary = "lines shared by CTAs, in at most 64 groups",
               .state_size = sizeof(Sharing),
               .params = params},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_kernel_start = sharing_start,
    .on_events = sharing_events,
    .on_kernel_end = sharing_end,
    .clear = sharing_clear,
};
