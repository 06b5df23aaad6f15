// SPDX-License-Identifier: MIT
// Reuse among kernels, CTAs and warps, from a ReuseRecord: shares of the footprint (Tang et
// al., SIGMETRICS 2018, figure 4), reuse ratios (equations 1 to 3, figures 7 to 10) and chains
// of high reuse (table 2).
//
//   R_x = 1 - lines of x / references of x                               (self)
//   R_x-y = references of x to lines that y references, too / references of x
//
// x of a pair is the child, either of two siblings, of two CTAs or of two warps in turn.
#ifndef OBSERVERS_REUSE_REUSE_RATIO_H
#define OBSERVERS_REUSE_REUSE_RATIO_H

#include "observers/reuse/line_index.h"

#define REUSE_RELATIONS(X)                                                             \
  X(KERNEL_SELF, kernel_self, "kernels")                                               \
  X(KERNEL_PARENT_CHILD, kernel_parent_child, "kernels and their parents")             \
  X(KERNEL_SIBLING, kernel_sibling, "kernels that the same CTA launched")              \
  X(CTA_SELF, cta_self, "CTAs")                                                        \
  X(CTA_INTRA_KERNEL, cta_intra_kernel, "CTAs of the same kernel")                     \
  X(CTA_PARENT_CHILD, cta_parent_child, "CTAs and the CTA that launched their kernel") \
  X(CTA_SIBLING, cta_sibling, "CTAs of sibling kernels")                               \
  X(WARP_SELF, warp_self, "warps")                                                     \
  X(WARP_INTER, warp_inter, "warps of the same CTA")

typedef enum ReuseRelation {
#define X(name, field, what) RELATION_##name,
  REUSE_RELATIONS(X)
#undef X
      RELATION_COUNT
} ReuseRelation;

enum { RATIO_BINS = 10 };

typedef struct RatioBins {
  uint64_t pairs;             // or units, of a self relation
  uint64_t high;              // ratio above 0.4
  uint64_t millionths;        // sum of the ratios
  uint64_t bins[RATIO_BINS];  // b: from b / 10 to below (b + 1) / 10; 1.0 is in the last
} RatioBins;

// Units linked by ratios above 0.4, of any relation, form one chain.
typedef struct ReuseChains {
  uint64_t units, chains, longest;
} ReuseChains;

// References of kernels, and those of them to lines ...
typedef struct FootprintShares {
  uint64_t references, lines;
  uint64_t self;          // ... that the kernel references more than once
  uint64_t self_repeats;  // ... of which all but the kernel's first to each line
  uint64_t parent_child;  // ... that its parent references, too
  uint64_t sibling;       // ... that a sibling references, too
  // Other readings of "shared footprint", for comparison:
  uint64_t children;     // references of child kernels
  uint64_t with_child;   // to lines that a child of the kernel references, too
  uint64_t same_parent;  // to lines that another child of its parent references, of any CTA
  uint64_t lines_self, lines_parent_child, lines_sibling;  // lines with any such reference
} FootprintShares;

typedef struct ReuseRatios {
  FootprintShares shares;
  RatioBins relations[RELATION_COUNT];
  ReuseChains kernel_chains, cta_chains;
  uint64_t units[REUSE_LEVELS], examined[REUSE_LEVELS];  // that reference anything; as x of pairs
} ReuseRatios;

// Told of every ratio: x and y are indices in the record, y = x for a self relation.
// Pairs that have no line in common are not told.
typedef struct RatioVisitor {
  void (*visit)(void *self, ReuseRelation relation, uint32_t x, uint32_t y, uint64_t shared,
                uint64_t references);
  void *self;
} RatioVisitor;

// work: comparisons of related units on a line that a level may cost. Where that is not enough, a
// sample of the units by hash is examined as x, and chains are shorter than they would be.
// visitor: or NULL.
void reuse_ratios(ReuseRatios *ratios, const ReuseRecord *record, uint64_t work,
                  const RatioVisitor *visitor);

#endif
