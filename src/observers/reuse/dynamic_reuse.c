// SPDX-License-Identifier: MIT
// Data reuse within and among kernels, CTAs and warps, with or without dynamic parallelism. An
// observer of the accesses to global memory before the L1: an instruction of a warp references each
// line that its lanes touch once.
#include "observers/accesses/instruction_lines.h"
#include "policies/observer/observer.h"
#include "observers/reuse/reuse_ratio.h"

typedef struct DynamicReuse {
  uint32_t line_bytes, l1_lines, l2_lines;
  uint64_t limit, work;
  InstructionLines instructions;
  ReuseRecord record;
  // as of the last report
  ReuseRatios ratios;
  uint64_t references, sample, kernels;
} DynamicReuse;

static void dynamic_reuse_start(void *state, const KernelView *kernel) {
  DynamicReuse *reuse = state;
  const LaunchOrigin *origin = &kernel->launch->origin;
  if (!reuse->record.limit) {
    reuse->record.limit = reuse->limit;
    reuse->record.l1_lines = reuse->l1_lines;
    reuse->record.l2_lines = reuse->l2_lines;
  }
  reuse_record_kernel(&reuse->record, kernel->id, origin->has_parent ? origin->parent : REUSE_NONE,
                      origin->parent_cta, kernel->cta_count, kernel->warps_per_cta);
}

static void dynamic_reuse_events(void *state, const MemEvent *events, uint32_t count) {
  DynamicReuse *reuse = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ACCESS || event->space != SPACE_GLOBAL ||
        event->access == ACCESS_PREFETCH)
      continue;
    uint64_t line = event->address / reuse->line_bytes;
    if (instruction_lines_is_new(&reuse->instructions, event, line))
      reuse_record_reference(&reuse->record, event->requester.kernel, event->requester.cta,
                             event->requester.warp_in_cta, line);
  }
}

// ---- tables

typedef struct SummaryRow {
  FootprintShares shares;
  uint64_t all_references, sample, kernels, ctas, warps, examined_kernels, examined_ctas;
} SummaryRow;

#define SHARE_OF(Struct, shares_, name_, part, help_)              \
  {                                                                \
    .name = #name_, .help = (help_), .is_ratio = true,             \
    .offset = STAT_OFFSET_(Struct, shares_.part),                  \
    .denominator_offset = STAT_OFFSET_(Struct, shares_.references) \
  }
#define COUNT_OF(Struct, name_, field, help_) \
  { .name = #name_, .help = (help_), .offset = STAT_OFFSET_(Struct, field) }

static const Stat summary_columns[] = {
    COUNT_OF(SummaryRow, references, all_references,
             "global memory accesses, one per instruction and line"),
    COUNT_OF(SummaryRow, sample, sample, "sampling: one line in this many is tracked; 1 = all"),
    COUNT_OF(SummaryRow, followed, shares.references, "references to tracked lines"),
    COUNT_OF(SummaryRow, lines, shares.lines, "tracked lines"),
    COUNT_OF(SummaryRow, self, shares.self, "to lines that the kernel references more than once"),
    COUNT_OF(SummaryRow, self_repeats, shares.self_repeats,
             "of these, all but the kernel's first to each line"),
    COUNT_OF(SummaryRow, parent_child, shares.parent_child,
             "to lines that the parent kernel references, too"),
    COUNT_OF(SummaryRow, sibling, shares.sibling, "to lines that a sibling kernel references, too"),
    SHARE_OF(SummaryRow, shares, self_share, self, "share of the footprint"),
    SHARE_OF(SummaryRow, shares, self_repeat_share, self_repeats, "share of the footprint"),
    SHARE_OF(SummaryRow, shares, parent_child_share, parent_child, "share of the footprint"),
    SHARE_OF(SummaryRow, shares, sibling_share, sibling, "share of the footprint"),
    COUNT_OF(SummaryRow, children, shares.children, "references of child kernels"),
    COUNT_OF(SummaryRow, with_child, shares.with_child,
             "to lines that a child of the kernel references, too"),
    COUNT_OF(SummaryRow, same_parent, shares.same_parent,
             "to lines that another child of its parent references, of any CTA"),
    COUNT_OF(SummaryRow, lines_self, shares.lines_self, "lines that a kernel references twice"),
    COUNT_OF(SummaryRow, lines_parent_child, shares.lines_parent_child,
             "lines that a kernel and its parent reference"),
    COUNT_OF(SummaryRow, lines_sibling, shares.lines_sibling, "lines that siblings reference"),
    COUNT_OF(SummaryRow, kernels, kernels, "kernels with such references"),
    COUNT_OF(SummaryRow, ctas, ctas, "CTAs with such references"),
    COUNT_OF(SummaryRow, warps, warps, "warps with such references"),
    COUNT_OF(SummaryRow, examined_kernels, examined_kernels, "kernels compared"),
    COUNT_OF(SummaryRow, examined_ctas, examined_ctas, "CTAs compared"),
    {0}};

static const ResultTableType summary_table = {
    .name = "dynamic_reuse",
    .summary = "footprint shared within kernels, with parents and among siblings",
    .columns = summary_columns,
    .row_bytes = sizeof(SummaryRow)};

typedef struct DistanceRow {
  uint64_t from_lines, below_lines, kinds[REUSE_KINDS];
} DistanceRow;

static const Stat distance_columns[] = {
    STAT_COUNT(DistanceRow, from_lines, "lower bound of the bin, in distinct lines"),
    STAT_COUNT(DistanceRow, below_lines, "upper bound of the bin, exclusive"),
    COUNT_OF(DistanceRow, self, kinds[REUSE_SELF], "since the kernel's own last reference"),
    COUNT_OF(DistanceRow, parent_child, kinds[REUSE_PARENT_CHILD], "since the parent's last"),
    COUNT_OF(DistanceRow, sibling, kinds[REUSE_SIBLING], "since a sibling's last"),
    {0}};

static const ResultTableType distance_table = {.name = "reuse_distances",
                                               .summary = "reuse distances in distinct lines",
                                               .columns = distance_columns,
                                               .row_bytes = sizeof(DistanceRow)};

typedef struct RatioRow {
  const char *relation, *between;
  RatioBins bins;
} RatioRow;

static const RowLabel ratio_labels[] = {ROW_LABEL(RatioRow, relation, "name of the relation"),
                                        ROW_LABEL(RatioRow, between, "units compared"),
                                        {0}};

#define BIN(n) COUNT_OF(RatioRow, b##n, bins.bins[n], "ratio from 0." #n)
static const Stat ratio_columns[] = {
    COUNT_OF(RatioRow, pairs, bins.pairs, "ordered pairs; units for a self relation"),
    COUNT_OF(RatioRow, high, bins.high, "ratio above 0.4"),
    {.name = "mean_millionths",
     .help = "mean ratio, in millionths",
     .is_ratio = true,
     .offset = STAT_OFFSET_(RatioRow, bins.millionths),
     .denominator_offset = STAT_OFFSET_(RatioRow, bins.pairs)},
    BIN(0),
    BIN(1),
    BIN(2),
    BIN(3),
    BIN(4),
    BIN(5),
    BIN(6),
    BIN(7),
    BIN(8),
    BIN(9),
    {0}};

static const ResultTableType ratio_table = {.name = "reuse_ratios",
                                            .summary = "pairs by reuse ratio, in ten bins",
                                            .labels = ratio_labels,
                                            .columns = ratio_columns,
                                            .row_bytes = sizeof(RatioRow)};

typedef struct ChainRow {
  const char *of;
  ReuseChains chains;
} ChainRow;

static const RowLabel chain_labels[] = {ROW_LABEL(ChainRow, of, "kernels or CTAs"), {0}};
static const Stat chain_columns[] = {
    COUNT_OF(ChainRow, units, chains.units, "with references"),
    COUNT_OF(ChainRow, chains, chains.chains, "groups linked by ratios above 0.4"),
    COUNT_OF(ChainRow, longest, chains.longest, "units in the longest chain"),
    {.name = "mean_length",
     .help = "mean units per chain",
     .is_ratio = true,
     .offset = STAT_OFFSET_(ChainRow, chains.units),
     .denominator_offset = STAT_OFFSET_(ChainRow, chains.chains)},
    {0}};

static const ResultTableType chain_table = {.name = "reuse_chains",
                                            .summary = "chains of high reuse",
                                            .labels = chain_labels,
                                            .columns = chain_columns,
                                            .row_bytes = sizeof(ChainRow)};

static void add_summary(const DynamicReuse *reuse, ResultTables *tables) {
  const ReuseRatios *ratios = &reuse->ratios;
  SummaryRow row = {.shares = ratios->shares,
                    .all_references = reuse->references,
                    .sample = reuse->sample,
                    .kernels = ratios->units[LEVEL_KERNEL],
                    .ctas = ratios->units[LEVEL_CTA],
                    .warps = ratios->units[LEVEL_WARP],
                    .examined_kernels = ratios->examined[LEVEL_KERNEL],
                    .examined_ctas = ratios->examined[LEVEL_CTA]};
  result_tables_add(tables, &summary_table, &row, 1);
}

static void add_distances(const ReuseDistances *distances, ResultTables *tables) {
  DistanceRow rows[DISTANCE_BINS];
  uint32_t used = 0;
  for (uint32_t b = 0; b < DISTANCE_BINS; b++) {
    rows[b] = (DistanceRow){.from_lines = b ? UINT64_C(1) << (b - 1) : 0,
                            .below_lines = UINT64_C(1) << b};
    for (int k = 0; k < REUSE_KINDS; k++)
      if ((rows[b].kinds[k] = distances[k].bins[b])) used = b + 1;
  }
  result_tables_add(tables, &distance_table, rows, used);
}

static void add_ratios(const ReuseRatios *ratios, ResultTables *tables) {
  static const char *const names[][2] = {
#define X(name, field, what) {#field, what},
      REUSE_RELATIONS(X)
#undef X
  };
  RatioRow rows[RELATION_COUNT];
  for (int r = 0; r < RELATION_COUNT; r++)
    rows[r] = (RatioRow){names[r][0], names[r][1], ratios->relations[r]};
  result_tables_add(tables, &ratio_table, rows, RELATION_COUNT);
  ChainRow chains[] = {{"kernels", ratios->kernel_chains}, {"ctas", ratios->cta_chains}};
  result_tables_add(tables, &chain_table, chains, 2);
}

static void dynamic_reuse_report(void *state, ResultTables *tables) {
  DynamicReuse *reuse = state;
  reuse_ratios(&reuse->ratios, &reuse->record, reuse->work, NULL);
  reuse->references = reuse->record.references;
  reuse->sample = UINT64_C(1) << reuse->record.halvings;
  reuse->kernels = reuse->record.kernel_count;
  add_summary(reuse, tables);
  add_distances(reuse->record.distances, tables);
  add_ratios(&reuse->ratios, tables);
}

static void dynamic_reuse_clear(void *state) {
  DynamicReuse *reuse = state;
  instruction_lines_clear(&reuse->instructions);
  reuse_record_clear(&reuse->record);
}

// ---- for studies

#define RATIO_OF(name_, above, below, help_)                                                       \
  {                                                                                                \
    .name = name_, .help = (help_), .is_ratio = true, .offset = STAT_OFFSET_(DynamicReuse, above), \
    .denominator_offset = STAT_OFFSET_(DynamicReuse, below)                                        \
  }
#define LINES_OF(name, part, help) RATIO_OF(#name, ratios.shares.part, ratios.shares.lines, help)
#define DISTANCES(kind, name)                                                                      \
  RATIO_OF(#name "_distance", record.distances[kind].sum, record.distances[kind].count,            \
           "mean reuse distance in lines"),                                                        \
      RATIO_OF(#name "_beyond_l1", record.distances[kind].beyond_l1, record.distances[kind].count, \
               "share of distances of l1_lines and more"),                                         \
      RATIO_OF(#name "_beyond_l2", record.distances[kind].beyond_l2, record.distances[kind].count, \
               "share of distances of l2_lines and more")

static const Stat stats[] = {
    COUNT_OF(DynamicReuse, references, references,
             "global memory accesses, one per instruction and line"),
    COUNT_OF(DynamicReuse, sample, sample, "sampling: one line in this many was tracked"),
    COUNT_OF(DynamicReuse, kernels, kernels, "kernels started"),
    COUNT_OF(DynamicReuse, lines, ratios.shares.lines, "tracked lines"),
    SHARE_OF(DynamicReuse, ratios.shares, self_share, self, "share of the footprint"),
    SHARE_OF(DynamicReuse, ratios.shares, self_repeat_share, self_repeats,
             "share of the footprint without the kernel's first reference to each line"),
    SHARE_OF(DynamicReuse, ratios.shares, parent_child_share, parent_child,
             "share of the footprint"),
    SHARE_OF(DynamicReuse, ratios.shares, sibling_share, sibling, "share of the footprint"),
    SHARE_OF(DynamicReuse, ratios.shares, child_share, children,
             "share of child kernels in the footprint"),
    SHARE_OF(DynamicReuse, ratios.shares, with_child_share, with_child,
             "share of the footprint in lines that a child of the kernel references, too"),
    SHARE_OF(DynamicReuse, ratios.shares, same_parent_share, same_parent,
             "sibling_share if all children of a kernel were siblings"),
    LINES_OF(self_line_share, lines_self, "share of the lines that a kernel references twice"),
    LINES_OF(parent_child_line_share, lines_parent_child,
             "share of the lines that a kernel and its parent reference"),
    LINES_OF(sibling_line_share, lines_sibling, "share of the lines that siblings reference"),
    DISTANCES(REUSE_SELF, self),
    DISTANCES(REUSE_PARENT_CHILD, parent_child),
    DISTANCES(REUSE_SIBLING, sibling),
#define X(name, field, what)                                                          \
  RATIO_OF(#field "_low", ratios.relations[RELATION_##name].bins[0],                  \
           ratios.relations[RELATION_##name].pairs, "share of ratios below 0.1"),     \
      RATIO_OF(#field "_high", ratios.relations[RELATION_##name].high,                \
               ratios.relations[RELATION_##name].pairs, "share of ratios above 0.4"), \
      COUNT_OF(DynamicReuse, field##_pairs, ratios.relations[RELATION_##name].pairs,  \
               "ordered pairs of " what),
    REUSE_RELATIONS(X)
#undef X
        COUNT_OF(DynamicReuse, kernel_chain_longest, ratios.kernel_chains.longest,
                 "kernels of the longest chain of high reuse"),
    RATIO_OF("kernel_chain_mean", ratios.kernel_chains.units, ratios.kernel_chains.chains,
             "kernels of a chain"),
    COUNT_OF(DynamicReuse, cta_chain_longest, ratios.cta_chains.longest,
             "CTAs of the longest chain of high reuse"),
    RATIO_OF("cta_chain_mean", ratios.cta_chains.units, ratios.cta_chains.chains,
             "CTAs of a chain"),
    {0}};

static const Param params[] = {
    PARAM(DynamicReuse, line_bytes, 128, 32, 4096, "line size in bytes"),
    PARAM(DynamicReuse, l1_lines, 256, 0, 1 << 24, "lines of an L1, to compare distances with"),
    PARAM(DynamicReuse, l2_lines, 12288, 0, 1 << 28, "lines of the L2, to compare distances with"),
    PARAM(DynamicReuse, limit, 1 << 23, 1024, UINT64_C(1) << 40,
          "table entries beyond which lines are sampled"),
    PARAM(DynamicReuse, work, 1 << 28, 1024, UINT64_C(1) << 50,
          "comparisons beyond which units are sampled"),
    {0}};

static const ResultTableType *const tables_of[] = {&summary_table, &distance_table, &ratio_table,
                                                   &chain_table, NULL};

const ObserverType dynamic_reuse_observer = {
    .policy = {.name = "dynamic_reuse",
               .summary =
                   "reuse within and among kernels, CTAs and warps: shares, distances, ratios",
               .state_size = sizeof(DynamicReuse),
               .params = params,
               .stats = stats},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .works_untimed = true,
    .on_kernel_start = dynamic_reuse_start,
    .on_events = dynamic_reuse_events,
    .report = dynamic_reuse_report,
    .clear = dynamic_reuse_clear,
};
