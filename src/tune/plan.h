// SPDX-License-Identifier: MIT
// Selects the variants to try and the one to keep: the part of figure 11 of Li et al. (ASPLOS
// 2017) after the classification.
//
// First round: agents in the order suggested by the source, and in the order preferred by the
// experiments. Second round, on the better of these: fewer active agents, bypassing of data read
// once, prefetching of the next CTA's data. Kernels that get slower are not rewritten. A program
// that an ideal L1 would not accelerate is not rewritten at all.
#ifndef TUNE_PLAN_H
#define TUNE_PLAN_H

#include "base/arena.h"
#include "study/classify/classify.h"

// One way to rewrite all kernels.
typedef struct Variant {
  const char *name;
  const char *order;  // --order of heddle cluster: auto, row or column
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
void plan_second_round(VariantList *list, const Variant *best, const Evidence *evidence,
                       const Verdict *verdicts, Arena *arena);

// Determines which kernels a variant makes faster, and returns the program's expected cycles if
// only these are rewritten. gains: by kernel of the original. Gains below 1 % are noise and do not
// count.
uint64_t plan_choose_kernels(const Evidence *original, const Evidence *variant, bool *gains);

#endif
