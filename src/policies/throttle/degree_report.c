// SPDX-License-Identifier: MIT
// How a degree was decided, as tables of the kernel's results.
#include "policies/throttle/degree_report.h"

#include <math.h>

// Rows of results hold integers. Predictions are stored in millionths, and divided on print.
enum { MILLION = 1000000 };

typedef struct DecisionRow {
  const char *outcome;
  uint64_t degree, most, decided_cycle, is_memory_bound;
  uint64_t warps, cta_cycles, warp_instructions, accesses, dram_reads, dram_atomics, lines,
      line_uses, capacity_lines;
  uint64_t all_reads, loads, latency_cycles;
} DecisionRow;

static const RowLabel decision_labels[] = {
    ROW_LABEL(DecisionRow, outcome, "sampled, or why the default was kept"), {0}};

static const Stat decision_columns[] = {
    STAT_COUNT(DecisionRow, degree, "CTAs per SM chosen; 0: no limit"),
    STAT_COUNT(DecisionRow, most, "CTAs that fit on an SM"),
    STAT_COUNT(DecisionRow, decided_cycle, "cycle in which the sampled CTA completed"),
    STAT_COUNT(DecisionRow, is_memory_bound, "1: DRAM reads per instruction exceed the threshold"),
    STAT_COUNT(DecisionRow, warps, "warps per CTA"),
    STAT_COUNT(DecisionRow, cta_cycles, "lifetime of the sampled CTA"),
    STAT_COUNT(DecisionRow, warp_instructions, "warp instructions it issued"),
    STAT_COUNT(DecisionRow, accesses, "its L1D accesses"),
    STAT_COUNT(DecisionRow, dram_reads, "of these, served by DRAM"),
    STAT_COUNT(DecisionRow, dram_atomics, "its atomics served by DRAM"),
    STAT_COUNT(DecisionRow, lines, "distinct lines it needed in the L1D: its working set"),
    STAT_COUNT(DecisionRow, line_uses, "accesses to these"),
    STAT_COUNT(DecisionRow, capacity_lines, "lines of the L1D"),
    STAT_RATIO(DecisionRow, miss_rate, dram_reads, accesses, "DRAM reads per access"),
    STAT_RATIO(DecisionRow, reads_per_instruction, all_reads, warp_instructions,
               "DRAM reads per warp instruction, atomics included"),
    STAT_RATIO(DecisionRow, latency, latency_cycles, loads, "cycles per load"),
    {0}};

static const ResultTableType decision_table = {.name = "degree_decision",
                                               .summary = "CTAs per SM: the sampled CTA",
                                               .labels = decision_labels,
                                               .columns = decision_columns,
                                               .row_bytes = sizeof(DecisionRow),
                                               .in_text = true};

typedef struct PredictionRow {
  uint64_t degree, is_chosen, dram_reads, cta_cycles;
  uint64_t miss_rate_millionths, dram_millionths, latency_millionths, pipeline_millionths;
  uint64_t million;
} PredictionRow;

#define MILLIONTHS(name_, field, help_) \
  STAT_RATIO(PredictionRow, name_, field##_millionths, million, help_)

static const Stat prediction_columns[] = {
    STAT_COUNT(PredictionRow, degree, "CTAs per SM"),
    STAT_COUNT(PredictionRow, is_chosen, "1: this degree"),
    STAT_COUNT(PredictionRow, dram_reads, "predicted DRAM reads per CTA"),
    MILLIONTHS(miss_rate, miss_rate, "predicted DRAM reads per access"),
    MILLIONTHS(dram_growth, dram, "growth of DRAM reads over the previous degree"),
    MILLIONTHS(latency_growth, latency, "growth of their latency"),
    MILLIONTHS(pipeline_growth, pipeline, "pipeline effect"),
    STAT_COUNT(PredictionRow, cta_cycles, "predicted CTA lifetime"),
    STAT_RATIO(PredictionRow, cycles_per_cta, cta_cycles, degree,
               "lifetime per resident CTA; the smallest wins"),
    {0}};

static const ResultTableType prediction_table = {.name = "degree_predictions",
                                                 .summary = "predictions per number of CTAs per SM",
                                                 .columns = prediction_columns,
                                                 .row_bytes = sizeof(PredictionRow),
                                                 .in_text = true};

const ResultTableType *const degree_tables[] = {&decision_table, &prediction_table, NULL};

static uint64_t millionths(double value) {
  return (uint64_t)llround(value * MILLION);
}

static void add_decision(const DegreeDecision *decision, ResultTables *tables) {
  const DegreeSample *sample = &decision->sample;
  DecisionRow row = {.outcome = decision->outcome,
                     .degree = decision->degree,
                     .most = decision->most,
                     .decided_cycle = decision->decided,
                     .is_memory_bound = decision->is_memory_bound,
                     .warps = sample->warps,
                     .cta_cycles = sample->cycles,
                     .warp_instructions = sample->warp_instructions,
                     .accesses = sample->accesses,
                     .dram_reads = sample->dram_reads,
                     .dram_atomics = sample->dram_atomics,
                     .all_reads = sample->dram_reads + sample->dram_atomics,
                     .lines = sample->lines,
                     .line_uses = sample->line_uses,
                     .capacity_lines = sample->capacity_lines,
                     .loads = sample->loads,
                     .latency_cycles = sample->latency_cycles};
  result_tables_add(tables, &decision_table, &row, 1);
}

void degree_report(const DegreeDecision *decision, ResultTables *tables) {
  add_decision(decision, tables);
  if (!decision->steps) return;
  PredictionRow rows[DEGREE_MAX];
  for (uint32_t i = 0; i < decision->most; i++) {
    const DegreeStep *step = &decision->steps[i];
    rows[i] = (PredictionRow){.degree = i + 1,
                              .is_chosen = decision->degree == i + 1,
                              .dram_reads = (uint64_t)llround(step->dram_reads),
                              .cta_cycles = (uint64_t)llround(step->cta_cycles),
                              .miss_rate_millionths = millionths(step->miss_rate),
                              .dram_millionths = millionths(step->dram_growth),
                              .latency_millionths = millionths(step->latency_growth),
                              .pipeline_millionths = millionths(step->pipeline_growth),
                              .million = MILLION};
  }
  result_tables_add(tables, &prediction_table, rows, decision->most);
}
