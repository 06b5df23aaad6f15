// SPDX-License-Identifier: MIT
// Experimental evidence about a kernel: the input of study/classify/classify.h. It comes from the
// experiments of study/classify/experiments.h, with data that profilers do not provide from the
// observer `inter_cta` (src/observers/ctas/inter_cta.c).
#ifndef STUDY_CLASSIFY_EVIDENCE_H
#define STUDY_CLASSIFY_EVIDENCE_H

#include <stdint.h>

#include "base/arena.h"
#include "store/store.h"
#include "study/classify/experiments.h"

// Measurements of a kernel in one experiment, summed over its launches.
typedef struct Measured {
  uint64_t cycles;
  uint64_t l1_accesses, l1_hits;  // hits include merges with a miss in flight
  uint64_t l2_reads;              // sectors of 32 bytes
} Measured;

typedef struct KernelEvidence {
  const char *name;
  uint64_t launches, ctas, ctas_per_sm;  // ctas: of the largest grid
  uint64_t grid_height;                  // of the largest grid; 1 = one-dimensional
  double time_share;                     // fraction of the program's cycles
  Measured measured[EXPERIMENTS];
  double coalescing;   // of global loads: ideal / actual transactions; 1 if there are none
  double shared;       // fraction of loaded sectors that another CTA loads, too
  double line_shared;  // the same by lines of 128 bytes
  double overwritten;  // fraction of loaded sectors that this CTA and another store to
  double indirect;     // fraction of executed loads whose address comes from memory
} KernelEvidence;

typedef struct Evidence {
  KernelEvidence *kernels;  // in the order of their first launch
  size_t count;
} Evidence;

// Reads the results of the experiments by their keys in a store, all of which must be complete.
Status evidence_read(Evidence *evidence, Store *store, const char *const keys[EXPERIMENTS],
                     Arena *arena, Error *err);
// Reads one run of a variant: kernels with name, launches and cycles (EXPERIMENT_BASE).
Status evidence_read_run(Evidence *evidence, Store *store, const char *key, Arena *arena,
                         Error *err);

double measured_hit_rate(const Measured *measured);  // 0 without accesses
// Relative change of a quantity between two experiments: b / a, or 1 if a is 0.
double change(uint64_t a, uint64_t b);

#endif
