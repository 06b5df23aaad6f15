// SPDX-License-Identifier: MIT
// Classifies the source of a kernel's inter-CTA locality: the five categories of Li et al.
// (ASPLOS 2017, section 3.2).
//
// The paper estimates them by experiments in this order (section 4.4, figure 11): if another
// CTA order changes the L1 hit rate or the time, the kernel is algorithm or cache-line
// related, the latter if fewer L2 transactions remain without the L1; else streaming if its
// accesses are coalesced, and data related if not; a kernel that reads and writes an array
// at shifted places is write related. verdict.published is the result in this order.
//
// verdict.category interprets the same evidence in a different order, which applies the
// definitions of section 3.2 first, because experiments alone cannot distinguish some
// categories: a tree whose root all CTAs read resembles an algorithm that shares data (b+tree),
// a kernel whose lines thrash gains nothing from reordering (atax), and data shared by all CTAs
// is shared under any order (kmeans).
//
//   1. data        addresses come from memory
//   2. write       CTAs overwrite data that others load
//   3. cache-line  L2 traffic is lower without the L1, or loads are uncoalesced
//   4. algorithm   CTAs load the same data, and it matters: another order, no L1 or an ideal
//                  L1 changes the time
//   5. streaming   otherwise
#ifndef STUDY_CLASSIFY_CLASSIFY_H
#define STUDY_CLASSIFY_CLASSIFY_H

#include <stdbool.h>

#include "base/arena.h"
#include "study/classify/evidence.h"

typedef enum Category {
  CATEGORY_ALGORITHM,
  CATEGORY_CACHE_LINE,
  CATEGORY_DATA,
  CATEGORY_WRITE,
  CATEGORY_STREAMING,
  CATEGORIES
} Category;

const char *category_name(Category category);  // "cache-line"

// Decision thresholds. Each is a fraction or a relative change.
typedef struct ClassifyLimits {
  double overwritten;  // loads from sectors that another CTA also stores to
  double indirect;     // loads with addresses from memory
  double shared;       // loads of data that another CTA loads, too
  double fewer_reads;  // relative L2 reads without the L1; below: most of a line is unused
  double l2_change;    // change of L2 reads by another order
  double hit_change;   // absolute change of the L1 hit rate by another order
  double time_change;  // change of time by another order, without the L1, or with an ideal L1
  double uncoalesced;  // ideal / actual transactions; below: lines are used for a few words
  double coalesced;    // the same; above: streaming in the published flow
} ClassifyLimits;

extern const ClassifyLimits classify_defaults;

// The direction in which clustering helps most.
typedef enum BestOrder { BEST_NONE, BEST_ROW, BEST_COLUMN } BestOrder;

typedef struct Verdict {
  Category category, published;
  bool is_write_too;    // data related, and CTAs overwrite data that others load
  bool is_exploitable;  // algorithm or cache-line
  BestOrder order;
  char reason[192];
} Verdict;

void classify(const KernelEvidence *evidence, const ClassifyLimits *limits, Verdict *verdict);

// The verdicts of all kernels by the default limits.
Verdict *classify_kernels(const Evidence *evidence, Arena *arena);

// The category that accounts for most of the program's time. verdicts[i] belongs to kernel i.
Category classify_program(const Evidence *evidence, const Verdict *verdicts);

#endif
