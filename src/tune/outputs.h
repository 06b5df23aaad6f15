// SPDX-License-Identifier: MIT
// Compares the output of a variant with that of the original program.
//
// Programs also print times. Lines that differ among runs of the original, on GPUs that differ
// only in timing, are excluded from the comparison.
#ifndef TUNE_OUTPUTS_H
#define TUNE_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct Outputs {
  char **texts;  // outputs of the original program
  size_t count;
  bool *is_left_out;  // by line
  size_t lines;
  bool is_comparable;  // all runs have the same number of lines
} Outputs;

// Reads the output files of the original's runs.
Status outputs_read(Outputs *outputs, const char *const *paths, size_t count, Error *err);
void outputs_clear(Outputs *outputs);

typedef enum Sameness { OUTPUT_SAME, OUTPUT_DIFFERENT, OUTPUT_UNKNOWN } Sameness;
Status outputs_compare(const Outputs *outputs, const char *path, Sameness *sameness, Error *err);

#endif
