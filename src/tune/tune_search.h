// SPDX-License-Identifier: MIT
// The search of heddle tune: classifies the program, tries variants in rounds, and writes the best
// source, which is the original if none is faster.
#ifndef TUNE_TUNE_SEARCH_H
#define TUNE_TUNE_SEARCH_H

#include "tune/gain_source.h"
#include "tune/tune_variants.h"

enum { MOST_TRIED = 64 };

typedef struct Tune {
  TuneSession session;
  const char *output;  // the tuned source
  Outputs outputs;
  uint64_t original_cycles;
  TriedVariant tried[MOST_TRIED];
  size_t count;
  const char *notes;      // of heddle cluster, on kernels that it does not rewrite
  const char *refusal;    // why the original is kept, or NULL
  KernelChoices choices;  // by kernel of the source; variant: index of tried
  const TriedVariant *chosen;
  GainSource gain;  // of the chosen variant
} Tune;

// The session is open, and `output` is set.
Status tune_search(Tune *tune, Error *err);

// What was tried, and the outcome.
void tune_print(const Tune *tune, FILE *file);
json_t *tune_json(const Tune *tune);

#endif
