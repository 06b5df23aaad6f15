// SPDX-License-Identifier: MIT
// Data reuse before the L1, by line and by sharer (Li et al., ASPLOS 2017,
// section 3.2 and figure 3).
//
// A line requested n times by w warps of c CTAs is reused n - 1 times:
// c - 1 times by another CTA, w - c times by another warp of a CTA that had it,
// n - w times by a warp that had it. So the numbers do not depend on the order
// in which CTAs and warps run. Accesses to global memory count, reads, writes
// and atomics; what kernels share with other kernels does not.
#include "base/memory.h"
#include "observers/accesses/instruction_lines.h"
#include "observers/kernel_states.h"
#include "observers/key_set.h"
#include "policies/observer/observer.h"

typedef struct ReuseRow {
  uint64_t accesses, lines, reuses, intra_warp, intra_cta, inter_cta;
} ReuseRow;

typedef struct KernelReuse {
  KeySet lines;  // by line: accesses
  KeySet ctas;   // by line and CTA
  KeySet warps;  // by line, and CTA and warp
  ReuseRow row;
} KernelReuse;

typedef struct Reuse {
  uint32_t line_bytes;
  KernelStates kernels;  // KernelReuse
  InstructionLines instructions;
  ReuseRow total;
} Reuse;

static void reuse_start(void *state, const KernelView *kernel) {
  kernel_states_add(&((Reuse *)state)->kernels, kernel->id, sizeof(KernelReuse));
}

static void note_line(KernelReuse *reuse, uint64_t line, const MemEvent *event) {
  enum { WARPS = 64 };  // of a CTA, more than there can be
  bool is_new_line, is_new_cta, is_new_warp;
  key_set_at(&reuse->lines, line, 0, &is_new_line);
  key_set_at(&reuse->ctas, line, event->requester.cta, &is_new_cta);
  key_set_at(&reuse->warps, line, event->requester.cta * WARPS + event->requester.warp_in_cta,
             &is_new_warp);
  ReuseRow *row = &reuse->row;
  row->accesses++;
  row->lines += is_new_line;
  if (is_new_line) return;
  row->reuses++;
  if (is_new_cta)
    row->inter_cta++;
  else if (is_new_warp)
    row->intra_cta++;
  else
    row->intra_warp++;
}

static void reuse_events(void *state, const MemEvent *events, uint32_t count) {
  Reuse *reuse = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ACCESS || event->space != SPACE_GLOBAL ||
        event->access == ACCESS_PREFETCH)
      continue;
    KernelReuse *kernel = kernel_states_find(&reuse->kernels, event->requester.kernel);
    uint64_t line = event->address / reuse->line_bytes;
    if (kernel && instruction_lines_is_new(&reuse->instructions, event, line))
      note_line(kernel, line, event);
  }
}

static const Stat columns[] = {
    STAT_COUNT(ReuseRow, accesses, "global memory accesses, one per instruction and line"),
    STAT_COUNT(ReuseRow, lines, "distinct lines"),
    STAT_COUNT(ReuseRow, reuses, "reuses: accesses to a line accessed before"),
    STAT_COUNT(ReuseRow, intra_warp, "of these, by a warp that accessed it before"),
    STAT_COUNT(ReuseRow, intra_cta, "by another warp of a CTA that accessed it before"),
    STAT_COUNT(ReuseRow, inter_cta, "by another CTA"),
    STAT_RATIO(ReuseRow, intra_warp_share, intra_warp, reuses, "share of reuses"),
    STAT_RATIO(ReuseRow, intra_cta_share, intra_cta, reuses, "share of reuses"),
    STAT_RATIO(ReuseRow, inter_cta_share, inter_cta, reuses, "share of reuses"),
    {0}};

static const ResultTableType reuse_table = {.name = "reuse",
                                            .summary = "data reuse before the L1, by line",
                                            .columns = columns,
                                            .row_bytes = sizeof(ReuseRow)};

static void clear_kernel(KernelReuse *reuse) {
  key_set_clear(&reuse->lines);
  key_set_clear(&reuse->ctas);
  key_set_clear(&reuse->warps);
}

static void reuse_end(void *state, const KernelView *kernel, ResultTables *tables) {
  Reuse *reuse = state;
  KernelReuse *ended = kernel_states_find(&reuse->kernels, kernel->id);
  if (!ended) return;
  result_tables_add(tables, &reuse_table, &ended->row, 1);
  stats_sum(&reuse->total, &ended->row, sizeof reuse->total);
  clear_kernel(ended);
  kernel_states_remove(&reuse->kernels, kernel->id);
}

static void reuse_report(void *state, ResultTables *tables) {
  result_tables_add(tables, &reuse_table, &((Reuse *)state)->total, 1);
}

static void reuse_clear(void *state) {
  Reuse *reuse = state;
  for (uint32_t i = 0; i < reuse->kernels.count; i++) clear_kernel(reuse->kernels.items[i].state);
  kernel_states_clear(&reuse->kernels);
  instruction_lines_clear(&reuse->instructions);
}

#define TOTAL(name_, help_) \
  { .name = #name_, .help = (help_), .offset = STAT_OFFSET_(Reuse, total.name_) }
#define SHARE(name_, part, help_)                                                     \
  {                                                                                   \
    .name = #name_, .help = (help_), .is_ratio = true,                                \
    .offset = STAT_OFFSET_(Reuse, total.part),                                        \
    .denominator_offset = STAT_OFFSET_(Reuse, total.reuses)                           \
  }

// The same for the run, where studies find it.
static const Stat stats[] = {
    TOTAL(accesses, "global memory accesses, one per instruction and line"),
    TOTAL(reuses, "reuses: accesses to a line accessed before"),
    TOTAL(intra_warp, "by a warp that accessed it before"),
    TOTAL(intra_cta, "by another warp of a CTA that accessed it before"),
    TOTAL(inter_cta, "by another CTA"),
    SHARE(inter_cta_share, inter_cta, "share of reuses"),
    {0}};

static const Param params[] = {PARAM(Reuse, line_bytes, 128, 32, 4096, "line size in bytes"), {0}};

static const ResultTableType *const tables_of[] = {&reuse_table, NULL};

const ObserverType reuse_observer = {
    .policy = {.name = "reuse",
               .summary = "data reuse before the L1: same warp, same CTA, other CTA",
               .state_size = sizeof(Reuse),
               .params = params,
               .stats = stats},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_kernel_start = reuse_start,
    .on_events = reuse_events,
    .on_kernel_end = reuse_end,
    .report = reuse_report,
    .clear = reuse_clear,
};
