// SPDX-License-Identifier: MIT
#include "tune/plan.h"

#include <string.h>

enum { MOST_VARIANTS = 16 };
static const double worth = 0.01;         // minimum gain in time to rewrite a kernel
static const double worth_trying = 0.02;  // minimum gain of an ideal L1 to try variants

static uint64_t cycles_of(const Evidence *evidence, Experiment experiment) {
  uint64_t cycles = 0;
  for (size_t i = 0; i < evidence->count; i++)
    cycles += evidence->kernels[i].measured[experiment].cycles;
  return cycles;
}

// Whether some grid has several CTAs, so that their order can matter.
static bool has_many_ctas(const Evidence *evidence) {
  for (size_t i = 0; i < evidence->count; i++)
    if (evidence->kernels[i].ctas > 1) return true;
  return false;
}

const char *plan_refusal(const Evidence *evidence, const Verdict *verdicts, Arena *arena) {
  uint64_t base = cycles_of(evidence, EXPERIMENT_BASE);
  double ideal = 1 - change(base, cycles_of(evidence, EXPERIMENT_IDEAL));
  (void)verdicts;
  if (!evidence->count) return "no kernels were launched";
  if (!has_many_ctas(evidence)) return "every grid has one CTA";
  if (ideal >= worth_trying) return NULL;
  return arena_printf(arena, "an L1 that always hits would gain only %.1f %%", ideal * 100);
}

// ---- rounds

static void add(VariantList *list, Variant variant) {
  list->items[list->count++] = variant;
}

static void start(VariantList *list, Arena *arena) {
  *list = (VariantList){.items = ARENA_ARRAY(arena, Variant, MOST_VARIANTS)};
}

// The order that benefits the kernel with the largest share of time.
static BestOrder main_order(const Evidence *evidence, const Verdict *verdicts) {
  double most = 0;
  BestOrder order = BEST_NONE;
  for (size_t i = 0; i < evidence->count; i++)
    if (verdicts[i].order != BEST_NONE && evidence->kernels[i].time_share > most) {
      most = evidence->kernels[i].time_share;
      order = verdicts[i].order;
    }
  return order;
}

void plan_first_round(VariantList *list, const Evidence *evidence, const Verdict *verdicts,
                      Arena *arena) {
  BestOrder order = main_order(evidence, verdicts);
  start(list, arena);
  add(list, (Variant){.name = "agents", .order = "auto"});
  if (order == BEST_ROW) add(list, (Variant){.name = "agents by rows", .order = "row"});
  if (order == BEST_COLUMN) add(list, (Variant){.name = "agents by columns", .order = "column"});
}

static bool is_exploitable(const Evidence *evidence, const Verdict *verdicts) {
  for (size_t i = 0; i < evidence->count; i++)
    if (verdicts[i].is_exploitable) return true;
  return false;
}

static bool has_others(const Evidence *evidence, const Verdict *verdicts) {
  for (size_t i = 0; i < evidence->count; i++)
    if (!verdicts[i].is_exploitable) return true;
  return false;
}

static uint64_t most_agents(const Evidence *evidence) {
  uint64_t most = 0;
  for (size_t i = 0; i < evidence->count; i++)
    if (evidence->kernels[i].ctas_per_sm > most) most = evidence->kernels[i].ctas_per_sm;
  return most;
}

void plan_second_round(VariantList *list, const Variant *best, const Evidence *evidence,
                       const Verdict *verdicts, Arena *arena) {
  start(list, arena);
  for (uint64_t active = most_agents(evidence) / 2; active >= 1; active /= 2) {
    Variant variant = *best;
    variant.active = (uint32_t)active;
    variant.name = arena_printf(arena, "%s, %u active", best->name, variant.active);
    add(list, variant);
  }
  if (is_exploitable(evidence, verdicts)) {
    Variant variant = *best;
    variant.has_bypass = true;
    variant.name = arena_printf(arena, "%s, bypass", best->name);
    add(list, variant);
  }
  if (has_others(evidence, verdicts)) {
    Variant variant = *best;
    variant.has_prefetch = true;
    variant.name = arena_printf(arena, "%s, prefetch", best->name);
    add(list, variant);
  }
}

// ---- choices

static const KernelEvidence *find(const Evidence *evidence, const char *name) {
  for (size_t i = 0; i < evidence->count; i++)
    if (strcmp(evidence->kernels[i].name, name) == 0) return &evidence->kernels[i];
  return NULL;
}

uint64_t plan_choose_kernels(const Evidence *original, const Evidence *variant, bool *gains) {
  uint64_t cycles = 0;
  for (size_t i = 0; i < original->count; i++) {
    const KernelEvidence *before = &original->kernels[i];
    const KernelEvidence *after = find(variant, before->name);
    uint64_t was = before->measured[EXPERIMENT_BASE].cycles;
    uint64_t is = after ? after->measured[EXPERIMENT_BASE].cycles : was;
    gains[i] = after && (double)is < (double)was * (1 - worth);
    cycles += gains[i] ? is : was;
  }
  return cycles;
}
