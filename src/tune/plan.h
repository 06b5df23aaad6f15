// SPDX-License-Identifier: MIT
// Selects the variants to try and the one to keep: the part of figure 11 of Li et al. (ASPLOS
// 2017) after the classification.
//
// A variant rewrites all kernels in one way; each kernel of the source keeps the variant that is
// best for it, or stays as it is. First round: agents in the order suggested by the source and in
// those preferred by the experiments, by counter and by stride. Second round, on those of them that
// are best for some kernel: fewer active agents, by counter and by stride, bypassing of data read
// once, prefetching of the next CTA's data. A program that an ideal L1 would not accelerate is not
// rewritten at all.
#ifndef TUNE_PLAN_H
#define TUNE_PLAN_H

#include "base/arena.h"
#include "study/classify/classify.h"

// One way to rewrite all kernels.
typedef struct Variant {
  const char *name;
  const char *order;  // --order of heddle cluster: auto, row or column
  const char *claim;  // --claim: counter or stride
  bool has_bypass, has_prefetch;
  uint32_t active;  // active agents per SM; 0 = all
} Variant;

typedef struct VariantList {
  Variant *items;
  size_t count;
} VariantList;

// Returns why no variant can gain, or NULL if it is worth trying.
const char *plan_refusal(const Evidence *evidence, const Verdict *verdicts, Arena *arena);

void plan_first_round(VariantList *list, const Evidence *evidence, const Verdict *verdicts,
                      Arena *arena);
// bases: variants of the first round.
void plan_second_round(VariantList *list, const Variant *const *bases, size_t base_count,
                       const Evidence *evidence, const Verdict *verdicts, Arena *arena);

// A kernel of the source, with all its instances, and what becomes of it.
typedef struct KernelChoice {
  const char *name;        // in the source: reduce for ns::reduce<float, 256>
  uint64_t ctas;           // of its largest grid
  uint64_t ctas_per_sm;    // the fewest of its instances
  uint64_t before, after;  // cycles; equal if it stays as it is
  size_t variant;          // KEPT: it stays as it is
} KernelChoice;

enum { KEPT = SIZE_MAX };

typedef struct KernelChoices {
  KernelChoice *items;
  size_t count;
} KernelChoices;

// All kept. Kernels whose grids have no more CTAs than there are SMs are left out of what
// variants rewrite (plan_is_rewritten).
void plan_kernels(KernelChoices *choices, const Evidence *original, Arena *arena);
bool plan_is_rewritten(const KernelChoice *choice, uint64_t sm_count);
// Compares a variant with the choice so far. Gains below 1 % are noise and do not count.
void plan_offer(KernelChoices *choices, const Evidence *original, const Evidence *variant,
                size_t number);
// Cycles of the program with all choices made.
uint64_t plan_cycles(const KernelChoices *choices);
// NAME:PARAMETERS for --kernel of heddle cluster.
const char *plan_kernel_text(const KernelChoice *choice, const Variant *variant, Arena *arena);

#endif
