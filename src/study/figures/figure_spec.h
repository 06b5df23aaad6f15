// SPDX-License-Identifier: MIT
// [figure NAME] and [paper NAME] sections of a study.
#ifndef STUDY_FIGURES_FIGURE_SPEC_H
#define STUDY_FIGURES_FIGURE_SPEC_H

#include "study/sections.h"
#include "study/study.h"

Status figure_spec_set(Study *study, const SectionLine *line, Error *err);
Status figure_spec_set_paper(Study *study, const SectionLine *line, Error *err);

// Checks that require the complete study: names, baselines, and whether the statistic is
// an expression.
Status figure_spec_check(Study *study, FigureSpec *figure, Error *err);

// Whether the study leaves out (`only`) what the figure is about: its baseline, a value that it
// shows alone, or all its columns.
bool figure_spec_is_left_out(Study *study, const FigureSpec *figure);

// Names of a dimension's values are words of people's files: an unknown one is
// an error with the nearest.
Status study_check_item(const Study *study, Dimension dimension, const char *name, Error *err);

#endif
