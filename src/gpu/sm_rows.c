// SPDX-License-Identifier: MIT
#include "gpu/sm_rows.h"

#define COLUMN(name_, field, help_) \
  {.name = name_, .help = (help_), .offset = STAT_OFFSET_(SmRow, field)}
#define RATE(name_, part, whole, help_)                                   \
  {.name = name_, .help = (help_), .is_ratio = true,                      \
   .offset = STAT_OFFSET_(SmRow, part), .denominator_offset = STAT_OFFSET_(SmRow, whole)}

// clang-format off
static const Stat columns[] = {
    COLUMN("sm", id, "number of the SM"),
    COLUMN("ctas", sm.ctas, "CTAs that ended on it"),
    COLUMN("active_cycles", sm.active_cycles, "cycles with at least one resident warp"),
    COLUMN("warp_instructions", sm.warp_instructions, "instructions issued, a warp each"),
    COLUMN("thread_instructions", sm.thread_instructions, "instructions issued, active lanes each"),
    RATE("warp_ipc", sm.warp_instructions, sm.cycles, "warp instructions a cycle"),
    RATE("resident_warps", sm.warp_cycles, sm.active_cycles, "warps resident on average while active"),
#define X(...) SLOT_STAT(SmRow, sm.slots, __VA_ARGS__),
    SLOT_REASONS(X)
#undef X
    COLUMN("transactions", lsu.transactions, "transactions of global and local accesses"),
    RATE("load_latency", lsu.load_latency_cycles, lsu.loads_done, "cycles from issue to release"),
    COLUMN("shared_conflict_cycles", lsu.shared_conflict_cycles, "cycles lost to bank conflicts"),
    COLUMN("l1d.accesses", l1d.accesses, "L1D lookups"),
    COLUMN("l1d.hits", l1d.hits, "found"),
    COLUMN("l1d.merges", l1d.merges, "found on their way"),
    COLUMN("l1d.misses", l1d.misses, "not found"),
    COLUMN("l1d.cold_misses", l1d.cold_misses, "of the misses: the line was never fetched before"),
    RATE("l1d.hit_rate", l1d.hits, l1d.accesses, "share that hit"),
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
