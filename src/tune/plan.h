// SPDX-License-Identifier: MIT
// What is worth trying, and what is to be kept: the part of figure 11 of Li et al. (ASPLOS
// 2017) behind the classification.
//
// First round: agents in the order that the source suggests, and in the one that the
// experiments prefer. Second round, on the better of these: fewer active agents, bypassing
// of what is read once, prefetching of the next CTA's data. Kernels that get slower stay
// as they are. A program that an ideal L1 would not make faster is left alone.
#ifndef TUNE_PLAN_H
#define TUNE_PLAN_H

#include "base/arena.h"
#include "tune/classify.h"

// A way to rewrite all kernels. order: of heddle cluster.
typedef struct Variant {
  const char *name;
  const char *order;  // auto, row or column
  bool has_bypass, has_prefetch;
  uint32_t active;  // agents per SM; 0: all
} Variant;

typedef struct VariantList {
  Variant *items;
  size_t count;
} VariantList;

// Why there is nothing to gain, or NULL: worth trying.
const char *plan_refusal(const Evidence *evidence, const Verdict *verdicts, Arena *arena);

void plan_first_round(VariantList *list, const Evidence *evidence, const Verdict *verdicts,
                      Arena *arena);
void plan_second_round(VariantList *list, const Variant *best, const Evidence *evidence,
                       const Verdict *verdicts, Arena *arena);

// Which kernels a variant makes faster, and the program's cycles if only these are
// rewritten. gains: by kernel of the original. Less than a hundredth is noise: kernels that
// gain less stay as they are.
uint64_t plan_choose_kernels(const Evidence *original, const Evidence *variant, bool *gains);

#endif
