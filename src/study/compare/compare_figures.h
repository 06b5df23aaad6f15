// SPDX-License-Identifier: MIT
// Figures of a command-line comparison, as sections of a study. Dimensions with
// more than one value determine the axes.
#ifndef STUDY_COMPARE_COMPARE_FIGURES_H
#define STUDY_COMPARE_COMPARE_FIGURES_H

#include "study/study.h"

// Whether the comparison is of programs, such as versions of one: two or more, and nothing else.
// They are compared by time, relative to the first; other comparisons by scheme.
bool compare_is_programs(const Study *study);

Status compare_figures(Study *study, Arena *arena, Error *err);

#endif
