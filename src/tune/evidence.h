// SPDX-License-Identifier: MIT
// What experiments have shown about a kernel: the input of tune/classify.h.
//
// The experiments are those of Li et al. (ASPLOS 2017, section 4.4), on a simulator instead
// of a GPU: other CTA orders by the dispatch policy `clustered`, which costs nothing, in
// place of redirection; the L1 turned off; and what a profiler cannot see, from the observer
// `inter_cta` (src/locality/inter_cta.c). One more bounds what any L1 could give: an L1 that
// always hits.
#ifndef TUNE_EVIDENCE_H
#define TUNE_EVIDENCE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

typedef enum Experiment {
  EXPERIMENT_BASE,      // as the GPU dispatches CTAs, with observers
  EXPERIMENT_ROW,       // clustered along x
  EXPERIMENT_COLUMN,    // clustered along y
  EXPERIMENT_UNCACHED,  // global loads bypass the L1
  EXPERIMENT_IDEAL,     // all loads hit in the L1
  EXPERIMENTS
} Experiment;

// Of a kernel in one experiment, all of its launches together.
typedef struct Measured {
  uint64_t cycles;
  uint64_t l1_accesses, l1_hits;  // hits: also those that merge with a miss in flight
  uint64_t l2_reads;              // sectors of 32 bytes
} Measured;

typedef struct KernelEvidence {
  const char *name;
  uint64_t launches, ctas, ctas_per_sm;  // ctas: of the largest grid
  uint64_t grid_height;                  // of the largest grid: 1 has no second direction
  double time_share;                     // of the program's cycles
  Measured measured[EXPERIMENTS];
  double coalescing;   // of global loads: ideal transactions / transactions; 1 if there are none
  double shared;       // share of the sectors loaded that another CTA loads, too
  double line_shared;  // the same by lines of 128 bytes
  double overwritten;  // share of the sectors loaded that this CTA and another store to
  double indirect;     // share of the loads executed whose address comes from memory
} KernelEvidence;

typedef struct Evidence {
  KernelEvidence *kernels;  // in the order of their first launch
  size_t count;
} Evidence;

double measured_hit_rate(const Measured *measured);  // 0 without accesses
// b / a, 1 where a is 0: how a quantity changes from one experiment to another.
double change(uint64_t a, uint64_t b);

#endif
