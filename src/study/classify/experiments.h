// SPDX-License-Identifier: MIT
// The experiments by which `heddle classify` finds the source of inter-CTA locality, those of Li et
// al. (ASPLOS 2017, section 4.4) on a simulator instead of a GPU: other CTA orders by the dispatch
// policy `clustered`, which has no overhead, in place of redirection; the L1 disabled; and one
// further experiment, an L1 that always hits, which bounds the gain of any L1. A study with
// `experiments = classification` has them as variants.
#ifndef STUDY_CLASSIFY_EXPERIMENTS_H
#define STUDY_CLASSIFY_EXPERIMENTS_H

typedef enum Experiment {
  EXPERIMENT_BASE,      // the GPU's dispatch order, with observers
  EXPERIMENT_ROW,       // clustered along x
  EXPERIMENT_COLUMN,    // clustered along y
  EXPERIMENT_UNCACHED,  // global loads bypass the L1
  EXPERIMENT_IDEAL,     // all loads hit in the L1
  EXPERIMENTS
} Experiment;

typedef struct ExperimentType {
  const char *name, *title;
  const char *set;      // section.key=value, or NULL
  const char *observe;  // an observer besides the default ones, or "none"
} ExperimentType;

extern const ExperimentType experiment_types[EXPERIMENTS];

#endif
