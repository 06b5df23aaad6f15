// SPDX-License-Identifier: MIT
// Classifies the source of a kernel's inter-CTA locality: the five categories of Li et al. (ASPLOS
// 2017, section 3.2).
#include "study/classify/classify.h"

#include <math.h>

// Rationale. Below 10 % a cause is incidental: halos and list heads are below, accesses by design
// of the algorithm above. 25 % of the loads is required where a kernel mixes several causes. 2 %
// of the hit rate and 5 % of traffic or time exceed the effect of reordering in kernels whose CTAs
// share nothing (BlackScholes 1.1 % of time, bfs's `advance` 1.3 %, histogram's `count_parts`
// 0.5 %). A line of 128 bytes of which one sector is used causes four times the traffic; 0.8 is
// reached if a quarter of the misses are to such lines. A load that accesses eight lines instead
// of one is dominated by line transfers, whether or not the lines stay in the L1 until their other
// words are used.
const ClassifyLimits classify_defaults = {.overwritten = 0.1,
                                          .indirect = 0.25,
                                          .shared = 0.1,
                                          .fewer_reads = 0.8,
                                          .l2_change = 0.05,
                                          .hit_change = 0.02,
                                          .time_change = 0.05,
                                          .uncoalesced = 0.125,
                                          .coalesced = 0.5};

const char *category_name(Category category) {
  static const char *const names[] = {"algorithm", "cache-line", "data", "write", "streaming"};
  return names[category];
}

double measured_hit_rate(const Measured *measured) {
  return measured->l1_accesses ? (double)measured->l1_hits / (double)measured->l1_accesses : 0;
}

double change(uint64_t a, uint64_t b) {
  return a ? (double)b / (double)a : 1;
}

// ---- effects of the experiments

static double reads_change(const KernelEvidence *evidence, Experiment experiment) {
  return change(evidence->measured[EXPERIMENT_BASE].l2_reads,
                evidence->measured[experiment].l2_reads);
}

static double time_change(const KernelEvidence *evidence, Experiment experiment) {
  return change(evidence->measured[EXPERIMENT_BASE].cycles, evidence->measured[experiment].cycles);
}

static double hit_change(const KernelEvidence *evidence, Experiment experiment) {
  return measured_hit_rate(&evidence->measured[experiment]) -
         measured_hit_rate(&evidence->measured[EXPERIMENT_BASE]);
}

static bool order_matters(const KernelEvidence *evidence, const ClassifyLimits *limits) {
  for (Experiment order = EXPERIMENT_ROW; order <= EXPERIMENT_COLUMN; order++)
    if (fabs(hit_change(evidence, order)) >= limits->hit_change ||
        fabs(reads_change(evidence, order) - 1) >= limits->l2_change ||
        fabs(time_change(evidence, order) - 1) >= limits->time_change)
      return true;
  return false;
}

static bool order_takes_time(const KernelEvidence *evidence, const ClassifyLimits *limits) {
  return fabs(time_change(evidence, EXPERIMENT_ROW) - 1) >= limits->time_change ||
         fabs(time_change(evidence, EXPERIMENT_COLUMN) - 1) >= limits->time_change;
}

// Whether an L1 that keeps shared data would reduce the time. Less traffic does not imply that: a
// kernel may load little and mostly compute or store (sad).
static bool cache_matters(const KernelEvidence *evidence, const ClassifyLimits *limits) {
  return time_change(evidence, EXPERIMENT_UNCACHED) >= 1 + limits->time_change ||
         time_change(evidence, EXPERIMENT_IDEAL) <= 1 - limits->time_change;
}

// The order with fewer L2 reads or, if these are equal, less time.
static BestOrder best_order(const KernelEvidence *evidence, const ClassifyLimits *limits) {
  double row = reads_change(evidence, EXPERIMENT_ROW);
  double column = reads_change(evidence, EXPERIMENT_COLUMN);
  if (fabs(row - column) < 0.01) {
    row = time_change(evidence, EXPERIMENT_ROW);
    column = time_change(evidence, EXPERIMENT_COLUMN);
  }
  if (evidence->grid_height <= 1 || fmin(row, column) > 1 - limits->l2_change / 5) return BEST_NONE;
  return row <= column ? BEST_ROW : BEST_COLUMN;
}

// ---- verdicts

static Category published(const KernelEvidence *evidence, const ClassifyLimits *limits) {
  bool fewer = reads_change(evidence, EXPERIMENT_UNCACHED) < limits->fewer_reads;
  if (evidence->overwritten >= limits->overwritten) return CATEGORY_WRITE;
  if (order_matters(evidence, limits)) return fewer ? CATEGORY_CACHE_LINE : CATEGORY_ALGORITHM;
  if (fewer) return CATEGORY_CACHE_LINE;
  return evidence->coalescing >= limits->coalesced ? CATEGORY_STREAMING : CATEGORY_DATA;
}

#define BECAUSE(verdict, ...) snprintf((verdict)->reason, sizeof(verdict)->reason, __VA_ARGS__)

static Category by_definition(const KernelEvidence *evidence, const ClassifyLimits *limits,
                              Verdict *verdict) {
  double uncached = reads_change(evidence, EXPERIMENT_UNCACHED);
  verdict->is_write_too = evidence->overwritten >= limits->overwritten;
  if (evidence->indirect >= limits->indirect) {
    BECAUSE(verdict, "%.0f %% of its loads take their address from memory",
            evidence->indirect * 100);
    return CATEGORY_DATA;
  }
  if (verdict->is_write_too) {
    BECAUSE(verdict, "%.0f %% of its loads are of sectors that it and another CTA store to",
            evidence->overwritten * 100);
    return CATEGORY_WRITE;
  }
  if (uncached < limits->fewer_reads) {
    BECAUSE(verdict, "without the L1, the L2 serves %.0f %% of the reads", uncached * 100);
    return CATEGORY_CACHE_LINE;
  }
  if (evidence->coalescing < limits->uncoalesced) {
    BECAUSE(verdict, "its loads touch %.0f times as many lines as needed",
            1 / evidence->coalescing);
    return CATEGORY_CACHE_LINE;
  }
  bool is_shared = evidence->shared >= limits->shared;
  bool by_order = order_matters(evidence, limits);
  if (is_shared && (order_takes_time(evidence, limits) || cache_matters(evidence, limits))) {
    BECAUSE(verdict, "other CTAs load %.0f %% of its data, and %s", evidence->shared * 100,
            by_order ? "the order of CTAs matters" : "the L1 matters");
    return CATEGORY_ALGORITHM;
  }
  if (is_shared)
    BECAUSE(verdict, "CTAs share data, but time depends neither on their order nor on the L1");
  else
    BECAUSE(verdict, "other CTAs load %.0f %% of its data", evidence->shared * 100);
  return CATEGORY_STREAMING;
}

void classify(const KernelEvidence *evidence, const ClassifyLimits *limits, Verdict *verdict) {
  *verdict =
      (Verdict){.published = published(evidence, limits), .order = best_order(evidence, limits)};
  verdict->category = by_definition(evidence, limits, verdict);
  verdict->is_exploitable =
      verdict->category == CATEGORY_ALGORITHM || verdict->category == CATEGORY_CACHE_LINE;
}

Verdict *classify_kernels(const Evidence *evidence, Arena *arena) {
  Verdict *verdicts = ARENA_ARRAY(arena, Verdict, evidence->count + 1);
  for (size_t i = 0; i < evidence->count; i++)
    classify(&evidence->kernels[i], &classify_defaults, &verdicts[i]);
  return verdicts;
}

Category classify_program(const Evidence *evidence, const Verdict *verdicts) {
  double shares[CATEGORIES] = {0};
  Category most = CATEGORY_STREAMING;
  for (size_t i = 0; i < evidence->count; i++)
    shares[verdicts[i].category] += evidence->kernels[i].time_share;
  for (Category category = 0; category < CATEGORIES; category++)
    if (shares[category] > shares[most]) most = category;
  return most;
}
