// SPDX-License-Identifier: MIT
// Sweeps: dimensions of a study made of a parameter and its values.
//
//   l1d.size_kb = 16, 32, 64               section.key, as --set has it
//   warp_scheduler.active_warps = 2, 4, 8  family.parameter, of the scheme's own policy
//
// Parameters and values are checked when runs are made.
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H

#include "study/sections.h"
#include "study/study.h"

// Adds a dimension: "l1d.size_kb=16,32,64".
Status sweep_add(Study *study, const char *text, Error *err);

// Gives a dimension other values: of the same parameter.
Status sweep_replace(Study *study, Dimension dimension, const char *text, Error *err);

// A line of a [sweep NAME] section.
Status sweep_set(Study *study, const SectionLine *line, Error *err);

#endif
