// SPDX-License-Identifier: MIT
// The options of a sampled run: "error=3%", or "error=3%,after=0".
#ifndef SAMPLING_SAMPLE_OPTIONS_H
#define SAMPLING_SAMPLE_OPTIONS_H

#include <stdint.h>

#include "base/error.h"

typedef struct SampleOptions {
  double error;  // relative: how far what is timed may vary before it stands for the rest
  // Warp instructions that are timed before anything is left out: a shorter program is timed whole.
  uint64_t after;
} SampleOptions;

// The text is what --sample was given.
Status sample_options_read(SampleOptions *options, const char *text, Error *err);

#endif
