// SPDX-License-Identifier: MIT
// Variants of a source: rewritten by heddle cluster, compiled, run, compared.
#ifndef CLI_TUNE_VARIANTS_H
#define CLI_TUNE_VARIANTS_H

#include "cli/tune_session.h"
#include "tune/outputs.h"
#include "tune/plan.h"

// What became of a variant.
typedef struct TriedVariant {
  Variant variant;
  const char *source, *program;  // its files
  const char *failure;           // why it cannot be used, or NULL
  Evidence evidence;             // of its run
  uint64_t cycles;               // of its run
  uint64_t best_cycles;          // if only kernels that gain were rewritten
  bool *gains;                   // by kernel of the original
  Sameness sameness;
} TriedVariant;

// kernels: names of those to rewrite, or NULL: all that can be. Notes of kernels that are
// refused are added to *notes.
Status tune_variant_build(TuneSession *session, TriedVariant *tried, const char *const *kernels,
                          bool is_final, const char **notes, Error *err);
// Runs those that were built, and compares what they print.
Status tune_variants_run(TuneSession *session, TriedVariant *tried, size_t count,
                         const Outputs *outputs, bool is_final, Error *err);

#endif
