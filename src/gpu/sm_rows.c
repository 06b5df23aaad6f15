// SPDX-License-Identifier: MIT
// Fills the per-SM table.
#include "gpu/sm_rows.h"

#define COLUMN(name_, field, help_) \
  {.name = name_, .help = (help_), .offset = STAT_OFFSET_(SmRow, field)}
#define RATE(name_, part, whole, help_)                                   \
  {.name = name_, .help = (help_), .is_ratio = true,                      \
   .offset = STAT_OFFSET_(SmRow, part), .denominator_offset = STAT_OFFSET_(SmRow, whole)}

// clang-format off
static const Stat columns[] = {
    COLUMN("sm", id, "SM number"),
    COLUMN("ctas", sm.ctas, "CTAs completed on it"),
    COLUMN("active_cycles", sm.active_cycles, "cycles with at least one resident warp"),
    COLUMN("warp_instructions", sm.warp_instructions, "warp instructions issued"),
    COLUMN("thread_instructions", sm.thread_instructions, "thread instructions issued"),
    RATE("warp_ipc", sm.warp_instructions, sm.cycles, "warp instructions per cycle"),
    RATE("resident_warps", sm.warp_cycles, sm.active_cycles, "mean resident warps while active"),
#define X(...) SLOT_STAT(SmRow, sm.slots, __VA_ARGS__),
    SLOT_REASONS(X)
#undef X
    COLUMN("transactions", lsu.transactions, "global and local memory transactions"),
    RATE("load_latency", lsu.load_latency_cycles, lsu.loads_done, "load latency in cycles, issue to release, summed"),
    COLUMN("shared_conflict_cycles", lsu.shared_conflict_cycles, "stall cycles due to bank conflicts"),
    COLUMN("l1d.accesses", l1d.accesses, "L1D lookups"),
    COLUMN("l1d.hits", l1d.hits, "found"),
    COLUMN("l1d.merges", l1d.merges, "merged into an outstanding miss"),
    COLUMN("l1d.misses", l1d.misses, "not found"),
    COLUMN("l1d.cold_misses", l1d.cold_misses, "cold misses: first fetch of the line"),
    RATE("l1d.hit_rate", l1d.hits, l1d.accesses, "hit rate"),
    {0}};
// clang-format on

const ResultTableType sm_table = {.name = "sms",
                                  .summary = "each SM (of a kernel with --per-sm)",
                                  .columns = columns,
                                  .row_bytes = sizeof(SmRow)};

void sm_rows_fill(SmRow *rows, Sm *const *sms, uint32_t count) {
  for (uint32_t s = 0; s < count; s++) {
    rows[s] = (SmRow){.id = s, .sm = sms[s]->stats, .lsu = sms[s]->lsu.stats};
    rows[s].l1d = lsu_l1d_stats(&sms[s]->lsu);
  }
}

void sm_rows_subtract(SmRow *rows, const SmRow *before, uint32_t count) {
  for (uint32_t s = 0; s < count; s++) {
    stats_subtract(&rows[s], &before[s], sizeof rows[s]);
    rows[s].id = s;
  }
}
