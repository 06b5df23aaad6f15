// SPDX-License-Identifier: MIT
// The options of a sampled run: "error=3%".
#ifndef SAMPLING_SAMPLE_OPTIONS_H
#define SAMPLING_SAMPLE_OPTIONS_H

#include "base/error.h"

typedef struct SampleOptions {
  double error;  // relative: how far what is timed may vary before it stands for the rest
} SampleOptions;

// The text is what --sample was given.
Status sample_options_read(SampleOptions *options, const char *text, Error *err);

#endif
