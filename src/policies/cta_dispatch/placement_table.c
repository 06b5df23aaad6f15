// SPDX-License-Identifier: MIT
// Children's CTAs by a table of SMs, which a search from outside varies: what the best placement
// can reach (tools/placement_search). The table is a word: a letter per slot, `a` for SM 0, `b` for
// SM 1, then `A` for SM 26.
//
// Positions of a grid of n CTAs divide the slots into n equal parts in their order; a CTA goes to
// that SM of its part whose queue is the shortest. With the letters sorted, positions have shares
// of the SMs; with all SMs in every part, children are distributed over all of them. If there are
// more CTAs than slots, adjacent CTAs have one. Kernels of the host are distributed round robin,
// always.
#include <string.h>

#include "policies/cta_dispatch/cta_queues.h"

enum { LETTERS = 26 };

typedef struct PlacementTable {
  char table[PARAM_VALUE_BYTES];  // parameters
  uint32_t steal;
  uint32_t slots;
  CtaQueues queues;
  uint64_t children;  // queued so far
  uint32_t last_queued, last_sm;
  StealCounts counts;
} PlacementTable;

// SM of a letter; at least 2 * LETTERS: it is none.
static uint32_t sm_of_letter(char letter) {
  if (letter >= 'a' && letter <= 'z') return (uint32_t)(letter - 'a');
  if (letter >= 'A' && letter <= 'Z') return (uint32_t)(LETTERS + letter - 'A');
  return 2 * LETTERS;
}

static Status table_init(void *state, const PolicySetup *setup, Error *err) {
  PlacementTable *table = state;
  uint32_t sms = setup->machine->sm_count;
  table->slots = (uint32_t)strlen(table->table);
  for (uint32_t i = 0; i < table->slots; i++)
    if (sm_of_letter(table->table[i]) >= sms)
      return error_set(
          err, ERR_CONFIG,
          "placement_table: table=%.60s: letter %u, '%c', is no SM of this GPU: it has "
          "%u, from a on",
          table->table, i + 1, table->table[i], sms);
  table->last_queued = table->last_sm = sms - 1;
  cta_queues_init(&table->queues, sms, setup->arena);
  return OK;
}

static void table_clear(void *state) {
  cta_queues_clear(&((PlacementTable *)state)->queues);
}

// ---- queueing

// Of the SMs of a CTA's part the one with the shortest queue; of equal ones the next in
// turn.
static uint32_t sm_of_cta(const PlacementTable *table, uint64_t cta, uint64_t ctas) {
  uint64_t first = cta * table->slots / ctas, end = (cta + 1) * table->slots / ctas;
  uint64_t count = end > first ? end - first : 1, least = UINT64_MAX;
  uint32_t best = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t sm = sm_of_letter(table->table[first + (table->children + i) % count]);
    if (table->queues.queues[sm].ctas >= least) continue;
    least = table->queues.queues[sm].ctas;
    best = sm;
  }
  return best;
}

static void queue_kernel(PlacementTable *table, const KernelView *view) {
  cta_queues_note(&table->queues, view->id);
  if (dispatch_is_cooperative(view)) return;
  if (!view->launch->origin.has_parent || !table->slots) {
    table->last_queued = cta_queues_spread(&table->queues, view, 0, table->last_queued);
    return;
  }
  CtaRun run = {.kernel = view->id, .count = 1, .stride = 1};
  for (; run.first < view->cta_count; run.first++)
    cta_queues_push(&table->queues, sm_of_cta(table, run.first, view->cta_count), run);
  table->children++;
}

static void table_on_kernel_start(void *state, const KernelView *kernel) {
  queue_kernel(state, kernel);
}

static void table_on_kernel_end(void *state, const KernelView *kernel) {
  cta_queues_forget(&((PlacementTable *)state)->queues, kernel->id);
}

// ---- dispatching

static bool table_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  PlacementTable *table = state;
  for (uint32_t k = 0; k < view->kernel_count; k++)
    if (!cta_queues_knows(&table->queues, view->kernels[k].view.id))
      queue_kernel(table, &view->kernels[k].view);
  CooperativePick cooperative = dispatch_cooperative(view, table->last_sm, choice);
  if (cooperative == DISPATCH_CHOSEN) table->last_sm = choice->sm;
  if (cooperative != DISPATCH_NOT_COOPERATIVE) return cooperative == DISPATCH_CHOSEN;
  return cta_queues_pick(&table->queues, view, table->steal, CTA_LAST, &table->last_sm,
                         &table->counts, choice);
}

static const Param table_params[] = {
    PARAM_TEXT(PlacementTable, table, "",
               "a letter per slot, a: SM 0; empty: children are distributed round robin"),
    PARAM_CHOICE(PlacementTable, steal, STEAL_WHEN_EMPTY, steal_rules,
                 "when an SM with room and an empty queue steals"),
    {0}};

static const Stat table_stats[] = {
    STAT_COUNT(PlacementTable, children, "children placed by the table"),
    {.name = "own",
     .help = "CTAs dispatched from the SM's own queue",
     .offset = STAT_OFFSET_(PlacementTable, counts.own)},
    {.name = "stolen",
     .help = "CTAs stolen from another SM's queue",
     .offset = STAT_OFFSET_(PlacementTable, counts.stolen)},
    {0}};

const CtaDispatchType placement_table_dispatch = {
    .policy = {.name = "placement_table",
               .summary = "children's CTAs to SMs by a table that a search varies (bound)",
               .state_size = sizeof(PlacementTable),
               .params = table_params,
               .stats = table_stats,
               .init = table_init,
               .clear = table_clear,
               .on_kernel_start = table_on_kernel_start,
               .on_kernel_end = table_on_kernel_end},
    .pick = table_pick,
};
