// SPDX-License-Identifier: MIT
// The figures of a comparison from the command line, as sections of a study: what
// stands on which axis follows from what there is more than one of.
#ifndef CLI_COMPARE_FIGURES_H
#define CLI_COMPARE_FIGURES_H

#include "study/study.h"

const char *compare_figures(const Study *study, Arena *arena);

#endif
