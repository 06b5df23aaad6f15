// SPDX-License-Identifier: MIT
// Variants of a source: rewritten by heddle cluster, compiled, run, compared.
#ifndef TUNE_TUNE_VARIANTS_H
#define TUNE_TUNE_VARIANTS_H

#include "tune/tune_session.h"
#include "tune/outputs.h"
#include "tune/plan.h"

// Result of a variant.
typedef struct TriedVariant {
  Variant variant;
  const char *source, *program;  // its files
  const char *failure;           // why it is unusable, or NULL
  const char *key;               // of its run
  Evidence evidence;             // of its run
  uint64_t cycles;               // of its run
  uint64_t best_cycles;          // expected if only kernels that gain are rewritten
  Sameness sameness;
} TriedVariant;

// kernels: those to rewrite, and how, as --kernel of heddle cluster takes them. Notes on rejected
// kernels are appended to *notes. Active agents are not part of the source, unless kernels say so.
Status tune_variant_build(TuneSession *session, TriedVariant *tried, const char *const *kernels,
                          const char **notes, Error *err);
// Runs the variants that were built and compares their output with the original's.
Status tune_variants_run(TuneSession *session, TriedVariant *tried, size_t count,
                         const Outputs *outputs, Error *err);

#endif
