// SPDX-License-Identifier: MIT
// Figures of a study, measured: tables as JSON, which docs/report-data.md
// describes, for the page, for terminals and as CSV.
#ifndef STUDY_FIGURES_FIGURE_H
#define STUDY_FIGURES_FIGURE_H

#include <stdio.h>

#include "store/store.h"
#include "study/study.h"

// A list with every figure; one that is there for each value of a further
// dimension has so many entries.
Status figures_measure(Store *store, const Study *study, json_t **figures, Error *err);

// The same from given results: `rows` in the order of study_results, with the statistics
// `names` after the first RESULT_NAMES columns.
typedef struct FigureNames {
  const char **items;
  size_t count, capacity;
} FigureNames;
Status figures_collect_names(const Study *study, Arena *arena, FigureNames *names, Error *err);
Status figures_make(const Study *study, const json_t *rows, const FigureNames *names,
                    json_t **figures, Error *err);

void figures_print(const json_t *figures, FILE *file);

#endif
