// SPDX-License-Identifier: MIT
// Reference counts and reuse distances for the analysis of reuse among kernels, CTAs and warps
// (Tang et al., "Quantifying Data Locality in Dynamic Parallelism in GPUs", SIGMETRICS 2018,
// section 4).
//
// References are recorded in order. Distances are classified immediately; counts by line and
// warp are kept for reuse_ratio.h, which is computed at the end.
//
// Memory grows with the number of pairs of a line and a warp that referenced it, never with
// references. Beyond `limit` pairs, half of the lines are dropped, repeatedly: the rest is a
// spatial sample of lines by hash, as in SHARDS (Waldspurger et al., FAST 2015).
// Distances are scaled by 1 / rate and counted 1 / rate times; ratios are of the sample.
#ifndef OBSERVERS_REUSE_REUSE_RECORD_H
#define OBSERVERS_REUSE_REUSE_RECORD_H

#include "observers/key_set.h"
#include "observers/reuse/distance_tree.h"

#define REUSE_NONE UINT32_MAX

// How the kernel of a reference and that of the one before it are related.
typedef enum ReuseKind {
  REUSE_SELF,          // the same kernel
  REUSE_PARENT_CHILD,  // the parent's
  REUSE_SIBLING,       // of another kernel that the same CTA launched
  REUSE_KINDS
} ReuseKind;

enum { DISTANCE_BINS = 40 };

// Of a reference to a line, the one before it by the same kernel; by its parent, if that
// came after the kernel's own last; by a sibling, if no reference of the kernel came since.
typedef struct ReuseDistances {
  uint64_t count, sum;            // sum: of distances in lines
  uint64_t beyond_l1, beyond_l2;  // distances of at least so many lines (ReuseRecord)
  uint64_t bins[DISTANCE_BINS];   // 0: distance 0; b: 2^(b-1) to 2^b - 1 lines
} ReuseDistances;

typedef struct ReuseKernel {
  uint32_t parent;      // index, or REUSE_NONE
  uint32_t parent_cta;  // index of the CTA that launched it, or REUSE_NONE: siblings share it
  uint32_t warps_per_cta;
  uint64_t cta_count;  // of its grid
} ReuseKernel;

typedef struct ReuseCta {
  uint32_t kernel;  // index
  uint32_t first_warp;
} ReuseCta;

// Zeroed except for its configuration, it is empty and ready for use.
typedef struct ReuseRecord {
  // configuration
  uint64_t limit;               // entries of all tables
  uint64_t l1_lines, l2_lines;  // distances to compare with; 0: not
  // kernels, CTAs and warps by index
  ReuseKernel *kernels;
  uint32_t kernel_count, kernel_capacity;
  ReuseCta *ctas;
  uint32_t cta_count, cta_capacity;
  uint32_t warp_count;
  KeySet kernel_numbers, cta_numbers;  // by id; by kernel and CTA: index + 1
  struct {
    uint64_t cta;
    uint32_t kernel_id, kernel_index, cta_index;
    bool is_known;
  } latest;  // CTA that referenced: mostly, the next reference is its, too
  // references
  KeySet counts;                     // by line and warp: references
  KeySet last, last_of, last_among;  // by line; and kernel; and CTA of siblings: time
  DistanceTree tree;
  uint32_t halvings;          // one line in 2^halvings is followed
  uint64_t references, time;  // all; of lines followed
  ReuseDistances distances[REUSE_KINDS];
} ReuseRecord;

// A kernel starts. parent: its id and CTA, or REUSE_NONE.
void reuse_record_kernel(ReuseRecord *record, uint32_t id, uint32_t parent, uint64_t parent_cta,
                         uint64_t cta_count, uint32_t warps_per_cta);
// A warp of a kernel that has started references a line.
void reuse_record_reference(ReuseRecord *record, uint32_t kernel_id, uint64_t cta, uint32_t warp,
                            uint64_t line);
void reuse_record_clear(ReuseRecord *record);

// Index of a CTA's kernel, of a warp's CTA.
uint32_t reuse_record_cta_of(const ReuseRecord *record, uint32_t warp);

#endif
