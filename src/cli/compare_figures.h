// SPDX-License-Identifier: MIT
// Figures of a command-line comparison, as sections of a study. Dimensions with
// more than one value determine the axes.
#ifndef CLI_COMPARE_FIGURES_H
#define CLI_COMPARE_FIGURES_H

#include "study/study.h"

const char *compare_figures(const Study *study, Arena *arena);

#endif
