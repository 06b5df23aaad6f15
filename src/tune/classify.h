// SPDX-License-Identifier: MIT
// Where a kernel's inter-CTA locality comes from: the five categories of Li et al. (ASPLOS
// 2017, section 3.2), from evidence.
//
// The paper estimates them by experiments in this order (section 4.4, figure 11): if another
// CTA order changes the L1 hit rate or the time, the kernel is algorithm or cache-line
// related, the latter if fewer L2 transactions remain without the L1; else streaming if its
// accesses are coalesced, and data related if not; a kernel that reads and writes an array
// at shifted places is write related. verdict.published is what this order gives.
//
// verdict.category is our own reading of the same evidence, in an order that asks the
// definitions of section 3.2 first, because experiments alone cannot tell some of them
// apart: a tree whose root all CTAs read looks like an algorithm that shares data (b+tree), a
// kernel whose lines thrash gains nothing from order (atax), and data that all CTAs
// share is shared under any order (kmeans).
//
//   1. data        addresses come from memory
//   2. write       CTAs overwrite what others load
//   3. cache-line  the L2 has less to do without the L1, or loads are not coalesced
//   4. algorithm   CTAs load the same data, and it matters: another order, no L1 or an ideal
//                  L1 change the time
//   5. streaming   what is left
#ifndef TUNE_CLASSIFY_H
#define TUNE_CLASSIFY_H

#include <stdbool.h>

#include "tune/evidence.h"

typedef enum Category {
  CATEGORY_ALGORITHM,
  CATEGORY_CACHE_LINE,
  CATEGORY_DATA,
  CATEGORY_WRITE,
  CATEGORY_STREAMING,
  CATEGORIES
} Category;

const char *category_name(Category category);  // "cache-line"

// Where the decisions change. Each is a share or a relative change.
typedef struct ClassifyLimits {
  double overwritten;  // loads next to what another CTA stores
  double indirect;     // loads with addresses from memory
  double shared;       // loads of data that another CTA loads
  double fewer_reads;  // L2 reads without the L1, relative: below, lines are fetched in vain
  double l2_change;    // L2 reads by another order
  double hit_change;   // L1 hit rate by another order, in absolute terms
  double time_change;  // time: by another order, without the L1, with an ideal L1
  double uncoalesced;  // ideal / actual transactions, below: lines are touched for a few words
  double coalesced;    // the same, above: streaming in the published flow
} ClassifyLimits;

extern const ClassifyLimits classify_defaults;

// The direction in which clustering helps most.
typedef enum BestOrder { BEST_NONE, BEST_ROW, BEST_COLUMN } BestOrder;

typedef struct Verdict {
  Category category, published;
  bool is_write_too;    // data related, and CTAs overwrite what others load
  bool is_exploitable;  // algorithm or cache-line
  BestOrder order;
  char reason[192];
} Verdict;

void classify(const KernelEvidence *evidence, const ClassifyLimits *limits, Verdict *verdict);

// The category that most of the program's time belongs to; verdicts are of the same kernels.
Category classify_program(const Evidence *evidence, const Verdict *verdicts);

#endif
