// SPDX-License-Identifier: MIT
// Whether a variant of a program prints what the program prints.
//
// Programs print times, too. Lines in which runs of the unchanged program differ, under
// GPUs that differ in timing alone, say nothing about results and are left out.
#ifndef TUNE_OUTPUTS_H
#define TUNE_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct Outputs {
  char **texts;  // of the unchanged program
  size_t count;
  bool *is_left_out;  // by line
  size_t lines;
  bool is_comparable;  // else the runs have different numbers of lines
} Outputs;

// Reads the files that runs of the unchanged program have left.
Status outputs_read(Outputs *outputs, const char *const *paths, size_t count, Error *err);
void outputs_clear(Outputs *outputs);

typedef enum Sameness { OUTPUT_SAME, OUTPUT_DIFFERENT, OUTPUT_UNKNOWN } Sameness;
Status outputs_compare(const Outputs *outputs, const char *path, Sameness *sameness, Error *err);

#endif
